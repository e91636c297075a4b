from __future__ import annotations

from pathlib import Path

import pytest
from assistant_samples import body, holding, write

from assistant import Assistant, Hit, Result, Verdict
from index.encoder import HashingEncoder

JOIN = "the sheet cannot be joined because column {name} is spelled in two ways"
GENERIC = "column {name} is"
JOINED = "the sheet cannot be joined because column total is spelled in two ways"


def traceback(*files: str, last: str) -> str:
    frames = "".join(f'  File "{file}", line 3, in f\n    call()\n' for file in files)
    return f"Traceback (most recent call last):\n{frames}{last}\n"


USER = "/srv/app/run.py"
LIBRARY = "/srv/venv/lib/python3.12/site-packages/tabler/extras.py"


def ids(result: Result) -> list[str]:
    return [hit.record.id for hit in result.hits]


def names(hit: Hit) -> list[str]:
    return [reason.name for reason in hit.reasons]


def test_short_generic_template_does_not_beat_the_longer(tmp_path: Path) -> None:
    longer, generic = body(JOIN), body(GENERIC, path="tabler/labels.py")
    assistant = holding(tmp_path, generic, longer)
    result = assistant.search(f"ValueError: {JOINED}")
    assert ids(result)[0] == longer["id"]
    assert result.verdict is Verdict.EXACT
    assert [hit.verdict for hit in result.hits[1:]] in ([], [Verdict.RELATED])


def test_generic_template_alone_claims_nothing(tmp_path: Path) -> None:
    assistant = holding(tmp_path, body("{name} is {value}"), body("bad {x}", path="tabler/a.py"))
    result = assistant.search("ValueError: total is bad 3")
    assert (result.verdict, result.hits) == (Verdict.NONE, ())


def test_another_class_caps_at_likely(tmp_path: Path) -> None:
    assistant = holding(tmp_path, body(JOIN))
    result = assistant.search(f"KeyError: {JOINED}")
    assert result.verdict is Verdict.LIKELY
    assert "class-differs" in names(result.hits[0])


@pytest.mark.parametrize("named", ["ValueError", "tabler.errors.ValueError"])
def test_class_agrees_without_its_module(tmp_path: Path, named: str) -> None:
    assistant = holding(tmp_path, body(JOIN, error_class="old.place.ValueError"))
    result = assistant.search(f"{named}: {JOINED}")
    assert result.verdict is Verdict.EXACT
    assert "class" in names(result.hits[0])


@pytest.fixture
def shared_template(tmp_path: Path) -> Assistant:
    """Two libraries that raise one template."""
    return holding(
        tmp_path,
        body(JOIN),
        body(JOIN, repo="globex/ledger", path="ledger/io/join.py"),
    )


def test_template_of_two_libraries_is_at_most_likely(shared_template: Assistant) -> None:
    result = shared_template.search(f"ValueError: {JOINED}")
    (hit,) = result.hits
    assert result.verdict is Verdict.LIKELY
    (reason,) = [reason for reason in hit.reasons if reason.name == "shared"]
    assert reason.text in (
        "2 libraries raise this message (acme/tabler, globex/ledger): which one do you use?",
        "2 libraries raise this message (globex/ledger, acme/tabler): which one do you use?",
    )
    assert len(hit.variants) == 1


@pytest.mark.parametrize(
    ("text", "repo"),
    [
        (traceback(USER, LIBRARY, last=f"ValueError: {JOINED}"), "acme/tabler"),
        (
            traceback(USER, "/opt/ledger/io/join.py", last=f"ValueError: {JOINED}"),
            "globex/ledger",
        ),
        (f"I use ledger 2.1 and get\nValueError: {JOINED}", "globex/ledger"),
        (f"pip install tabler\nValueError: {JOINED}", "acme/tabler"),
    ],
    ids=["frame", "other frame", "name", "other name"],
)
def test_frame_or_name_tells_the_library(shared_template: Assistant, text: str, repo: str) -> None:
    result = shared_template.search(text)
    (hit,) = result.hits
    assert (hit.record.repo, result.verdict) == (repo, Verdict.EXACT)
    assert {"frame", "library"} & set(names(hit))


def test_naming_both_libraries_tells_nothing(shared_template: Assistant) -> None:
    result = shared_template.search(f"from tabler to ledger\nValueError: {JOINED}")
    assert result.verdict is Verdict.LIKELY


def test_package_and_repository_are_one_library(tmp_path: Path) -> None:
    assistant = holding(
        tmp_path,
        body(JOIN, repo="sgl-project/sglang", path="python/sglang/runtime/join.py"),
        body(JOIN, repo="pypi/sglang", path="sglang/runtime/join.py"),
    )
    result = assistant.search(f"ValueError: {JOINED}")
    (hit,) = result.hits
    assert result.verdict is Verdict.EXACT
    assert "shared" not in names(hit)
    assert len(hit.variants) == 1


def test_frames_choose_the_leading_variant(tmp_path: Path) -> None:
    places = ("tabler/extras.py", "tabler/io/reader.py", "tabler/io/writer.py")
    bodies = [body(JOIN, path=path) for path in places]
    assistant = holding(tmp_path, *bodies)
    for made, path in zip(bodies, places, strict=True):
        file = f"/srv/venv/lib/python3.12/site-packages/{path}"
        (hit,) = assistant.search(traceback(USER, file, last=f"ValueError: {JOINED}")).hits
        assert (hit.record.id, hit.verdict) == (made["id"], Verdict.EXACT)
        assert "frame" in names(hit)
        assert {variant.id for variant in hit.variants} == {b["id"] for b in bodies} - {made["id"]}
        assert [variant.repo for variant in hit.variants] == ["acme/tabler"] * 2
        assert all(0 < variant.share < hit.confidence for variant in hit.variants)
        assert hit.variants[0].share >= hit.variants[1].share
        assert sum(variant.share for variant in hit.variants) < hit.confidence


def test_equal_variants_share_equally(tmp_path: Path) -> None:
    bodies = [body(JOIN, path=f"tabler/part{number}.py") for number in range(4)]
    (hit,) = holding(tmp_path, *bodies).search(JOINED).hits
    assert [variant.share for variant in hit.variants] == [
        pytest.approx(hit.confidence / 4, abs=1e-4)
    ] * 3


def test_windows_frames_agree_too(tmp_path: Path) -> None:
    assistant = holding(tmp_path, body(JOIN), body(JOIN, path="tabler/io/reader.py"))
    file = "C:\\app\\Lib\\site-packages\\tabler\\io\\reader.py"
    (hit,) = assistant.search(traceback(USER, file, last=f"ValueError: {JOINED}")).hits
    assert hit.record.file_path == "tabler/io/reader.py"


def test_user_code_innermost_caps_the_claim(tmp_path: Path) -> None:
    assistant = holding(tmp_path, body("'{name}' object has no attribute '{attr}'"))
    last = "ValueError: 'NoneType' object has no attribute 'reset'"
    inside = assistant.search(traceback(USER, LIBRARY, last=last))
    assert inside.verdict is Verdict.EXACT
    outside = assistant.search(traceback(LIBRARY, USER, last=last))
    assert outside.verdict is Verdict.RELATED
    assert "foreign-frame" in names(outside.hits[0])


@pytest.mark.parametrize(
    "message",
    [
        "'NoneType' object has no attribute 'reset'",
        "list index out of range",
        "division by zero",
    ],
)
def test_interpreters_own_errors_are_not_claimed_for_user_code(
    tmp_path: Path, message: str
) -> None:
    assistant = holding(
        tmp_path,
        body("'{name}' object has no attribute '{attr}'", error_class="AttributeError"),
        body("{name} index out of range", error_class="IndexError"),
        body("division by zero", error_class="ZeroDivisionError"),
    )
    for name in ("AttributeError", "IndexError", "ValueError", "ZeroDivisionError"):
        result = assistant.search(traceback(USER, last=f"{name}: {message}"))
        assert result.verdict in (Verdict.RELATED, Verdict.NONE)


def test_longer_template_is_likely_against_the_frames(tmp_path: Path) -> None:
    result = holding(tmp_path, body(JOIN)).search(
        traceback(USER, "/srv/vendored/copies/join.py", last=f"ValueError: {JOINED}")
    )
    assert result.verdict is Verdict.LIKELY


def test_text_outside_every_message_is_at_most_related(tmp_path: Path) -> None:
    assistant = holding(tmp_path, body(JOIN))
    result = assistant.search(
        "Traceback (most recent call last):\n"
        '  File "/srv/app/run.py", line 3, in f\n'
        '    raise ValueError("the sheet cannot be joined because column total is spelled in two '
        'ways")\n'
        "KeyError: 7\n"
    )
    assert result.verdict is Verdict.RELATED
    (hit,) = result.hits
    assert names(hit)[0] == "template-outside"
    assert hit.match is not None
    assert hit.match.link is None


def test_template_inside_another_message_is_likely(tmp_path: Path) -> None:
    assistant = holding(tmp_path, body("column {name} is spelled in two ways"))
    text = (
        "ValueError: while importing sheet three of the spring accounts for the northern office "
        f"we saw that {JOINED} and stopped before anything at all was written to the ledger"
    )
    assert assistant.search(text).verdict is Verdict.LIKELY


def test_message_after_a_wrapping_class_is_exact(tmp_path: Path) -> None:
    assistant = holding(tmp_path, body(JOIN))
    text = f"ValueError: [worker=7, pid=4121] {JOINED}"
    assert assistant.search(text).verdict is Verdict.EXACT


@pytest.mark.parametrize("k", [1, 2, 3])
def test_at_most_k_hits_best_first(tmp_path: Path, k: int) -> None:
    bodies = [
        body("column {name} is spelled in two ways"),
        body("sheet {name} was exported twice", path="tabler/b.py"),
        body("row {name} holds nothing but commas", path="tabler/c.py"),
    ]
    assistant = holding(tmp_path, *bodies)
    text = (
        "column total is spelled in two ways\n\nsheet four was exported twice\n\n"
        "row 7 holds nothing but commas"
    )
    every = assistant.search(text, k=9)
    assert len(every.hits) == 3
    assert ids(assistant.search(text, k=k)) == ids(every)[:k]


def test_k_below_one_is_an_error_of_the_caller(tmp_path: Path) -> None:
    assistant = Assistant.open(tmp_path)
    with pytest.raises(ValueError, match="k is 0; ask for at least one hit"):
        assistant.search("x", k=0)


def test_confidence_never_rises_down_the_list(tmp_path: Path) -> None:
    words = ["column", "sheet", "ledger", "window", "station", "harbour", "garden", "winter"]
    bodies = [
        body(f"{one} {{name}} does not fit the {other}", path=f"tabler/{one}_{other}.py")
        for one in words
        for other in words
    ]
    assistant = holding(tmp_path, *bodies, vectors=True)
    text = "\n\n".join(f"{one} 7 does not fit the {other}" for one in words for other in words)
    for query in (text, "which column does not fit the window", "ValueError: winter fits"):
        confidences = [hit.confidence for hit in assistant.search(query, k=100).hits]
        assert confidences == sorted(confidences, reverse=True)
        assert all(0.0 <= value <= 1.0 for value in confidences)


def test_match_tells_link_and_span(tmp_path: Path) -> None:
    assistant = holding(tmp_path, body(JOIN))
    first = traceback(USER, LIBRARY, last=f"ValueError: {JOINED}")
    second = traceback(USER, last="KeyError: 'total'")
    between = "\nDuring handling of the above exception, another exception occurred:\n\n"
    for text, link in ((first + between + second, 0), (second + between + first, 1)):
        match = assistant.search(text).hits[0].match
        assert match is not None
        assert match.link == link
        assert text[match.span.start : match.span.end] == JOINED


def test_flags_source_and_package_version_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    made = body(JOIN, documentation="Short.", commonSituations="", solutions=[])
    write(folder / "a.json", made)
    (folder / "sidecar.json").write_text(
        f'{{"sidecarVersion": 1, "records": {{"{made["id"]}": '
        '{"packageVersion": "2.4.6", "shaOf": "file"}}}',
        encoding="utf-8",
    )
    assistant = Assistant.open(tmp_path / "data", encoder=HashingEncoder())
    assistant.add(folder, vectors=False)
    (hit,) = assistant.search(JOINED).hits
    assert [flag.value for flag in hit.flags] == ["excerpt-not-checked", "thin"]
    assert (hit.package_version, hit.content_sha) == ("2.4.6", True)
    assert hit.source == folder.resolve().as_posix()
    shown = assistant.get(made["id"])
    assert shown is not None
    assert shown.package_version == "2.4.6"
