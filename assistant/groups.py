"""Template groups: records with the same anonymised template and class are one hit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assistant.rank.evidence import Evidence
from assistant.rank.places import same_library
from assistant.rank.score import score
from assistant.result import Variant, Verdict
from assistant.verdict import confidence, verdict_of, weaker
from index.entry import Entry
from records.model.quality import is_sound, prose, words_of

VARIANTS_SHOWN = 20
# The share of a variant falls by this factor for every step that its place agrees less.
_AGREEMENT_BASE = 9.0


@dataclass(frozen=True, slots=True)
class Group:
    """One template group with what speaks for its leading record.

    `members` are the evidences of all its records, the leading one first; `libraries` counts
    the libraries that share the template, aliases of one counted once.
    """

    members: tuple[Evidence, ...]
    score: float
    verdict: Verdict
    libraries: tuple[str, ...]

    @property
    def lead(self) -> Evidence:
        """The most fitting record."""
        return self.members[0]

    @property
    def confidence(self) -> float:
        """0..1, not calibrated."""
        return confidence(self.verdict, self.score)


def grouped(evidences: Iterable[Evidence]) -> list[Group]:
    """Put candidates into template groups, best group first."""
    members: dict[tuple[str, str], dict[str, Evidence]] = {}
    for evidence in evidences:
        group = members.setdefault(evidence.entry.group, {})
        known = group.get(evidence.entry.body["id"])
        if known is None or score(evidence) > score(known):
            group[evidence.entry.body["id"]] = evidence
    groups = [_group(list(group.values())) for group in members.values()]
    return sorted(groups, key=lambda group: (-group.confidence, group.lead.entry.body["id"]))


def variants(group: Group) -> tuple[Variant, ...]:
    """The other members of a group, best first, with their share of the confidence."""
    weights = [_AGREEMENT_BASE**member.frames for member in group.members]
    total = sum(weights)
    rest = list(zip(group.members, weights, strict=True))[1 : VARIANTS_SHOWN + 1]
    return tuple(
        _variant(member.entry, group.confidence * weight / total) for member, weight in rest
    )


def _group(members: list[Evidence]) -> Group:
    # Reading a record whole for its prose pays only where there is something to put in order.
    ordered = sorted(members, key=_preference) if len(members) > 1 else members
    lead = ordered[0]
    libraries = _libraries(ordered)
    claim = verdict_of(lead)
    if len(libraries) > 1 and lead.frames == 0 and not _only_one_named(ordered):
        claim = weaker(claim, Verdict.LIKELY)
    return Group(tuple(ordered), score(lead), claim, libraries)


def _preference(evidence: Evidence) -> tuple[float, bool, bool, int, str]:
    """The leading record: best place, then sound, written, fuller prose."""
    entry = evidence.entry
    return (
        -score(evidence),
        not is_sound(entry.flags),
        entry.sidecar.get("derived") is True,
        -words_of(prose(entry.record)),
        entry.body["id"],
    )


def _libraries(members: list[Evidence]) -> tuple[str, ...]:
    """One name for each library, in order of the members; aliases are seen through."""
    heads: list[Entry] = []
    for member in members:
        if not any(same_library(member.entry.body, head.body) for head in heads):
            heads.append(member.entry)
    return tuple(str(head.body["repo"]) for head in heads)


def _only_one_named(members: list[Evidence]) -> bool:
    named = [member for member in members if member.library_named]
    return bool(named) and len(_libraries(named)) == 1


def _variant(entry: Entry, share: float) -> Variant:
    body = entry.body
    return Variant(
        id=body["id"],
        repo=body["repo"],
        file_path=body["filePath"],
        line_number=body["lineNumber"],
        error_class=body["errorClass"],
        share=round(min(1.0, share), 4),
    )
