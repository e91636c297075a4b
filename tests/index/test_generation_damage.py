"""Every file of a generation is damaged in turn; nothing but IndexFault may come of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from index_samples import everything, indexed, opened

from index.errors import IndexDamaged, IndexFault, IndexTooNew
from index.generation import current_folder, read_manifest
from index.index import Index

FILES = (
    *("dense.faiss", "dense.numbers.npy", "exact.keys.txt", "exact.starts.npy"),
    *("exact.templates.npy", "records.bin", "records.ids.npy", "records.npy"),
    *("templates.bin", "templates.npy"),
)
MANIFEST = "manifest.json"
PLACES = 40


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pristine")
    indexed(folder)
    return folder


@pytest.fixture(scope="module")
def answers(pristine: Path) -> list[object]:
    return everything(opened(pristine))


@pytest.fixture
def folder(pristine: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "data"
    shutil.copytree(pristine / "index", copy / "index")
    return copy


def generation(folder: Path) -> Path:
    found = current_folder(folder)
    assert found is not None
    return found


def fault(folder: Path, answers: list[object]) -> str | None:
    """What opening, reading or checking tells; None where all answers are the sound ones."""
    try:
        index = opened(folder)
        told = "\n".join(index.faults())
        assert everything(index) == answers
    except IndexFault as error:
        return str(error)
    return told or None


def test_these_are_all_files(pristine: Path) -> None:
    present = {path.name for path in generation(pristine).iterdir()}

    assert present == {*FILES, MANIFEST}
    assert set(read_manifest(generation(pristine)).files) == set(FILES)


def test_a_sound_generation_has_no_faults(folder: Path, answers: list[object]) -> None:
    assert opened(folder).faults() == ()
    assert fault(folder, answers) is None


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def lengthened(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


@pytest.mark.parametrize("damage", [cut, emptied, lengthened, Path.unlink])
@pytest.mark.parametrize("name", [*FILES, MANIFEST])
def test_a_file_of_another_size_is_named_at_opening(
    folder: Path, name: str, damage: Callable[[Path], None]
) -> None:
    damage(generation(folder) / name)

    with pytest.raises(IndexDamaged, match=rf"{name}: .*; run errsage rebuild"):
        Index.open(folder)


@pytest.mark.parametrize("name", FILES)
def test_a_flipped_bit_is_told_with_the_name_of_the_file(
    folder: Path, name: str, answers: list[object]
) -> None:
    path = generation(folder) / name
    sound = path.read_bytes()

    for number, place in enumerate(range(0, len(sound), max(1, len(sound) // PLACES))):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << number % 8
        path.write_bytes(damaged)
        told = fault(folder, answers)
        assert told is not None
        assert name in told


def test_a_flipped_bit_in_records_is_seen_without_checking_the_whole_file(folder: Path) -> None:
    path = generation(folder) / "records.bin"
    damaged = bytearray(path.read_bytes())
    damaged[20] ^= 4
    path.write_bytes(damaged)
    index = opened(folder)

    with pytest.raises(IndexDamaged, match=r"records\.bin: item 0 is damaged"):
        index.entry(0)
    assert index.entry(1).body["errorClass"] == "KitError"
    assert index.faults() == (f"{path}: its checksum differs; run errsage rebuild",)


def test_a_flipped_bit_in_the_manifest_is_told_or_harmless(
    folder: Path, answers: list[object]
) -> None:
    path = generation(folder) / MANIFEST
    sound = path.read_bytes()

    for place in range(0, len(sound), 7):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << (place // 7) % 8
        path.write_bytes(damaged)
        told = fault(folder, answers)
        assert told is None or told.endswith(("run errsage rebuild", "upgrade errsage"))


def change(folder: Path, **fields: object) -> Path:
    """Change fields of the manifest; None removes one."""
    path = generation(folder) / MANIFEST
    value = json.loads(path.read_text())
    for name, new in fields.items():
        if new is None:
            del value[name]
        else:
            value[name] = new
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize(
    "name",
    [
        *("indexVersion", "textVersion", "storeRevision", "records", "templates", "recordSet"),
        *("stagesPending", "encoder", "vectors", "quantiser", "repos", "sources"),
        *("datasetVersions", "flags", "files"),
    ],
)
def test_an_absent_field_is_damage(folder: Path, name: str) -> None:
    change(folder, **{name: None})

    with pytest.raises(IndexDamaged, match=rf"manifest\.json: {name}: field required; run errsage"):
        Index.open(folder)


@pytest.mark.parametrize("text", ["", "not json", "[]", '{"indexVersion": 1', "\ufeff{}"])
def test_a_manifest_that_is_no_object_is_damage(folder: Path, text: str) -> None:
    (generation(folder) / MANIFEST).write_text(text, encoding="utf-8")

    with pytest.raises(IndexDamaged, match=r"manifest\.json: .*; run errsage rebuild"):
        Index.open(folder)


def test_a_newer_version_is_told_first(folder: Path) -> None:
    told = r"manifest\.json: the index has version 7, this errsage reads up to 1; upgrade errsage"
    change(folder, indexVersion=7)
    with pytest.raises(IndexTooNew, match=told):
        Index.open(folder)

    change(folder, files=None, records=None, encoder="of another shape")
    with pytest.raises(IndexTooNew, match=told):
        Index.open(folder)


def test_a_wrong_count_of_records_is_damage(folder: Path) -> None:
    change(folder, records=7)

    with pytest.raises(IndexDamaged, match=r"manifest\.json: its count of records is wrong"):
        Index.open(folder)


def test_a_wrong_dimension_is_damage_of_the_dense_tier(folder: Path, answers: list[object]) -> None:
    change(folder, encoder={"id": "hashing", "fingerprint": "x", "dimension": 65})

    assert opened(folder).entry(0).body == answers[0][0]  # type: ignore[index]
    assert "dense.faiss: does not fit its list; run errsage rebuild" in str(fault(folder, answers))


def test_a_pickled_array_is_never_loaded(folder: Path) -> None:
    path = generation(folder) / "templates.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)

    with pytest.raises(IndexDamaged, match=r"templates\.npy: .*run errsage rebuild"):
        Index.open(folder)


def test_without_current_nothing_was_indexed(folder: Path) -> None:
    (folder / "index" / "CURRENT").unlink()

    assert Index.open(folder) is None
    assert Index.open(folder / "elsewhere") is None


@pytest.mark.parametrize("content", [b"", b"gen-1", b"../index", b"\xff\xfe\0", b"gen-000001\nx"])
def test_a_current_that_names_no_generation_is_damage(folder: Path, content: bytes) -> None:
    (folder / "index" / "CURRENT").write_bytes(content)

    with pytest.raises(IndexDamaged, match=r"CURRENT: names no generation; run errsage rebuild"):
        Index.open(folder)


def test_a_current_that_is_a_folder_is_damage(folder: Path) -> None:
    (folder / "index" / "CURRENT").unlink()
    (folder / "index" / "CURRENT").mkdir()

    with pytest.raises(IndexDamaged, match=r"CURRENT: Is a directory; run errsage rebuild"):
        Index.open(folder)


def test_a_missing_generation_is_damage(folder: Path) -> None:
    shutil.rmtree(generation(folder))

    with pytest.raises(IndexDamaged, match=r"gen-000001/manifest\.json: missing; run errsage"):
        Index.open(folder)


def test_a_generation_that_is_a_file_is_damage(folder: Path) -> None:
    path = generation(folder)
    shutil.rmtree(path)
    path.write_text("")

    with pytest.raises(IndexDamaged, match=r"manifest\.json: Not a directory; run errsage rebuild"):
        Index.open(folder)
