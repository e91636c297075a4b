from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from record_samples import items, sample, told

from records.errors import SourceUnreadable
from records.sources import sidecar
from records.sources.decode import RECORD_BYTES
from records.sources.files import check_path, files_of, read_file
from records.sources.found import Found, Refused, Skipped

A, B = sample(filePath="a.py"), sample(filePath="b.py")
TOO_DEEP = "not a record: JSON nested too deeply"
CUT = "the gzip data is damaged or ends early"
LARGE = "the record is 50.0 MB; at most 1.0 MB are taken"


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def enveloped(body: object) -> dict[str, object]:
    return {"record": body, "datasetVersion": "2026-08-28"}


SHAPES: dict[str, tuple[bytes, list[str]]] = {
    "bare": (lines(A), ["line 1: a.py"]),
    "bare without a last break": (lines(A)[:-1], ["line 1: a.py"]),
    "bare, pretty": (json.dumps(A, indent=2).encode(), [": a.py"]),
    "envelope": (lines(enveloped(A)), ["line 1: a.py"]),
    "envelope, pretty": (json.dumps(enveloped(A), indent=1).encode(), [": a.py"]),
    "list": (json.dumps([A, B]).encode(), ["record 1: a.py", "record 2: b.py"]),
    "list of envelopes": (json.dumps([enveloped(B)], indent=1).encode(), ["record 1: b.py"]),
    "empty list": (b"[]", []),
    "JSON Lines": (lines(A, enveloped(B)), ["line 1: a.py", "line 2: b.py"]),
    "blank lines": (b"\n \n" + lines(A) + b"\n" + lines(B), ["line 3: a.py", "line 5: b.py"]),
    "Windows breaks": (lines(A, B).replace(b"\n", b"\r\n"), ["line 1: a.py", "line 2: b.py"]),
    "byte order mark": (b"\xef\xbb\xbf" + lines(A, B), ["line 1: a.py", "line 2: b.py"]),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(("data", "expected"), SHAPES.values(), ids=SHAPES)
def test_every_shape_is_told_by_its_content(
    tmp_path: Path, data: bytes, expected: list[str], packed: bool
) -> None:
    file = tmp_path / "some.data"
    file.write_bytes(gzip.compress(data) if packed else data)
    assert told(items(file)) == expected


def test_a_record_keeps_its_text_and_its_dataset_version(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    body = sample(laterField="größe")
    file.write_bytes(lines(enveloped(body)))
    (found,) = items(file)
    assert isinstance(found, Found)
    assert found.received == json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    assert (found.file, found.position) == (str(file), "line 1")
    assert (found.dataset_version, found.sidecar) == ("2026-08-28", {})


BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the file is empty"),
    "blank": (b" \n\n", "the file is empty"),
    "text": (b"hello\n", "not JSON (Expecting value at line 1, column 1)"),
    "cut": (b'{"id":\n', "not JSON (Expecting value at line 2, column 1)"),
    "number": (b"12", "expected a JSON object, found a number"),
    "not UTF-8": (b'{"id": "\xff"}', "not UTF-8 (byte 0xff at offset 8)"),
    "UTF-16": (json.dumps(A).encode("utf-16"), "not UTF-8 but UTF-16; save it as UTF-8"),
    "brackets": (b"[" * 100_000, TOO_DEEP),
    "closed brackets": (b"[" * 100_000 + b"]" * 100_000, TOO_DEEP),
    "NaN": (b'[\n{"x": NaN}]', "not JSON (NaN is not a JSON number)"),
    "Infinity": (b'[\n{"x": -Infinity}]', "not JSON (-Infinity is not a JSON number)"),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(("data", "reason"), BAD.values(), ids=BAD)
def test_a_wrong_file_is_one_refusal(
    tmp_path: Path, data: bytes, reason: str, packed: bool
) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(gzip.compress(data) if packed else data)
    assert items(file) == [Refused(str(file), "", None, reason)]


LINES: dict[str, tuple[bytes, str | None, str]] = {
    "version": (lines(A | {"schemaVersion": 3}), A["id"], "schemaVersion is 3; this errsage"),
    "field": (lines(A | {"httpStatus": 9}), A["id"], "httpStatus: input should be greater"),
    "long id": (lines(A | {"id": "f" * 99}), "f" * 40, "id: string should match pattern"),
    "no id": (lines({"schemaVersion": 2}), None, "id: field required; "),
    "text": (b"hello\n", None, "not JSON (Expecting value at line 1, column 1)"),
    "not UTF-8": (b'"\xe9"\n', None, "not UTF-8 (byte 0xe9 at offset 1)"),
    "NaN": (b'{"x": NaN}\n', None, "not JSON (NaN is not a JSON number)"),
    "brackets": (b"[" * 100_000 + b"\n", None, TOO_DEEP),
    "list": (b"[1]\n", None, "expected a JSON object, found a list"),
    "surrogate": (lines(A | {"tags": ["\ud800"]}), A["id"], "a text holds a lone"),
    "surrogate in a later field": (lines(A | {"x": "\ud800"}), A["id"], "a text holds a lone"),
    "surrogate in the version": (
        lines({"record": A, "datasetVersion": "\udfff"}),
        A["id"],
        "a text holds a lone surrogate (half a character)",
    ),
    "nested": (lines(A)[:-2] + b',"x":' + b"[" * 500 + b"]" * 500 + b"}\n", A["id"], TOO_DEEP),
    "1e999": (lines(A)[:-2] + b',"x":1e999}\n', A["id"], "a number is too large for JSON"),
    "50 MB": (lines(A | {"x": "y" * 50_000_000}), None, LARGE),
    "long integer": (b'{"x":' + b"9" * 5000 + b"}\n", None, "not JSON (Exceeds the limit"),
}


@pytest.mark.parametrize(("data", "known", "reason"), LINES.values(), ids=LINES)
def test_a_wrong_line_costs_only_itself(
    tmp_path: Path, data: bytes, known: str | None, reason: str
) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(lines(A) + data + lines(B))
    first, refused, last = items(file)
    assert told([first, last]) == ["line 1: a.py", "line 3: b.py"]
    assert isinstance(refused, Refused)
    assert (refused.file, refused.position, refused.id) == (str(file), "line 2", known)
    assert refused.reason.startswith(reason)


def test_a_record_of_50_mb_alone_is_refused_by_size(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(json.dumps(A | {"x": "y" * 50_000_000}).encode())
    assert items(file) == [Refused(str(file), "", A["id"], LARGE)]


@pytest.mark.parametrize(("over", "taken"), [(0, True), (1, False)])
def test_a_record_may_have_a_mebibyte(tmp_path: Path, over: int, taken: bool) -> None:
    empty = len(json.dumps(A | {"x": ""}, separators=(",", ":")))
    body = A | {"x": "y" * (RECORD_BYTES - empty + over)}
    file = tmp_path / "x.jsonl"
    file.write_bytes(json.dumps(body, separators=(",", ":")).encode() + b"\n" + lines(B))
    first, last = items(file)
    assert isinstance(first, Found) is taken
    assert told([last]) == ["line 2: b.py"]


def test_a_refusal_is_told_in_one_line() -> None:
    assert str(Refused("x.jsonl", "line 2", "ab", "no")) == "x.jsonl, line 2 (id ab): no"
    assert str(Refused("x.json", "", None, "no")) == "x.json: no"


def test_a_cut_gzip_keeps_the_records_before_the_cut(tmp_path: Path) -> None:
    rows = [sample(filePath=os.urandom(400).hex()) for _ in range(50)]
    whole = gzip.compress(lines(*rows))
    file = tmp_path / "x.jsonl.gz"
    file.write_bytes(whole[: len(whole) // 2])
    *kept, last = items(file)
    paths = [row["filePath"] for row in rows]
    assert 10 < len(kept) < 50
    assert told(kept) == [f"line {n}: {path}" for n, path in enumerate(paths[: len(kept)], 1)]
    assert last == Refused(str(file), "", None, CUT)


@pytest.mark.parametrize(
    "damage",
    [lambda data: data + b"trailing", lambda data: data[:-8] + b"\0" * 8],
    ids=["garbage behind", "checksum"],
)
def test_a_damaged_end_of_gzip_keeps_the_records(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    file = tmp_path / "x.jsonl.gz"
    file.write_bytes(damage(gzip.compress(lines(A, B))))
    assert told(items(file)) == ["line 1: a.py", "line 2: b.py", f": refused, {CUT}"]


def test_a_gzip_of_nothing_but_its_mark(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b"\x1f\x8b")
    assert told(items(file)) == [f": refused, {CUT}"]


def test_several_gzip_members_are_one_file(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl.gz"
    file.write_bytes(gzip.compress(lines(A)) + gzip.compress(lines(B)))
    assert told(items(file)) == ["line 1: a.py", "line 2: b.py"]


def test_a_file_that_vanished_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    assert items(file) == [Refused(str(file), "", None, "No such file or directory")]


def folder_of(root: Path, **files: bytes) -> Path:
    for name, data in files.items():
        file = root / name.replace("__", "/").replace("_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return root


def test_the_files_of_a_folder_are_sorted_and_hidden_ones_left_out(tmp_path: Path) -> None:
    folder_of(
        tmp_path, b_json=b"", a_jsonl_gz=b"", c_ndjson=b"", d_txt=b"", sub__e_json=b"",
        sidecar_json=b"", _hidden_json=b"", _git__f_json=b"", sub___g_json=b"",
    )  # fmt: skip
    (tmp_path / "x.json").mkdir()
    (tmp_path / "x.json" / "y.json").write_bytes(b"")
    (tmp_path / "loop.json").symlink_to("loop.json")
    (tmp_path / "gone.json").symlink_to("nowhere")
    (tmp_path / "again").symlink_to(tmp_path)
    names = [file.relative_to(tmp_path).as_posix() for file in files_of(tmp_path)]
    assert names == ["a.jsonl.gz", "b.json", "c.ndjson", "sub/e.json", "x.json/y.json"]


def test_a_file_stands_for_itself(tmp_path: Path) -> None:
    assert files_of(tmp_path / "x.any") == (tmp_path / "x.any",)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("x.json", b'{"errors": []}', ["skipped"]),
        ("x.json", b"[1, 2]", ["skipped"]),
        ("x.json", b'"text"', ["skipped"]),
        ("x.json", json.dumps([{"x": 1}]).encode(), ["skipped"]),
        ("x.jsonl", lines({"x": 1}, {"x": 2}, [3]), ["skipped"]),
        ("x.json", b"{", [": refused, not JSON (Expecting property name enclosed in double "
                          "quotes at line 1, column 2)"]),
        (
            "x.json",
            json.dumps([A, {}]).encode(),
            ["record 1: a.py", "record 2: refused, schemaVersion is null; this errsage reads "
             "version 2"],
        ),
        (
            "x.jsonl",
            lines({"x": 1}, {"x": 2}, A, {"x": 3}),
            [
                "2 lines before line 3: refused, JSON, but not records",
                "line 3: a.py",
                "line 4: refused, schemaVersion is null; this errsage reads version 2",
            ],
        ),
    ],
)  # fmt: skip
def test_json_of_a_folder_that_holds_no_records_is_skipped(
    tmp_path: Path, name: str, data: bytes, expected: list[str]
) -> None:
    (tmp_path / name).write_bytes(data)
    assert told(items(tmp_path / name, in_folder=True)) == expected


def test_a_skipped_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b"{}")
    assert items(tmp_path / "x.json", in_folder=True) == [Skipped(str(tmp_path / "x.json"))]


def test_the_sidecar_of_the_folder_counts(tmp_path: Path) -> None:
    entry = {"derived": True, "packageVersion": "1.2"}
    beside = {"sidecarVersion": 1, "records": {A["id"]: entry, B["id"]: "no entry"}}
    (tmp_path / "sidecar.json").write_bytes(lines(beside))
    file = tmp_path / "x.jsonl"
    file.write_bytes(lines(A, B))
    inside = [item.sidecar for item in items(file, in_folder=True) if isinstance(item, Found)]
    assert inside == [entry, {}]
    alone = [item.sidecar for item in items(file) if isinstance(item, Found)]
    assert alone == [{}, {}]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[]", "not a sidecar of version 1"),
        (b'{"records": {}}', "not a sidecar of version 1"),
        (b'{"sidecarVersion": 2, "records": {}}', "not a sidecar of version 1"),
        (b'{"sidecarVersion": 1, "records": []}', "not a sidecar of version 1"),
    ],
)
def test_a_damaged_sidecar_is_told(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "sidecar.json").write_bytes(data)
    (tmp_path / "x.json").write_bytes(lines(A))
    with pytest.raises(SourceUnreadable, match=rf"sidecar\.json: {reason}"):
        items(tmp_path / "x.json", in_folder=True)


def test_a_forbidden_sidecar_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sidecar.json").write_bytes(b"{}")

    def forbidden(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", forbidden)
    with pytest.raises(SourceUnreadable, match=r"sidecar\.json: Permission denied$"):
        sidecar.read_sidecar(tmp_path)


def test_a_sidecar_is_read_again_when_it_changed(tmp_path: Path) -> None:
    file = tmp_path / "sidecar.json"
    for moment, entries in enumerate([{"a": {}}, {"b": {}}]):
        file.write_bytes(lines({"sidecarVersion": 1, "records": entries}))
        os.utime(file, (moment, moment))
        assert sidecar.read_sidecar(tmp_path) == entries


def test_paths_that_can_be_read_pass(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b"")
    check_path(tmp_path)
    check_path(tmp_path / "x.json")


def looped(root: Path) -> Path:
    (root / "x.json").symlink_to("x.json")
    return root / "x.json"


def misnamed(root: Path) -> Path:
    file = root / os.fsdecode(b"\xff.json")
    file.write_bytes(b"")
    return file


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda root: root / "x.json", r"x\.json: no such file or folder$"),
        (looped, r"x\.json: Too many levels of symbolic links$"),
        (misnamed, "\ufffd\\.json: its name is not UTF-8; rename it$"),
        (lambda root: Path("/proc/self/mem/x"), "x: Not a directory$"),
    ],
    ids=["missing", "loop", "name", "below a file"],
)
def test_a_path_that_cannot_be_read_is_told(
    tmp_path: Path, make: Callable[[Path], Path], reason: str
) -> None:
    with pytest.raises(SourceUnreadable, match=reason):
        check_path(make(tmp_path))


def test_a_misnamed_file_of_a_folder_can_be_told(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.json")).write_bytes(b"{")
    refused = [item for file in files_of(tmp_path) for item in read_file(file, in_folder=True)]
    assert isinstance(refused[0], Refused)
    assert refused[0].file == f"{tmp_path}/\ufffd.json"
