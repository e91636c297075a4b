from __future__ import annotations

import json
from pathlib import Path

import pytest

from records import read
from records.model.identity import record_id, slug_of


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("000_cd1bc16708434bcb.json", "99921537348622b6"),
        ("001_46484108c7a5f979.json", "8a702f012ebc64e4"),
        ("003_a98d6957ecf31d27.json", "11d9e23f53f00b45"),
    ],
)
def test_the_ids_of_the_seeds(shared: Path, name: str, expected: str) -> None:
    made = read(json.loads((shared / "seeds" / name).read_text(encoding="utf-8")))
    computed = record_id(
        repo=made.repo, code=made.error_code, message=made.error_message, path=made.file_path
    )
    assert (made.id, computed) == (expected, expected)


# printf 'a/b\001%s\001c.py' MESSAGE | sha256sum | cut -c1-16
@pytest.mark.parametrize(
    ("code", "message", "expected"),
    [
        (None, "boom", "5012f6fc125a78c3"),
        ("E1", "boom", "6e5d43b85bb47493"),
        ("", "boom", "5012f6fc125a78c3"),
        (None, "é", "3dbbd2a72900d1af"),
    ],
)
def test_an_id_is_made_of_repo_code_or_message_and_path(
    code: str | None, message: str, expected: str
) -> None:
    assert record_id(repo="a/b", code=code, message=message, path="c.py") == expected


@pytest.mark.parametrize(
    ("message", "slug"),
    [
        ("missing captured KV on {attr}", "missing-captured-kv-on-attr"),
        ("  Bad: %s!! ", "bad-s"),
        ("{}", "error"),
        ("", "error"),
        ("größe", "gr-e"),
        ("a" * 60, "a" * 50),
        ("a" * 49 + " b", "a" * 49),
    ],
)
def test_slugs_are_kebab_and_short(message: str, slug: str) -> None:
    assert slug_of(message) == slug
