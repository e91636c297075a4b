from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st
from test_template import HOSTILE, NASTY, seconds

from records.model.pattern import PatternRead, read_pattern


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        ("", ("",)),
        ("plain text", ("plain text",)),
        ("missing KV on (.+?)", ("missing KV on ", "")),
        ("(.+?) of (.+?)", ("", " of ", "")),
        ("(.+?)(.+?)", ("", "", "")),
        (r"a\.b\(c\)\{d\}\\", ("a.b(c){d}\\",)),
        (r"line\nbreak\t", ("line\nbreak\t",)),
        (r"\ \-\#\&\~", (" -#&~",)),
        ("(.*?)x(.+)y(.*)", ("", "x", "y", "")),
        ("größe (.+?)", ("größe ", "")),
    ],
)
def test_literal_pieces_that_say_all(pattern: str, pieces: tuple[str, ...]) -> None:
    assert read_pattern(pattern) == PatternRead(pieces, exact=True)


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        (r"line \d+", ("line ", "")),
        (r"\d+ and \w", ("", " and ", "")),
        ("[ab]+ x", ("", " x")),
        ("[]a] x[^]b]", ("", " x", "")),
        (r"[\]a]+", ("", "")),
        ("^start", ("start",)),
        ("end$", ("end",)),
        (r"\bword\b", ("word",)),
        ("colou?r", ("colo", "r")),
        ("a{3,50}b", ("", "b")),
        ("ab{2}", ("a", "")),
        ("x{3,50", ("x{3,50",)),
        ("a.b", ("a", "b")),
        ("a.*?b", ("a", "b")),
        ("x(?:s|es)? y", ("x", " y")),
        ("(a|b) c", ("", " c")),
        (r"(?P<n>\d+) c", ("", " c")),
        ("(.+?)+ c", ("", " c")),
        ("((a)(b))c", ("", "c")),
        (r"(\)) c", ("", " c")),
    ],
)
def test_gaps_that_are_narrower_than_anything(pattern: str, pieces: tuple[str, ...]) -> None:
    exact = pattern == "x{3,50"  # an open brace is text to RE2
    assert read_pattern(pattern) == PatternRead(pieces, exact=exact)


@pytest.mark.parametrize(
    "pattern",
    [
        "a|b",
        "(",
        "a)",
        "((a)",
        "[",
        "[]",
        "a\\",
        "*a",
        "a**",
        "+",
        "?",
        r"\1",
        r"\x41",
        "[[:alpha:]]",
    ],
)
def test_what_is_beyond_pieces(pattern: str) -> None:
    assert read_pattern(pattern) is None


@given(NASTY)
def test_reading_never_fails(pattern: str) -> None:
    read_pattern(pattern)


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_escaped_pieces_are_read_back(pieces: list[str]) -> None:
    pattern = "(.+?)".join(map(re.escape, pieces))
    assert read_pattern(pattern) == PatternRead(tuple(pieces), exact=True)


@given(st.text(st.sampled_from("ab.*+?\\d[]()^$"), max_size=12), st.text("ab.", max_size=8))
def test_what_re2_finds_holds_the_pieces_in_order(pattern: str, text: str) -> None:
    read = read_pattern(pattern)
    options = re2.Options()
    options.log_errors = False
    options.dot_nl = True
    try:
        matches = re2.compile(pattern, options).search(text) is not None
    except re2.error:
        return
    if read is not None and matches:
        assert re.search(".*?".join(map(re.escape, read.pieces)), text, re.DOTALL)


PATTERNS: dict[str, Callable[[int], str]] = {
    **HOSTILE,
    "open groups": lambda n: "(" * n,
    "nested groups": lambda n: "(" * n + ")" * n,
    "open sets": lambda n: "[" * n,
    "open quantifiers": lambda n: "a{1," * n,
    "quantifiers": lambda n: "a*" * n,
    "escapes": lambda n: "\\(" * n,
    "text after an anchor": lambda n: "^" + "abc" * n,
    "placeholders of the dataset": lambda n: "(.+?)" * n,
}


@pytest.mark.parametrize("make", PATTERNS.values(), ids=PATTERNS)
def test_reading_takes_linear_time(make: Callable[[int], str]) -> None:
    short, long = (seconds(read_pattern, make(count)) for count in (2_000, 16_000))
    assert long < 16 * short + 0.02
