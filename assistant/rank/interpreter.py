"""The interpreter's own messages, which libraries repeat word for word.

A record of a library is right for one of these only when the innermost frame is in that library:
"list index out of range" is almost always raised by the interpreter, in the user's own code.
The wordings are CPython's (3.8 to 3.14), and the C library's texts of errno.
"""

from __future__ import annotations

import re
from functools import lru_cache

_QUOTE = "['\"`\u2018\u2019]?"
_NAME = rf"{_QUOTE}[\w.<>\[\] ]{{1,120}}{_QUOTE}"
_CALL = r"[\w.<>]{1,120}\(\)"

_WORDINGS = (
    rf"name {_NAME} is not defined(?:\. Did you (?:mean|forget).*)?",
    r"(?:cannot access )?(?:free |local )?variable .* (?:referenced before|associated).*",
    r"pop index out of range",
    r"(?:list|string|tuple|range object|bytearray|bytes|array)? ?(?:assignment )?index out of "
    r"range",
    r"pop from (?:an )?empty \w+",
    r"(?:integer |float |complex )?(?:division|modulo)(?: or modulo)? by zero",
    r"unsupported operand type\(s\) for .*",
    rf"(?:{_NAME} )?(?:object )?(?:argument after \*+ must be|is not) .*",
    r"'?[\w.]+'? object (?:is not|has no|does not|cannot be|expected|doesn't) .*",
    rf"(?:type object |module |partially initialized module )?{_NAME} has no attribute .*",
    rf"{_CALL} (?:missing|takes|got|expected|argument|keywords|requires) .*",
    r"unhashable type: .*",
    r"(?:cannot unhash|cannot use) .* as a (?:dict key|set element).*",
    r"(?:not enough|too many) values to unpack.*",
    r"(?:list|tuple|string|byte|bytearray|range)\w* indices must be integers.*",
    r"(?:can only|can't|cannot) (?:concatenate|multiply|assign to|delete|instantiate) .*",
    r"(?:substring|subsection) not found",
    r"(?:\w+\.)?(?:remove|index)\(x\): x not in \w+",
    r".{1,80} is not in (?:list|tuple|deque|range)",
    r"invalid literal for \w+\(\) with base .*",
    r"could not convert string to \w+: .*",
    r"math domain error|math range error|.*result too large.*",
    r"time data .* does not match format .*|unconverted data remains: .*",
    r"No module named .*|cannot import name .*|attempted relative import .*",
    r"'[\w-]+' codec can't (?:decode|encode) .*",
    r"(?:dictionary|Set|set|deque|OrderedDict) (?:changed size|mutated) .*",
    r"maximum recursion depth exceeded.*",
    r"(?:must be|expected) \w+(?: instance)?,? (?:not|got|but) \w+(?: found)?",
    r"I/O operation on closed file\.?|not (?:readable|writable)",
    r"generator (?:already executing|raised StopIteration|ignored GeneratorExit)",
    r"(?:invalid syntax|unexpected indent|unexpected EOF).*|'.' was never closed|unmatched '.'",
    r"expected (?:':'|'\w+'|an indented block).*",
    r"Incorrect padding|Invalid base64-encoded string.*|Non-hexadecimal digit found",
    r"Expecting (?:value|property name|',' delimiter|':' delimiter).*|Extra data: .*",
    r"asyncio\.run\(\) cannot be called from a running event loop",
    r"This event loop is already running",
    r"(?:no running|There is no current) event loop.*",
    r"(?:\[(?:Errno|WinError) -?\d+\] ?.*)",
    r"(?:.*: )?(?:No such file or directory|File (?:exists|not found)|Permission denied"
    r"|Is a directory|Not a directory|Connection (?:refused|reset by peer|timed out)|Broken pipe"
    r"|Invalid argument"
    r"|invalid argument|No space left on device|Address already in use|Operation not permitted"
    r"|Too many open files|Directory not empty|Resource temporarily unavailable"
    r"|Input/output error|Cannot allocate memory|command not found|Unknown error)"
    r"(?::? ?['\"(]?.{0,200}?)?",
)
_OWN = re.compile("|".join(f"(?:{wording})" for wording in _WORDINGS))
_LONGEST = 400


@lru_cache(maxsize=256)
def is_interpreters_own(message: str) -> bool:
    """Tell whether a message is one that the interpreter or the C library words.

    Args:
        message: a message without its class; only its first line is looked at.
    """
    first = message.strip().split("\n", 1)[0].strip()
    return len(first) <= _LONGEST and _OWN.fullmatch(first) is not None
