"""Quality flags that need vectors or the other records of a repository.

Only versions of repositories with something new are looked at again, and what is found for one
does not depend on the order of adding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from index.encoder import Encoder, Vectors
from index.foreign_prose import WordRarity, is_foreign, message_text, prose_text
from index.text import record_text, text_hash
from index.vectors import VectorCache
from records.model.quality import Flag
from records.model.record import ErrorRecord
from records.model.template import template
from records.stages import announce
from records.store.store import Store
from records.store.versions import Version

# A record is a near-duplicate of another of its repository when both agree this well. Texts of
# the machine-made corpus are alike in meaning far more often than their messages are.
DUPLICATE_COSINE = 0.95
DUPLICATE_WORDS = 0.7

# Counted over no records: then a flag depends on its own record alone. On the half of the
# written records that nothing was fitted on: recall 0.73, no false flag; words counted over the
# whole set give 0.78.
_RARITY = WordRarity.of(())

_ROWS = 1_024
_PROSE_BATCH = 64
_WORD = re.compile(r"\w+")

Advance = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class _Member:
    """What near-duplicates are told by, for one version."""

    key: tuple[str, str]
    repo: str
    text: bytes
    group: str
    words: frozenset[str]
    checked: bool


def check_set(store: Store, encoder: Encoder, cache: VectorCache, *, advance: Advance) -> int:
    """Set the flags that need the set; needs a vector of every stored version.

    Args:
        store: whose versions are flagged.
        encoder: for prose that has no vector yet, and to find the others.
        cache: the vectors.
        advance: called with the number of versions that were checked since the last call.

    Returns:
        the number of versions that were checked.

    Raises:
        ModelUnavailable: a text has no vector, and the weights cannot be had.
    """
    if not store.unchecked:
        return 0
    members = [_member(version) for version in store.versions()]
    dirty = {member.repo for member in members if not member.checked}
    flags: dict[tuple[str, str], set[Flag]] = {
        member.key: set() for member in members if member.repo in dirty
    }
    for repo, group in _by_repo(members, dirty):
        for key in _near_duplicates(group, encoder, cache):
            flags[key].add(Flag.NEAR_DUPLICATE)
        advance(len(group))
        announce(f"quality: {repo}")
    for key in _foreign(store, flags.keys(), encoder, cache):
        flags[key].add(Flag.FOREIGN_PROSE)
    announce("quality: commit")
    store.put_stage_flags({key: frozenset(found) for key, found in flags.items()})
    return len(flags)


def _member(version: Version) -> _Member:
    body = json.loads(version.received)
    made = template(body["errorMessage"], body["messagePattern"])
    return _Member(
        key=(version.id, version.source),
        repo=body["repo"],
        text=text_hash(record_text(body)),
        group=f"{made.key}\n{body['errorClass']}",
        words=frozenset(_WORD.findall(made.key.lower())),
        checked=version.stage_flags is not None,
    )


def _by_repo(members: list[_Member], wanted: set[str]) -> Iterator[tuple[str, list[_Member]]]:
    repos: dict[str, list[_Member]] = {repo: [] for repo in sorted(wanted)}
    for member in members:
        if member.repo in repos:
            repos[member.repo].append(member)
    yield from repos.items()


def _near_duplicates(
    members: list[_Member], encoder: Encoder, cache: VectorCache
) -> set[tuple[str, str]]:
    vectors, positions = cache.get(encoder.fingerprint, [member.text for member in members])
    placed = [members[position] for position in positions]
    found = set(_same_group(members))
    for start in range(0, len(placed), _ROWS):
        near = vectors[start : start + _ROWS] @ vectors.T >= DUPLICATE_COSINE
        for row, column in zip(*np.nonzero(near), strict=True):
            one, other = placed[start + int(row)], placed[int(column)]
            if one.key[0] != other.key[0] and _alike(one.words, other.words):
                found.add(one.key)
    return found


def _same_group(members: list[_Member]) -> Iterator[tuple[str, str]]:
    """Versions whose template and class another record of the repository has too."""
    ids: dict[str, set[str]] = {}
    for member in members:
        ids.setdefault(member.group, set()).add(member.key[0])
    return (member.key for member in members if len(ids[member.group]) > 1)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    union = one | other
    return not union or len(one & other) >= DUPLICATE_WORDS * len(union)


def _foreign(
    store: Store, wanted: Iterable[tuple[str, str]], encoder: Encoder, cache: VectorCache
) -> Iterator[tuple[str, str]]:
    """Versions whose written prose is about another error; thin and derived are not judged."""
    keys = set(wanted)
    batch: list[Version] = []
    for version in store.versions():
        if (version.id, version.source) in keys and _is_judged(version):
            batch.append(version)
        if len(batch) >= _PROSE_BATCH:
            yield from _foreign_of(batch, encoder, cache)
            batch = []
    yield from _foreign_of(batch, encoder, cache)


def _is_judged(version: Version) -> bool:
    return Flag.THIN not in version.flags and not version.derived


def _foreign_of(
    batch: list[Version], encoder: Encoder, cache: VectorCache
) -> Iterator[tuple[str, str]]:
    records: list[ErrorRecord] = [version.record for version in batch]
    messages = _vectors([message_text(record) for record in records], encoder, cache)
    proses = _vectors([prose_text(record) for record in records], encoder, cache)
    for version, record, message, text in zip(batch, records, messages, proses, strict=True):
        if is_foreign(record, _RARITY, float(message @ text)):
            yield version.id, version.source


def _vectors(texts: Sequence[str], encoder: Encoder, cache: VectorCache) -> Vectors:
    """Vectors of texts, in their order; what is missing is embedded and kept."""
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)
    hashes = [text_hash(text) for text in texts]
    missing = cache.missing(encoder.fingerprint, hashes)
    if missing:
        vectors = encoder.encode([texts[position] for position in missing])
        cache.put(encoder.fingerprint, [hashes[position] for position in missing], vectors)
    return cache.get(encoder.fingerprint, hashes)[0]
