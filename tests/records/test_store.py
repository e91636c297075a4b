from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from record_samples import sample, version

from records.model.quality import Flag
from records.store.store import STORE, Store
from records.store.versions import Version

X, Y = sample(filePath="x.py")["id"], sample(filePath="y.py")["id"]
FOREIGN = frozenset({Flag.FOREIGN_PROSE})


def of(name: str, source: str = "a", **rest: Any) -> Version:
    return version(source, changes={"filePath": f"{name}.py"}, **rest)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path, writable=True) as opened:
        yield opened


def leads(store: Store) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {served.version.id: (served.version.source, served.sources) for served in store.served()}


def test_a_new_store_is_empty(store: Store) -> None:
    assert store.revision == 0
    assert store.counts() == {"versions": 0, "records": 0, "sources": 0}
    assert list(store.served()) == []
    assert store.faults() == ()


def test_what_was_put_comes_back_in_order_of_id_and_source(store: Store) -> None:
    given = [of("y", "b", sidecar={"packageVersion": "1ä"}), of("x", "b"), of("x", "a", words=7)]
    assert store.put(given) == 3
    assert store.revision == 1
    assert list(store.versions()) == sorted(given, key=lambda made: (made.id, made.source))
    assert store.counts() == {"versions": 3, "records": 2, "sources": 2}


def test_versions_of_one_id(store: Store) -> None:
    store.put([of("x", "b"), of("y", "b"), of("x", "a")])
    assert list(store.versions(X)) == [of("x", "a"), of("x", "b")]
    assert list(store.versions("0" * 16)) == []


def test_an_equal_version_changes_nothing(store: Store) -> None:
    store.put([of("x"), of("y")])
    assert store.put([of("x"), of("y")]) == 0
    assert store.put([]) == 0
    assert store.revision == 1


@pytest.mark.parametrize(
    "change",
    [
        {"words": 99},
        {"flags": FOREIGN},
        {"dataset_version": "2027"},
        {"sidecar": {"derived": True}},
    ],
)
def test_a_changed_version_replaces_the_old(store: Store, change: dict[str, Any]) -> None:
    store.put([of("x"), of("y")])
    assert store.put([of("x", **change), of("y")]) == 1
    assert store.revision == 2
    assert list(store.versions(X)) == [of("x", **change)]


def test_changed_text_replaces_and_forgets_the_stage(store: Store) -> None:
    store.put([of("x")])
    store.put_stage_flags({(X, "a"): FOREIGN})
    changed = version("a", changes={"filePath": "x.py", "tags": ["new"]})
    assert store.put([of("x")]) == 0
    assert [made.stage_flags for made in store.versions()] == [FOREIGN]
    assert store.put([changed]) == 1
    assert list(store.versions()) == [changed]


def test_the_same_id_from_another_source_is_another_version(store: Store) -> None:
    store.put([of("x", "a"), of("x", "b", words=50), of("y", "a")])
    assert leads(store) == {X: ("b", ("a", "b")), Y: ("a", ("a",))}


def test_a_stage_that_finds_foreign_prose_changes_the_choice(store: Store) -> None:
    store.put([of("x", "a"), of("x", "b", words=50)])
    assert leads(store) == {X: ("b", ("a", "b"))}
    assert store.put_stage_flags({(X, "b"): FOREIGN, (X, "a"): frozenset()}) == 2
    assert store.revision == 2
    assert leads(store) == {X: ("a", ("a", "b"))}
    assert store.put_stage_flags({(X, "b"): frozenset()}) == 1
    assert leads(store) == {X: ("b", ("a", "b"))}


def test_equal_stage_flags_change_nothing(store: Store) -> None:
    store.put([of("x")])
    assert store.put_stage_flags({(X, "a"): FOREIGN}) == 1
    assert store.put_stage_flags({(X, "a"): FOREIGN}) == 0
    assert store.put_stage_flags({}) == 0
    assert store.revision == 2


def test_a_stage_seen_without_finding_is_kept(store: Store) -> None:
    store.put([of("x")])
    store.put_stage_flags({(X, "a"): frozenset()})
    assert [made.stage_flags for made in store.versions()] == [frozenset()]


def test_stage_flags_of_an_unknown_version_leave_no_trace(store: Store) -> None:
    store.put([of("x")])
    assert store.put_stage_flags({(X, "elsewhere"): FOREIGN, (Y, "a"): FOREIGN}) == 0
    assert store.counts() == {"versions": 1, "records": 1, "sources": 1}
    assert store.revision == 1


def test_a_failed_batch_leaves_nothing_behind(store: Store) -> None:
    store.put([of("x")])
    broken: Any = object()
    with pytest.raises(TypeError, match=r"not iterable|JSON serializable"):
        store.put([of("y"), of("z", sidecar={"a": broken})])
    assert [made.id for made in store.versions()] == [X]
    assert store.put([of("y")]) == 1


def test_what_was_put_is_there_after_closing(tmp_path: Path) -> None:
    with Store.open(tmp_path, writable=True) as store:
        store.put([of("x")])
    with Store.open(tmp_path) as store:
        assert list(store.versions()) == [of("x")]
        assert store.revision == 1
    assert [file.name for file in tmp_path.iterdir()] == [STORE]


def test_half_a_character_in_a_sidecar_is_kept(store: Store) -> None:
    store.put([of("x", sidecar={"note": "\ud800"})])
    assert [made.sidecar for made in store.versions()] == [{"note": "\ud800"}]


def test_a_record_that_no_longer_reads_is_a_fault(store: Store) -> None:
    store.put([of("x"), Version(Y, "b", '{"id": 1}', {}, frozenset(), 0, "")])
    told = f"record {Y} from b: the stored JSON no longer reads; add its source again"
    assert store.faults() == (told,)


POOL = [
    of("x", "a", flags=frozenset({Flag.PATTERN_BROKEN}), words=99),
    of("x", "b", sidecar={"derived": True}, words=90),
    of("x", "c", words=30),
    of("x", "d", words=30, dataset_version="2027"),
    of("x", "e", words=30, dataset_version="2027"),
    of("y", "a", words=99),
]
STAGE = {(X, "e"): FOREIGN, (X, "a"): frozenset[Flag]()}


@settings(max_examples=30, deadline=None)
@given(st.permutations(POOL), st.integers(1, 6))
def test_the_served_choice_does_not_depend_on_the_order_of_adding(
    order: list[Version], size: int
) -> None:
    with TemporaryDirectory() as name, Store.open(Path(name), writable=True) as store:
        for start in range(0, len(order), size):
            store.put(order[start : start + size])
        assert leads(store) == {X: ("e", ("a", "b", "c", "d", "e")), Y: ("a", ("a",))}
        store.put_stage_flags(STAGE)
        assert leads(store)[X][0] == "d"
        digest = json.dumps([made.received for made in store.versions()])
    assert digest == json.dumps([made.received for made in sorted(POOL, key=_place)])


def _place(made: Version) -> tuple[str, str]:
    return made.id, made.source
