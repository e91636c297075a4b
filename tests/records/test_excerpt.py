from __future__ import annotations

from time import process_time

import pytest
from record_samples import record

from records.model.excerpt import Excerpt, excerpt_says, raise_statement
from records.model.record import ErrorRecord
from records.model.template import template


def excerpted(code: str | None, message: str = "missing cache on {block}", at: int = 1) -> Excerpt:
    made = placed(code, message, at)
    return excerpt_says(made, template(made.error_message))


def placed(code: str | None, message: str, at: int) -> ErrorRecord:
    return record(sourceCode=code, errorMessage=message, lineNumber=at, sourceCodeStart=1)


@pytest.mark.parametrize(
    "code",
    [
        'raise RuntimeError(f"missing cache on {block}")',
        "raise RuntimeError(\n    f'missing cache '\n    f'on {block}'\n)",
        'raise E("missing cache on %s" % block)',
        'raise E("missing cache on {}".format(block))',
        "throw new Error(`missing cache on ${block}`);",
        'throw new Error("missing cache on " + block);',
        'panic!("missing cache on {}", block);',
        'return Err(anyhow!("missing cache on {block}"));',
    ],
)
def test_the_own_statement(code: str) -> None:
    assert excerpted(code) is Excerpt.OWN


@pytest.mark.parametrize(
    "code",
    [
        'raise RuntimeError(f"buffer not registered: {name}")',
        "throw new Error(`buffer not registered`);",
        'panic!("buffer not registered");',
        'raise E("""buffer (\nnot registered""")',
    ],
)
def test_the_statement_of_another_error(code: str) -> None:
    assert excerpted(code) is Excerpt.OTHER


@pytest.mark.parametrize(
    "code",
    [
        None,
        "",
        "raise RuntimeError(message)",
        "raise E(MESSAGES['x'] % block)",
        'raise E(intro + "and more of it")',
        'raise E("head of it: " + str(x))',
        'raise E("%s" % text)',
        'raise RuntimeError("buffer not"',
        "throw err;",
    ],
)
def test_what_cannot_be_compared(code: str | None) -> None:
    assert excerpted(code) is Excerpt.UNCHECKED


def test_a_message_without_words_cannot_be_compared() -> None:
    assert excerpted('raise E(f"{a}: {b}")', "{a}: {b}") is Excerpt.UNCHECKED


@pytest.mark.parametrize(
    ("literal", "says"), [("one two", Excerpt.OWN), ("one 222", Excerpt.OTHER)]
)
def test_half_of_the_words_must_occur(literal: str, says: Excerpt) -> None:
    assert excerpted(f'raise Bad("{literal}")', "one two three four") is says


@pytest.mark.parametrize(
    ("code", "at", "statement"),
    [
        ("a()\nraise E('x')\nb()", 2, "raise E('x')"),
        ("raise E(\n  '(',\n  x)\nb()", 1, "raise E(\n  '(',\n  x)"),
        ("raise E(", 1, None),
        ("raise E('x')", 2, None),
        ("\n" * 3 + "x", 4, "x"),
        ("f(" + "\n" * 39 + ")", 1, "f(" + "\n" * 39 + ")"),
        ("f(" + "\n" * 40 + ")", 1, None),
        ("f(" + "x" * 4000 + ")", 1, None),
    ],
)
def test_the_raise_statement_is_taken_whole(code: str, at: int, statement: str | None) -> None:
    assert raise_statement(placed(code, "x", at)) == statement


@pytest.mark.parametrize("missing", ["sourceCode", "lineNumber", "sourceCodeStart"])
def test_without_a_place_there_is_no_statement(missing: str) -> None:
    assert raise_statement(record(**{missing: None})) is None


def test_a_line_before_the_excerpt_is_not_in_it() -> None:
    assert raise_statement(record(lineNumber=9)) is None


@pytest.mark.parametrize("unit", ["'\\", '"\\', "`\\", '"""', "(", "'\\\n(", '"""\\\n('])
def test_hostile_excerpts_take_no_time(unit: str) -> None:
    begin = process_time()
    excerpted("(" + unit * 100_000)
    assert process_time() - begin < 3
