"""The reader of Python tracebacks and of lines that name an error class."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.paste.lines import TextLine
from assistant.paste.log_prefix import begins_record
from assistant.paste.parsed import Frame

_TRACEBACK = re.compile(r"Traceback \(most recent call last\)")
_FRAME = re.compile(r'\s*File "([^"\n]+)", line (\d+)(?:, in (.+?))?\s*$')
_CHAIN = re.compile(
    r"\s*(?:During handling of the above exception, another exception occurred:"
    r"|The above exception was the direct cause of the following exception:)\s*$"
)
# After frames any dotted name is a class; elsewhere it must end like one.
_NAMED = re.compile(r"([A-Za-z_][\w.]*)(?::\s?(.*))?$")
# A frame of JavaScript, Java or C#, which ends a message as one of Python does.
_OTHER_FRAME = re.compile(r"\s+at \S")
# JavaScript's plain class, at the start of a line only: elsewhere it is a logger's word.
_ERROR_LINE = re.compile(r"\s*(?:Uncaught )?(?:\(in promise\) )?(Error):\s+(.*)")
_CLASS_LINE = re.compile(
    r"(?<![\w.'\"])((?:[A-Za-z_]\w*\.)*_?[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|"
    r"Timeout|Failure|Refused|NotFound|Denied|Panic)|(?:[A-Za-z_]\w*\.)+(?:Error|Exception))"
    r"(?::\s+|:(?=\S)|:?\s*$)(.*)"
)


@dataclass
class RawLink:
    """One link as it stands in the cleaned text."""

    error_class: str | None
    start: int
    end: int
    message_start: int
    frames: list[Frame] = field(default_factory=list)


def read_links(lines: list[TextLine]) -> list[RawLink]:
    """Read every link of every exception chain, in the order of the text."""
    return list(_Walk(lines).links())


class _Walk:
    """One pass over the lines of a paste."""

    def __init__(self, lines: list[TextLine]) -> None:
        self.lines = lines
        self.position = 0
        self.frames: list[Frame] = []
        self.in_traceback = False

    def links(self) -> Iterator[RawLink]:
        while self.position < len(self.lines):
            line = self.lines[self.position]
            if _TRACEBACK.search(line.text):
                self.frames, self.in_traceback = [], True
                self.position += 1
            elif frame := _FRAME.match(line.text):
                self._frame(frame)
            elif link := self._link(line):
                yield link
            else:
                self.position += 1

    def _frame(self, match: re.Match[str]) -> None:
        """A frame, and the source lines below it: deeper indented, up to the next frame."""
        indent = self.lines[self.position].indent
        self.in_traceback = True
        self.position += 1
        source: str | None = None
        while self.position < len(self.lines):
            line = self.lines[self.position]
            if line.blank or line.indent <= indent or _FRAME.match(line.text):
                break
            source = source or line.text.strip()
            self.position += 1
        number = match.group(2)
        function = match.group(3)
        line_number = int(number) if len(number) < 10 else None
        self.frames.append(
            Frame(file=match.group(1), line=line_number, function=function, source=source)
        )

    def _link(self, line: TextLine) -> RawLink | None:
        match = _NAMED.match(line.text.strip()) if self.in_traceback else None
        shift = line.indent
        if match is None or (match.group(2) is None and "." not in line.text and not self.frames):
            match, shift = _CLASS_LINE.search(line.text) or _ERROR_LINE.match(line.text), 0
        if match is None:
            return None
        start = line.start + shift + match.start(1)
        message = match.start(2) if match.group(2) is not None else match.end(1)
        last = self._message_end()
        frames, self.frames, self.in_traceback = self.frames, [], False
        return RawLink(match.group(1), start, last.end, line.start + shift + message, frames=frames)

    def _message_end(self) -> TextLine:
        """The last line of a message: those below belong to it until something else begins."""
        last = self.lines[self.position]
        self.position += 1
        while self.position < len(self.lines):
            line = self.lines[self.position]
            if _begins_something(line):
                break
            if not line.blank:
                last = line
            self.position += 1
        return last


def _begins_something(line: TextLine) -> bool:
    return bool(
        _TRACEBACK.search(line.text)
        or _FRAME.match(line.text)
        or _CHAIN.match(line.text)
        or _OTHER_FRAME.match(line.text)
        or begins_record(line.text)
        or (line.indent == 0 and _CLASS_LINE.match(line.text))
    )
