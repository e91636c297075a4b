"""What is closed when its `with` block ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closes(ABC):
    """Base of everything that holds a file and is used as a context manager."""

    def __enter__(self) -> Self:
        """Use as a context manager."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close, however the block ended."""
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Let go of what is held; may be called again."""
