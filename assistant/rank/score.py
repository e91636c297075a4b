"""From evidence to a score: a sum of named weights, in bits of rarity."""

from __future__ import annotations

from assistant.rank.evidence import Evidence, Placed

# The rarity of the fixed text counts in bits; these are on the same scale. Set by hand on the
# seeds and samples; to be fitted when there is an evaluation to fit them on.
CLASS_AGREES = 12.0  # one builtin class in some tens
CLASS_DIFFERS = -10.0  # classes move between releases: soft
FRAME = 20.0  # the place decides between equal messages
LIBRARY = 6.0  # named somewhere in the paste
LEADS = 6.0  # a message begins as the template does
CLOSES = 4.0  # and ends as it does
OUTSIDE = 0.4  # text outside every message is worth less: source lines repeat templates
MEANING = 60.0  # times the cosine, where the text gives less
PARTIAL = 0.5  # of the fixed text's bits, this share counts in proportion to coverage


def score(evidence: Evidence) -> float:
    """The score of one candidate in bits; higher is better, comparable within one query."""
    meaning = MEANING * evidence.cosine if evidence.cosine is not None else 0.0
    return _context(evidence) + max(_text(evidence.placed), meaning)


def _text(placed: Placed | None) -> float:
    if placed is None:
        return 0.0
    share = 1.0 - PARTIAL + PARTIAL * placed.coverage
    inside = share if placed.scope is not None else OUTSIDE
    return placed.occurrence.weight * inside + LEADS * placed.leads + CLOSES * placed.closes


def _context(evidence: Evidence) -> float:
    total = FRAME * evidence.frames + LIBRARY * evidence.library_named
    if evidence.class_agrees is not None:
        total += CLASS_AGREES if evidence.class_agrees else CLASS_DIFFERS
    return total
