"""What verdicts, confidences and quality flags say to people."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.result import Result, Verdict
from records.model.quality import Flag

HEADLINES = {
    Verdict.EXACT: "This is the error",
    Verdict.LIKELY: "Very probably this error",
    Verdict.RELATED: "Not this very error, but about the same subject",
    Verdict.NONE: "No record explains this",
}

CLAIMS = {
    Verdict.EXACT: "This record's template produced your text.",
    Verdict.LIKELY: "The message fits; the library or its version may differ.",
    Verdict.RELATED: "Read it as background, not as the answer.",
    Verdict.NONE: "None was found that raises an error like the one you pasted.",
}

# Notes of results for which nothing was searched by meaning.
_ONLY_EXACT = frozenset({"encoder-loading", "encoder-unavailable", "other-encoder", "no-vectors"})
NO_EXACT_MATCH = "no exact match"
ONLY_EXACT = "only exact messages were searched: a record may explain your text all the same"

BADGES = {
    Verdict.EXACT: "exact",
    Verdict.LIKELY: "likely",
    Verdict.RELATED: "related",
    Verdict.NONE: "no match",
}

UNCALIBRATED = (
    "A score from 0 to 1: higher is surer. It is not calibrated: "
    "0.9 does not mean right nine times out of ten."
)

WARNINGS = {
    Flag.ID_MISMATCH: "The record's id does not fit its content: it may have been changed.",
    Flag.PATTERN_BROKEN: "The record's own pattern is broken: its message was compared instead.",
    Flag.PATTERN_GENERIC: "The message has very little fixed text, so it fits many other errors.",
    Flag.PATTERN_ESCAPED: (
        "The record's own pattern never matches a real message: its message was compared instead."
    ),
    Flag.PATTERN_MISMATCH: "The record's own pattern does not match its own message.",
    Flag.EXCERPT_MISMATCH: "The code excerpt does not contain this message.",
    Flag.EXCERPT_UNCHECKED: ("Not checked: whether the code excerpt really raises this message."),
    Flag.ESCAPED_BREAKS: "Line breaks of the code examples were broken and are shown repaired.",
    Flag.THIN: "There is little written explanation in this record.",
    Flag.NEAR_DUPLICATE: "Another record says nearly the same.",
    Flag.FOREIGN_PROSE: (
        "The explanation seems to be about another error than the message: "
        "do not rely on its fixes."
    ),
}

# Flags that make the advice itself doubtful; the others are remarks.
SERIOUS = frozenset({Flag.FOREIGN_PROSE, Flag.ID_MISMATCH, Flag.EXCERPT_MISMATCH})


def only_exact(result: Result) -> bool:
    """Whether nothing was found, and nothing but exact messages was searched."""
    searched = _ONLY_EXACT.isdisjoint(note.name for note in result.notes)
    return result.verdict is Verdict.NONE and not searched


def headline(result: Result) -> str:
    """What a result claims, in a few words."""
    return sentence(NO_EXACT_MATCH) if only_exact(result) else HEADLINES[result.verdict]


def claim(result: Result) -> str:
    """How the claim is meant, as a sentence."""
    return f"{sentence(ONLY_EXACT)}." if only_exact(result) else CLAIMS[result.verdict]


def worth_telling(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    """The flags that an answer tells: an excerpt that was not checked is by itself no fault."""
    given = tuple(flags)
    return () if given == (Flag.EXCERPT_UNCHECKED,) else given


def confidence(value: float) -> str:
    """Say a confidence of 0..1 in words, with its figure.

    Rounded down, so that 1.00 is only said of 1.
    """
    level = "high" if value >= 0.75 else "medium" if value >= 0.4 else "low"
    return f"{level} ({int(value * 100) / 100:.2f})"


def sentence(text: str) -> str:
    """Begin a text as a sentence does."""
    return text[:1].upper() + text[1:]


def duration(milliseconds: float) -> str:
    """`under 1 ms`, `12 ms`, `1,204 ms`."""
    return "under 1 ms" if milliseconds < 1 else f"{milliseconds:,.0f} ms"


def count(number: int, noun: str) -> str:
    """`1 place`, `2 places`, `137,205 records`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
