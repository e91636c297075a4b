"""Messages without a class, and errors that are not the last of a paste."""

from __future__ import annotations

from pathlib import Path

import pytest
from assistant_samples import body, holding

from assistant import Verdict

RECORD = body("could not load plugin quorum {name}", path="acme/plugin.py", repo="acme/acme")


@pytest.mark.parametrize(
    ("paste", "claim"),
    [
        ("could not load plugin quorum x", Verdict.EXACT),
        ("2026-01-01 10:00:00 ERROR could not load plugin quorum x", Verdict.EXACT),
        ("vim: could not load plugin quorum x", Verdict.LIKELY),
        ("ValueError: [worker=7] could not load plugin quorum x", Verdict.EXACT),
    ],
)
def test_another_programs_prefix_is_not_overlooked(
    tmp_path: Path, paste: str, claim: Verdict
) -> None:
    with holding(tmp_path, RECORD) as found:
        assert found.search(paste).verdict is claim


@pytest.mark.parametrize(
    ("paste", "claim"),
    [
        ("Not authenticated", Verdict.LIKELY),
        ("acme: said the gateway\n\nNot authenticated", Verdict.EXACT),
        ("HTTPError: Not authenticated", Verdict.EXACT),
    ],
)
def test_two_common_words_need_a_class_or_a_library(
    tmp_path: Path, paste: str, claim: Verdict
) -> None:
    record = body("Not authenticated", error_class="HTTPError", repo="acme/acme", path="acme/a.py")
    with holding(tmp_path, record) as found:
        assert found.search(paste).verdict is claim


def test_a_library_that_its_own_message_names_is_not_named_by_the_paste(tmp_path: Path) -> None:
    record = body("There is no active acme context.", repo="acme/acme", path="acme/core.py")
    with holding(tmp_path, record) as found:
        hit = found.search("RuntimeError: There is no active acme context.").hits[0]
    assert "library" not in [reason.name for reason in hit.reasons]


CHAIN = """Traceback (most recent call last):
  File "/v/site-packages/acme/plugin.py", line 3, in load
    raise ValueError(f"could not load plugin quorum {name}")
ValueError: could not load plugin quorum x

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/jo/app.py", line 9, in main
    context["ctx"]
KeyError: 'ctx'
"""


def test_an_error_that_is_not_the_last_is_named_so(tmp_path: Path) -> None:
    with holding(tmp_path, RECORD) as found:
        result = found.search(CHAIN)
        last = found.search(CHAIN.partition("During")[0])
    assert result.verdict is Verdict.EXACT
    assert [(note.name, note.text) for note in result.notes] == [
        ("other-link", "this is about error 1 of 2 in the paste; the last one is KeyError: 'ctx'")
    ]
    assert last.notes == ()
