from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.paste.clean import clean
from assistant.paste.log_prefix import begins_record, prefix_length

# Texts in which what is stripped is frequent.
NOISY = st.lists(
    st.one_of(
        st.sampled_from(
            ["\x1b[31m", "\x1b[0m", "\x1b", "[", "]", "\x1b]0;t\x07", "\r", "\n", "\x00", "| "]
        ),
        st.sampled_from(["web_1  | ", "[rank0]: ", "> ", "E   ", "a", "ValueError: ", " "]),
        st.text(max_size=3),
    ),
    max_size=40,
).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[1;31mValueError\x1b[0m: no\x1b[K", "ValueError: no"),
        ("\x1b[38;2;255;0;10mred\x1b[m", "red"),
        ("\x1b]0;window title\x07KeyError", "KeyError"),
        ("\x1b]8;;https://x.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;unfinished title\nKeyError: 1", "\nKeyError: 1"),
        ("one\r\ntwo\r\r\nthree\r", "one\ntwo\nthree"),
        ("a\x00b", "ab"),
        ("stray \x1b", "stray "),
        ("plain: text | with [marks] > kept", "plain: text | with [marks] > kept"),
    ],
)
def test_terminal_noise_is_dropped(text: str, expected: str) -> None:
    assert clean(text).text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("web_1  | Traceback\nweb_1  |   File", "Traceback\n  File"),
        ("web_1  | a\nweb_1  |\nweb_1  | b", "a\n\nb"),
        ("[rank0]: a\n[rank0]: b\n", "a\nb\n"),
        ("app[web.1]: a\napp[web.1]: b", "a\nb"),
        ("> a\n>\n>   b", "a\n\n  b"),
        ("E   a\nE   b", "a\nb"),
        ("Sep  3 10:11:12 node7 web[21]: a\nSep  3 10:11:12 node7 web[21]: b", "a\nb"),
        ("web_1  | [rank0]: a\nweb_1  | [rank0]: b", "a\nb"),
        ("web_1  | a\n\n  \nweb_1  | b", "a\n\n  \nb"),
        ("web_1  | a\u2028bcdefghijklm\nweb_1  | n", "a\u2028bcdefghijklm\nn"),
    ],
)
def test_prefix_of_every_line_is_dropped(text: str, expected: str) -> None:
    assert clean(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: one\nValueError: two",
        "self_attn: non-sequential write 1\nself_attn: non-sequential write 2",
        "[Errno 2] no file\n[Errno 2] no file",
        "web_1  | a\nother_1  | b",
        "web_1  | a single line",
        "data[0] is bad\ndata[0] is good",
    ],
)
def test_what_may_be_the_message_is_kept(text: str) -> None:
    assert clean(text).text == text


@given(NOISY)
def test_offsets_lead_to_the_original(text: str) -> None:
    cleaned = clean(text)
    assert "".join(text[place] for place in cleaned.offsets) == cleaned.text
    assert len(cleaned.text) == len(cleaned.offsets)
    assert all(one < other for one, other in pairwise(cleaned.offsets))


@given(NOISY)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text).text
    assert clean(once).text == once


def test_half_a_character_is_replaced() -> None:
    cleaned = clean("a\ud800\x00b\udfffc")
    assert cleaned.text == "a\ufffdb\ufffdc"
    assert cleaned.offsets.tolist() == [0, 1, 3, 4, 5]


def test_only_the_kept_ranges_are_read() -> None:
    cleaned = clean("0123456789", ((0, 2), (5, 7)))
    assert cleaned.text == "0156"
    assert cleaned.offsets.tolist() == [0, 1, 5, 6]
    assert cleaned.original(1, 3) == (1, 6)


def test_empty_range_has_a_place() -> None:
    cleaned = clean("\x00ab")
    assert cleaned.original(1, 1) == (2, 2)
    assert cleaned.original(2, 2) == (0, 0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("2026-09-01 10:11:12,345 ERROR [worker-3] cannot open", "cannot open"),
        ("2026-09-01T10:11:12.345Z ERROR cannot open", "cannot open"),
        ("[2026-09-01 10:11:12 +0000] [4121] [ERROR] cannot open", "cannot open"),
        ("10:11:12 | ERROR | app.views - cannot open", "cannot open"),
        ("2026-09-01 10:11:12 - app.views - ERROR - cannot open", "ERROR - cannot open"),
        ("ERROR:root:cannot open", "root:cannot open"),
        ("ERROR self_attn: cannot open", "self_attn: cannot open"),
        ("ERROR worker[12]: cannot open", "cannot open"),
        ("cannot open", "cannot open"),
        ("worker: cannot open", "worker: cannot open"),
        ("ERROR", "ERROR"),
        ("[12:00]", "[12:00]"),
        ("Errors: cannot open", "Errors: cannot open"),
    ],
)
def test_log_prefix_ends_where_the_message_begins(line: str, message: str) -> None:
    assert line[prefix_length(line) :] == message


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        ("2026-09-01 10:11:12 x", True),
        ("[2026-09-01T10:11 x", True),
        ("ERROR: x", True),
        ("  INFO x", True),
        ("ERRORS x", False),
        ("[3, 4] is the shape", False),
        ("10 rows", False),
    ],
)
def test_log_record_begins_with_a_time_or_a_level(line: str, begins: bool) -> None:
    assert begins_record(line) is begins
