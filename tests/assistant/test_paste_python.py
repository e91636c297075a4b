from __future__ import annotations

import pytest

from assistant.paste.parsed import Frame, Link
from assistant.paste.read import parse

CARETS = """\
Traceback (most recent call last):
  File "/srv/app/run.py", line 14, in <module>
    main(sys.argv)
    ~~~~^^^^^^^^^^
  File "/srv/venv/lib/python3.12/site-packages/tabler/extras.py", line 120, in join.<locals>.inner
    raise ValueError(
    ...<2 lines>...
    )
ValueError: cannot join rows with columns
"""

CHAIN = """\
Traceback (most recent call last):
  File "/srv/app/settings.py", line 4, in load
    return table["port"]
KeyError: 'port'

{first}

Traceback (most recent call last):
  File "/srv/app/run.py", line 9, in start
    load()
  File "/srv/app/settings.py", line 6, in load
    raise SettingsError("no port") from None
app.settings.SettingsError: no port

{second}

Traceback (most recent call last):
  File "/srv/app/run.py", line 20, in <module>
    start()
RuntimeError: cannot start
"""
DURING = "During handling of the above exception, another exception occurred:"
CAUSE = "The above exception was the direct cause of the following exception:"


def links_of(text: str) -> tuple[Link, ...]:
    return parse(text).understood.links


def told(link: Link) -> tuple[str | None, str]:
    return link.error_class, link.message


def spans_begin_with_their_class(text: str) -> bool:
    return all(
        text[link.span.start : link.span.end].startswith(link.error_class or link.message)
        for link in links_of(text)
    )


def test_traceback_with_caret_lines() -> None:
    (link,) = links_of(CARETS)
    assert link.kind == "exception"
    assert told(link) == ("ValueError", "cannot join rows with columns")
    assert link.frames == (
        Frame(file="/srv/app/run.py", line=14, function="<module>", source="main(sys.argv)"),
        Frame(
            file="/srv/venv/lib/python3.12/site-packages/tabler/extras.py",
            line=120,
            function="join.<locals>.inner",
            source="raise ValueError(",
        ),
    )
    assert CARETS[link.span.start : link.span.end] == "ValueError: cannot join rows with columns"


@pytest.mark.parametrize(("first", "second"), [(DURING, CAUSE), (CAUSE, DURING)])
def test_every_link_of_a_chain(first: str, second: str) -> None:
    text = CHAIN.format(first=first, second=second)
    links = links_of(text)
    assert [told(link) for link in links] == [
        ("KeyError", "'port'"),
        ("app.settings.SettingsError", "no port"),
        ("RuntimeError", "cannot start"),
    ]
    assert [[(frame.file, frame.line) for frame in link.frames] for link in links] == [
        [("/srv/app/settings.py", 4)],
        [("/srv/app/run.py", 9), ("/srv/app/settings.py", 6)],
        [("/srv/app/run.py", 20)],
    ]
    assert [[frame.function for frame in link.frames] for link in links] == [
        ["load"],
        ["start", "load"],
        ["<module>"],
    ]
    assert links[0].frames[0].source == 'return table["port"]'
    assert spans_begin_with_their_class(text)


def test_message_of_several_lines() -> None:
    text = CARETS.replace(
        "cannot join rows with columns\n",
        "cannot join\n\n  rows: 3\n  columns: 4\n\nsee the log\n",
    )
    (link,) = links_of(text + "\n\n" + CARETS.split("\n")[0] + "\n")
    assert link.message == "cannot join\n\n  rows: 3\n  columns: 4\n\nsee the log"
    assert text[link.span.start :].startswith("ValueError: cannot join\n\n  rows: 3")
    assert text[: link.span.end].endswith("see the log")


def test_message_ends_at_the_next_log_record() -> None:
    text = CARETS + "2026-09-01 10:11:12 INFO going on\n"
    (link,) = links_of(text)
    assert link.message == "cannot join rows with columns"


@pytest.mark.parametrize("name", ["queues.Closed", "tabler.Stop", "KeyboardInterrupt", "Empty"])
def test_class_without_a_colon_after_frames(name: str) -> None:
    text = CARETS.replace("ValueError: cannot join rows with columns", name)
    (link,) = links_of(text)
    assert told(link) == (name, "")
    assert len(link.frames) == 2
    assert text[link.span.start : link.span.end] == name


@pytest.mark.parametrize(
    ("line", "name", "message"),
    [
        ("ValueError: no rows", "ValueError", "no rows"),
        ("sqlalchemy.exc.ArgumentError: no rows", "sqlalchemy.exc.ArgumentError", "no rows"),
        (
            "  requests.exceptions.ConnectTimeout: slow",
            "requests.exceptions.ConnectTimeout",
            "slow",
        ),
        (
            "ERROR [main] app.Unreachable.HostError: no: rows",
            "app.Unreachable.HostError",
            "no: rows",
        ),
        ("KeyError:'a'", "KeyError", "'a'"),
        ("AssertionError", "AssertionError", ""),
    ],
)
def test_bare_last_line_with_a_class(line: str, name: str, message: str) -> None:
    (link,) = links_of(line)
    assert (link.kind, *told(link), link.frames) == ("exception", name, message, ())
    assert line[link.span.start : link.span.end] == line.strip().removeprefix("ERROR [main] ")


@pytest.mark.parametrize(
    "line",
    [
        "cannot join rows with columns",
        "the error is in line 3: no rows",
        "worker: no rows",
        'raise ValueError("cannot join")',
        "ValueErrors: no",
    ],
)
def test_bare_line_names_no_class(line: str) -> None:
    (link,) = links_of(line)
    assert (link.kind, link.error_class, link.message) == ("line", None, line)
    assert (link.span.start, link.span.end) == (0, len(line))


def test_traceback_inside_a_log() -> None:
    text = (
        "2026-09-01 10:11:11 INFO [app] importing\n"
        "2026-09-01 10:11:12 ERROR [app] import failed\n"
        + CARETS
        + "2026-09-01 10:11:13 INFO [app] ValueError: counted once\n"
    )
    links = links_of(text)
    assert [told(link) for link in links] == [
        ("ValueError", "cannot join rows with columns"),
        ("ValueError", "counted once"),
    ]
    assert [len(link.frames) for link in links] == [2, 0]
    assert spans_begin_with_their_class(text)


def test_prefixed_and_coloured_traceback_keeps_its_places() -> None:
    coloured = CARETS.replace("ValueError: cannot", "\x1b[1;35mValueError\x1b[0m: \x1b[35mcannot")
    text = "".join(f"web_1  | {line}\r\n" for line in coloured.splitlines())
    (link,) = links_of(text)
    assert told(link) == ("ValueError", "cannot join rows with columns")
    assert [frame.line for frame in link.frames] == [14, 120]
    assert text[link.span.start :].startswith("ValueError\x1b[0m: \x1b[35mcannot join")


def test_source_lines_are_not_messages() -> None:
    text = CARETS.replace("raise ValueError(", 'raise ValueError("ValueError: cannot join")')
    assert [told(link) for link in links_of(text)] == [
        ("ValueError", "cannot join rows with columns")
    ]


def test_frame_without_function_or_source() -> None:
    (link,) = links_of('  File "a.py", line 3\n    x = = 1\n        ^\nSyntaxError: invalid syntax')
    assert link.frames == (Frame(file="a.py", line=3, function=None, source="x = = 1"),)
    assert told(link) == ("SyntaxError", "invalid syntax")


def test_line_number_that_no_file_has_is_dropped() -> None:
    (link,) = links_of('  File "a.py", line 99999999999, in f\nValueError: x')
    assert link.frames == (Frame(file="a.py", line=None, function="f", source=None),)


def test_bare_blocks_end_at_blank_lines_and_log_records() -> None:
    text = (
        "cannot join\nrows\n\n  cannot open\n2026-09-01 10:11:12 ERROR [w] cannot save\nthe sheet\n"
    )
    assert [link.message for link in links_of(text)] == [
        "cannot join\nrows",
        "cannot open",
        "cannot save\nthe sheet",
    ]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("connect ECONNREFUSED 127.0.0.1:80", ("ECONNREFUSED",)),
        ("code: 'ERR_BAD_REQUEST', ERR_BAD_REQUEST, EACCES", ("ERR_BAD_REQUEST", "EACCES")),
        ("ERROR: EMPTY EXCEPTION", ()),
    ],
)
def test_error_codes(text: str, codes: tuple[str, ...]) -> None:
    assert parse(text).understood.codes == codes


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("how do I rewind the cache", True),
        ("cannot join\nrows with other columns", False),
        ("no rows", False),
        ("ValueError: cannot join rows with columns", False),
    ],
)
def test_question_is_one_line_of_words(text: str, question: bool) -> None:
    assert parse(text).understood.question is question


def test_scopes_hold_the_messages() -> None:
    paste = parse(CHAIN.format(first=DURING, second=CAUSE))
    assert [paste.message(scope) for scope in paste.scopes] == ["'port'", "no port", "cannot start"]
    assert [scope.link for scope in paste.scopes] == [0, 1, 2]
    assert [scope.letters for scope in paste.scopes] == [4, 6, 11]


def test_a_class_may_be_named_just_error_in_its_module() -> None:
    link = parse("binascii.Error: Incorrect padding").understood.links[0]
    assert (link.error_class, link.message) == ("binascii.Error", "Incorrect padding")
    bare = parse("Error: Incorrect padding").understood.links[0]
    assert (bare.error_class, bare.message) == ("Error", "Incorrect padding")
    inside = parse("12:00:01 app Error: Incorrect padding").understood.links[0]
    assert inside.error_class is None
