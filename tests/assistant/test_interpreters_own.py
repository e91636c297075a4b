"""Messages that the interpreter words, which library templates repeat."""

from __future__ import annotations

from pathlib import Path

import pytest
from assistant_samples import body, holding

from assistant import Verdict
from assistant.rank.interpreter import is_interpreters_own

OWN = (
    "name 'price' is not defined",
    "name 'np' is not defined. Did you mean: 'pd'?",
    "cannot access local variable 'x' where it is not associated with a value",
    "local variable 'x' referenced before assignment",
    "list index out of range",
    "string index out of range",
    "tuple index out of range",
    "index out of range",
    "list assignment index out of range",
    "pop from empty list",
    "division by zero",
    "integer division or modulo by zero",
    "unsupported operand type(s) for +: 'int' and 'str'",
    "'NoneType' object is not subscriptable",
    "'NoneType' object is not iterable",
    "'int' object is not callable",
    "'NoneType' object has no attribute 'get'",
    "module 'foo' has no attribute 'bar'",
    "type object 'Foo' has no attribute 'bar'",
    "foo() missing 1 required positional argument: 'a'",
    "Foo.__init__() takes 1 positional argument but 2 were given",
    "foo() got an unexpected keyword argument 'b'",
    "unhashable type: 'list'",
    'can only concatenate str (not "int") to str',
    "list indices must be integers or slices, not str",
    "invalid literal for int() with base 10: 'x'",
    "could not convert string to float: 'abc'",
    "too many values to unpack (expected 2)",
    "not enough values to unpack (expected 2, got 1)",
    "substring not found",
    "list.remove(x): x not in list",
    "math domain error",
    "time data 'x' does not match format '%Y'",
    "No module named 'cv2'",
    "cannot import name 'x' from 'y' (/a/y.py)",
    "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
    "maximum recursion depth exceeded while calling a Python object",
    "dictionary changed size during iteration",
    "I/O operation on closed file.",
    "Incorrect padding",
    "Expecting value: line 1 column 1 (char 0)",
    "'(' was never closed",
    "[Errno 2] No such file or directory: 'a.txt'",
    "fatal error: Python.h: No such file or directory",
    "Connection refused",
)
LIBRARIES = (
    "missing captured KV on _cached_kv_pre",
    "x and y must have same first dimension, but have shapes (3,) and (4,)",
    "columns overlap but no suffix specified: Index(['day'])",
    "Length mismatch: Expected axis has 3 elements, new values have 2 elements",
    "Invalid URL 'x': No scheme supplied. Perhaps you meant https://x?",
    "Missing previous frame for delta payload",
    "cannot reindex on an axis with duplicate labels",
    "setting an array element with a sequence. The requested array has an inhomogeneous shape",
    "expected a string or a list of strings, and found a table",
    "The transformer requires an index of cut vertices",
)


@pytest.mark.parametrize("message", OWN)
def test_the_interpreter_words_it(message: str) -> None:
    assert is_interpreters_own(message)


@pytest.mark.parametrize("message", LIBRARIES)
def test_a_library_words_it(message: str) -> None:
    assert not is_interpreters_own(message)


def test_only_the_first_line_counts() -> None:
    assert is_interpreters_own("list index out of range\n\nThe above happened in row 3")


MESSAGE = "IndexError: list index out of range"
TRACE = """Traceback (most recent call last):
  File "{file}", line 7, in pick
    return rows[number]
IndexError: list index out of range
"""


@pytest.mark.parametrize(
    ("paste", "claim"),
    [
        (MESSAGE, Verdict.RELATED),
        (TRACE.format(file="/home/jo/shop/pick.py"), Verdict.RELATED),
        (TRACE.format(file="/v/lib/python3.12/site-packages/tabler/extras.py"), Verdict.EXACT),
    ],
    ids=["alone", "in user code", "in the library"],
)
def test_a_record_is_claimed_only_with_its_frame(
    tmp_path: Path, paste: str, claim: Verdict
) -> None:
    record = body("list index out of range", error_class="IndexError")
    with holding(tmp_path, record) as found:
        assert found.search(paste).verdict is claim


def test_compiled_code_leaves_no_frame(tmp_path: Path) -> None:
    record = body(
        "cannot reshape array of size {} into shape {}",
        repo="numpy/numpy",
        path="numpy/_core/src/multiarray/shape.c",
    )
    paste = TRACE.format(file="/home/jo/shop/pick.py").replace(
        "IndexError: list index out of range",
        "ValueError: cannot reshape array of size 10 into shape (3,4)",
    )
    with holding(tmp_path, record) as found:
        assert found.search(paste).verdict is Verdict.EXACT
