"""The assistant: the one object that every door uses."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from assistant import ingest
from assistant.ingest import Added
from assistant.paste.parsed import Frozen
from assistant.progress import Report, silent
from assistant.result import Note, Result
from assistant.search import Embedded, search
from assistant.settings import Settings, read_settings
from assistant.status import Status, read_status, stored_records
from assistant.verify import verify_folder
from index.encoder import Encoder, make_encoder, mean_vector
from index.errors import IndexMissing, ModelUnavailable
from index.generation import current_folder
from index.index import Index
from records.closing import Closes
from records.model.quality import Flag
from records.model.record import ErrorRecord
from records.store.lock import writing_process

_ID = re.compile(r"[0-9a-f]{16}")
DEFAULT_K = 5


class Shown(Frozen):
    """One record, whole, with its quality flags and where it came from."""

    record: ErrorRecord
    flags: tuple[Flag, ...]
    source: str
    sources: tuple[str, ...]
    dataset_version: str
    package_version: str | None = None


class Assistant(Closes):
    """Answers pasted errors from one data folder; safe to use from several threads.

    A new generation that another process publishes is served from the next call on.
    """

    def __init__(self, settings: Settings, encoder: Encoder) -> None:
        """Take settings and an encoder; use `Assistant.open`."""
        self.settings = settings
        self.folder = settings.home
        self._encoder = encoder
        self._index: Index | None = None
        self._lock = threading.Lock()
        self._load_failure: ModelUnavailable | None = None

    @classmethod
    def open(
        cls,
        folder: str | Path | None = None,
        *,
        model: str | None = None,
        encoder: Encoder | None = None,
    ) -> Self:
        """Open a data folder; an empty or missing one answers "none" and says how to add.

        Args:
            folder: the data folder; by default ERRSAGE_HOME or the platform's.
            model: the encoder's name; by default ERRSAGE_MODEL or all-MiniLM-L6-v2.
            encoder: an encoder of your own, instead of one by name.

        Raises:
            SettingRefused: a setting has a value that it cannot have.
        """
        home = Path(folder) if folder is not None else None
        settings = read_settings(home=home, model=model)
        return cls(settings, encoder or make_encoder(settings.model))

    def close(self) -> None:
        """Let go of the index; the next call would open it again."""
        with self._lock:
            self._index = None

    def search(self, text: str, *, k: int = DEFAULT_K, wait_for_encoder: bool = True) -> Result:
        """Find the records that explain a pasted error, or that are near a question.

        Args:
            text: an error line, a traceback, a log or a question.
            k: hits at most, 1 or more.
            wait_for_encoder: False answers from the exact tier alone while the encoder loads.

        Raises:
            QueryRefused: the text is empty or over 20 MB.
            IndexDamaged, IndexMissing, IndexTooNew: the index cannot answer.
        """
        if not isinstance(text, str):
            raise TypeError(f"text is of type {type(text).__name__}; search takes a str")
        if k < 1:
            raise ValueError(f"k is {k}; ask for at least one hit")
        index = self._current()

        def embed(texts: tuple[str, ...]) -> Embedded:
            return self._embed(index, texts, wait=wait_for_encoder)

        result = search(index, text, k=k, embed=embed)
        note = self._other_encoder(index)
        if note is None or note in result.notes:
            return result
        return result.model_copy(update={"notes": (*result.notes, note)})

    def search_many(self, texts: Iterable[str], *, k: int = DEFAULT_K) -> tuple[Result, ...]:
        """Search several texts; results in their order."""
        return tuple(self.search(text, k=k) for text in texts)

    def get(self, record_id: str) -> Shown | None:
        """Give one record by its id of 16 hex digits; None where there is none."""
        index = self._current()
        if index is None or not _ID.fullmatch(record_id):
            return None
        number = index.number_of(record_id)
        if number is None:
            return None
        entry = index.entry(number)
        return Shown(
            record=entry.record,
            flags=tuple(sorted(entry.flags)),
            source=entry.source,
            sources=entry.sources,
            dataset_version=entry.dataset_version,
            package_version=entry.package_version,
        )

    def add(
        self,
        *paths: str | Path,
        vectors: bool = True,
        wait: bool = False,
        progress: Report = silent,
    ) -> Added:
        """Read records from files and folders into the store and the index.

        Args:
            paths: JSON, JSON Lines, gzip of either, or folders of them.
            vectors: False leaves the vectors to `embed`.
            wait: wait for another process that is adding.
            progress: called with a Progress now and then; `print` will do.

        Raises:
            SourceUnreadable: a path cannot be read; nothing was stored.
            StoreLocked: another process is adding.
            StorageFailed: no permission or space; what was committed before is kept.
        """
        return ingest.add(
            self.folder,
            [Path(path) for path in paths],
            encoder=self._encoder,
            vectors=vectors,
            wait=wait,
            report=progress,
        )

    def embed(
        self, *, limit: int | None = None, wait: bool = False, progress: Report = silent
    ) -> int:
        """Finish missing vectors, at most `limit`; gives the number of texts embedded."""
        return ingest.embed(
            self.folder, encoder=self._encoder, limit=limit, wait=wait, report=progress
        )

    def rebuild(self, *, wait: bool = False, progress: Report = silent) -> int:
        """Build the index anew from the store; gives the number of records in it."""
        return ingest.rebuild(self.folder, encoder=self._encoder, wait=wait, report=progress)

    def verify(self) -> tuple[str, ...]:
        """Check store and index; gives the faults as sentences, none when all is sound."""
        return verify_folder(self.folder)

    def status(self) -> Status:
        """Tell what is stored and searchable."""
        return read_status(self.folder)

    def warm(self) -> None:
        """Load the encoder and open the index, so that the next search finds both ready.

        A missing model is not an error here: searches tell it in a note.
        """
        self._current()
        try:
            self._encoder.load()
        except ModelUnavailable as error:
            self._load_failure = error

    def _current(self) -> Index | None:
        """The index of the current generation, opened once."""
        with self._lock:
            generation = current_folder(self.folder)
            if generation is None:
                self._index = None
                self._refuse_missing()
            elif self._index is None or self._index.generation != generation:
                self._index = Index.open(self.folder)
            return self._index

    def _refuse_missing(self) -> None:
        if count := stored_records(self.folder):
            writer = writing_process(self.folder)
            way_out = f"process {writer} is at it; ask again" if writer else "run errsage rebuild"
            raise IndexMissing(
                f"{self.folder}: {count:,} records are stored, but not indexed yet; {way_out}"
            )

    def _embed(self, index: Index | None, texts: tuple[str, ...], *, wait: bool) -> Embedded:
        if self._load_failure is not None:
            return Embedded(None, _unavailable(self._load_failure))
        if not wait and not self._encoder.ready:
            return Embedded(None, _LOADING)
        if note := self._other_encoder(index, by_content=True):
            return Embedded(None, note)
        try:
            return Embedded(mean_vector(self._encoder.encode(texts)))
        except ModelUnavailable as error:
            return Embedded(None, _unavailable(error))

    def _other_encoder(self, index: Index | None, *, by_content: bool = False) -> Note | None:
        """Whether the index was made by another encoder; by content costs reading the model."""
        made_by = index.manifest.encoder if index else None
        if made_by is None:
            return None
        same = made_by.id == self._encoder.id
        if same and (not by_content or made_by.fingerprint == self._encoder.fingerprint):
            return None
        text = (
            f"the index was made with the encoder {made_by.id}, the setting says "
            f"{self._encoder.id}: only exact messages are found; run: errsage embed"
        )
        return Note(name="other-encoder", text=text)


_LOADING = Note(
    name="encoder-loading",
    text="the encoder is still loading, so only exact messages were searched; ask again shortly",
)


def _unavailable(error: ModelUnavailable) -> Note:
    return Note(name="encoder-unavailable", text=f"only exact messages were searched: {error}")


__all__: Sequence[str] = ["Assistant", "Shown"]
