from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from chat_fakes import TRACEBACK, FakeAssistant, make_result

from records.errors import ErrsageError
from ui.chat.conversation import (
    EMPTY_INDEX,
    FAULT,
    TURNS_KEPT,
    Turn,
    messages,
    standing,
    take_turn,
    with_turn,
)
from ui.chat.examples import examples


def test_a_turn_searches_without_waiting_for_the_encoder(fake: FakeAssistant) -> None:
    turn = take_turn(fake, TRACEBACK)
    assert fake.asked == [(TRACEBACK, 5, False)]
    assert "missing captured KV on _cached_kv_post" in (turn.paste or "")
    assert "This is the error" in turn.answer
    assert not turn.refused


def test_a_refused_search_gives_the_sentence(fake: FakeAssistant) -> None:
    turn = take_turn(fake, "x" * 20_000_001)
    assert "larger than 20 MB" in turn.answer
    assert turn.refused
    assert len(turn.paste or "") < 100_000


def test_an_empty_paste_is_not_told_back(fake: FakeAssistant) -> None:
    turn = take_turn(fake, " \n ")
    assert turn.paste is None
    assert "There is nothing to search for" in turn.answer


def test_a_fault_shows_no_stack_trace(
    fake: FakeAssistant, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(text: str, **options: object) -> None:
        raise KeyError("secret")

    monkeypatch.setattr(fake, "search", broken)
    with caplog.at_level(logging.ERROR):
        turn = take_turn(fake, "x")
    assert FAULT in turn.answer
    assert "secret" not in turn.answer
    assert "KeyError: 'secret'" in caplog.text


def test_an_empty_index_says_how_to_add(fake: FakeAssistant) -> None:
    fake.records = 0
    fake.result = make_result()
    assert "errsage add FILE" in take_turn(fake, "x").answer
    assert standing(fake) == EMPTY_INDEX


def test_standing(fake: FakeAssistant, monkeypatch: pytest.MonkeyPatch) -> None:
    assert standing(fake) == "137,205 records, searched on this machine."

    def missing() -> None:
        raise ErrsageError("no index here; run errsage rebuild")

    monkeypatch.setattr(fake, "status", missing)
    assert standing(fake) == "no index here; run errsage rebuild"


def test_messages_alternate_and_leave_out_what_is_not_there() -> None:
    turns = (Turn("p", "a"), Turn(None, "b", refused=True))
    assert messages(turns) == [
        {"role": "user", "content": "p"},
        {"role": "assistant", "content": "a"},
        {"role": "assistant", "content": "b"},
    ]


def test_the_oldest_turns_are_let_go() -> None:
    turns: tuple[Turn, ...] = ()
    for number in range(TURNS_KEPT + 2):
        turns = with_turn(turns, Turn(None, str(number)))
    assert [turns[0].answer, turns[-1].answer, len(turns)] == ["2", str(TURNS_KEPT + 1), TURNS_KEPT]


def test_packaged_examples_are_read_in_order() -> None:
    given = examples()
    if not given:
        pytest.skip("ui/examples/examples.json is not there yet")
    assert len(given) == 5
    assert all(example.title and example.text.strip() for example in given)


def test_missing_examples_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.chat.examples.files", lambda _: tmp_path)
    assert examples() == ()


def test_examples_carry_title_and_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "examples"
    folder.mkdir()
    (folder / "a.txt").write_text("KeyError: 'x'\n", encoding="utf-8")
    listed = [{"file": "a.txt", "title": "A key", "expects": "0" * 16}]
    (folder / "examples.json").write_text(json.dumps(listed), encoding="utf-8")
    monkeypatch.setattr("ui.chat.examples.files", lambda _: tmp_path)
    assert [(example.title, example.text) for example in examples()] == [
        ("A key", "KeyError: 'x'\n")
    ]
