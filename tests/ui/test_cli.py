"""Commands, exit codes and sentences of `errsage`, each in a process of its own."""

from __future__ import annotations

import gzip
import json
import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from assistant import Assistant, Verdict
from index.encoder import HashingEncoder
from records.store.lock import writer_lock
from tests.system.command import (
    COMMAND,
    KNOWN,
    KNOWN_ID,
    PATIENCE,
    ROOT,
    SAMPLES,
    Ended,
    await_stage,
    changed,
    ended,
    environment,
    errsage,
    finish,
    sample,
    started,
    write_many,
)

CLICK = SAMPLES / "click.json"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the samples of click; only read."""
    home = tmp_path_factory.mktemp("filled")
    assert errsage(home, "add", CLICK).code == 0
    return home


@pytest.fixture
def home(filled: Path, tmp_path: Path) -> Path:
    """A copy of it to change."""
    return Path(shutil.copytree(filled, tmp_path / "home"))


def generation(home: Path) -> Path:
    return home / "index" / (home / "index" / "CURRENT").read_text(encoding="utf-8").strip()


def check_sound(home: Path) -> None:
    """The known record is found, and there are no faults; asked without a process."""
    with Assistant.open(home, encoder=HashingEncoder()) as assistant:
        assert assistant.search(KNOWN).verdict is Verdict.EXACT
        assert assistant.verify() == ()


def make_newer(home: Path) -> Path:
    manifest = generation(home) / "manifest.json"
    body = json.loads(manifest.read_text(encoding="utf-8")) | {"indexVersion": 99}
    manifest.write_text(json.dumps(body), encoding="utf-8")
    return manifest


# Help and usage


@pytest.mark.parametrize("arguments", [(), ("add",), ("search",), ("serve",)])
def test_help_ends_with_0(arguments: tuple[str, ...]) -> None:
    said = errsage(None, *arguments, "--help")
    assert said.code == 0
    assert said.err == ""
    assert "--data-dir" in said.out
    assert errsage(None, *arguments, "-h") == said


def test_the_version_is_told() -> None:
    assert errsage(None, "--version") == Ended(0, "errsage 0.1.0\n", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["shwo"], "No such command 'shwo'"),
        (["search", "--nope", "text"], "No such option: --nope"),
        (["search", "-k", "0", "text"], "Invalid value for '-k'"),
        (["embed", "--limit", "0"], "Invalid value for '--limit'"),
        (["serve", "--port", "65536"], "Invalid value for '--port'"),
        (["add"], "Missing argument"),
    ],
)
def test_bad_usage_ends_with_2(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    said = errsage(tmp_path, *arguments)
    assert said.code == 2
    assert sentence in said.err
    assert list(tmp_path.iterdir()) == []


# The data folder and settings


@pytest.mark.parametrize(
    "arguments",
    [
        ["add", ""],
        ["add", str(CLICK), ""],
        ["--data-dir", "", "status"],
        ["add", str(CLICK), "--data-dir", ""],
    ],
)
def test_an_empty_path_is_not_the_current_folder(arguments: list[str], tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    shutil.copy(CLICK, here)
    said = errsage(tmp_path / "home", *arguments, cwd=here)
    assert said.code == 2
    assert said.out == ""
    assert said.err.endswith(": the path is empty; is a variable of the shell not set?\n")
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
    assert [path.name for path in here.iterdir()] == [CLICK.name]


def test_the_data_folder_stands_before_or_after_the_command(filled: Path, tmp_path: Path) -> None:
    for arguments in (("--data-dir", filled, "status"), ("status", "--data-dir", filled)):
        said = errsage(tmp_path, *arguments)
        assert said.code == 0
        assert f"data folder      {filled}\n" in said.out


def test_errsage_home_names_the_data_folder(filled: Path) -> None:
    body = json.loads(errsage(filled, "status", "--json").out)
    assert body["folder"] == str(filled)
    assert body["records"] == len(json.loads(CLICK.read_text(encoding="utf-8")))


def test_a_setting_that_cannot_be_is_named(filled: Path) -> None:
    said = errsage(filled, "status", ERRSAGE_PORT="abc")
    assert said.code == 2
    assert said.err.startswith("errsage: ERRSAGE_PORT: input should be a valid integer")
    assert said.err.endswith("(found 'abc')\n")


@pytest.mark.parametrize("command", [["search", "text"], ["add", str(CLICK)]])
def test_a_file_is_no_data_folder(command: list[str], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    said = errsage(file, *command)
    assert said.code == 2
    assert said.err == (
        f"errsage: '{file}' cannot be the data folder: it is not a folder; name another with "
        "--data-dir or ERRSAGE_HOME\n"
    )
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_data_folder_is_named_in_utf_8(tmp_path: Path) -> None:
    said = errsage(None, b"--data-dir", os.fsencode(tmp_path) + b"/\xff", "status")
    assert said.code == 2
    assert "cannot be the data folder: its name is not UTF-8" in said.err


# search


def test_search_of_an_empty_folder_ends_with_0_and_says_how_to_add(tmp_path: Path) -> None:
    said = errsage(tmp_path / "none", "search", KNOWN)
    assert said == Ended(
        0,
        "none: no record explains this text\n\nUnderstood\n"
        "  RuntimeError: There is no active click context.\n\n"
        "note: there are no records yet; add some with: errsage add FILE_OR_FOLDER\n",
        "",
    )
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("text", "verdict"),
    [(KNOWN, "exact"), ("click context is active", "related"), ("zzzz qqqq", "none")],
)
def test_search_ends_with_0_for_any_verdict(filled: Path, text: str, verdict: str) -> None:
    said = errsage(filled, "search", "--json", "-k", "1", text)
    body = json.loads(said.out)
    assert said.code == 0
    assert body["resultVersion"] == 1
    assert body["verdict"] == verdict
    assert len(body["hits"]) <= 1


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        (KNOWN.split(), None),
        (["-"], KNOWN.encode()),
        ([], b"\xef\xbb\xbflog\n" + KNOWN.encode() + b"\n"),
    ],
)
def test_the_text_comes_from_arguments_or_standard_input(
    filled: Path, arguments: list[str], given: bytes | None
) -> None:
    said = errsage(filled, "search", *arguments, given=given)
    assert said.code == 0
    assert said.out.startswith("exact: this template produced the text\n\n" + KNOWN + "\n")


def test_a_person_at_a_terminal_is_told_what_is_awaited(filled: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "search"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(filled),
    )
    os.close(theirs)
    os.write(ours, KNOWN.encode() + b"\n\x04")
    said = finish(process)
    os.close(ours)
    assert said.code == 0
    assert said.err == "paste the error, then press Ctrl-D\n"
    assert said.out.startswith("exact: ")


@pytest.mark.parametrize(
    ("arguments", "given"), [([""], None), (["-"], b""), ([], b" \n\t\n"), ([" ", ""], None)]
)
def test_an_empty_text_ends_with_2(filled: Path, arguments: list[str], given: bytes | None) -> None:
    said = errsage(filled, "search", *arguments, given=given)
    assert said == Ended(
        2, "", "errsage: the text is empty; paste an error message, a traceback or a log\n"
    )


def test_bytes_that_are_not_utf_8_are_counted_and_read_around(filled: Path) -> None:
    said = errsage(filled, "search", "-", given=b"caf\xe9 \xff\n" + KNOWN.encode() + b"\n")
    assert said.code == 0
    assert said.err == "note: 2 places are not UTF-8; they were read as unknown signs\n"
    assert said.out.startswith("exact: ")


def test_an_argument_that_is_not_utf_8_is_read(filled: Path) -> None:
    said = errsage(filled, "search", b"\xff " + KNOWN.encode())
    assert said.code == 0
    assert said.err == "note: 1 places are not UTF-8; they were read as unknown signs\n"


def test_a_text_over_20_mb_ends_with_2(filled: Path) -> None:
    said = errsage(filled, "search", given=b"x" * 20_500_000)
    assert said.code == 2
    assert (
        "larger than the 20 MB that are read: cut it down to the part around the error" in said.err
    )


def test_a_log_of_5_mb_is_read_and_what_was_left_out_is_said(filled: Path) -> None:
    lines = b"2024-01-01 12:00:00 INFO nothing happened here\n" * 55_000
    log = lines + KNOWN.encode() + b"\n" + lines
    assert len(log) > 5_000_000
    said = errsage(filled, "search", "-", "--json", given=log)
    body = json.loads(said.out)
    assert said.code == 0
    assert body["hits"][0]["record"]["id"] == KNOWN_ID
    [note] = [note["text"] for note in body["notes"] if note["name"] == "left-out"]
    assert note.startswith(f"of {len(log):,} characters ")


def test_an_index_of_another_encoder_answers_exactly_and_says_so(
    filled: Path, tmp_path: Path
) -> None:
    said = errsage(filled, "search", KNOWN, ERRSAGE_MODEL=str(tmp_path / "model"))
    assert said.code == 0
    assert said.out.startswith("exact: this template produced the text\n\n" + KNOWN)
    assert "note: the index was made with the encoder hashing, the setting says " in said.out
    assert "only exact messages are found; run: errsage embed" in said.out


@pytest.mark.parametrize("model", ["hashing", "all-MiniLM-L6-v2"])
def test_what_the_exact_tier_decides_imports_no_model_library(filled: Path, model: str) -> None:
    script = (
        "import sys\nfrom ui.cli import main\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "search", KNOWN],
        capture_output=True,
        text=True,
        env=environment(filled, ERRSAGE_MODEL=model),
        timeout=PATIENCE,
    )
    assert done.returncode == 0
    assert done.stdout.startswith("exact: ")
    heavy = {"torch", "sentence_transformers", "transformers", "faiss", "gradio", "uvicorn"}
    assert heavy & set(done.stderr.split()) == set()


# Index and store that are damaged, missing or newer


@pytest.mark.parametrize("name", ["records.bin", "CURRENT"])
def test_a_damaged_index_ends_search_with_3_and_rebuild_mends_it(home: Path, name: str) -> None:
    path = home / "index" / name if name == "CURRENT" else generation(home) / name
    path.write_bytes(path.read_bytes()[:-7] if name != "CURRENT" else b"\x00")
    said = errsage(home, "search", KNOWN)
    assert said.code == 3
    assert said.err.startswith(f"errsage: {path}: ")
    assert said.err.endswith("; run errsage rebuild\n")
    found = errsage(home, "verify")
    assert found.code == 1
    assert found.out.startswith(f"{path}: ")
    assert errsage(home, "rebuild").code == 0
    check_sound(home)


def test_the_exit_code_depends_on_the_command_not_on_the_words_searched(home: Path) -> None:
    (home / "index" / "CURRENT").write_text("nothing", encoding="utf-8")
    assert errsage(home, "search", "add", "rebuild").code == 3


def test_add_mends_a_damaged_index(home: Path) -> None:
    (generation(home) / "records.bin").write_bytes(b"")
    assert errsage(home, "add", CLICK).code == 0
    check_sound(home)


def test_an_index_missing_beside_a_filled_store_ends_with_3(home: Path) -> None:
    shutil.rmtree(home / "index")
    said = errsage(home, "search", KNOWN)
    assert said.code == 3
    assert "but not indexed yet; run errsage rebuild" in said.err
    assert "pending          there are stored records, but no index" in errsage(home, "status").out
    assert errsage(home, "verify").code == 1
    assert errsage(home, "rebuild").out == "the index holds 1 records\n"
    check_sound(home)


def test_a_newer_index_is_neither_read_nor_replaced(home: Path) -> None:
    manifest = make_newer(home)
    before = sorted(home.rglob("*"))
    sentence = (
        f"errsage: {manifest}: the index has version 99, this errsage reads up to 1; "
        "upgrade errsage\n"
    )
    assert errsage(home, "search", KNOWN) == Ended(3, "", sentence)
    assert errsage(home, "status") == Ended(3, "", sentence)
    for command in (["add", str(CLICK)], ["rebuild"], ["embed"]):
        assert errsage(home, *command) == Ended(2, "", sentence)
    assert sorted(home.rglob("*")) == before


def test_a_newer_store_is_refused_and_the_index_still_answers(home: Path) -> None:
    connection = sqlite3.connect(home / "store.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    sentence = "store.sqlite: the store has version 99, this errsage reads up to 1; upgrade errsage"
    for command in (["add", str(CLICK)], ["embed"], ["rebuild"], ["status"]):
        said = errsage(home, *command)
        assert said.code == 2
        assert said.err == f"errsage: {home}/{sentence}\n"
    found = errsage(home, "verify")
    assert found == Ended(1, f"{home}/{sentence}\n", "")
    assert errsage(home, "search", KNOWN).out.startswith("exact: ")


def test_a_damaged_store_is_told_and_search_goes_on(home: Path) -> None:
    (home / "store.sqlite").write_bytes(b"no database at all, not even nearly" * 200)
    assert errsage(home, "search", KNOWN).code == 0
    said = errsage(home, "add", CLICK)
    assert said.code == 2
    assert "the store is damaged" in said.err
    assert errsage(home, "verify").code == 1


# show, status, verify


def test_the_facts_of_a_status_stand_in_one_column(tmp_path: Path) -> None:
    none = errsage(tmp_path, "status").out.splitlines()
    assert none[3] == "dataset version  none"
    assert {line[15:17] for line in none} == {"  "}
    assert {line[17] == " " for line in none} == {False}
    envelope = {"record": sample(), "datasetVersion": "2026.1"}
    (tmp_path / "one.json").write_text(json.dumps(envelope), encoding="utf-8")
    assert errsage(tmp_path, "add", tmp_path / "one.json").code == 0
    assert "\ndataset version  2026.1\n" in errsage(tmp_path, "status").out


def test_verify_of_an_empty_folder_calls_nothing_sound(filled: Path, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        said = errsage(folder, "verify")
        assert said == Ended(0, f"there is nothing in {folder} yet\n", "")
    assert list(tmp_path.iterdir()) == []
    assert errsage(filled, "verify") == Ended(0, "store and index are sound\n", "")


def test_show_of_a_record_and_of_an_unknown_id(filled: Path) -> None:
    said = errsage(filled, "show", KNOWN_ID)
    assert said.code == 0
    assert said.out.startswith(KNOWN + "\n" + f"record {KNOWN_ID} | pallets/click")
    assert f"source: {CLICK}" in said.out
    body = json.loads(errsage(filled, "show", KNOWN_ID, "--json").out)
    assert body["record"]["id"] == KNOWN_ID
    for unknown in ("0123456789abcdef", "x", "../../etc/passwd"):
        said = errsage(filled, "show", unknown)
        assert said == Ended(1, "", f"errsage: no record has the id {unknown!r}\n")


# add


def test_add_tells_what_it_refused_and_where_that_is_listed(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "mixed.jsonl"
    wrong = sample() | {"schemaVersion": 3}
    file.write_text(f"{json.dumps(sample())}\nnot json\n{json.dumps(wrong)}\n", encoding="utf-8")
    said = errsage(home, "add", file)
    assert said.code == 0
    assert said.out == (
        "accepted 1 records (1 new or changed); the index holds 1, 1 with a vector\n"
    )
    [rejects] = (home / "rejects").iterdir()
    assert f"refused: {file}, line 2: not JSON (" in said.err
    assert f"refused: {file}, line 3 (id {KNOWN_ID}): schemaVersion is 3; " in said.err
    assert said.err.endswith(f"refused 2 in all; they are listed in {rejects}\n")
    rows = [json.loads(line) for line in rejects.read_text(encoding="utf-8").splitlines()]
    assert [(row["file"], row["position"], row["id"]) for row in rows] == [
        (str(file), "line 2", None),
        (str(file), "line 3", KNOWN_ID),
    ]
    assert errsage(home, "add", "--strict", file).code == 2
    check_sound(home)


def test_embed_finishes_what_add_left(tmp_path: Path) -> None:
    said = errsage(tmp_path, "add", "--no-vectors", CLICK)
    assert said.code == 0
    assert said.out.endswith("the index holds 1, 0 with a vector\n")
    assert "1 records have no vector yet: errsage embed" in errsage(tmp_path, "status").out
    assert errsage(tmp_path, "search", "no words in common").out == (
        "none: no exact match; only exact messages were searched: a record may explain your text "
        "all the same\n\n"
        "note: no record has a vector yet, so only exact messages were searched; run: errsage "
        "embed\n"
    )
    said = errsage(tmp_path, "embed", "--limit", "1")
    assert said.out == "embedded 1 texts; 1 of 1 records have a vector\n"
    assert "1 records are not checked against the others" in errsage(tmp_path, "status").out
    assert errsage(tmp_path, "embed").out == "embedded 0 texts; 1 of 1 records have a vector\n"
    assert "pending          nothing" in errsage(tmp_path, "status").out


def test_a_file_name_of_two_lines_is_told_on_one(tmp_path: Path) -> None:
    file = tmp_path / "re\nfused: nothing.json"
    missing = errsage(tmp_path / "home", "add", file)
    assert missing.err == f"errsage: {tmp_path}/re fused: nothing.json: no such file or folder\n"
    file.write_text("words", encoding="utf-8")
    lines = errsage(tmp_path / "home", "add", file).err.splitlines()
    [rejects] = (tmp_path / "home" / "rejects").iterdir()
    refused = f"refused: {tmp_path}/re fused: nothing.json: not JSON ("
    assert [lines[0][: len(refused)], *lines[1:]] == [
        refused,
        f"refused 1 in all; they are listed in {rejects}",
    ]


def bad_inputs(folder: Path) -> dict[str, tuple[Path, str]]:
    """Inputs of which no record can be taken, with a part of the sentence."""
    packed = gzip.compress(json.dumps(sample()).encode())
    inputs: dict[str, tuple[bytes | None, str]] = {
        "missing.json": (None, "no such file or folder"),
        "words.json": (b"these are words", "not JSON ("),
        "cut.json": (b'[{"id": "e269', "not JSON ("),
        "cut.json.gz": (packed[:-20], "the gzip data is damaged or ends early"),
        "cut.jsonl.gz": (packed[:30], "the gzip data is damaged or ends early"),
        "version.json": (json.dumps(sample() | {"schemaVersion": 1}).encode(), "schemaVersion is"),
        "latin.json": (b'{"errorMessage": "\xe9"}', "not UTF-8 (byte 0xe9 at offset 18)"),
        "empty.json": (b"", "the file is empty"),
        "number.json": (b"17", "expected a JSON object, found a number"),
        "huge.json": (
            json.dumps(sample() | {"documentation": "x" * 50_000_000}).encode(),
            "the record is 50.0 MB; at most 1.0 MB are taken",
        ),
    }
    for name, (content, _) in inputs.items():
        if content is not None:
            (folder / name).write_bytes(content)
    return {name: (folder / name, sentence) for name, (_, sentence) in inputs.items()}


def test_bad_inputs_end_with_2_and_a_sentence_and_lose_nothing(home: Path, tmp_path: Path) -> None:
    inputs = bad_inputs(tmp_path)
    missing, sentence = inputs.pop("missing.json")
    assert errsage(home, "add", missing) == Ended(2, "", f"errsage: {missing}: {sentence}\n")
    said = errsage(home, "add", *(path for path, _ in inputs.values()))
    assert said.code == 2
    assert said.out.startswith("accepted 0 records (0 new or changed); the index holds 1, 1 ")
    [rejects] = (home / "rejects").iterdir()
    rows = [json.loads(line) for line in rejects.read_text(encoding="utf-8").splitlines()]
    assert [row["file"] for row in rows] == [str(path) for path, _ in inputs.values()]
    for row, (path, sentence) in zip(rows, inputs.values(), strict=True):
        assert sentence in row["reason"], path
    first = [line for line in said.err.splitlines() if line.startswith("refused: ")]
    assert len(first) == 5
    assert f"refused {len(rows)} in all; they are listed in {rejects}\n" in said.err
    check_sound(home)


def test_folders_without_records_end_with_2_and_a_sentence(home: Path, tmp_path: Path) -> None:
    named = tmp_path / "x.json"
    (named / "y.json").mkdir(parents=True)
    strange = tmp_path / "strange"
    strange.mkdir()
    (strange / "package.json").write_text('{"name": "other"}', encoding="utf-8")
    for folder in (named, strange):
        said = errsage(home, "add", folder)
        assert said.code == 2
        assert said.err.endswith(f"errsage: no records in {folder}\n")


def test_what_is_neither_file_nor_folder_is_refused_at_once(home: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), Path("/dev/null")):
        said = errsage(home, "add", CLICK, path)
        assert said == Ended(2, "", f"errsage: {path}: neither a file nor a folder\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    pipe.rename(folder / "pipe.json")
    shutil.copy(CLICK, folder)
    assert errsage(home, "add", folder).code == 0


def test_a_missing_file_among_good_ones_stores_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    said = errsage(home, "add", CLICK, tmp_path / "missing.json")
    assert said == Ended(2, "", f"errsage: {tmp_path}/missing.json: no such file or folder\n")
    assert not home.exists()


# One process adds at a time


def test_a_lock_that_is_held_ends_add_with_2_and_the_pid(home: Path) -> None:
    with writer_lock(home):
        for command in (["add", str(CLICK)], ["embed"], ["rebuild"]):
            said = errsage(home, *command)
            assert said == Ended(
                2,
                "",
                f"errsage: {home}: process {os.getpid()} is adding records; try again when it is "
                "done, or pass --wait\n",
            )
        assert errsage(home, "search", KNOWN).code == 0
    assert errsage(home, "add", CLICK).code == 0


def test_add_with_wait_begins_when_the_lock_is_free(home: Path, tmp_path: Path) -> None:
    more = write_many(tmp_path / "more.jsonl", 3)
    with writer_lock(home):
        process = started(home, "add", "--wait", more)
        assert await_stage(process, "lock: waiting") == ["lock: waiting"]
        assert process.poll() is None
    said = finish(process)
    assert said.code == 0
    assert said.out.endswith("the index holds 4, 4 with a vector\n")


# Streams that end, and interruptions


@pytest.mark.parametrize("command", [["search", KNOWN], ["show", KNOWN_ID, "--json"], ["status"]])
def test_a_reader_that_goes_away_leaves_no_stack_trace(filled: Path, command: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, *command],
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment(filled),
        timeout=PATIENCE,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_an_output_without_space_is_told(filled: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "search", KNOWN],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(filled),
            timeout=PATIENCE,
        )
    said = ended(done.returncode, b"", done.stderr)
    assert said.code == 2
    assert said.err == (
        "errsage: cannot read or write a standard stream: No space left on device\n"
    )


def test_closed_standard_streams_are_empty_ones(filled: Path) -> None:
    script = '"$@" <&- >&- 2>&-'
    for arguments, code in ((["search", KNOWN], 0), (["search"], 2), (["add", str(CLICK)], 0)):
        done = subprocess.run(
            ["sh", "-c", script, "sh", *COMMAND, *arguments],
            env=environment(filled),
            timeout=PATIENCE,
        )
        assert done.returncode == code


def test_an_output_that_is_not_unicode_shows_a_question_mark(tmp_path: Path) -> None:
    record = changed(sample(), errorMessage="no \N{SNOWMAN} is open at {hour}")
    (tmp_path / "one.json").write_text(json.dumps(record), encoding="utf-8")
    assert errsage(tmp_path, "add", tmp_path / "one.json").code == 0
    said = errsage(tmp_path, "search", "no \N{SNOWMAN} is open at 9", PYTHONIOENCODING="latin-1")
    assert said.code == 0
    assert "RuntimeError: no ? is open at {hour}" in said.out


@pytest.mark.parametrize("stage", ["store: committed", "vectors: batch", "generation: writing"])
def test_ctrl_c_ends_add_with_130_and_loses_nothing(home: Path, tmp_path: Path, stage: str) -> None:
    more = write_many(tmp_path / "more.jsonl", 300)
    process = started(home, "add", more)
    await_stage(process, stage)
    process.send_signal(signal.SIGINT)
    said = finish(process)
    assert said.code == 130
    assert said.out == ""
    assert said.err.splitlines()[-1] == (
        "errsage: stopped; what was committed is kept, errsage add or errsage embed goes on"
    )
    with Assistant.open(home, encoder=HashingEncoder()) as assistant:
        assert assistant.search(KNOWN).verdict is Verdict.EXACT
    again = errsage(home, "add", more)
    assert again.code == 0
    assert again.out.endswith("the index holds 301, 301 with a vector\n")
    check_sound(home)


@pytest.mark.parametrize(
    ("command", "goes_on"),
    [
        (("add", CLICK), "errsage add or errsage embed"),
        (("embed",), "errsage embed"),
        (("rebuild",), "errsage rebuild"),
    ],
)
def test_ctrl_c_says_what_goes_on(
    home: Path, command: tuple[str | Path, ...], goes_on: str
) -> None:
    with writer_lock(home):
        process = started(home, *command, "--wait")
        await_stage(process, "lock: waiting")
        process.send_signal(signal.SIGINT)
        said = finish(process)
    told = f"errsage: stopped; what was committed is kept, {goes_on} goes on\n"
    assert said == Ended(130, "", told)


# Foreign modules with our names


@pytest.mark.parametrize(
    ("shadow", "name"),
    [("records.py", "records"), ("index.py", "index"), ("index/__init__.py", "index")],
)
def test_a_foreign_module_in_the_way_is_named_and_never_run(
    tmp_path: Path, shadow: str, name: str
) -> None:
    foreign = tmp_path / "foreign" / shadow
    foreign.parent.mkdir(parents=True)
    foreign.write_text(f"open({str(tmp_path / 'was-run')!r}, 'w').close()\n", encoding="utf-8")
    path = os.pathsep.join((str(tmp_path / "foreign"), str(ROOT)))
    said = errsage(tmp_path, "search", KNOWN, cwd=tmp_path, PYTHONPATH=path)
    assert said == Ended(
        2,
        "",
        f"errsage: {foreign} stands in the way of errsage's own package '{name}': rename it, "
        "run from another folder, or install errsage by itself (pipx install errsage)\n",
    )
    assert not (tmp_path / "was-run").exists()
