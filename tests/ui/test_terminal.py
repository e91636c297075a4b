"""Nothing of a paste, a record or a file name acts on the terminal that shows it."""

from __future__ import annotations

import json
import re
import shutil
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.system.command import changed, errsage, on_terminal, sample
from ui.terminal.inert import inert, inert_json, one_line

# Link, clipboard, title, clear screen, 8-bit CSI; return, backspace; turned text; NUL, delete.
HOSTILE = (
    "a\x1b]8;;http://evil.example\x07b\x1b]8;;\x1b\\c\x1b]52;c;ZXZpbA==\x07d\x1b]0;title\x07e\x1b[2Jf"
    "\x9b31mg\rh\x08\x08i\u202ej\u2066k\u061cl\u200fm\x00n\x7fo\x85p"
)
SPEAKABLE = HOSTILE.replace("\x00", "")  # an argument cannot hold it
TURNING = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
MESSAGE = f"cannot open the lock file of the session {HOSTILE} for {{name}}"
LONG = "long " + "x" * 300_000


def active(text: str) -> set[str]:
    """The characters of a text that a terminal would act upon."""
    return {
        sign
        for sign in text
        if sign in TURNING or (unicodedata.category(sign) == "Cc" and sign not in "\n\t")
    }


def hostile_record() -> dict[str, object]:
    return changed(
        sample(),
        repo="evil/li\x1b]52;c;ZXZpbA==\x07brary\u202e",
        errorMessage=MESSAGE,
        errorClass=f"Error{HOSTILE}",
        filePath=f"src/{HOSTILE}.py",
        githubUrl=f"https://evil.example/{HOSTILE}",
        sourceCode=f"raise Error({HOSTILE!s})\r\n{LONG}",
        documentation=f"{HOSTILE}\r\n{LONG}",
        triggerScenarios=HOSTILE,
        commonSituations=HOSTILE,
        solutions=[HOSTILE, LONG],
        preventionTips=[HOSTILE],
        exampleFix=f"fix\n{HOSTILE}",
        validationCode=HOSTILE,
        typeGuard=HOSTILE,
        tryCatchPattern=HOSTILE,
        tags=[HOSTILE],
        slug=HOSTILE,
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one hostile record, from a file with a hostile name."""
    folder = tmp_path_factory.mktemp("hostile")
    file = folder / "re\x1b]0;title\x07\u202ecord.json"
    envelope = {"record": hostile_record(), "datasetVersion": f"2024{HOSTILE}\n9"}
    file.write_text(json.dumps(envelope), encoding="utf-8")
    code, shown = on_terminal(folder / "home", "add", file)
    assert code == 0
    assert active(shown) == set()
    return folder / "home"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["search", f"cannot open the lock file of the session {SPEAKABLE} for x"], "cannot open"),
        (["search", "--json", "no such \x1b]0;title\x07\x9b2J words\u202e"], "resultVersion"),
        (["--data-dir", "/missing", "search", f"ValueError: {SPEAKABLE}"], "Understood"),
        (["show", str(hostile_record()["id"])], "What it means"),
        (["show", "--json", str(hostile_record()["id"])], '"errorMessage": "cannot open'),
        (["show", "\x1b]0;title\x07"], "no record has the id"),
        (["status"], "dataset version  2024a"),
        (["add", "/missing/\x1b]0;title\x07\u202e\r.json"], "no such file or folder"),
        (
            ["--data-dir", "/missing/\x1b]0;title\x07\r\u202e", "status"],
            "data folder      /missing/",
        ),
        (["search", "--\x1b]0;title\x07"], "No such option"),
        (["\x1b]0;title\x07\u202e"], "No such command"),
        (["show", "x", "\x1b]0;title\x07"], "unexpected extra argument"),
        (["search", "-k", "\x1b]0;title\x07\u202e", "x"], "Invalid value"),
    ],
)
def test_nothing_active_reaches_the_terminal(
    home: Path, arguments: list[str], expected: str
) -> None:
    _, shown = on_terminal(home, *arguments)
    assert expected in shown
    assert active(shown) == set()


def test_what_add_refuses_is_told_without_its_powers(tmp_path: Path) -> None:
    file = tmp_path / "re\x1b]0;title\x07fused\u202e.jsonl"
    strange = hostile_record() | {"errorType": HOSTILE, "id": HOSTILE}
    file.write_text(json.dumps(strange) + f"\n{HOSTILE}\n", encoding="utf-8")
    code, shown = on_terminal(tmp_path / "home", "add", file)
    assert code == 2
    assert "refused 2 in all" in shown
    assert active(shown) == set()


def test_a_damaged_index_is_told_without_powers(home: Path, tmp_path: Path) -> None:
    place = tmp_path / "pl\x1b]0;title\x07ace"
    shutil.copytree(home, place)
    (place / "index" / "CURRENT").write_text("x", encoding="utf-8")
    for command, code in ((["search", "x"], 3), (["verify"], 1), (["show", "x"], 3)):
        ended, shown = on_terminal(place, *command)
        assert ended == code
        assert "CURRENT: names no generation; run errsage rebuild" in shown
        assert active(shown) == set()


def test_json_keeps_its_values(home: Path) -> None:
    body = json.loads(errsage(home, "show", str(hostile_record()["id"]), "--json").out)
    assert body["record"]["errorMessage"] == MESSAGE
    assert body["record"]["documentation"] == f"{HOSTILE}\r\n{LONG}"


# The functions themselves


@given(st.text(st.characters(codec=None)))
def test_inert_text_holds_nothing_active_and_prints(text: str) -> None:
    shown = inert(text)
    assert active(shown) == set()
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert inert(shown) == shown


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters=TURNING)))
def test_inert_leaves_other_text_as_it_is(text: str) -> None:
    assert inert(text) == text


@given(st.text(st.characters(exclude_categories=("Cs",))), st.integers(1, 40))
def test_one_line_is_one_line_of_its_width(text: str, width: int) -> None:
    shown = one_line(text, width=width)
    assert len(shown) <= width
    assert not re.search(r"[\n\r\t]", shown)


@given(st.dictionaries(st.text(), st.text()))
def test_inert_json_is_the_same_value(value: dict[str, str]) -> None:
    text = inert_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(text) == value
    assert active(text) == set()


def test_inert_names_each_sequence_by_one_sign() -> None:
    assert inert("\x1b[1;31mred\x1b[0m\r\nnext\rover\ttab") == (
        "\N{REPLACEMENT CHARACTER}red\N{REPLACEMENT CHARACTER}\nnext"
        "\N{REPLACEMENT CHARACTER}over\ttab"
    )
