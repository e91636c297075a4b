"""Quality flags that need the whole set: near-duplicates, prose of another error."""

from __future__ import annotations


def check_set(store, encoder, cache):
    return 0
