from __future__ import annotations

import numpy as np
import pytest

from assistant.paste.read import parse
from assistant.query import dense_texts
from index.encoder import HashingEncoder, mean_vector


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("how do I join two sheets?", ("how do I join two sheets?",)),
        (
            "I join two sheets. It fails! Why is that?",
            (
                "I join two sheets. It fails! Why is that?",
                "I join two sheets.",
                "It fails!",
                "Why is that?",
            ),
        ),
        (
            "\u6211 \u7684 \u8868 \u574f\u3002\u4e3a \u4ec0\u4e48\uff1f",
            (
                "\u6211 \u7684 \u8868 \u574f\u3002\u4e3a \u4ec0\u4e48\uff1f",
                "\u6211 \u7684 \u8868 \u574f\u3002",
                "\u4e3a \u4ec0\u4e48\uff1f",
            ),
        ),
        ("cannot join. the\nsheets. at all", ("cannot join. the\nsheets. at all",)),
        ("KeyError: 'a'\n\nValueError: no. rows. here", ("ValueError: no. rows. here",)),
        ("ValueError: " + "x" * 700, ("ValueError: " + "x" * 600,)),
        ("word " * 400, (("word " * 300),)),
    ],
)
def test_what_the_encoder_is_asked(text: str, texts: tuple[str, ...]) -> None:
    assert dense_texts(parse(text)) == texts


def test_at_most_eight_sentences_are_asked() -> None:
    assert len(dense_texts(parse("It fails here. " * 40))) == 9


def test_mean_vector_has_unit_length_and_of_one_is_itself() -> None:
    vectors = HashingEncoder().encode(["one sheet", "another sheet", "a third"])
    mean = mean_vector(vectors)
    assert mean.dtype == np.float32
    assert np.linalg.norm(mean) == pytest.approx(1.0, abs=1e-6)
    assert np.allclose(mean_vector(vectors[:1]), vectors[0], atol=1e-6)
    assert mean @ vectors.mean(axis=0) == pytest.approx(
        float(np.linalg.norm(vectors.mean(axis=0))), abs=1e-6
    )
