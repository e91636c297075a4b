from __future__ import annotations

import re
from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records import template
from records.model.pattern import PatternRead
from records.model.template import Template, parse_message, read_template

KV = "missing captured KV on {attr}"


@pytest.mark.parametrize(
    ("message", "pieces", "names"),
    [
        ("plain text", ("plain text",), ()),
        ("", ("",), ()),
        (KV, ("missing captured KV on ", ""), ("attr",)),
        ("{a} at both ends {b}", ("", " at both ends ", ""), ("a", "b")),
        ("${x} in ${y.z}", ("", " in ", ""), ("x", "y.z")),
        ("#{x} of Ruby", ("", " of Ruby"), ("x",)),
        ("{} and {}", ("", " and ", ""), ("0", "1")),
        ("{1} before {0}", ("", " before ", ""), ("0", "1")),
        ("%s: %d", ("", ": ", ""), ("0", "1")),
        ("%(x)s and %(y)-5.2f", ("", " and ", ""), ("x", "y")),
        ("%2$s after %1$s", ("", " after ", ""), ("0", "1")),
        ("%5.2f %-10s %+v %q %r", ("", " ", " ", " ", " ", ""), ("0", "1", "2", "3", "4")),
        ("size %zu of %lld, %hhx", ("size ", " of ", ", ", ""), ("0", "1", "2")),
        ("%*d|%.*s", ("", "|", ""), ("0", "1")),
        ("{x!r} {y!s:>10}", ("", " ", ""), ("x", "y")),
        ("{x:.2f} {y:,} {z=}", ("", " ", " ", ""), ("x", "y", "z")),
        ("{a.b[0]} {d['k']}", ("", " ", ""), ("a.b[0]", "d['k']")),
        ("${ok ? a : b}", ("", ""), ("ok ? a : b",)),
        ("{len(x) + 1} left", ("", " left"), ("len(x) + 1",)),
        (
            "cur={None if self._cur is None else self._cur.g0}",
            ("cur=", ""),
            ("None if self._cur is None else self._cur.g0",),
        ),
        ("one of {', '.join(names)}.", ("one of ", "."), ("', '.join(names)",)),
        ('got {dump({"a": x})}', ("got ", ""), ('dump({"a": x})',)),
        ("{f'{k}={v}'}", ("", ""), ("f'{k}={v}'",)),
        ("{{escaped}} {x}", ("{{escaped}} ", ""), ("x",)),
        ("{{{x}}}", ("{{", "}}"), ("x",)),
        ("{3,50} digits", ("{3,50} digits",), ()),
        ('use {"a": 1}', ('use {"a": 1}',), ()),
        ("use {'a': {'b': 1}}", ("use {'a': {'b': 1}}",), ()),
        ("100% sure of {x}", ("100% sure of ", ""), ("x",)),
        ("50% and 5%.", ("50% and 5%.",), ()),
        ("100%% of %s", ("100%% of ", ""), ("0",)),
        ("%%%s", ("%%", ""), ("0",)),
        ("{a}{b}", ("", "", ""), ("a", "b")),
        ("{a}%s${b}", ("", "", "", ""), ("a", "1", "b")),
        ("{a} is {a}", ("", " is ", ""), ("a", "a")),
        ("{s} of {d}", ("", " of ", ""), ("0", "1")),
        ("{unclosed", ("{unclosed",), ()),
        ("closed} {x}", ("closed} ", ""), ("x",)),
        ("{ spaced }", ("{ spaced }",), ()),
        ("{größe} {é}", ("", " ", ""), ("größe", "é")),
        ("{" + "x" * 60 + "}", ("", ""), ("x" * 60,)),
        ("{" + "x" * 61 + "}", ("", ""), ("0",)),
    ],
)
def test_placeholders_of_a_message(
    message: str, pieces: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert parse_message(message) == Template(pieces, names)


@pytest.mark.parametrize(
    ("message", "pattern", "pieces", "names"),
    [
        (KV, "missing captured KV on (.+?)", ("missing captured KV on ", ""), ("attr",)),
        (
            "{a}: {b if c else d} of {a}",
            "(.+?): (.+?) of (.+?)",
            ("", ": ", " of ", ""),
            ("a", "b if c else d", "a"),
        ),
        ("{a}{b} end", "(.+?)(.+?) end", ("", "", " end"), ("a", "b")),
        ("a literal {brace}, {x}", r"a literal \{(.+?)\}, (.+?)", ("a literal {", "}, ", ""), ()),
        ("in {{s}}", r"in \{(.+?)\}", ("in {", "}"), ("0",)),
        ("at {a.b}.", r"at (.+?)\.", ("at ", "."), ("a.b",)),
        ("{f(a, b)}, {c}", "(.+?), (.+?)", ("", ", ", ""), ("f(a, b)", "c")),
        ("{d['a, b']}, {c}", "(.+?), (.+?)", ("", ", ", ""), ("d['a, b']", "c")),
        ("{a}{b}", "(.+?)", ("", "", ""), ("a", "b")),
    ],
)
def test_the_pattern_says_where_and_the_message_names(
    message: str, pattern: str, pieces: tuple[str, ...], names: tuple[str, ...]
) -> None:
    made = template(message, pattern)
    assert made.pieces == pieces
    if names:
        assert made.names == names


@pytest.mark.parametrize(
    "pattern", [None, "", "(.+?)", " (.+?) ", "another text (.+?)", "missing (", "a|b", "[", "\\"]
)
def test_without_a_fitting_pattern_the_message_is_parsed(pattern: str | None) -> None:
    read = read_template(KV, pattern)
    assert read.template == Template(("missing captured KV on ", ""), ("attr",))
    assert (read.from_pattern, read.escaped) == (False, ())


def test_an_escaped_placeholder_is_told_and_split() -> None:
    read = read_template("bad {name}", r"bad \{name\}")
    assert read.template == Template(("bad ", ""), ("name",))
    assert read.escaped == ("{name}",)
    assert read.from_pattern
    assert read.pattern == PatternRead(("bad {name}",), exact=True)


def test_one_escaped_placeholder_among_others() -> None:
    read = read_template("{a}: {b} of {c}", r"(.+?): \{b\} of (.+?)")
    assert read.template == Template(("", ": ", " of ", ""), ("a", "b", "c"))
    assert read.escaped == ("{b}",)


@pytest.mark.parametrize("message", ["in {3,50}", "use {}", "a {0}", "of {'svd', 'eigh'}"])
def test_escaped_text_in_braces_is_no_placeholder(message: str) -> None:
    assert read_template(message, re.escape(message)).escaped == ()


@pytest.mark.parametrize(
    ("message", "key"),
    [
        (KV, "missing captured KV on {}"),
        ("  a\n\t{x}  b ", "a {} b"),
        ("{a}{b}", "{}{}"),
        ("%s {}", "{} {}"),
        ("", ""),
    ],
)
def test_the_key_anonymises_and_collapses(message: str, key: str) -> None:
    assert template(message).key == key


def test_fixed_letters_are_letters_and_digits_of_the_pieces() -> None:
    assert template("ab 1: {xyz} é!").fixed_letters == 4


# Pieces without what begins a placeholder or what a name is made of; gaps never touch.
LITERALS = st.text(st.characters(codec="utf-8", exclude_characters="{}$#%"), min_size=1).filter(
    lambda text: not text.isspace()
)
NAMES = st.from_regex(r"[a-z_][a-z0-9_]{2,8}", fullmatch=True)
OPENINGS = st.sampled_from(["{", "${", "#{"])


@given(st.lists(st.tuples(LITERALS, OPENINGS, NAMES), min_size=1, max_size=6), LITERALS)
def test_pieces_and_names_survive_an_escaped_pattern(
    parts: list[tuple[str, str, str]], last: str
) -> None:
    message = "".join(f"{piece}{opening}{name}}}" for piece, opening, name in parts) + last
    pieces = [piece for piece, _, _ in parts] + [last]
    pattern = "(.+?)".join(map(re.escape, pieces))
    expected = Template(tuple(pieces), tuple(name for _, _, name in parts))
    read = read_template(message, pattern)
    assert read.escaped == ()
    if _unambiguous(parts, pieces):
        assert read.template == expected
    assert parse_message(message) == expected


def _unambiguous(parts: list[tuple[str, str, str]], pieces: list[str]) -> bool:
    """No piece begins inside the placeholder before it, where aligning must guess."""
    return all(
        piece not in f"{opening}{name}}}"
        for (_, opening, name), piece in zip(parts, pieces[1:], strict=True)
    )


NASTY = st.one_of(
    st.text(), st.text(st.sampled_from("{}$#%()[]*+?.\\|^'\": ,1sdax\n"), max_size=60)
)


@given(NASTY)
def test_pieces_and_placeholders_rejoin_to_the_message(message: str) -> None:
    made = parse_message(message)
    assert len(made.pieces) == len(made.names) + 1
    gaps = ".+?".join(map(re.escape, made.pieces))
    assert re.fullmatch(gaps, message, re.DOTALL)
    if not made.names:
        assert made.pieces == (message,)


@given(NASTY, NASTY)
def test_reading_a_template_never_fails(message: str, pattern: str) -> None:
    made = template(message, pattern)
    assert len(made.pieces) == len(made.names) + 1


HOSTILE: dict[str, Callable[[int], str]] = {
    "open braces": lambda n: "{" * n,
    "open braces with letters": lambda n: "{a" * n,
    "dollar braces": lambda n: "${" * n,
    "hash braces": lambda n: "#{" * n,
    "nested braces": lambda n: "{x" * n + "}" * n,
    "nested text": lambda n: "{ " * n + "}" * n,
    "nested mappings": lambda n: '{"a": ' * n + "}" * n,
    "placeholders": lambda n: "{a}" * n,
    "percent brackets": lambda n: "%(" * n,
    "percent zeros": lambda n: "%" + "0" * n,
    "percent digits": lambda n: "%" + "1" * n,
    "conversions": lambda n: "{" + "a:" * n + "(}",
}


def seconds(call: Callable[[str], object], text: str) -> float:
    times = []
    for _ in range(3):
        begin = process_time()
        call(text)
        times.append(process_time() - begin)
    return min(times)


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_parsing_takes_linear_time(make: Callable[[int], str]) -> None:
    short, long = (seconds(parse_message, make(count)) for count in (2_000, 16_000))
    assert long < 16 * short + 0.02


def test_aligning_gives_up_on_a_hostile_message() -> None:
    message, pattern = "{" + "a" * 500_000 + "b", "(.+?)" + "a" * 1000 + "(.+?)b"
    assert seconds(lambda text: template(text, pattern), message) < 2
    assert template(message, pattern).names == ()
