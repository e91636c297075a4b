"""One search: parse, ask the searchers, weigh, group, tell. Pure but for reading the index."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from assistant.captures import captures_of, match_of
from assistant.groups import Group, grouped, variants
from assistant.paste.excerpting import check_length
from assistant.paste.read import ParsedPaste, parse
from assistant.query import dense_texts
from assistant.rank.evidence import Evidence, place, weigh
from assistant.reasons import reasons_of
from assistant.result import Hit, Note, Result, Searcher, Verdict
from assistant.verdict import rank_of, verdict_of
from index.encoder import Vectors
from index.entry import Entry
from index.index import Candidate, Index, Query
from index.match_text import MatchText

# Records of the exact tier that are weighed; a template of one word can have thousands.
_WEIGHED = 400
_DENSE_COUNT = 50
_MAX_HITS = 100
_TOLD = 120


@dataclass(frozen=True, slots=True)
class Embedded:
    """What the encoder could give for a query: a vector, or why there is none."""

    vector: Vectors | None
    note: Note | None = None


Embed = Callable[[tuple[str, ...]], Embedded]


def search(index: Index | None, text: str, *, k: int, embed: Embed) -> Result:
    """Answer one text.

    Args:
        index: the open index; None where nothing was indexed yet.
        text: a pasted error, log or question.
        k: hits at most.
        embed: gives the mean vector of texts; called only when the exact tier does not decide.

    Raises:
        QueryRefused: the text is empty or over 20 MB.
    """
    began = time.perf_counter()
    check_length(text)
    paste = parse(text)
    notes: list[Note] = []
    groups: list[Group] = []
    folded = MatchText.of(paste.clean.text)
    if index is None or not len(index):
        notes.append(NO_RECORDS)
    else:
        groups, more = _found(index, paste, folded, embed)
        notes += more
    if paste.understood.left_out:
        notes.append(Note(name="left-out", text=paste.understood.left_out))
    shown = [group for group in groups if group.verdict is not Verdict.NONE]
    hits = tuple(_hit(group, paste, folded) for group in shown[: min(k, _MAX_HITS)])
    notes += _other_link(hits, paste)
    return Result(
        verdict=hits[0].verdict if hits else Verdict.NONE,
        hits=hits,
        understood=paste.understood,
        notes=tuple(notes),
        took_ms=round((time.perf_counter() - began) * 1000, 3),
    )


NO_RECORDS = Note(
    name="no-records",
    text="there are no records yet; add some with: errsage add FILE_OR_FOLDER",
)


def _found(
    index: Index, paste: ParsedPaste, folded: MatchText, embed: Embed
) -> tuple[list[Group], list[Note]]:
    exact = list(_exact(index, index.candidates(Query(folded)), paste, folded))
    groups = grouped(exact)
    if groups and rank_of(groups[0].verdict) >= rank_of(Verdict.LIKELY):
        return groups, []
    if index.manifest.encoder is None:
        return groups, [_no_vectors()]
    embedded = embed(dense_texts(paste))
    notes = [embedded.note] if embedded.note else []
    if embedded.vector is None:
        return groups, notes
    if index.manifest.vectors < index.manifest.records:
        notes.append(_partial(index))
    query = Query(MatchText.of(""), vector=embedded.vector, count=_DENSE_COUNT)
    dense = _dense(index, index.candidates(query), paste)
    return grouped(_with_cosines(exact, dense)), notes


def _exact(
    index: Index, candidates: tuple[Candidate, ...], paste: ParsedPaste, folded: MatchText
) -> Iterable[Evidence]:
    ordered = sorted(candidates, key=lambda candidate: -candidate.score)[:_WEIGHED]
    entries: dict[int, Entry] = {}
    for candidate in ordered:
        if candidate.occurrence is None:
            continue
        placed = place(candidate.occurrence, paste, folded)
        if placed is not None:
            entry = entries.get(candidate.number) or index.entry(candidate.number)
            entries[candidate.number] = entry
            yield weigh(entry, placed, paste)


def _dense(index: Index, candidates: tuple[Candidate, ...], paste: ParsedPaste) -> list[Evidence]:
    return [
        weigh(index.entry(candidate.number), None, paste, cosine=candidate.score)
        for candidate in candidates
    ]


def _with_cosines(exact: list[Evidence], dense: list[Evidence]) -> Iterable[Evidence]:
    """Both tiers' evidence; a record that both found keeps its place, unless that says nothing."""
    near = {evidence.entry.body["id"]: evidence for evidence in dense}
    for evidence in exact:
        other = near.get(evidence.entry.body["id"])
        if other is None:
            yield evidence
        elif verdict_of(evidence) is not Verdict.NONE:
            del near[evidence.entry.body["id"]]
            yield replace(evidence, cosine=other.cosine)
    yield from near.values()


def _hit(group: Group, paste: ParsedPaste, folded: MatchText) -> Hit:
    lead, entry = group.lead, group.lead.entry
    placed = lead.placed
    return Hit(
        record=entry.record,
        verdict=group.verdict,
        confidence=group.confidence,
        searcher=Searcher.EXACT if placed else Searcher.DENSE,
        reasons=reasons_of(group),
        match=match_of(placed, paste, folded) if placed else None,
        captures=captures_of(entry.template, placed, paste, folded) if placed else (),
        variants=variants(group),
        flags=tuple(sorted(entry.flags)),
        source=entry.source,
        package_version=entry.package_version,
        content_sha=entry.sidecar.get("shaOf") == "file",
        cosine=lead.cosine,
    )


def _other_link(hits: tuple[Hit, ...], paste: ParsedPaste) -> list[Note]:
    """Say so when the leading record explains another error of the paste than the last."""
    links = paste.understood.links
    match = hits[0].match if hits else None
    if match is None or match.link is None or match.link == len(links) - 1:
        return []
    last = links[-1]
    told = f"{last.error_class}: {last.message}" if last.error_class else last.message
    text = f"this is about error {match.link + 1} of {len(links)} in the paste; the last one is "
    return [Note(name="other-link", text=text + _shortened(told))]


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TOLD else line[: _TOLD - 1] + "…"


def _no_vectors() -> Note:
    text = "no record has a vector yet, so only exact messages were searched; run: errsage embed"
    return Note(name="no-vectors", text=text)


def _partial(index: Index) -> Note:
    manifest = index.manifest
    text = (
        f"{manifest.vectors:,} of {manifest.records:,} records have a vector so far; the others "
        "are found by their exact message only (errsage embed finishes)"
    )
    return Note(name="partial-vectors", text=text)
