from __future__ import annotations

import math
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.exact import ExactSearcher, Occurrence, TemplateEntry, write_exact
from index.match_text import MatchText, fold

WORDS = (
    *("cannot", "open", "file", "the", "timeout", "of", "on", "value", "expected", "connection"),
    *("is", "not", "a", "'", "größe", "\U0001d400bc"),
)
PIECES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
# Of other characters than the words, so that it is known where each piece lies.
VALUES = st.text("0123456789/=漢\U0001f600", min_size=1, max_size=20)
SPACES = st.sampled_from([" ", "\n", "\r\n", "\t", "\u3000", "\u200b", "\x1f", "\xad", "\n    "])
QUOTES = st.sampled_from(["'", '"', "`", "\u2018", "\u2019", "\u201c", "\u00b4"])


@st.composite
def templates(draw: st.DrawFn) -> tuple[str, ...]:
    """Pieces around up to four placeholders, at least one of them long enough for a key."""
    pieces = draw(st.lists(PIECES, min_size=1, max_size=5))
    pieces[draw(st.integers(0, len(pieces) - 1))] += " refused"
    if len(pieces) > 1:
        pieces[0] = draw(st.sampled_from([pieces[0], ""]))
        pieces[-1] = draw(st.sampled_from([pieces[-1], ""]))
    if not any("refused" in piece for piece in pieces):
        pieces.insert(1, "refused")
    return tuple(pieces)


@st.composite
def filled(draw: st.DrawFn) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A template and the values of its placeholders."""
    pieces = draw(templates())
    return pieces, tuple(draw(VALUES) for _ in pieces[1:])


def searcher(*templates_: Sequence[str]) -> ExactSearcher:
    """A searcher over templates; template i is that of record 10 * i and 10 * i + 1."""
    entries = [
        TemplateEntry(tuple(pieces), (10 * number, 10 * number + 1))
        for number, pieces in enumerate(templates_)
    ]
    with TemporaryDirectory() as folder:
        write_exact(Path(folder), entries)
        return ExactSearcher(Path(folder))


def found(text: str, *templates_: Sequence[str]) -> list[Occurrence]:
    return searcher(*templates_).search(MatchText.of(text))


def message(pieces: Sequence[str], values: Sequence[str]) -> str:
    return pieces[0] + "".join(
        value + piece for value, piece in zip(values, pieces[1:], strict=True)
    )


def expected(pieces: Sequence[str], values: Sequence[str]) -> tuple[object, ...]:
    """Start, end and gaps of the filled message, which is the whole text."""
    spans: list[tuple[int, int]] = []
    place = 0
    for number, piece in enumerate(pieces):
        place += len(fold(values[number - 1])) if number else 0
        spans.append((place, place + len(fold(piece))))
        place = spans[-1][1]
    if not pieces[0]:  # what lies before the first fixed text is unknown
        spans[0] = (spans[1][0], spans[1][0])
    if not pieces[-1]:
        spans[-1] = (spans[-2][1], spans[-2][1])
    gaps = tuple((before[1], after[0]) for before, after in pairwise(spans))
    return spans[0][0], spans[-1][1], gaps


def places(occurrences: Sequence[Occurrence]) -> list[tuple[object, ...]]:
    return [(one.start, one.end, one.gaps) for one in occurrences]


@settings(max_examples=150, deadline=None)
@given(filled())
def test_a_filled_message_is_found_where_it_is(
    case: tuple[tuple[str, ...], tuple[str, ...]],
) -> None:
    pieces, values = case

    occurrences = found(message(pieces, values), ["something else entirely"], pieces)

    assert expected(pieces, values) in places(occurrences)
    assert {one.records for one in occurrences} == {(10, 11)}
    assert {(one.open_start, one.open_end) for one in occurrences} == {
        (pieces[0] == "", pieces[-1] == "")
    }
    letters = sum(char.isalnum() for char in "".join(pieces))
    assert {one.letters for one in occurrences} == {letters}


@settings(max_examples=100, deadline=None)
@given(filled(), st.data())
def test_wrapping_and_retyped_quotes_change_nothing(
    case: tuple[tuple[str, ...], tuple[str, ...]], data: st.DataObject
) -> None:
    pieces, values = case
    plain = message(pieces, values)
    retyped = "".join(data.draw(QUOTES) if char == "'" else char for char in plain)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(retyped)), max_size=8)), reverse=True)
    for cut in cuts:
        retyped = retyped[:cut] + data.draw(SPACES) + retyped[cut:]
    made = MatchText.of(retyped)
    exact = searcher(pieces)

    occurrences = exact.search(made)

    assert occurrences == exact.search(MatchText.of(plain))
    for one in occurrences:
        start, end = made.span(one.start, one.end)
        assert fold(retyped[start:end]) == made.text[one.start : one.end]


def test_text_around_the_message_moves_it() -> None:
    (one,) = found("12 | KeyError: no key 'x' in\n map m1 [end]", ["no key ", " in map ", ""])

    assert (one.start, one.end, one.gaps) == (12, 25, ((17, 20), (25, 25)))


def test_weight_sums_the_rarity_of_distinct_words() -> None:
    rare, common = math.log2(1_002 / 2), math.log2(1_002 / 3)

    (one,) = found("disk full: disk gone", ["disk full: disk gone"], ["disk missing"])

    assert one.weight == pytest.approx(2 * rare + common, abs=1e-3)


def test_templates_that_share_a_key_are_told_apart() -> None:
    exact = searcher(
        ["error in configuration of ", ": missing"], ["error in configuration of ", ": unknown"]
    )

    for text, records in (("missing", (0, 1)), ("unknown", (10, 11)), ("late", None)):
        occurrences = exact.search(MatchText.of(f"error in configuration of a: {text}"))
        assert [one.records for one in occurrences] == ([records] if records else [])


def test_a_template_longer_than_its_key_is_compared_whole() -> None:
    template = ["the requested resource could not be found on this server"]

    assert [one.end for one in found(template[0], template)] == [len(fold(template[0]))]
    assert found("the requested resource could not be found on this planet", template) == []


def test_only_pieces_too_short_for_a_key_are_not_reachable() -> None:
    assert found("ab: 1 - 2 xy", ["ab: ", "-", " xy"]) == [
        Occurrence((0, 1), 0, 8, ((3, 4), (5, 6)), False, False, 4, 17.934)
    ]
    assert found("ab 1 - 2 xy", ["ab ", "-", " xy"]) == []


def test_a_rare_but_short_piece_does_not_hide_a_longer_one() -> None:
    common = [[f"name{number} is a file"] for number in range(3_000)]

    occurrences = found("zq 7 file", *common, ["zq ", " file"])

    assert [(one.records, one.gaps) for one in occurrences] == [((30_000, 30_001), ((2, 3),))]


def test_adjacent_placeholders_leave_the_first_gap_empty() -> None:
    (one,) = found("failed with 404!", ["failed with ", "", "!"])

    assert (one.start, one.end, one.gaps) == (0, 14, ((10, 10), (10, 13)))


def test_pieces_of_white_space_are_no_boundary() -> None:
    (one,) = found("failed with 404 now", ["failed with ", " ", ""])

    assert one.gaps == ((10, 10), (10, 10))


@pytest.mark.parametrize(("width", "count"), [(2_000, 1), (2_001, 0)])
def test_a_value_may_have_2000_characters(width: int, count: int) -> None:
    value = "7" * width

    assert len(found(f"unexpected {value} here", ["unexpected ", " here"])) == count
    assert len(found(f"at {value} unexpected", ["at ", " unexpected"])) == count


def test_a_key_that_occurs_ten_thousand_times_is_tried_at_both_ends() -> None:
    line = "disk is full on x\n"
    step = len(fold(line))

    occurrences = found(line * 10_000, ["disk is full on ", ""])

    numbers = [*range(32), *range(10_000 - 32, 10_000)]
    assert [one.start for one in occurrences] == [number * step for number in numbers]


def test_no_templates_find_nothing() -> None:
    assert found("anything at all") == []
    assert found("", ["a template"]) == []


def test_lone_surrogates_and_astral_characters_shift_nothing() -> None:
    text = "\ud800\U0001f600 no such table: \udfff\U0001d400 in x"

    (one,) = found(text, ["no such table: ", " in x"])

    assert (one.start, one.end, one.gaps) == (2, 19, ((14, 16),))


def test_one_long_letter_takes_linear_time() -> None:
    long = "a" * 20
    nasty = [["aaa", "b"], [long, long, "c"], ["", long, ""], ["aaaa " * 4, "", "aaab"], ["a" * 40]]
    exact = searcher(*nasty)

    def seconds(length: int) -> float:
        text = MatchText.of("a" * length)
        times = []
        for _ in range(2):
            began = time.perf_counter()
            exact.search(text)
            times.append(time.perf_counter() - began)
        return min(times)

    assert seconds(1_000_000) < 16 * max(seconds(125_000), 0.005)
