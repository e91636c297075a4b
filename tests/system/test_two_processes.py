"""Several processes at one data folder."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from assistant import Assistant, Verdict
from index.encoder import HashingEncoder
from tests.system.command import (
    KNOWN,
    SAMPLES,
    Ended,
    await_stage,
    errsage,
    finish,
    started,
    write_many,
)


def test_two_that_wait_for_each_other_both_add(tmp_path: Path) -> None:
    one = write_many(tmp_path / "one.jsonl", 150)
    two = write_many(tmp_path / "two.jsonl", 150, start=100)
    processes = [started(tmp_path / "home", "add", "--wait", file) for file in (one, two)]
    assert [finish(process).code for process in processes] == [0, 0]
    said = errsage(tmp_path / "home", "status")
    assert "records          250 of 7 repositories" in said.out
    assert "vectors          250 (100.0% of the records)" in said.out
    assert errsage(tmp_path / "home", "verify").code == 0


def test_who_does_not_wait_gets_the_pid_until_the_other_dies(tmp_path: Path) -> None:
    home = tmp_path / "home"
    holder = started(home, "add", write_many(tmp_path / "one.jsonl", 150))
    await_stage(holder, "vectors: batch")
    os.kill(holder.pid, signal.SIGSTOP)
    try:
        assert errsage(home, "add", SAMPLES / "click.json") == Ended(
            2,
            "",
            f"errsage: {home}: process {holder.pid} is adding records; try again when it is done, "
            "or pass --wait\n",
        )
        assert errsage(home, "search", KNOWN).code == 0
    finally:
        holder.kill()
        holder.communicate()
    said = errsage(home, "add", SAMPLES / "click.json")
    assert said.code == 0
    assert said.out.endswith("the index holds 151, 151 with a vector\n")


def test_an_open_assistant_finds_what_another_process_added(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Assistant.open(home, encoder=HashingEncoder()) as assistant:
        assert assistant.search(KNOWN).verdict is Verdict.NONE
        assert errsage(home, "add", SAMPLES / "click.json").code == 0
        assert assistant.search(KNOWN).verdict is Verdict.EXACT


def test_searches_never_fail_while_generations_come_and_go(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert errsage(home, "add", SAMPLES / "click.json").code == 0
    verdicts: list[Verdict] = []
    failures: list[BaseException] = []
    done = threading.Event()

    def ask() -> None:
        try:
            while not done.is_set():
                with Assistant.open(home, encoder=HashingEncoder()) as assistant:
                    verdicts.append(assistant.search(KNOWN).verdict)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(2):
            file = write_many(tmp_path / f"{number}.jsonl", 20, start=20 * number)
            assert errsage(home, "add", file).code == 0
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert failures == []
    assert set(verdicts) == {Verdict.EXACT}
    assert errsage(home, "rebuild").code == 0
    assert len(list((home / "index").glob("gen-*"))) == 1
