"""A fake Assistant over hand-made results, and a server that runs it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from assistant.paste.parsed import Frame, Link, Span, Understood
from assistant.result import Hit, Match, Note, Reason, Result, Searcher, Variant, Verdict
from records.errors import ErrsageError
from records.model.quality import Flag
from records.model.record import ErrorRecord
from ui.chat.conversation import Searches

TRACEBACK = """Traceback (most recent call last):
  File "/srv/app/run.py", line 12, in <module>
    kvs = collect(tf, mode="post_rope")
  File "/venv/site-packages/sglang/stages/streaming_refiner.py", line 77, in collect
    raise RuntimeError(f"missing captured KV on {attr}")
RuntimeError: missing captured KV on _cached_kv_post
"""

SOURCE = """    out = []
    for block in transformer.transformer_blocks:
        cached = getattr(block.attn1, attr, None)
        if cached is None:
            raise RuntimeError(f"missing captured KV on {attr}")
        out.append(cached)
    return out
"""

FIELDS: dict[str, Any] = {
    "id": "d1c69c49a38d54f2",
    "repo": "sgl-project/sglang",
    "slug": "missing-captured-kv-on-attr",
    "errorCode": None,
    "errorMessage": "missing captured KV on {attr}",
    "messagePattern": "missing captured KV on (.+?)",
    "errorType": "exception",
    "errorClass": "RuntimeError",
    "httpStatus": None,
    "severity": "error",
    "filePath": "python/sglang/stages/streaming_refiner.py",
    "lineNumber": 77,
    "sourceCode": SOURCE,
    "sourceCodeStart": 73,
    "sourceCodeEnd": 79,
    "githubUrl": "https://github.com/sgl-project/sglang/blob/0132848/streaming_refiner.py#L73-L79",
    "documentation": (
        "`collect_captured_kv_from_blocks` reads the tensors that each block stored. "
        "If any block's cache is empty, capture was never enabled, or the forward pass did "
        "not run, and the collector raises this error."
    ),
    "triggerScenarios": "Calling `collect_captured_kv_from_blocks` before a forward pass.",
    "commonSituations": "Mismatched modes:\n\n- enabled with `pre_rope`\n- collected otherwise",
    "solutions": [
        "Pair `set_capture_flag_on_blocks(..., mode=M)` with a forward pass, then collect "
        "with the same `M`.",
        "Do not collect twice without running the forward pass again.",
    ],
    "exampleFix": "# before\nkvs = collect(tf, mode='post_rope')\n# after\n_ = tf(x)\n"
    "kvs = collect(tf, mode='pre_rope')",
    "handlingStrategy": "validation",
    "validationCode": "_ = tf(*model_inputs)  # the forward pass fills the caches",
    "typeGuard": None,
    "tryCatchPattern": "try:\\n    kvs = collect(tf)\\nexcept RuntimeError:\\n    _ = tf(x)",
    "preventionTips": ["Use one constant for both modes."],
    "tags": ["kv-capture"],
    "backgroundTag": "missing-captured-state",
    "analyzedSha": "0132848349585cfe6aae51c4941cbae872505f8a",
    "analyzedAt": "2026-08-28T05:10:05.995Z",
    "schemaVersion": 2,
}


def make_record(**changes: object) -> ErrorRecord:
    """A sound record; changes by the dataset's field names."""
    return ErrorRecord.model_validate({**FIELDS, **changes})


def make_hit(record: ErrorRecord | None = None, **changes: object) -> Hit:
    """A hit that leads an exact answer; changes by attribute name."""
    fields: dict[str, Any] = {
        "record": record or make_record(),
        "verdict": Verdict.EXACT,
        "confidence": 0.97,
        "searcher": Searcher.EXACT,
        "reasons": (Reason(name="literal", text="every fixed piece was found in your text"),),
        "match": Match(link=0, span=Span(start=300, end=351)),
        "captures": (("attr", "_cached_kv_post"),),
        "variants": (
            Variant(
                id="0" * 15 + "1",
                repo="pypi/sglang",
                file_path="sglang/refiner.py",
                line_number=80,
                error_class="RuntimeError",
                share=0.2,
            ),
        ),
        "flags": (Flag.EXCERPT_UNCHECKED,),
        "source": "seeds",
        "package_version": "0.5.1",
    }
    return Hit(**{**fields, **changes})


def make_understood() -> Understood:
    frame = Frame(file="/srv/app/run.py", line=12, function="<module>")
    link = Link(
        kind="exception",
        error_class="RuntimeError",
        message="missing captured KV on _cached_kv_post",
        span=Span(start=300, end=351),
        frames=(frame, frame),
    )
    return Understood(links=(link,))


def make_runner_up() -> Hit:
    record = make_record(
        id="99921537348622b6",
        repo="pypi/flask",
        errorMessage="Missing previous frame for delta payload",
        messagePattern="Missing previous frame for delta payload",
        documentation="A runner-up with its own explanation.",
        tryCatchPattern=None,
    )
    flags = (Flag.FOREIGN_PROSE, Flag.THIN)
    return make_hit(
        record,
        verdict=Verdict.RELATED,
        confidence=0.31,
        captures=(),
        variants=(),
        match=None,
        flags=flags,
    )


def make_result(*hits: Hit, **changes: object) -> Result:
    """An answer to TRACEBACK with one runner-up; changes by attribute name."""
    fields: dict[str, Any] = {
        "verdict": hits[0].verdict if hits else Verdict.NONE,
        "hits": hits,
        "understood": make_understood(),
        "notes": (Note(name="loading", text="The encoder is still loading."),),
        "took_ms": 4.2,
    }
    return Result(**{**fields, **changes})


@dataclass(frozen=True)
class FakeStatus:
    records: int


@dataclass
class FakeAssistant:
    """Answers every text with `result`; keeps what it was asked."""

    result: Result = field(default_factory=lambda: make_result(make_hit(), make_runner_up()))
    records: int = 137_205
    asked: list[tuple[str, int, bool]] = field(default_factory=list)
    warmed: int = 0

    def search(self, text: str, *, k: int = 5, wait_for_encoder: bool = True) -> Result:
        self.asked.append((text, k, wait_for_encoder))
        if not text.strip():
            raise ErrsageError("there is nothing to search for: paste an error")
        if len(text) > 20_000_000:
            raise ErrsageError("the paste is larger than 20 MB: paste the part with the error")
        return self.result

    def status(self) -> FakeStatus:
        return FakeStatus(self.records)

    def warm(self) -> None:
        self.warmed += 1


@contextlib.contextmanager
def running(assistant: Searches) -> Iterator[str]:
    # Gradio is imported by those tests only that run a server.
    from ui.serve import ChatServer, listen

    with contextlib.closing(listen("127.0.0.1", 0)) as listening:
        server = ChatServer(assistant, listening, host="127.0.0.1")
        ready = threading.Event()
        server.when_listening = lambda url: ready.set()
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert ready.wait(30), "the server did not start"
            yield server.url
        finally:
            server.should_exit = True
            thread.join(30)
        assert not thread.is_alive()
