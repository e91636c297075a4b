"""Encoders: texts to unit vectors."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from index.errors import ModelUnavailable
from index.weights import (
    DEFAULT_MODEL,
    carried_folder,
    default_fingerprint,
    folder_fingerprint,
)

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]

HASHING_MODEL = "hashing"
_BATCH = 32


class Encoder(ABC):
    """Turns texts into unit vectors; safe to use from several threads.

    Attributes:
        id: the setting that names the model.
    """

    id: str

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A hash of everything that shapes the vectors; vectors of equal ones may be mixed."""

    @property
    @abstractmethod
    def ready(self) -> bool:
        """Whether the next call encodes at once, without loading first."""

    @abstractmethod
    def load(self) -> None:
        """Load what encoding needs.

        Raises:
            ModelUnavailable: the weights cannot be had.
        """

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts.

        Returns:
            float32 array of shape (len(texts), dimension), rows of unit length.

        Raises:
            ModelUnavailable: the weights cannot be had.
        """


class HashingEncoder(Encoder):
    """Hashes words into buckets: fast and deterministic, equal texts give equal vectors.

    It knows no meaning; it serves tests and machines without a model.
    """

    id = HASHING_MODEL
    _dimension = 64

    @property
    def fingerprint(self) -> str:
        """A constant."""
        return "hashing-64-v1"

    @property
    def ready(self) -> bool:
        """Always."""
        return True

    def load(self) -> None:
        """Do nothing: there is nothing to load."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Count hashed words, one bucket each; see the base class."""
        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()) or [""]:
                digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
                vectors[row, int.from_bytes(digest) % self._dimension] += 1.0
        return _unit(vectors)


class SentenceTransformerEncoder(Encoder):
    """Any sentence-transformers model: the default one, a folder, or a hub name."""

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        """Name the model; nothing is loaded before the first need."""
        self.id = model
        self._lock = threading.Lock()
        self._model: SentenceTransformer | None = None
        self._fingerprint: str | None = None

    @property
    def fingerprint(self) -> str:
        """A hash over the model's files."""
        if self.id == DEFAULT_MODEL:
            return default_fingerprint()
        if self._fingerprint is None:
            self._fingerprint = self._hashed()
        return self._fingerprint

    @property
    def ready(self) -> bool:
        """Whether the model is loaded."""
        return self._model is not None

    def load(self) -> None:
        """Import sentence-transformers and load the model, once."""
        with self._lock:
            self._loaded()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode with the model; see the base class."""
        with self._lock:
            encoded = self._loaded().encode(
                [_encodable(text) for text in texts] or [""],
                batch_size=_BATCH,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        return _unit(np.asarray(encoded, dtype=np.float32))[: len(texts)]

    def _loaded(self) -> SentenceTransformer:
        if self._model is None:
            self._model = self._open()
        return self._model

    def _open(self) -> SentenceTransformer:
        place = self._place()
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        if place.is_dir():
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
        try:
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging
        except ImportError as error:
            raise ModelUnavailable(
                f"sentence-transformers cannot be imported ({error}); pip install "
                "sentence-transformers"
            ) from error
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        try:
            return SentenceTransformer(str(place), device=_device())
        except Exception as error:  # whatever the model's files make the library raise
            _refuse_device()
            raise ModelUnavailable(
                f"the model {self.id!r} cannot be loaded ({type(error).__name__}: {error}); set "
                "ERRSAGE_MODEL to a sentence-transformers folder, or unset it for the default"
            ) from error

    def _place(self) -> Path:
        return carried_folder() if self.id == DEFAULT_MODEL else Path(self.id)

    def _hashed(self) -> str:
        folder = Path(self.id)
        if folder.is_dir():
            return folder_fingerprint(folder)
        return hashlib.sha256(f"hub:{self.id}".encode()).hexdigest()[:32]


def make_encoder(model: str = DEFAULT_MODEL) -> Encoder:
    """Make the encoder that a setting names, loading nothing."""
    return HashingEncoder() if model == HASHING_MODEL else SentenceTransformerEncoder(model)


def mean_vector(vectors: Vectors) -> Vectors:
    """The mean direction of unit vectors, shape (n, dimension), as one of unit length."""
    return np.asarray(_unit(vectors.mean(axis=0, keepdims=True))[0], dtype=np.float32)


def _device() -> str | None:
    return os.environ.get("ERRSAGE_DEVICE") or None


def _refuse_device() -> None:
    device = _device()
    if device is None:
        return
    import torch

    try:
        torch.empty(0, device=device)
    except Exception as error:  # RuntimeError for most, AssertionError for CUDA that is not there
        reason = str(error).partition("\n")[0]
        raise ModelUnavailable(
            f"ERRSAGE_DEVICE is {device!r}, which torch cannot use here ({reason}); set it to a "
            "device of this machine, such as cpu, or unset it"
        ) from error


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.float32(1e-12)), dtype=np.float32)
