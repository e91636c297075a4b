from __future__ import annotations

import json
import resource
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from record_samples import record, sample

from records import read
from records.model.quality import (
    UNSOUND,
    Flag,
    check,
    compile_pattern,
    is_sound,
    is_thin,
    prose,
    words_of,
)


def test_a_sound_record_has_no_flag() -> None:
    assert check(record()) == frozenset()


@pytest.mark.parametrize(
    ("changes", "flags"),
    [
        ({"id": "0" * 16}, {Flag.ID_MISMATCH}),
        ({"messagePattern": None}, set()),
        ({"messagePattern": ""}, set()),
        ({"messagePattern": "missing cache on (.+"}, {Flag.PATTERN_BROKEN}),
        ({"messagePattern": r"missing cache on (?=x)"}, {Flag.PATTERN_BROKEN}),
        ({"messagePattern": r"(m)issing cache on \1"}, {Flag.PATTERN_BROKEN}),
        ({"messagePattern": r"missing cache on \{block\}"}, {Flag.PATTERN_ESCAPED}),
        ({"messagePattern": "buffer not registered"}, {Flag.PATTERN_MISMATCH}),
        ({"messagePattern": r"missing cache on \w+"}, set()),
        ({"messagePattern": r"missing cache on \d+"}, set()),
        ({"messagePattern": "missing|lost cache"}, set()),
        ({"messagePattern": "^missing cache on [a-z]+$"}, set()),
        ({"messagePattern": "(?i)MISSING cache on .+"}, set()),
        ({"messagePattern": "x" * 501}, {Flag.PATTERN_MISMATCH}),
        ({"tryCatchPattern": r"try:\n    x()"}, {Flag.ESCAPED_BREAKS}),
        ({"documentation": r"a\nb"}, {Flag.THIN}),
        ({"solutions": []}, {Flag.THIN}),
        ({"sourceCode": None}, {Flag.EXCERPT_UNCHECKED}),
        ({"sourceCode": 'x\nraise E("buffer not registered")'}, {Flag.EXCERPT_MISMATCH}),
    ],
)
def test_each_flag_is_set_for_its_fault(changes: dict[str, Any], flags: set[Flag]) -> None:
    assert check(record(**changes)) == flags


@pytest.mark.parametrize(
    ("message", "generic"),
    [("abc def {x}", True), ("abcd efg {x}", True), ("abcd efgh {x}", False), ("{x}", True)],
)
def test_under_eight_fixed_letters_a_template_is_generic(message: str, generic: bool) -> None:
    made = record(errorMessage=message, messagePattern=None)
    assert (Flag.PATTERN_GENERIC in check(made)) is generic


def test_only_these_flags_are_unsound() -> None:
    assert {str(flag) for flag in UNSOUND} == {
        "id-mismatch",
        "pattern-broken",
        "pattern-escaped-placeholder",
        "pattern-not-own-message",
        "prose-of-another-error",
    }
    assert is_sound(frozenset(Flag) - UNSOUND)
    assert not any(is_sound(frozenset({flag})) for flag in UNSOUND)


@pytest.mark.parametrize(("words", "thin"), [(30, False), (29, True)])
def test_under_thirty_words_of_prose_a_record_is_thin(words: int, thin: bool) -> None:
    made = record(
        documentation="word " * 18,
        commonSituations="",
        triggerScenarios="word " * (words - 19),
        solutions=["word"],
    )
    assert words_of(prose(made)) == words
    assert is_thin(made) is thin


@pytest.mark.parametrize(("words", "thin"), [(18, False), (17, True)])
def test_under_eighteen_words_that_explain_a_record_is_thin(words: int, thin: bool) -> None:
    made = record(
        documentation="word " * (words - 8),
        commonSituations="word " * 8,
        triggerScenarios="word " * 40,
    )
    assert is_thin(made) is thin


def test_words_are_counted_outside_code() -> None:
    assert words_of("Call `set_flag on it` before x, naïve 12 users' run_it") == 6


@pytest.mark.parametrize(
    ("pattern", "broken"),
    [
        ("(a+)+$", False),
        ("(x+x+)+y", False),
        ("(((.{1000}){1000})", True),
        ("((.{1000}){1000})", True),
        (".{500}" * 20, True),
        ("(" * 250 + ")" * 250, False),
        ("[" * 499, True),
        ("((a?){900}b)", False),
    ],
)
def test_a_pattern_bomb_costs_neither_time_nor_memory(pattern: str, broken: bool) -> None:
    message = "a" * 200_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = process_time()
    flags = check(record(errorMessage=message, messagePattern=pattern))
    assert process_time() - begin < 3
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
    assert (Flag.PATTERN_BROKEN in flags) is broken
    assert (compile_pattern(pattern) is None) is broken


@pytest.mark.shared
def test_written_records_are_sound(shared: Path) -> None:
    lines = (shared / "records" / "rich-python.jsonl").read_text(encoding="utf-8").splitlines()
    found = {made.id: check(made) & UNSOUND for made in map(read, map(json.loads, lines))}
    assert len(found) == 423
    assert {made: flags for made, flags in found.items() if flags} == {}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("000_cd1bc16708434bcb.json", set()),
        ("001_46484108c7a5f979.json", set()),
        ("003_a98d6957ecf31d27.json", {Flag.ESCAPED_BREAKS}),
    ],
)
def test_flags_of_the_seeds(shared: Path, name: str, flags: set[Flag]) -> None:
    assert check(read(json.loads((shared / "seeds" / name).read_bytes()))) == flags


def test_a_reading_may_be_given() -> None:
    body = sample()
    assert check(read(body), None) == check(read(body))
