from __future__ import annotations

import gc
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.paste.read import parse

PIECES = st.sampled_from(
    [
        "Traceback (most recent call last):\n",
        '  File "/srv/app.py", line 3, in <module>\n    main()\n    ^^^^\n',
        "ValueError: cannot join\n",
        "app.errors.Closed\n",
        "\nDuring handling of the above exception, another exception occurred:\n\n",
        "2026-09-01 10:11:12 ERROR [w] ",
        "web_1  | ",
        "\x1b[31m",
        "\x1b]0;",
        "\x07",
        "\r\n",
        "\n",
        "\u2028",
        "\x00",
        "\ud800",
        "\udfff",
        "\U0001f600",
        ": ",
        "E",
        "ERR_",
    ]
)
ANYTHING = st.one_of(
    st.text(st.characters(codec=None), max_size=200),
    st.lists(st.one_of(PIECES, st.text(st.characters(codec=None), max_size=5)), max_size=30).map(
        "".join
    ),
)


@settings(max_examples=300, deadline=None)
@given(ANYTHING)
def test_any_text_is_read(text: str) -> None:
    paste = parse(text)
    for link, scope in zip(paste.understood.links, paste.scopes, strict=True):
        assert 0 <= link.span.start <= link.span.end <= len(text)
        assert link.message == paste.message(scope).strip()
        if link.error_class:
            assert text[link.span.start] == link.error_class[0]


@settings(max_examples=300, deadline=None)
@given(ANYTHING)
def test_reading_its_own_cleaned_text_changes_nothing(text: str) -> None:
    once = parse(text)
    twice = parse(once.clean.text)
    assert twice.clean.text == once.clean.text
    assert [(link.error_class, link.message, link.frames) for link in twice.understood.links] == [
        (link.error_class, link.message, link.frames) for link in once.understood.links
    ]


def seconds(text: str) -> float:
    """The least of three runs, in processor time: other processes do not count.

    Nor does the garbage collector, which walks whatever other tests have left.
    """
    spent = []
    gc.disable()
    try:
        for _ in range(3):
            began = time.process_time()
            parse(text)
            spent.append(time.process_time() - began)
    finally:
        gc.enable()
    return min(spent)


@pytest.mark.parametrize(
    "unit",
    [
        "A",
        "[",
        "ValueError: ",
        '  File "x", line 1\n',
        "a.b.",
        "\x1b[",
        "\x1b]",
        "\r",
        "\n",
        " ",
        " \n",
        "> ",
        "ERROR ",
        "[x] ",
        "A.Error",
        "Traceback (most recent call last)\n",
        "ValueError: x\n",
        "web_1  | x\n",
        "2026-09-01 ",
    ],
)
def test_eight_times_the_text_costs_less_than_sixteen_times(unit: str) -> None:
    small = unit * (45_000 // len(unit))
    assert seconds(small * 8) < 16 * max(seconds(small), 0.002)
