"""A whole answer as HTML."""

from __future__ import annotations

from assistant.result import Hit, Result, Verdict
from ui.render.elements import Element, element, joined, render
from ui.render.message import in_short
from ui.render.record import record_body
from ui.render.understood import understood
from ui.render.visible import shortened
from ui.render.words import (
    BADGES,
    UNCALIBRATED,
    claim,
    confidence,
    duration,
    headline,
    sentence,
)

# More of a paste than this is told by its length.
PASTE_LENGTH = 20_000


def answer(result: Result) -> str:
    """The answer to one search."""
    lead = result.hits[0] if result.hits and result.verdict is not Verdict.NONE else None
    others = result.hits[1:] if lead else result.hits
    match = lead.match if lead else None
    return render(
        element(
            "article",
            _head(result, lead),
            _notes(result),
            understood(result.understood, match.link if match else None),
            record_body(lead) if lead else None,
            _others(others, lead),
            element("p", f"Answered in {duration(result.took_ms)}", css="es-small"),
            css="es-answer",
        )
    )


def paste(text: str) -> str:
    """A paste, told back as it was sent."""
    shown = element("code", shortened(text.strip("\r\n"), PASTE_LENGTH))
    return render(
        element("pre", shown, css="es-paste", tabindex="0", role="region", title="Your paste")
    )


def refusal(text: str) -> str:
    """A sentence for people in the place of an answer."""
    return render(element("article", element("p", sentence(text)), css="es-answer es-refusal"))


def _head(result: Result, lead: Hit | None) -> Element:
    return element(
        "header",
        element("h2", headline(result)),
        element("p", claim(result)),
        _confidence(lead) if lead else None,
        css=f"es-head es-{result.verdict.value}",
    )


def _confidence(hit: Hit) -> Element:
    said = element("strong", confidence(hit.confidence))
    return element(
        "p", "Confidence: ", said, ", not calibrated", title=UNCALIBRATED, css="es-small"
    )


def _notes(result: Result) -> Element | None:
    notes = [element("p", sentence(note.text)) for note in result.notes]
    return element("aside", *notes, css="es-notes", title="Notes") if notes else None


def _others(hits: tuple[Hit, ...], lead: Hit | None) -> Element | None:
    if not hits:
        return None
    heading = "Other records that may fit" if lead else "Nearest records; none explains your text"
    return element("section", element("h3", heading), *map(_card, hits), css="es-others")


def _card(hit: Hit) -> Element:
    record = hit.record
    badge = element("span", BADGES[hit.verdict], css=f"es-badge es-{hit.verdict.value}")
    message = element("code", in_short(hit))
    place = element("span", *joined([record.error_class, record.repo]), css="es-small")
    summary = element("summary", badge, " ", message, " ", place)
    return element("details", summary, _confidence(hit), record_body(hit), css="es-card")
