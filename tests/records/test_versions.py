from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_samples import record, sample, version

from records.errors import StoreDamaged
from records.model.quality import Flag
from records.sources.found import Found
from records.store.versions import Version, merged, version_of

UNSOUND = frozenset({Flag.PATTERN_BROKEN})


def test_a_version_is_made_of_what_was_found() -> None:
    body = sample(solutions=[])
    found = Found(
        record=record(solutions=[]),
        received=json.dumps(body),
        file="x.json",
        position="",
        dataset_version="2026",
        sidecar={"derived": True},
    )
    made = version_of(found, "s")
    assert (made.id, made.source, made.received) == (body["id"], "s", json.dumps(body))
    assert made.flags == {Flag.THIN}
    assert made.words == 42
    assert (made.dataset_version, made.derived, made.stage_flags) == ("2026", True, None)
    assert made.record == record(solutions=[])


@pytest.mark.parametrize("sidecar", [{}, {"derived": False}, {"derived": "yes"}, {"derived": 1}])
def test_only_true_means_derived(sidecar: dict[str, Any]) -> None:
    assert not version(sidecar=sidecar).derived


def test_flags_of_both_stages_count() -> None:
    made = version(flags=UNSOUND, stage_flags=frozenset({Flag.NEAR_DUPLICATE}))
    assert made.all_flags == {Flag.PATTERN_BROKEN, Flag.NEAR_DUPLICATE}


# Each pair: the one served, the other; every earlier criterion is equal, every later one against.
SERVED_FIRST: dict[str, tuple[Version, Version]] = {
    "sound": (
        version(sidecar={"derived": True}, words=1, dataset_version=""),
        version(flags=UNSOUND, words=99, dataset_version="2027"),
    ),
    "sound after the stage": (
        version(sidecar={"derived": True}, words=1, dataset_version=""),
        version(stage_flags=frozenset({Flag.FOREIGN_PROSE}), words=99, dataset_version="2027"),
    ),
    "written": (
        version(words=1, dataset_version=""),
        version(sidecar={"derived": True}, words=99, dataset_version="2027"),
    ),
    "fuller": (version(words=41, dataset_version=""), version(words=40, dataset_version="2027")),
    "newer": (version(dataset_version="2026-02"), version(dataset_version="2026-01")),
    "harmless flags do not count": (
        version(
            flags=frozenset({Flag.THIN, Flag.EXCERPT_MISMATCH, Flag.EXCERPT_UNCHECKED}),
            stage_flags=frozenset({Flag.NEAR_DUPLICATE}),
            words=41,
        ),
        version(words=40),
    ),
}


@pytest.mark.parametrize(("first", "second"), SERVED_FIRST.values(), ids=SERVED_FIRST)
def test_each_criterion_in_turn_decides(first: Version, second: Version) -> None:
    assert first.preference > second.preference


def test_of_equal_versions_the_choice_does_not_depend_on_order() -> None:
    one, two = version("a"), version("b")
    assert max(one, two, key=lambda v: v.preference) is two
    assert max(two, one, key=lambda v: v.preference) is two


def test_a_version_that_no_longer_reads_is_told() -> None:
    broken = Version("ab", "s", '{"id": ', {}, frozenset(), 0, "")
    told = "^record ab from s: the stored JSON no longer reads; add its source again$"
    with pytest.raises(StoreDamaged, match=told):
        assert broken.record


def place(line: int | None, **rest: Any) -> Version:
    return version(changes={"lineNumber": line, "solutions": [f"At {line}."]}, **rest)


def test_merging_keeps_the_better_and_notes_the_other_place() -> None:
    better = place(5, words=50, sidecar={"packageVersion": "1"})
    made = merged(place(9), better)
    assert made.received == better.received
    assert made.sidecar == {"packageVersion": "1", "places": [9]}


def test_merging_one_place_twice_notes_nothing() -> None:
    assert merged(place(5), place(5)).sidecar == {}


def test_a_place_without_a_line_comes_last() -> None:
    made = merged(merged(place(None), place(9)), place(5, words=50))
    assert made.sidecar == {"places": [9, None]}


@pytest.mark.parametrize(
    "order", list(permutations([place(3), place(7, words=50), place(1), place(None)]))
)
def test_merging_does_not_depend_on_order(order: tuple[Version, ...]) -> None:
    made = order[0]
    for other in order[1:]:
        made = merged(made, other)
    assert made.record.line_number == 7
    assert made.sidecar == {"places": [1, 3, None]}


@pytest.mark.parametrize("places", [5, "12", {"a": 1}, [[]], ["x"], None])
def test_places_of_a_foreign_sidecar_do_no_harm(places: object) -> None:
    made = merged(place(5, words=50, sidecar={"places": places}), place(9))
    assert made.sidecar == {"places": [9]}


@given(st.permutations(range(6)), st.data())
def test_the_served_choice_is_a_total_order(order: list[int], data: st.DataObject) -> None:
    flags = st.sampled_from([frozenset(), UNSOUND, frozenset({Flag.THIN})])
    group = [
        version(
            str(number),
            flags=data.draw(flags),
            words=data.draw(st.sampled_from([30, 40])),
            sidecar=data.draw(st.sampled_from([{}, {"derived": True}])),
        )
        for number in range(6)
    ]
    shuffled = [group[number] for number in order]
    best = max(group, key=lambda v: v.preference)
    assert max(shuffled, key=lambda v: v.preference) is best
