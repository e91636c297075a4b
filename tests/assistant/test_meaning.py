"""A record that both tiers find."""

from __future__ import annotations

from pathlib import Path

from assistant_samples import body, holding

from assistant import Verdict

QUESTION = "why is the sheet missing: it was exported twice, or edited by hand between two runs"


def test_a_weak_text_match_does_not_hide_nearness_in_meaning(tmp_path: Path) -> None:
    """The template's 7 letters occur in the question, which says nothing; its prose is near."""
    with holding(
        tmp_path, body("missing {what}", tags=["sheet", "exported", "edited"]), vectors=True
    ) as found:
        result = found.search(QUESTION)
    assert result.verdict is Verdict.RELATED
    assert (result.hits[0].match, result.hits[0].captures) == (None, ())
    assert [reason.name for reason in result.hits[0].reasons] == ["meaning"]


def test_a_text_match_keeps_its_place_beside_its_meaning(tmp_path: Path) -> None:
    record = body("missing sheet header {what}", error_class=None)
    with holding(tmp_path, record, vectors=True) as found:
        hit = found.search(f"{QUESTION}; it says missing sheet header A4 to me, twice").hits[0]
    assert hit.verdict is Verdict.LIKELY
    assert hit.match is not None
