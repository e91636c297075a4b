"""What is said in a conversation: every message is a search of its own."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Protocol

from assistant.result import Result, Verdict
from records.errors import ErrsageError
from ui.render.answer import answer, paste, refusal
from ui.render.words import count

RESULTS = 5

# The whole conversation is sent to the browser with every answer (about 50 kB each).
TURNS_KEPT = 30

EMPTY_INDEX = (
    "There are no records here yet, so nothing can be explained. "
    "Add some in a terminal: errsage add FILE"
)
FAULT = "This search failed through a fault of errsage itself; the terminal it runs in says more."

_log = logging.getLogger(__name__)


class HasRecords(Protocol):
    """What the page reads of a status."""

    @property
    def records(self) -> int:
        """The number of records that are searched."""


class Searches(Protocol):
    """What the page needs of an Assistant."""

    def search(self, text: str, *, k: int = 5, wait_for_encoder: bool = True) -> Result:
        """Search the records for what explains a text."""

    def status(self) -> HasRecords:
        """Tell how many records are searched."""

    def warm(self) -> None:
        """Load the encoder; blocks until it is there."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer, as HTML.

    `paste` is None where nothing was pasted; `refused` tells that no search was made.
    """

    paste: str | None
    answer: str
    refused: bool = False


def take_turn(assistant: Searches, text: str) -> Turn:
    """Search for a pasted text; never raises."""
    told = paste(text) if text.strip() else None
    try:
        result = assistant.search(text, k=RESULTS, wait_for_encoder=False)
        if result.verdict is Verdict.NONE and not assistant.status().records:
            return Turn(told, refusal(EMPTY_INDEX), refused=True)
        return Turn(told, answer(result))
    except ErrsageError as error:
        return Turn(told, refusal(str(error)), refused=True)
    except Exception:
        _log.exception("search failed")
        return Turn(told, refusal(FAULT), refused=True)


def with_turn(turns: tuple[Turn, ...], turn: Turn) -> tuple[Turn, ...]:
    """Add a turn; the oldest are let go beyond TURNS_KEPT."""
    return (*turns, turn)[-TURNS_KEPT:]


def messages(turns: tuple[Turn, ...]) -> list[dict[str, str]]:
    """The conversation in the form of a chat component."""
    spoken = [pair for turn in turns for pair in (("user", turn.paste), ("assistant", turn.answer))]
    return [{"role": role, "content": content} for role, content in spoken if content]


def standing(assistant: Searches) -> str:
    """One sentence on what is searched, or on why nothing is."""
    try:
        records = assistant.status().records
    except ErrsageError as error:
        return str(error)
    return f"{count(records, 'record')}, searched on this machine." if records else EMPTY_INDEX
