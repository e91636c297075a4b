from __future__ import annotations

import time
from itertools import pairwise

import pytest

from assistant import QueryRefused
from assistant.paste.excerpting import QUERY_BYTES, check_length, left_out, ranges_to_read
from assistant.paste.read import parse

NOISE = "2026-09-01 10:11:12 INFO [worker-3] row {:07d} of the sheet is read and kept\n"
TRACEBACK = """\
Traceback (most recent call last):
  File "/srv/app/run.py", line 3, in <module>
    main()
    ~~~~^^
  File "/srv/venv/lib/python3.12/site-packages/tabler/extras.py", line 12, in join
    raise ValueError(f"cannot join {left} with {right}")
ValueError: cannot join rows with columns
"""


def log_with(inner: str, lines: int) -> str:
    half = "".join(NOISE.format(number) for number in range(lines // 2))
    return half + inner + half


@pytest.mark.parametrize("text", ["", " ", "\n\t\r\n", "\u2003\u3000"])
def test_empty_text_is_refused(text: str) -> None:
    with pytest.raises(QueryRefused, match="the text is empty; paste an error message"):
        check_length(text)


def test_twenty_megabytes_are_read_and_no_byte_more() -> None:
    assert QUERY_BYTES == 20_000_000
    check_length("x" * 20_000_000)
    check_length("\u00e9" * 10_000_000)
    with pytest.raises(QueryRefused, match=r"the text is larger than the 20 MB that are read"):
        check_length("x" * 20_000_001)
    with pytest.raises(QueryRefused, match=r"larger than the 20 MB that are read"):
        check_length("\u00e9" * 10_000_000 + "x")


def test_short_text_is_read_whole() -> None:
    text = "x" * 400_000
    assert ranges_to_read(text) == ((0, 400_000),)
    assert left_out(text, ranges_to_read(text)) is None


def test_error_in_the_middle_of_a_long_log_is_read() -> None:
    log = log_with(TRACEBACK, 72_000)
    assert 5_000_000 < len(log) < 6_000_000
    paste = parse(log)
    (link,) = paste.understood.links
    assert (link.error_class, link.message) == ("ValueError", "cannot join rows with columns")
    assert [(frame.file, frame.line) for frame in link.frames] == [
        ("/srv/app/run.py", 3),
        ("/srv/venv/lib/python3.12/site-packages/tabler/extras.py", 12),
    ]
    place = log.index("ValueError: cannot join rows")
    assert (link.span.start, link.span.end) == (place, place + len(TRACEBACK.splitlines()[-1]))
    read = len(paste.clean.text)
    width = len(NOISE.format(0))
    head = -(-64_000 // width) * width  # whole lines
    tail = 192_000 // width * width
    assert paste.understood.left_out == (
        f"of {len(log):,} characters {read:,} were read: the first {head:,}, the last {tail:,}, "
        "and between them places that look like errors (1)"
    )


def test_innermost_frames_above_a_deep_error_are_read() -> None:
    deep = TRACEBACK.replace("    main()\n", "    main()\n" + '  File "a.py", line 1, in f\n' * 90)
    (link,) = parse(log_with(deep, 72_000)).understood.links
    assert link.frames[-1].file.endswith("tabler/extras.py")


@pytest.mark.parametrize("unit", ["A", "Error ", "Error\n", "\n", "Exception" + "a" * 3_000])
def test_ranges_are_in_order_apart_and_bounded(unit: str) -> None:
    text = unit * (2_000_000 // len(unit))
    ranges = ranges_to_read(text)
    assert (ranges[0][0], ranges[-1][1]) == (0, len(text))
    assert 64_000 < ranges[0][1] <= 66_000
    assert 190_000 <= len(text) - ranges[-1][0] < 192_000
    assert all(one[1] <= other[0] for one, other in pairwise(ranges))
    assert sum(end - start for start, end in ranges) <= 66_000 + 192_000 + 400_000


def test_one_endless_line_is_read_at_once() -> None:
    began = time.process_time()
    ranges_to_read("A" * 20_000_000)
    assert time.process_time() - began < 5
