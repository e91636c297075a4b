"""From a parsed paste to what the dense tier is asked."""

from __future__ import annotations

import re

from assistant.paste.read import ParsedPaste

_LINK_CHARS = 600
_TEXT_CHARS = 1_500
_SENTENCES = 8
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+|(?<=[\u3002\uff01\uff1f])")


def dense_texts(paste: ParsedPaste) -> tuple[str, ...]:
    """The texts to embed, whose mean is asked.

    Of an exception, class and message of the last link; of anything else the text as it stands,
    and of a question its sentences too: a long one tells in passing what decides. On the
    questions about the seeds that puts all 6 records first instead of 5; on 69 development
    questions R@1, R@5 and R@10 stay the same.
    """
    links = paste.understood.links
    if links and links[-1].kind == "exception":
        last = links[-1]
        return (f"{last.error_class}: {last.message[:_LINK_CHARS]}",)
    text = paste.clean.text.strip()[:_TEXT_CHARS]
    sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
    if not paste.understood.question or len(sentences) < 2:
        return (text,)
    return (text, *sentences[:_SENTENCES])
