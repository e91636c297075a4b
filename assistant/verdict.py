"""What may be claimed of a candidate."""

from __future__ import annotations

import math

from assistant.rank.evidence import Evidence, Placed
from assistant.result import Verdict

# Letters and digits of fixed text, without which a template says nothing.
EXACT_LETTERS = 8
LIKELY_LETTERS = 12
# A text that the template fills but for this share of foreign letters is still its own.
EXACT_COVERAGE = 0.5
# Under that coverage, a template needs fixed words of this rarity, in bits; "Error loading" has 12
# over the corpus, "missing captured KV on" 32.
EXACT_BITS = 24.0
# The interpreter's own messages match library templates word for word; a template is believed
# against the frames only from this rarity on, in bits.
FOREIGN_BITS = 60.0
# A message without a class, frames or the library's name may be another program's: it needs more.
BARE_BITS = 28.0
# Cosine of the reference encoder from which a record is about the same subject: of a question in
# free words, and of an error, whose form alone makes texts alike.
RELATED_COSINE = 0.35
RELATED_ERROR_COSINE = 0.45

_ORDER = (Verdict.NONE, Verdict.RELATED, Verdict.LIKELY, Verdict.EXACT)
# Confidence bands: (low, high), filled as the score rises. Not calibrated.
_BANDS = {
    Verdict.EXACT: (0.90, 0.99),
    Verdict.LIKELY: (0.60, 0.89),
    Verdict.RELATED: (0.20, 0.59),
    Verdict.NONE: (0.0, 0.19),
}
_BAND_BITS = 80.0


def rank_of(verdict: Verdict) -> int:
    """The place of a verdict in the order of claims, the greatest claim last."""
    return _ORDER.index(verdict)


def weaker(one: Verdict, other: Verdict) -> Verdict:
    """The lesser claim of two."""
    return min(one, other, key=rank_of)


def verdict_of(evidence: Evidence) -> Verdict:
    """What may be claimed of one record, by itself."""
    placed = evidence.placed
    by_text = _by_text(placed, evidence) if placed else Verdict.NONE
    enough = RELATED_COSINE if evidence.asked else RELATED_ERROR_COSINE
    near = evidence.cosine is not None and evidence.cosine >= enough
    return Verdict.RELATED if by_text is Verdict.NONE and near else by_text


def confidence(verdict: Verdict, bits: float) -> float:
    """A number in 0..1 that rises with the claim and with the score."""
    low, high = _BANDS[verdict]
    filled = 1.0 - math.exp(-max(bits, 0.0) / _BAND_BITS)
    return round(low + (high - low) * filled, 4)


def _by_text(placed: Placed, evidence: Evidence) -> Verdict:
    letters = placed.occurrence.letters
    if letters < EXACT_LETTERS:
        return Verdict.NONE
    if placed.scope is None:
        telling = letters >= LIKELY_LETTERS and placed.occurrence.weight >= EXACT_BITS
        return Verdict.RELATED if telling else Verdict.NONE
    if letters < LIKELY_LETTERS and not (_whole(placed) and evidence.class_agrees):
        spans = placed.leads and placed.closes
        return Verdict.RELATED if spans or evidence.class_agrees else Verdict.NONE
    claim = Verdict.EXACT if _whole(placed) else Verdict.LIKELY
    return weaker(claim, _most(placed, evidence))


def _most(placed: Placed, evidence: Evidence) -> Verdict:
    """The most that the surroundings of a message allow to be claimed."""
    strong = placed.occurrence.weight >= FOREIGN_BITS
    if evidence.interpreters_own and (evidence.foreign or evidence.frames == 0):
        return Verdict.RELATED
    if evidence.foreign:
        return Verdict.LIKELY if strong else Verdict.RELATED
    if evidence.class_agrees is False or (evidence.bare and not _stands_alone(placed, evidence)):
        return Verdict.LIKELY
    return Verdict.EXACT


def _stands_alone(placed: Placed, evidence: Evidence) -> bool:
    """A bare message that is the template from its first word on, and tells its library."""
    if placed.wrapped:
        return False
    return evidence.library_named or placed.occurrence.weight >= BARE_BITS


def _whole(placed: Placed) -> bool:
    """The template is the message: most of its letters, or from start to end and not commonplace.

    `Error loading {name}` spans "Error loading ASGI app. Could not import ..." from start to
    end, and is another error.
    """
    if placed.coverage >= EXACT_COVERAGE:
        return True
    return placed.leads and placed.closes and placed.occurrence.weight >= EXACT_BITS
