from __future__ import annotations

import json
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_samples import record

from records import read
from records.model.line_breaks import fields_with_escaped_breaks, needs_repair, repaired, shown
from records.model.quality import Flag, check


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (r"try:\n    x()\nexcept E:\n    pass", "try:\n    x()\nexcept E:\n    pass"),
        (r"if (a) {\n\tb();\n}", "if (a) {\n\tb();\n}"),
        (r'print("a\nb")\nx()', 'print("a\\nb")\nx()'),
        (r"print('a\nb')\nx()", "print('a\\nb')\nx()"),
        (r"log(`a\nb`)\nx()", "log(`a\\nb`)\nx()"),
        (r"f'{a}\n'\nrb'\n'\nx", "f'{a}\\n'\nrb'\\n'\nx"),
        (r"x = [\n'a\nb',\nB'c\nd',\nub'']", "x = [\n'a\\nb',\nB'c\\nd',\nub'']"),
        (r'"""a "b" \n"""\nx', '"""a "b" \\n"""\nx'),
        (r'"say \"hi\n\""\nx', '"say \\"hi\\n\\""\nx'),
        (r"# don't\nx('a\nb')", "# don't\nx('a\\nb')"),
        (r"// the users' list\nx()", "// the users' list\nx()"),
        (r"x()  # 'tis so\ny()", "x()  # 'tis so\ny()"),
        (r"rows = text.split(/\r?\n/)\nx()", "rows = text.split(/\\r?\\n/)\nx()"),
        (r"a = b / c\nd = e / f", "a = b / c\nd = e / f"),
    ],
)
def test_breaks_outside_literals_are_repaired(code: str, expected: str) -> None:
    assert repaired(code) == expected
    assert needs_repair(code)


@pytest.mark.parametrize(
    "code",
    [
        "",
        "x()",
        'print("a\\nb")',
        "print('a\\n')",
        "text.split(/\\n/)",
        "a\\tb",
        "real\nbreak and \\n",
        "\\",
        "path\\to",
    ],
)
def test_what_needs_no_repair_stays(code: str) -> None:
    assert repaired(code) == code
    assert not needs_repair(code)


def test_no_code_needs_no_repair() -> None:
    assert not needs_repair(None)


CODES = st.text(st.sampled_from("ab \\nt'\"`/=(#\n"), max_size=60)


@given(CODES)
def test_a_repair_is_final(code: str) -> None:
    assert repaired(repaired(code)) == repaired(code)


@given(CODES)
def test_a_repair_only_turns_escapes_into_breaks(code: str) -> None:
    plain = repaired(code).replace("\n", "\\n").replace("\t", "\\t")
    assert plain == code.replace("\n", "\\n").replace("\t", "\\t")


@given(st.text(st.characters(codec="ascii", exclude_characters="'\n")))
def test_a_string_literal_is_never_touched(inner: str) -> None:
    literal = "'" + inner.replace("\\", "\\\\") + "\\n'"
    assert repaired(f"{literal}\\nx") == f"{literal}\nx"


@pytest.mark.parametrize("unit", ["'\\", '"\\', "`\\", "=/\\", "'a", "/"])
def test_repairing_takes_linear_time(unit: str) -> None:
    begin = process_time()
    repaired(unit * 50_000)
    assert process_time() - begin < 2


def test_shown_repairs_every_code_field_and_no_prose() -> None:
    made = record(exampleFix=r"a\nb", typeGuard="x", tryCatchPattern=r"c\nd", documentation=r"e\nf")
    assert fields_with_escaped_breaks(made) == ("example_fix", "try_catch_pattern")
    fixed = shown(made)
    assert (fixed.example_fix, fixed.try_catch_pattern) == ("a\nb", "c\nd")
    assert fixed.documentation == r"e\nf"
    assert made.example_fix == r"a\nb"


def test_shown_gives_a_sound_record_as_it_is() -> None:
    made = record()
    assert shown(made) is made


@pytest.mark.shared
def test_the_seed_with_literal_breaks(shared: Path) -> None:
    text = (shared / "seeds" / "003_a98d6957ecf31d27.json").read_text(encoding="utf-8")
    made = read(json.loads(text))
    assert check(made) == {Flag.ESCAPED_BREAKS}
    assert shown(made).try_catch_pattern == (
        "try:\n"
        "    cache.update_and_get_attention_kv(k, v, current_chunk_start=s)\n"
        "except NotImplementedError as e:\n"
        "    if 'non-sequential write' in str(e):\n"
        "        cache.rewind_to(s)"
    )
