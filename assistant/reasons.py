"""Why a hit is shown: each piece of evidence as a name and a sentence."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.groups import Group
from assistant.rank.evidence import Evidence, Placed
from assistant.result import Reason


def reasons_of(group: Group) -> tuple[Reason, ...]:
    """The reasons for a group, the weightiest first."""
    lead = group.lead
    found = [*_text(lead.placed), *_class(lead), *_place(lead), *_meaning(lead)]
    if len(group.libraries) > 1:
        found.append(_shared(group.libraries))
    return tuple(found)


def _text(placed: Placed | None) -> Iterator[Reason]:
    if placed is None:
        return
    letters = placed.occurrence.letters
    if placed.scope is None:
        text = f"its fixed text ({letters} letters) occurs in the paste, outside every message"
        yield Reason(name="template-outside", text=text)
    elif placed.leads and placed.closes:
        text = f"the message is this template from start to end ({letters} fixed letters)"
        yield Reason(name="template", text=text)
    else:
        share = f"{placed.coverage:.0%} of the message"
        text = f"its fixed text occurs in the message ({letters} letters, {share})"
        yield Reason(name="template-inside", text=text)


def _class(evidence: Evidence) -> Iterator[Reason]:
    name = evidence.entry.body["errorClass"]
    if evidence.class_agrees:
        yield Reason(name="class", text=f"the class is {name}, as in the paste")
    elif evidence.class_agrees is False:
        yield Reason(name="class-differs", text=f"the class differs: the record says {name}")


def _place(evidence: Evidence) -> Iterator[Reason]:
    body = evidence.entry.body
    if evidence.frames >= 0.6:
        yield Reason(name="frame", text=f"a frame of the traceback is in {body['filePath']}")
    elif evidence.frames > 0:
        yield Reason(name="library-frame", text=f"a frame of the traceback is in {body['repo']}")
    elif evidence.library_named:
        yield Reason(name="library", text=f"the paste names {body['repo'].rsplit('/', 1)[-1]}")
    if evidence.foreign and evidence.placed is not None:
        text = "the innermost frame is not in this library, so the message may be another's"
        yield Reason(name="foreign-frame", text=text)


def _meaning(evidence: Evidence) -> Iterator[Reason]:
    if evidence.cosine is not None:
        text = f"its text is near in meaning (cosine {evidence.cosine:.2f})"
        yield Reason(name="meaning", text=text)


def _shared(libraries: tuple[str, ...]) -> Reason:
    named = ", ".join(libraries[:6]) + (", ..." if len(libraries) > 6 else "")
    text = f"{len(libraries)} libraries raise this message ({named}): which one do you use?"
    return Reason(name="shared", text=text)
