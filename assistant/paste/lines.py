"""The lines of a cleaned paste, with their positions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line and where it begins in the cleaned text."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """Where the line ends, its line break not counted."""
        return self.start + len(self.text)

    @property
    def blank(self) -> bool:
        """Whether the line is empty but for white space."""
        return not self.text.strip()

    @property
    def indent(self) -> int:
        """The number of leading white-space characters."""
        return len(self.text) - len(self.text.lstrip())


def split_lines(text: str) -> list[TextLine]:
    """Split at line feeds only, so that positions stay exact."""
    lines: list[TextLine] = []
    start = 0
    for line in text.split("\n"):
        lines.append(TextLine(line, start))
        start += len(line) + 1
    return lines
