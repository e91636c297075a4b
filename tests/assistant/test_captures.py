from __future__ import annotations

from pathlib import Path

import pytest
from assistant_samples import body, holding

from assistant import Hit

KV = "missing captured KV on {attr}"


def first(folder: Path, template: str, text: str, error_class: str | None = None) -> Hit:
    return holding(folder, body(template, error_class=error_class)).search(text).hits[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("missing captured KV on _cached_kv_pre", "_cached_kv_pre"),
        ("missing captured KV on a b c\nthe next line", "a b c"),
        ("missing captured KV on\n_cached_kv_pre", "_cached_kv_pre"),
        ("mis\nsing captured  KV on _cached_kv_pre  ", "_cached_kv_pre"),
        ("RuntimeError: missing captured KV on layer 3\n  of block 4", "layer 3\n  of block 4"),
        (
            "RuntimeError: missing captured KV on layer 3\n2026-09-01 10:11:12 INFO on",
            "layer 3",
        ),
        (
            "missing captured KV on layer 3\n2026-09-01 10:11:12 INFO on",
            "layer 3",
        ),
        (
            "RuntimeError: missing captured KV on layer 3\n\nDuring handling of the above "
            "exception, another exception occurred:\n\nRuntimeError: no",
            "layer 3",
        ),
    ],
)
def test_trailing_placeholder(tmp_path: Path, text: str, value: str) -> None:
    hit = first(tmp_path, KV, text)
    assert hit.captures == (("attr", value),)
    assert hit.match is not None
    assert text[hit.match.span.start : hit.match.span.end].endswith(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("self_attn: non-sequential write", "self_attn"),
        ("NotImplementedError: block 3: self_attn: non-sequential write", "block 3: self_attn"),
        ("a line before\nself_attn: non-sequential write", "self_attn"),
        ("2026-09-01 10:11:12 ERROR [w] self_attn: non-sequential write", "self_attn"),
        ("\x1b[31mERROR\x1b[0m \x1b[1mself_attn\x1b[0m: non-sequential write", "self_attn"),
    ],
)
def test_leading_placeholder(tmp_path: Path, text: str, value: str) -> None:
    hit = first(tmp_path, "{debug_name}: non-sequential write", text)
    assert hit.captures == (("debug_name", value),)


@pytest.mark.parametrize(
    ("template", "text", "captures"),
    [
        (
            "expected a rate of {low}, got {high}.",
            "expected a rate of 1.5, got 2.5.",
            (("low", "1.5"), ("high", "2.5")),
        ),
        (
            "cannot write {one}{other} to the sheet",
            "cannot write 12 to the sheet",
            (("one", ""), ("other", "12")),
        ),
        (
            "environment {name} is missing{hint} altogether",
            "environment prod is missing altogether",
            (("name", "prod"), ("hint", "")),
        ),
        (
            "environment {name} is missing{hint} altogether",
            "environment prod is missing (try dev) altogether",
            (("name", "prod"), ("hint", "(try dev)")),
        ),
        (
            "no column {name} in the sheet {sheet}",
            "no col\numn to\ntal in the she\net winter",
            (("name", "to\ntal"), ("sheet", "winter")),
        ),
        (
            "no column '{name}' in the sheet",
            "no column \u2018total\u2019 in the sheet",
            (("name", "total"),),
        ),
        (
            "rates {a} and {a} differ by more than the limit",
            "rates 1 and 2 differ by more than the limit",
            (("a", "1"), ("a", "2")),
        ),
        ("the sheet holds no rows at all", "the sheet holds no rows at all", ()),
    ],
)
def test_values_of_every_placeholder(
    tmp_path: Path, template: str, text: str, captures: tuple[tuple[str, str], ...]
) -> None:
    for shown in (text, f"ValueError: {text}"):
        assert first(tmp_path / str(len(shown)), template, shown).captures == captures
        tmp_path = tmp_path / "again"


def test_values_of_a_template_beyond_patterns(tmp_path: Path) -> None:
    words = " ".join(f"word{number} {{v{number}}}" for number in range(400))
    text = words.replace("{", "").replace("}", "")
    hit = first(tmp_path, words, f"ValueError: {text}")
    assert hit.captures == tuple((f"v{number}", f"v{number}") for number in range(400))
