"""What speaks for one record: the features of a candidate, each with its meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.paste.parsed import Frame
from assistant.paste.read import ParsedPaste, Scope
from assistant.rank.interpreter import is_interpreters_own
from assistant.rank.places import frame_agreement, in_library, library_names
from index.entry import Entry, bare_class
from index.exact import Occurrence
from index.match_text import MatchText

_GAP_OUTSIDE = 120
_WORD = re.compile(r"[\w-]+")
# Source that is compiled: what it raises has no frame of its own in a Python traceback.
_COMPILED = (
    ".c",
    ".cc",
    ".cpp",
    ".cu",
    ".cuh",
    ".cxx",
    ".f",
    ".f90",
    ".h",
    ".hpp",
    ".pxi",
    ".pyx",
    ".rs",
)
_SEPARATORS = frozenset(":]|>")
# Other names of one class of the interpreter.
_OS_ERRORS = frozenset({"EnvironmentError", "IOError", "WindowsError"})
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Placed:
    """An occurrence of a template, and where in the paste it stands.

    Attributes:
        occurrence: positions in the folded text.
        scope: the message that holds it whole; None outside every message.
        leads: it begins where the message begins, or right after a separator in it.
        wrapped: other text stands before it in the message.
        closes: it ends where the message ends (or its line, for a bare one).
        coverage: share of the message's letters that are the template's fixed text, 0..1.
    """

    occurrence: Occurrence
    scope: Scope | None
    leads: bool
    wrapped: bool
    closes: bool
    coverage: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for one record.

    Attributes:
        entry: the record.
        placed: where its template occurs; None when only its meaning is near.
        class_agrees: True, False, or None where one side names no class.
        frames: agreement of the frames with the record's place, 0..1.
        library_named: the paste names the library.
        foreign: there are frames, and the innermost is in another library or in user code; not
            said of compiled code, which leaves no frame.
        interpreters_own: the message is one that the interpreter words.
        bare: the paste names no class with it.
        asked: the paste is a question in free words.
        cosine: similarity of meaning; None where it was not asked.
    """

    entry: Entry
    placed: Placed | None
    class_agrees: bool | None
    frames: float
    library_named: bool
    foreign: bool
    interpreters_own: bool
    bare: bool
    asked: bool
    cosine: float | None = None


def place(occurrence: Occurrence, paste: ParsedPaste, folded: MatchText) -> Placed | None:
    """Find the message in which an occurrence stands.

    Outside every message the pieces must stand close together: they are not one text otherwise.
    """
    for scope in reversed(paste.scopes):
        start, end = folded.position(scope.start), folded.position(scope.end)
        if start <= occurrence.start and occurrence.end <= end:
            last = _last(occurrence, scope, paste, folded, end)
            return _in_scope(occurrence, scope, folded.text, start, last)
    if any(end - start > _GAP_OUTSIDE for start, end in occurrence.gaps):
        return None
    return Placed(occurrence, None, leads=False, wrapped=False, closes=False, coverage=0.0)


def weigh(
    entry: Entry, placed: Placed | None, paste: ParsedPaste, cosine: float | None = None
) -> Evidence:
    """Gather what speaks for a record.

    A candidate of the dense tier has no place; it is held against the last link.
    """
    links = paste.understood.links
    scope = placed.scope if placed else (paste.scopes[-1] if paste.scopes else None)
    link = links[scope.link] if scope else None
    names = library_names(entry.body)
    frames = link.frames if link else ()
    return Evidence(
        entry=entry,
        placed=placed,
        class_agrees=_class_agrees(link.error_class if link else None, entry),
        frames=frame_agreement(frames, entry.body),
        library_named=_names_library(paste, names - _fixed_words(entry)),
        foreign=_is_foreign(frames, entry, names),
        interpreters_own=link is not None and is_interpreters_own(link.message),
        bare=link is None or link.kind == "line",
        asked=paste.understood.question,
        cosine=cosine,
    )


def _fixed_words(entry: Entry) -> frozenset[str]:
    """A library that its own message names ("no active click context") is not named by it."""
    return frozenset(_WORD.findall(" ".join(entry.template.pieces).lower()))


def _is_foreign(frames: tuple[Frame, ...], entry: Entry, names: frozenset[str]) -> bool:
    if not frames or str(entry.body["filePath"]).lower().endswith(_COMPILED):
        return False
    return not in_library(frames[-1].file, names)


def _last(
    occurrence: Occurrence, scope: Scope, paste: ParsedPaste, folded: MatchText, end: int
) -> int:
    """Where a message ends: with its link, or a bare one with the line that it reaches."""
    if paste.understood.links[scope.link].kind == "exception":
        return end
    line_end = paste.clean.text.find("\n", folded.span(occurrence.start, occurrence.end)[1])
    return end if line_end < 0 else min(end, folded.position(line_end))


def _in_scope(occurrence: Occurrence, scope: Scope, text: str, start: int, end: int) -> Placed:
    return Placed(
        occurrence,
        scope,
        leads=occurrence.open_start or _begins(occurrence, text, start),
        wrapped=not occurrence.open_start and occurrence.start != start,
        closes=occurrence.open_end or _ends(occurrence, text, end),
        coverage=min(1.0, occurrence.letters / scope.letters) if scope.letters else 0.0,
    )


def _begins(occurrence: Occurrence, text: str, start: int) -> bool:
    """At the start of the message, or right after a separator that wraps another's message."""
    return occurrence.start == start or text[occurrence.start - 1] in _SEPARATORS


def _ends(occurrence: Occurrence, text: str, end: int) -> bool:
    """At the end of the message, but for marks; or its last piece stands again at that end."""
    if not _LETTER.search(text, occurrence.end, end):
        return True
    last = text[occurrence.gaps[-1][1] : occurrence.end] if occurrence.gaps else ""
    return bool(last) and text.endswith(last, occurrence.end, end)


def _class_agrees(named: str | None, entry: Entry) -> bool | None:
    if not named or not entry.bare_class:
        return None
    if bare_class(named) == entry.bare_class:
        return True
    if bare_class(named) == "Error":  # as command-line programs begin any message
        return None
    return _one_name(bare_class(named)) == _one_name(entry.bare_class)


def _one_name(name: str) -> str:
    return "OSError" if name in _OS_ERRORS else name


def _names_library(paste: ParsedPaste, names: frozenset[str]) -> bool:
    return any(
        name in paste.words if _WORD.fullmatch(name) else _stands(name, paste.clean.text)
        for name in names
        if len(name) > 1
    )


def _stands(name: str, text: str) -> bool:
    """Whether a name that is more than one word (`ruamel.yaml`) stands in a text."""
    pattern = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
    return re.search(pattern, text, re.IGNORECASE) is not None
