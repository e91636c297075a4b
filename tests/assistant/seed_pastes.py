"""The three seeds as people paste them, with a concrete value in every placeholder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Seed:
    """One seed: its id, a message that it produces, the values in it, and where it is raised."""

    id: str
    error_class: str
    message: str
    captures: tuple[tuple[str, str], ...]
    frames: str


_KV = """\
  File "/srv/sglang/python/sglang/multimodal_gen/runtime/pipelines_core/stages/\
model_specific_stages/sana_wm/streaming_refiner.py", line 302, in refine
    kvs = collect_captured_kv_from_blocks(self.transformer, mode="pre_rope")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/srv/sglang/python/sglang/multimodal_gen/runtime/pipelines_core/stages/\
model_specific_stages/sana_wm/streaming_refiner.py", line 77, in collect_captured_kv_from_blocks
    raise RuntimeError(f"missing captured KV on {attr}")
"""
_CACHE = """\
  File "/opt/venv/lib/python3.12/site-packages/sglang/multimodal_gen/runtime/layers/kvcache/\
qvg_packed_cache.py", line 311, in update_and_get_attention_kv
    raise NotImplementedError(
    ...<3 lines>...
    )
"""
_DECODER = """\
  File "/srv/player/python/sglang/multimodal_gen/apps/realtime_webui/decoder_worker.js", line 32, \
in restoreDeltaGzipFrames
    if (!previous) throw new Error("Missing previous frame for delta payload");
"""

SEEDS = (
    Seed(
        "8a702f012ebc64e4",
        "RuntimeError",
        "missing captured KV on _cached_kv_pre",
        (("attr", "_cached_kv_pre"),),
        _KV,
    ),
    Seed(
        "99921537348622b6",
        "Error",
        "Missing previous frame for delta payload",
        (),
        _DECODER,
    ),
    Seed(
        "11d9e23f53f00b45",
        "NotImplementedError",
        "self_attn: non-sequential write current_start=4680 global_end=9360 cur=7800",
        (
            ("debug_name", "self_attn"),
            ("current_chunk_start", "4680"),
            ("self._global_end", "9360"),
            ("None if self._cur is None else self._cur.g0", "7800"),
        ),
        _CACHE,
    ),
)

_USER = """\
Traceback (most recent call last):
  File "/srv/app/render.py", line 31, in <module>
    session.step(chunk)
    ~~~~~~~~~~~~^^^^^^^
"""


def alone(seed: Seed) -> str:
    return seed.message


def in_a_traceback(seed: Seed) -> str:
    return f"{_USER}{seed.frames}{seed.error_class}: {seed.message}\n"


def after_a_header_only(seed: Seed) -> str:
    """Frames cut away, as on many issue trackers."""
    return f"Traceback (most recent call last):\n  ...\n{seed.error_class}: {seed.message}\n"


def with_its_class(seed: Seed) -> str:
    return f"{seed.error_class}: {seed.message}"


def first_of_a_chain(seed: Seed) -> str:
    return (
        in_a_traceback(seed)
        + "\nDuring handling of the above exception, another exception occurred:\n\n"
        + 'Traceback (most recent call last):\n  File "/srv/app/launch.py", line 8, in <module>\n'
        + "    run()\nsubprocess.CalledProcessError: Command 'render' returned 1\n"
    )


def after_a_coloured_log_prefix(seed: Seed) -> str:
    time, level = "\x1b[2m2026-09-01 10:11:12\x1b[0m", "\x1b[1;31mERROR\x1b[0m"
    return f"{time} {level} \x1b[36m[worker-3]\x1b[0m {seed.message}"


def between_log_records(seed: Seed) -> str:
    return (
        "2026-09-01 10:11:11 INFO [worker-3] chunk 12 begins\n"
        f"2026-09-01 10:11:12 ERROR [worker-3] {seed.message}\n"
        "2026-09-01 10:11:13 INFO [worker-3] chunk 13 begins\n"
    )


def wrapped_between_words(seed: Seed) -> str:
    place = seed.message.index(" ", len(seed.message) // 3)
    return f"{seed.message[:place]}\n{seed.message[place + 1 :]}"


def wrapped_in_a_word(seed: Seed) -> str:
    place = seed.message.index(" ", len(seed.message) // 3) + 3
    return f"{seed.message[:place]}\n{seed.message[place:]}"


def wrapped_in_a_traceback(seed: Seed) -> str:
    return in_a_traceback(seed).replace(seed.message, wrapped_in_a_word(seed))


SHAPES = (
    alone,
    with_its_class,
    in_a_traceback,
    after_a_header_only,
    first_of_a_chain,
    after_a_coloured_log_prefix,
    between_log_records,
    wrapped_between_words,
    wrapped_in_a_word,
    wrapped_in_a_traceback,
)
