from __future__ import annotations

import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from index import match_text
from index.match_text import MatchText, fold

SPECIAL = st.sampled_from(' \n\t\u3000\u200b\xad"`\u2019\u2014\uff1a\u3002\ud800\udfff\U0001f600aB')
TEXTS = st.text(st.one_of(SPECIAL, st.characters()), max_size=60)


def test_white_space_is_what_python_calls_white_space() -> None:
    spaces = {char for char in map(chr, range(sys.maxunicode + 1)) if char.isspace()}

    assert set(match_text._WHITE_SPACE) == spaces


def test_fold_drops_white_space_and_joins_look_alikes() -> None:
    assert fold("a\u200bb  \u201cc\u201d \u2018d\u2019 `e`\n\u00adf") == "ab'c''d''e'f"
    assert fold("x \u2014 1 \u2212 2\uff1a\uff08y\uff09\uff0c\uff1b\uff1d\u3002") == "x-1-2:(y),;=."


def test_fold_keeps_case_and_all_other_characters() -> None:
    assert fold("Ärger_{x}%s\\d+") == "Ärger_{x}%s\\d+"


@given(TEXTS)
def test_fold_twice_is_fold_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(TEXTS)
def test_every_kept_character_maps_to_its_origin(text: str) -> None:
    made = MatchText.of(text)

    assert made.text == fold(text)
    assert [fold(text[place]) for place in made.offsets] == list(made.text)
    assert np.all(np.diff(made.offsets) > 0)
    dropped = set(range(len(text))) - set(made.offsets.tolist())
    assert all(fold(text[place]) == "" for place in dropped)


@given(TEXTS, st.data())
def test_span_cuts_the_same_text_out_of_the_original(text: str, data: st.DataObject) -> None:
    made = MatchText.of(text)
    if not made.text:
        return
    start = data.draw(st.integers(0, len(made.text) - 1))
    end = data.draw(st.integers(start + 1, len(made.text)))

    first, last = made.span(start, end)

    assert fold(text[first:last]) == made.text[start:end]
    assert (fold(text[first]), fold(text[last - 1])) == (made.text[start], made.text[end - 1])
    assert made.position(first) == start
    assert made.position(last) == end


@given(TEXTS, st.data())
def test_position_counts_the_kept_characters_before(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))

    assert MatchText.of(text).position(place) == len(fold(text[:place]))


@given(TEXTS, st.integers(0, 60))
def test_offsets_of_an_earlier_original_are_carried_on(text: str, cut: int) -> None:
    kept = np.arange(min(cut, len(text)), len(text), dtype=np.int64)

    made = MatchText.of(text[cut:], kept)

    assert made.text == fold(text[cut:])
    assert [fold(text[place]) for place in made.offsets] == list(made.text)


def test_empty_text_has_no_characters() -> None:
    for text in ("", " \n\u200b"):
        made = MatchText.of(text)
        assert (made.text, made.offsets.tolist(), made.position(len(text))) == ("", [], 0)


def test_astral_characters_count_once() -> None:
    made = MatchText.of("\U0001f600 a\U0001d400 b")

    assert made.text == "\U0001f600a\U0001d400b"
    assert made.offsets.tolist() == [0, 2, 3, 5]


def test_lone_surrogates_keep_their_places() -> None:
    made = MatchText.of("\ud800 a\udfff")

    assert made.text == "\ud800a\udfff"
    assert made.offsets.tolist() == [0, 2, 3]
