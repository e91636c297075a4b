from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from index_samples import body, store, version

from index.encoder import Encoder, Vectors
from index.quality import check_set
from index.text import record_text, text_hash
from index.vectors import VectorCache
from records.model.quality import Flag
from records.store.store import Store
from records.store.versions import Version

SAME, NEAR, FAR = (1.0, 0.0), (0.96, 0.28), (0.8, 0.6)

# Ten words; of two such messages that differ in one word, 9 of 11 words are shared.
TEN = "one two three four five six seven eight nine {}"


class FakeEncoder(Encoder):
    """Two dimensions; answers what it is told and counts what it is asked."""

    id = "fake"

    def __init__(self, cosine: float = 1.0) -> None:
        self.asked: list[str] = []
        self._other = (cosine, float(np.sqrt(1 - cosine**2)))

    @property
    def fingerprint(self) -> str:
        return "fake"

    @property
    def ready(self) -> bool:
        return True

    def load(self) -> None:
        raise AssertionError("nothing is to be loaded")

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The texts are messages of one word in capitals, or prose."""
        self.asked += texts
        messages = ["MESSAGE" in text and "PROSE" not in text for text in texts]
        rows = [SAME if is_message else self._other for is_message in messages]
        return np.array(rows, dtype=np.float32)


def given(folder: Path, vectors: Iterable[tuple[dict[str, Any], tuple[float, float]]]) -> None:
    """Cache the vectors of records."""
    with VectorCache.open(folder) as cache:
        for of, vector in vectors:
            cache.put("fake", [text_hash(record_text(of))], np.array([vector], dtype=np.float32))


def check(folder: Path, encoder: FakeEncoder | None = None) -> tuple[int, list[int]]:
    """Run the stage; what it returns, and the advances it told."""
    told: list[int] = []
    with Store.open(folder, writable=True) as opened, VectorCache.open(folder) as cache:
        count = check_set(opened, encoder or FakeEncoder(), cache, advance=told.append)
    return count, told


def flags(folder: Path) -> dict[str, set[Flag] | None]:
    """The stage's flags by source; the tests give every record a source of its own."""
    with Store.open(folder) as opened:
        return {
            one.source: None if one.stage_flags is None else set(one.stage_flags)
            for one in opened.versions()
        }


def pair(folder: Path, one: dict[str, Any], other: dict[str, Any], vector: Any) -> list[Any]:
    """Check two records of which the first has the vector SAME; their flags."""
    store(folder, [version(one, source="1"), version(other, source="2")])
    given(folder, [(one, SAME), (other, vector)])
    check(folder)
    return list(flags(folder).values())


DUPLICATES = [{Flag.NEAR_DUPLICATE}, {Flag.NEAR_DUPLICATE}]
NONE: list[set[Flag]] = [set(), set()]


def test_records_alike_in_meaning_and_words_are_both_flagged(tmp_path: Path) -> None:
    assert pair(tmp_path, body(TEN + " ten"), body(TEN + " eleven"), NEAR) == DUPLICATES


def test_records_alike_in_words_only_are_not(tmp_path: Path) -> None:
    assert pair(tmp_path, body(TEN + " ten"), body(TEN + " eleven"), FAR) == NONE


def test_records_alike_in_meaning_only_are_not(tmp_path: Path) -> None:
    assert pair(tmp_path, body(TEN), body("one two of other words here"), SAME) == NONE


def test_records_of_different_repositories_are_not(tmp_path: Path) -> None:
    assert pair(tmp_path, body(TEN), body(TEN, repo="other/kit"), SAME) == NONE


def test_one_template_and_class_at_two_places_is_a_duplicate(tmp_path: Path) -> None:
    one, other = body("lost {a}"), body("lost  {b}", filePath="kit/b.py")

    assert pair(tmp_path, one, other, (0.0, 1.0)) == DUPLICATES


def test_one_template_of_two_classes_is_not(tmp_path: Path) -> None:
    one, other = body("lost {a}"), body("lost {a}", filePath="b.py", errorClass="Lost")

    assert pair(tmp_path, one, other, (0.0, 1.0)) == NONE


def test_two_versions_of_one_record_are_not(tmp_path: Path) -> None:
    assert pair(tmp_path, body(TEN), body(TEN, documentation="x"), SAME) == NONE


PROSE = {
    "documentation": (
        "PROSE about bananas: ripe fruit ships from tropical harbours in cooled containers, and "
        "growers watch the temperature of every crate until the market opens on Monday morning."
    ),
    "triggerScenarios": "Bananas ripen early when the container warms above fourteen degrees.",
    "commonSituations": "A harbour strike leaves the fruit on deck; crates near engines spoil.",
    "solutions": ["Cool the crates again and sell the ripe bananas first."],
}
OWN_PROSE = {
    "documentation": (
        "PROSE: the MESSAGE socket listener raised this since the port was already bound: the "
        "socket listener cannot bind a port that another listener has bound before, and the "
        "socket was refused by the system."
    ),
    "triggerScenarios": "MESSAGE: the socket listener cannot bind the port, already bound.",
    "commonSituations": (
        "Two servers whose socket listener wants to bind one port; an old listener that still "
        "holds the socket after a restart, so that the port stays already bound for a minute."
    ),
    "solutions": ["Bind the socket listener to another port."],
}
LISTENER = "MESSAGE socket listener cannot bind port {port}: already bound"


def foreign(folder: Path, *added: Version, cosine: float) -> tuple[dict[str, Any], list[str]]:
    """The flags of written records, and what the encoder was asked for."""
    store(folder, added)
    encoder = FakeEncoder(cosine)
    check(folder, encoder)
    return flags(folder), encoder.asked


def test_prose_of_another_error_is_flagged(tmp_path: Path) -> None:
    one = version(body(LISTENER, **PROSE))

    found, asked = foreign(tmp_path, one, cosine=0.0)

    assert found == {"one": {Flag.FOREIGN_PROSE}}
    assert len(asked) == 2


def test_prose_of_its_own_error_is_not(tmp_path: Path) -> None:
    found, _ = foreign(tmp_path, version(body(LISTENER, **OWN_PROSE)), cosine=0.9)

    assert found == {"one": set()}


def test_thin_and_derived_prose_is_not_judged(tmp_path: Path) -> None:
    thin = body(LISTENER, **{**PROSE, "solutions": []})
    derived = body(LISTENER, filePath="kit/b.py", errorClass="Other", **PROSE)

    found, asked = foreign(
        tmp_path,
        version(thin, source="thin"),
        version(derived, source="derived", sidecar={"derived": True}),
        cosine=0.0,
    )

    assert found == {"thin": set(), "derived": set()}
    assert asked == []


def test_prose_is_embedded_once(tmp_path: Path) -> None:
    foreign(tmp_path, version(body(LISTENER, **PROSE)), cosine=0.0)
    other = version(body(LISTENER, filePath="b.py", errorClass="B", **PROSE), source="two")

    found, asked = foreign(tmp_path, other, cosine=0.0)

    assert found == {"one": {Flag.FOREIGN_PROSE}, "two": {Flag.FOREIGN_PROSE}}
    assert asked == [f"B: {LISTENER}"]  # the prose is that of the first


def test_more_prose_than_one_batch_is_all_judged(tmp_path: Path) -> None:
    added = [
        version(
            body(LISTENER, filePath=f"{number}.py", errorClass=f"C{number}", **PROSE),
            source=f"{number}",
        )
        for number in range(130)
    ]

    found, _ = foreign(tmp_path, *added, cosine=0.0)

    assert found == {f"{number}": {Flag.FOREIGN_PROSE} for number in range(130)}


def test_nothing_new_is_nothing_to_do(tmp_path: Path) -> None:
    store(tmp_path, [version(body(TEN)), version(body(LISTENER, **PROSE))])
    assert check(tmp_path) == (2, [2])
    with Store.open(tmp_path) as opened:
        revision = opened.revision

    encoder = FakeEncoder()
    assert check(tmp_path, encoder) == (0, [])
    assert encoder.asked == []
    with Store.open(tmp_path) as opened:
        assert opened.revision == revision


def test_an_empty_store_is_nothing_to_do(tmp_path: Path) -> None:
    store(tmp_path, [])

    assert check(tmp_path) == (0, [])


def test_only_repositories_with_something_new_are_looked_at(tmp_path: Path) -> None:
    store(
        tmp_path,
        [
            version(body("lost {a}", repo="a/a"), source="1"),
            version(body("lost {a}", repo="b/b"), source="2"),
            version(body("gone {a}", repo="b/b"), source="3"),
        ],
    )
    assert check(tmp_path) == (3, [1, 2])
    assert flags(tmp_path) == {"1": set(), "2": set(), "3": set()}

    store(tmp_path, [version(body("lost {b}", repo="b/b", filePath="b.py"), source="4")])

    assert check(tmp_path) == (3, [3])
    duplicate = {Flag.NEAR_DUPLICATE}
    assert flags(tmp_path) == {"1": set(), "2": duplicate, "3": set(), "4": duplicate}


def mixed() -> list[tuple[dict[str, Any], tuple[float, float]]]:
    """Records with their vectors: two duplicates by meaning, two by template, one foreign."""
    return [
        (body(TEN + " ten"), SAME),
        (body(TEN + " eleven"), NEAR),
        (body("lost {a}"), (0.0, 1.0)),
        (body("lost {b}", filePath="b.py"), FAR),
        (body(LISTENER, **PROSE), (-1.0, 0.0)),
    ]


EXPECTED = {
    **{source: {Flag.NEAR_DUPLICATE} for source in "0123"},
    "4": {Flag.FOREIGN_PROSE},
}


@pytest.mark.parametrize("each", [True, False], ids=["checked after each", "checked at the end"])
def test_flags_do_not_depend_on_the_order_of_adding(tmp_path: Path, each: bool) -> None:
    added = [version(of, source=str(number)) for number, (of, _) in enumerate(mixed())]

    for number, order in enumerate(list(itertools.permutations(added))[::13]):
        folder = tmp_path / str(number)
        folder.mkdir()
        given(folder, mixed())
        for one in order:
            store(folder, [one])
            if each:
                check(folder, FakeEncoder(0.0))
        check(folder, FakeEncoder(0.0))
        assert flags(folder) == EXPECTED


def test_without_vectors_equal_templates_are_still_found(tmp_path: Path) -> None:
    added = [version(of, source=str(number)) for number, (of, _) in enumerate(mixed()[:4])]
    store(tmp_path, added)

    check(tmp_path)

    duplicate = {Flag.NEAR_DUPLICATE}
    assert flags(tmp_path) == {"0": set(), "1": set(), "2": duplicate, "3": duplicate}
