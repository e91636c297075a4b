from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_samples import (
    MESSAGES,
    TEXTS,
    body,
    embed,
    indexed,
    opened,
    publish,
    store,
    vector_of,
    version,
    versions,
)

from index.encoder import HASHING_MODEL, HashingEncoder
from index.entry import Entry, bare_class
from index.generation import EncoderEntry
from index.index import Index, Query
from index.match_text import MatchText
from records.model.quality import Flag
from records.model.record import read
from records.store.store import Store
from records.store.versions import Version

EDGE_IDS = ("0000000000000000", "0000000000000001", "7fffffffffffffff", "8000000000000000")
LAST_IDS = ("fffffffffffffffe", "ffffffffffffffff")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("indexed")
    indexed(folder)
    return opened(folder)


def number_of(index: Index, message: str) -> int:
    number = index.number_of(body(message)["id"])
    assert number is not None
    return number


def test_records_are_in_the_order_of_their_ids(index: Index) -> None:
    ids = [entry.body["id"] for entry in index.entries()]

    assert ids == sorted(body(message)["id"] for message in MESSAGES)
    assert [index.number_of(one) for one in ids] == list(range(len(MESSAGES)))
    assert len(index) == len(MESSAGES)


def test_ids_at_the_edges_are_found_and_absent_ones_are_not(tmp_path: Path) -> None:
    store(tmp_path, [version(body(id=one)) for one in (*EDGE_IDS[1:], LAST_IDS[0])])
    publish(tmp_path)
    index = opened(tmp_path)

    found = [index.number_of(one) for one in (*EDGE_IDS, *LAST_IDS, "0123456789abcdef")]

    assert found == [None, 0, 1, 2, 3, None, None]


def test_the_first_and_last_of_all_ids_are_found(tmp_path: Path) -> None:
    store(tmp_path, [version(body(id=one)) for one in (EDGE_IDS[0], LAST_IDS[1])])
    publish(tmp_path)
    index = opened(tmp_path)

    assert [index.number_of(one) for one in (*EDGE_IDS, *LAST_IDS)] == [0, *[None] * 4, 1]


@settings(max_examples=15, deadline=None)
@given(st.sets(st.integers(0, 2**64 - 1), min_size=1, max_size=12), st.integers(0, 2**64 - 1))
def test_number_of_is_the_place_in_the_order_of_ids(
    tmp_path_factory: pytest.TempPathFactory, ids: set[int], other: int
) -> None:
    folder = tmp_path_factory.mktemp("ids")
    store(folder, [version(body(id=f"{one:016x}")) for one in ids])
    publish(folder)
    index = opened(folder)

    expected = {one: number for number, one in enumerate(sorted(ids))}
    for one in (*ids, other):
        assert index.number_of(f"{one:016x}") == expected.get(one)


def test_an_entry_holds_the_record_and_what_is_known_beside_it(tmp_path: Path) -> None:
    plain = body(MESSAGES[1], later={"field": ["größe", 1, None]}, errorClass="kit.errors::Lookup")
    sidecar = {"packageVersion": "1.2", "places": [3, None]}
    store(
        tmp_path,
        [
            version(plain, source="zeta", sidecar=sidecar, dataset_version="2025-02-01"),
            version(body(MESSAGES[1], documentation="x"), source="alpha"),
        ],
    )
    publish(tmp_path)

    entry = opened(tmp_path).entry(0)

    assert entry == Entry(
        body=plain,
        flags=frozenset({Flag.THIN, Flag.EXCERPT_UNCHECKED}),
        source="zeta",
        sources=("alpha", "zeta"),
        sidecar=sidecar,
        dataset_version="2025-02-01",
    )
    assert entry.record == read(plain)
    assert entry.record.model_extra == {"later": {"field": ["größe", 1, None]}}
    assert entry.template.pieces == ("", " is not a known encoding")
    assert entry.group == ("{} is not a known encoding", "Lookup")


def test_flags_of_the_stage_are_served(tmp_path: Path) -> None:
    one = version(body())
    store(tmp_path, [one])
    with Store.open(tmp_path, writable=True) as opened_store:
        opened_store.put_stage_flags({(one.id, one.source): frozenset({Flag.NEAR_DUPLICATE})})

    manifest = publish(tmp_path)

    assert Flag.NEAR_DUPLICATE in opened(tmp_path).entry(0).flags
    assert manifest.flags["near-duplicate"] == 1
    assert manifest.stages_pending == 0


@pytest.mark.parametrize(
    ("name", "bare"),
    [("a.b.C", "C"), ("a::b::C", "C"), ("a\\b\\C", "C"), ("a/b.C", "C"), ("C", "C"), ("a.", "")],
)
def test_bare_class_is_the_last_part(name: str, bare: str) -> None:
    assert bare_class(name) == bare


def test_the_manifest_counts_what_is_served(tmp_path: Path) -> None:
    same_template = body(MESSAGES[0], repo="other/lib", errorClass=None)
    store(
        tmp_path,
        [
            *versions(),
            version(same_template, source="two", dataset_version="2025-02-01"),
            version(body(MESSAGES[1], solutions=[]), source="three", dataset_version="2025-01-01"),
        ],
    )
    embed(tmp_path, [body(MESSAGES[2]), same_template], HashingEncoder())

    manifest = publish(tmp_path, HashingEncoder())

    assert manifest == opened(tmp_path).manifest
    assert (manifest.records, manifest.templates, manifest.vectors) == (7, 6, 2)
    assert (manifest.repos, manifest.sources, manifest.stages_pending) == (2, 3, 7)
    assert manifest.dataset_versions == ("2025-02-01",)
    assert manifest.flags == {"excerpt-not-checked": 7, "thin": 7}
    assert manifest.encoder == EncoderEntry(
        id=HASHING_MODEL, fingerprint="hashing-64-v1", dimension=64
    )
    assert manifest.quantiser == "scalar quantiser, 16-bit floats, inner product"
    with Store.open(tmp_path) as opened_store:
        assert manifest.store_revision == opened_store.revision


def test_an_empty_store_makes_an_empty_index(tmp_path: Path) -> None:
    store(tmp_path, [])

    manifest = publish(tmp_path, HashingEncoder())
    index = opened(tmp_path)

    assert (manifest.records, manifest.templates, manifest.vectors, len(index)) == (0, 0, 0, 0)
    assert manifest.encoder is None
    assert index.candidates(Query(MatchText.of(TEXTS[0]), vector_of("x"))) == ()
    assert list(index.entries()) == []
    assert index.number_of("0123456789abcdef") is None
    assert index.faults() == ()


def test_the_record_set_does_not_depend_on_the_order_of_adding(tmp_path: Path) -> None:
    added = [
        version(body(MESSAGES[0]), source="b"),
        version(body(MESSAGES[0], documentation="Another text of equal length."), source="a"),
        version(body(MESSAGES[0]), source="c", sidecar={"derived": True}),
        version(body(MESSAGES[1]), source="a", dataset_version="2025-02-01"),
    ]

    digests = {digest_of(tmp_path / f"{number}", order) for number, order in orders(added)}

    assert len(digests) == 1
    assert digest_of(tmp_path / "fewer", added[:3]) not in digests


def orders(added: list[Version]) -> list[tuple[int, tuple[Version, ...]]]:
    return list(enumerate(itertools.permutations(added)))[::3]


def digest_of(folder: Path, added: list[Version] | tuple[Version, ...]) -> str:
    folder.mkdir()
    for one in added:
        store(folder, [one])
    return publish(folder).record_set


def test_only_cached_vectors_are_taken_in(tmp_path: Path) -> None:
    store(tmp_path, versions())
    embed(tmp_path, [body(message) for message in MESSAGES[:2]], HashingEncoder())

    assert publish(tmp_path).vectors == 0
    assert publish(tmp_path, HashingEncoder()).vectors == 2

    index = opened(tmp_path)
    found = index.candidates(Query(MatchText.of(""), vector_of("a lock is held")))
    assert {one.number for one in found} == {number_of(index, one) for one in MESSAGES[:2]}


def test_candidates_are_those_of_every_searcher(index: Index) -> None:
    number = number_of(index, MESSAGES[2])
    text = "ConnectionError: connection to db.local\nrefused after 30 seconds"

    exact, *dense = index.candidates(Query(MatchText.of(text), vector_of(MESSAGES[2]), count=2))

    assert (exact.number, exact.searcher) == (number, "exact")
    assert exact.occurrence is not None
    assert exact.score == exact.occurrence.weight
    assert exact.occurrence.gaps == ((28, 36), (48, 50))
    assert [one.searcher for one in dense] == ["dense", "dense"]
    assert dense[0].number == number
    assert dense[0].score > dense[1].score
    assert [one.occurrence for one in dense] == [None, None]


def test_without_a_vector_only_the_exact_tier_is_asked(index: Index) -> None:
    for message, text in zip(MESSAGES, TEXTS, strict=True):
        (found,) = index.candidates(Query(MatchText.of(text)))
        assert (found.number, found.searcher) == (number_of(index, message), "exact")


def test_records_of_one_template_are_all_candidates(tmp_path: Path) -> None:
    bodies: list[dict[str, Any]] = [body(repo=f"acme/lib{number}") for number in range(3)]
    store(tmp_path, [version(one) for one in bodies])
    publish(tmp_path)

    found = opened(tmp_path).candidates(Query(MatchText.of(TEXTS[0])))

    assert [one.number for one in found] == [0, 1, 2]
    assert len({one.occurrence for one in found}) == 1
