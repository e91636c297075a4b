from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from chat_fakes import make_hit, make_record, make_result, make_runner_up
from hypothesis import given
from hypothesis import strategies as st

from assistant.api import Shown
from assistant.paste.parsed import Link, Span, Understood
from assistant.result import Note, Verdict
from records.model.quality import Flag
from ui.render.answer import PASTE_LENGTH, answer, paste, refusal
from ui.render.elements import Element, element, link, render
from ui.render.excerpt import excerpt, where
from ui.render.message import filled
from ui.render.prose import phrase, prose
from ui.render.understood import understood
from ui.render.visible import escaped, shortened
from ui.render.words import (
    BADGES,
    CLAIMS,
    HEADLINES,
    WARNINGS,
    confidence,
    count,
    duration,
    sentence,
)
from ui.terminal.record import record_text
from ui.terminal.result import result_text

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "</textarea></pre></code></article><script>alert(1)</script>",
    "<iframe src=https://evil.example></iframe>",
    "<style>*{display:none}</style>",
    '"><a href="javascript:alert(1)">x</a>',
    "[x](javascript:alert(1))",
    "![x](https://evil.example/x.png)",
    "<https://evil.example>",
    "$$\\href{javascript:alert(1)}{x}$$ \\(x\\)",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)}",
    "```mermaid\ngraph TD; A-->B\n```",
    "\x1b]8;;https://evil.example\x07link\x1b]8;;\x07\x1b[2J",
    "a\u202egnp.exe\u2066\u200f",
    "\x00\x9b31m\U000e0041",
    "&lt;script&gt;&#60;script&#62;",
]


class Reader(HTMLParser):
    """Takes HTML apart the way a browser does: tags, attributes, text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def text_of(html: str) -> str:
    return Reader(html).text


def html_of(*nodes: Element | str) -> str:
    return "".join(render(node) for node in nodes)


# Elements


@given(st.text())
def test_text_never_becomes_markup(text: str) -> None:
    html = render(element("p", text, title=text or "x"))
    assert Reader(html).tags == ["p"]
    assert Reader(html).attributes == {"title"}
    assert "\n" not in html


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_plain_text_is_shown_as_it_stands(text: str) -> None:
    assert text_of(f"<p>{escaped(text)}</p>") == text


def test_characters_that_deceive_are_made_visible() -> None:
    assert escaped("\x1b[31m") == "\u241b[31m"
    assert escaped("a\u202eb") == "a\u27e6U+202E\u27e7b"
    assert escaped("\x7f\x00\x9b") == "\u2421\u2400\u27e6U+009B\u27e7"
    assert escaped("\ud800") == "\ufffd"
    assert escaped("a\r\nb\tc\u2028d") == "a&#10;b&#9;c&#10;d"


def test_letters_of_every_script_stay() -> None:
    assert escaped("häß 日本 עברית ع 👩‍💻") == "häß 日本 עברית ع 👩‍💻"


@pytest.mark.parametrize("tag", ["script", "img", "iframe", "style", "svg", "p onclick=x"])
def test_other_elements_are_refused(tag: str) -> None:
    with pytest.raises(ValueError, match="is not an element of answers"):
        Element(tag)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["onclick", "style", "src", "srcdoc", "id"])
def test_other_attributes_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not an attribute of answers"):
        element("p", "x", **{name: "y"})


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "http://x", "data:text/html,x", " https://x", "//x", "HTTPS://x"]
)
def test_only_https_links(url: str) -> None:
    with pytest.raises(ValueError, match="is not an https link"):
        link(url, "x")


def test_links_leave_the_page_safely() -> None:
    assert render(link("https://a.example/?x=1&y=\"'", "go")) == (
        '<a href="https://a.example/?x=1&#38;y=&#34;&#39;" target="_blank" '
        'rel="noopener noreferrer">go</a>'
    )


def test_shortened_says_how_much_is_missing() -> None:
    assert shortened("abc", 3) == "abc"
    assert shortened("abcdef", 2) == "ab… (4 more characters)"


# Prose


def test_prose_reads_paragraphs_code_and_lists() -> None:
    text = "One `a < b`\nline.\n\nTwo:\n\n- x\n- `y`\n\n```py\nif a:\n    <b>\n```\n\n3. three"
    assert html_of(*prose(text)) == (
        "<p>One <code>a &#60; b</code>&#10;line.</p><p>Two:</p>"
        "<ul><li><span>x</span></li><li><span><code>y</code></span></li></ul>"
        '<pre role="region" tabindex="0" title="Code"><code>if a:&#10;    &#60;b&#62;</code></pre>'
        '<ol start="3"><li><span>three</span></li></ol>'
    )


@pytest.mark.parametrize(
    "text",
    [
        "call __init__ with 2**31 and a_b_c *args",
        "see [here](https://a.example) and ![pic](https://a.example/x.png)",
        "<b>bold</b> &amp; <https://a.example>",
        "C:\\new\\table",
        "# not a heading",
        "> not a quotation",
        "| a | b |",
        "https://a.example",
    ],
)
def test_everything_else_in_prose_is_text(text: str) -> None:
    html = html_of(*prose(text))
    assert Reader(html).tags == ["p"]
    assert text_of(html) == text


@given(st.text(alphabet="`-*0123. \n\t<>&[](ab)~\\", max_size=200))
def test_prose_never_fails_and_never_loses_words(text: str) -> None:
    html = html_of(*prose(text))
    assert set(Reader(html).tags) <= {"p", "code", "pre", "ul", "ol", "li", "span"}
    assert html.count("a") >= text.count("a") - text.count("``")


def test_deep_and_long_prose_ends_soon() -> None:
    assert len(html_of(*prose("- " * 50_000))) < 100_000
    assert len(html_of(*prose("`" * 100_000))) < 500_000


def test_a_phrase_of_one_paragraph_has_no_paragraph() -> None:
    assert html_of(*phrase("use `x`")) == "use <code>x</code>"
    assert html_of(*phrase("a\n\nb")) == "<p>a</p><p>b</p>"


# The parts of an answer


def test_the_message_has_the_captured_values() -> None:
    assert render(filled(make_hit(captures=(("attr", "<b>&"),)))) == (
        '<code class="es-message">missing captured KV on '
        '<mark title="attr in your text">&#60;b&#62;&#38;</mark></code>'
    )
    assert render(filled(make_hit(captures=()))) == (
        '<code class="es-message">missing captured KV on <var>&#123;attr&#125;</var></code>'
    )


def test_captures_that_do_not_fit_the_template_fill_nothing() -> None:
    html = render(filled(make_hit(captures=(("a", "1"), ("b", "2")))))
    assert text_of(html) == "missing captured KV on {attr}"


def test_a_captured_page_is_shortened() -> None:
    html = render(filled(make_hit(captures=(("attr", "x" * 10_000),))))
    assert "(9,760 more characters)" in html


def test_the_excerpt_marks_the_raising_line() -> None:
    record = make_record(sourceCode="a\n\n  raise b\n", sourceCodeStart=9, lineNumber=11)
    html = render(excerpt(record) or "")
    assert text_of(html) == "   9a\n  10\n\u25b6 11  raise b\n"
    assert html.count("es-raising") == 1
    assert '<span class="es-row es-raising" title="raised here">' in html


@pytest.mark.parametrize(
    ("start", "line", "shown"),
    [(None, 2, "a\nb\n"), (5, None, "  5a\n  6b\n"), (5, 9, "  5a\n  6b\n")],
)
def test_an_excerpt_without_numbers_marks_nothing(
    start: int | None, line: int | None, shown: str
) -> None:
    record = make_record(sourceCode="a\nb", sourceCodeStart=start, lineNumber=line)
    html = render(excerpt(record) or "")
    assert text_of(html) == shown
    assert "es-raising" not in html


def test_no_excerpt() -> None:
    assert excerpt(make_record(sourceCode=None)) is None


@pytest.mark.parametrize(
    ("repo", "url"),
    [
        ("pypi/x", "https://github.com/pypi/x/blob/a/b.py"),
        ("a/b", ""),
        ("a/b", "javascript:alert(1)"),
        ("a/b", "http://github.com/a/b"),
    ],
)
def test_no_permalink_is_said(repo: str, url: str) -> None:
    html = render(where(make_record(repo=repo, githubUrl=url)))
    assert "no permalink" in html
    assert "<a" not in html


def test_the_permalink_is_a_link() -> None:
    html = render(where(make_record(githubUrl="https://github.com/a/b#L1-L2")))
    assert 'href="https://github.com/a/b#L1-L2" target="_blank" rel="noopener noreferrer"' in html


def test_what_was_understood_is_told() -> None:
    span = Span(start=0, end=1)
    value = Understood(
        links=(
            Link(kind="exception", error_class="ValueError", message="bad <x>", span=span),
            Link(kind="line", error_class=None, message="ERROR died", span=span),
        ),
        codes=("E404",),
        left_out="120 lines of another program",
    )
    text = text_of(render(understood(value, matched=1) or ""))
    assert text == (
        "Read from your paste: 1 exception and 1 line of text"
        "ValueError: bad <x> ERROR died matchedCodes: E404Left out: 120 lines of another program"
    )


def test_nothing_understood_is_not_told() -> None:
    assert understood(Understood(), matched=None) is None


def test_every_verdict_and_flag_has_words() -> None:
    for words in (HEADLINES, CLAIMS, BADGES):
        assert set(words) == set(Verdict)
    assert set(WARNINGS) == set(Flag)
    for warning in WARNINGS.values():
        assert re.fullmatch(r"[A-Z][^.!?]*\.", warning)


@pytest.mark.parametrize(
    ("value", "said"),
    [(1, "high (1.00)"), (0.999, "high (0.99)"), (0.5, "medium (0.50)"), (0, "low (0.00)")],
)
def test_confidence_in_words(value: float, said: str) -> None:
    assert confidence(value) == said


def test_count() -> None:
    assert (count(1, "place"), count(2_000, "record")) == ("1 place", "2,000 records")


# Whole answers


def test_an_answer_says_everything_in_order() -> None:
    lead = make_hit(flags=(Flag.EXCERPT_UNCHECKED, Flag.NEAR_DUPLICATE))
    text = text_of(answer(make_result(lead, make_runner_up())))
    expected = [
        "This is the error",
        "This record's template produced your text.",
        "Confidence: high (0.97), not calibrated",
        "The encoder is still loading.",
        "Read from your paste: 1 exception",
        "matched",
        "missing captured KV on _cached_kv_post",
        "Template: missing captured KV on {attr}",
        "Not checked: whether the code excerpt really raises this message.",
        "What it means",
        "collect_captured_kv_from_blocks reads the tensors",
        "When it happens",
        "Calling collect_captured_kv_from_blocks before a forward pass.",
        "Mismatched modes:",
        "Fixes, most likely first",
        "Pair set_capture_flag_on_blocks",
        "Do not collect twice",
        "Example fix",
        "# before\nkvs = collect",
        "Prevention",
        "Use one constant for both modes.",
        "Where it is raised",
        "sgl-project/sglang · python/sglang/stages/streaming_refiner.py:77 · permalink",
        "\u25b6 77            raise RuntimeError",
        "The same message is raised at 1 other place",
        "pypi/sglang · sglang/refiner.py:80 · RuntimeError",
        "More code: check, catch",
        # Its line breaks were a literal \n.
        "try:\n    kvs = collect(tf)\nexcept RuntimeError:\n    _ = tf(x)",
        "Why this record",
        "Every fixed piece was found in your text",
        "read from version 0.5.1",
        "Other records that may fit",
        "related",
        "Missing previous frame for delta payload",
        "Confidence: low (0.31), not calibrated",
        "The explanation seems to be about another error than the message",
        "There is little written explanation in this record.",
        "A runner-up with its own explanation.",
        "no permalink",
        "Answered in 4 ms",
    ]
    position = 0
    for part in expected:
        found = text.find(part, position)
        assert found >= 0, part
        position = found


def test_no_match_shows_no_record_as_the_answer() -> None:
    notes = (Note(name="package", text="acme is not indexed: errsage add pip:acme"),)
    result = make_result(make_runner_up(), verdict=Verdict.NONE, notes=notes)
    text = text_of(answer(result))
    assert text.startswith("No record explains this")
    assert "errsage add pip:acme" in text
    assert text.index("Nearest records; none explains your text") < text.index("A runner-up")


def test_no_hits_at_all() -> None:
    assert "No record explains this" in text_of(answer(make_result()))


@pytest.mark.parametrize(
    "name", ["encoder-loading", "encoder-unavailable", "other-encoder", "no-vectors"]
)
def test_nothing_found_by_exact_messages_alone_is_no_denial(name: str) -> None:
    result = make_result(notes=(Note(name=name, text="wait a little"),))
    told = "nly exact messages were searched: a record may explain your text all the same"
    page, terminal = text_of(answer(result)), result_text(result)
    assert page.startswith(f"No exact matchO{told}.Wait a little")
    assert terminal.startswith(f"none: no exact match; o{told}\n\n")
    assert terminal.endswith("\n\nnote: wait a little")
    for text in (page, terminal):
        assert "o record explains" not in text


def test_a_note_takes_nothing_from_what_was_found_or_searched() -> None:
    loading = (Note(name="encoder-loading", text="wait"),)
    assert text_of(answer(make_result(make_hit(), notes=loading))).startswith("This is the error")
    partial = make_result(notes=(Note(name="partial-vectors", text="wait"),))
    assert text_of(answer(partial)).startswith("No record explains this")
    assert result_text(partial).startswith("none: no record explains this text\n")


def test_an_excerpt_not_checked_is_a_fault_to_show_alone() -> None:
    words = WARNINGS[Flag.EXCERPT_UNCHECKED]
    alone = make_hit()
    assert alone.flags == (Flag.EXCERPT_UNCHECKED,)
    result = make_result(alone)
    for text in (text_of(answer(result)), result_text(result)):
        assert words not in text
        assert "Quality of this record" not in text
    shown = Shown(
        record=alone.record, flags=alone.flags, source="x", sources=("x",), dataset_version=""
    )
    assert f"quality: {words}" in record_text(shown)
    both = make_result(make_hit(flags=(Flag.EXCERPT_UNCHECKED, Flag.THIN)))
    for text in (text_of(answer(both)), result_text(both)):
        assert WARNINGS[Flag.THIN] in text


def test_more_code_names_what_is_inside() -> None:
    fields = {"check": "validationCode", "guard": "typeGuard", "catch": "tryCatchPattern"}
    for chosen in (("check",), ("guard",), ("catch",), ("check", "guard"), tuple(fields)):
        codes = {field: name if name in chosen else None for name, field in fields.items()}
        html = answer(make_result(make_hit(make_record(**codes))))
        assert f"<summary>More code: {', '.join(chosen)}</summary>" in html


def test_empty_parts_have_no_heading() -> None:
    record = make_record(
        documentation="",
        triggerScenarios=" ",
        commonSituations="",
        solutions=[],
        preventionTips=[],
        exampleFix=None,
        validationCode=None,
        tryCatchPattern=None,
        sourceCode=None,
        lineNumber=None,
        errorClass=None,
        errorCode="ECONNREFUSED",
        httpStatus=503,
    )
    text = text_of(answer(make_result(make_hit(record, variants=(), reasons=(), flags=()))))
    for heading in (
        "What it means",
        "When it",
        "Fixes",
        "Example",
        "Prevention",
        "More code",
        "Why",
    ):
        assert heading not in text
    assert "ECONNREFUSED · HTTP 503 · sgl-project/sglang" in text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_records_and_pastes_stay_text(
    text: str,
) -> None:
    record = make_record(
        repo="a/" + re.sub(r"[/\s]", "", text),
        errorMessage=text,
        messagePattern=None,
        errorClass=text,
        errorCode=text,
        filePath=text,
        sourceCode=f"{text}\n{text}",
        githubUrl=f"https://x/{text}",
        documentation=text,
        triggerScenarios=text,
        commonSituations=f"- {text}",
        solutions=[text],
        exampleFix=text,
        validationCode=text,
        typeGuard=text,
        tryCatchPattern=text,
        preventionTips=[text],
    )
    hit = make_hit(record, captures=(("x", text),), source=text, package_version=text)
    pasted = Link(kind="exception", error_class=text, message=text, span=Span(start=0, end=1))
    result = make_result(
        hit,
        hit,
        understood=Understood(links=(pasted,), codes=(text,), left_out=text),
        notes=(Note(name="x", text=text),),
    )
    for html in (answer(result), paste(text), refusal(text)):
        read = Reader(html)
        assert not set(read.tags) & {"script", "img", "iframe", "style", "svg", "b", "textarea"}
        assert not {name for name in read.attributes if name.startswith("on")}
        assert read.attributes <= {"class", "title", "href", "target", "rel", "role", "tabindex"}
        assert not set(html) & set("\n`${}\\\x1b\x00\u202e\ud800")


def test_a_long_paste_is_told_in_part() -> None:
    html = paste("x" * (PASTE_LENGTH + 5))
    assert text_of(html).endswith("… (5 more characters)")


def test_what_is_very_long_is_told_in_part() -> None:
    record = make_record(
        sourceCode="y\n" * 50_000, exampleFix="z" * 50_000, documentation="w " * 50_000
    )
    places = tuple(make_hit().variants * 500)
    link = Link(kind="line", error_class=None, message="m" * 5_000, span=Span(start=0, end=1))
    result = make_result(
        make_hit(record, variants=places), understood=Understood(links=(link,) * 5_000)
    )
    html = answer(result)
    assert "The same message is raised at 500 other places" in html
    assert "and 470 more" in html
    assert "5,000 lines of text" in html
    assert len(html) < 1_500_000


def test_small_words() -> None:
    assert (sentence("the index"), sentence("")) == ("The index", "")
    assert (duration(0.2), duration(1204.4)) == ("under 1 ms", "1,204 ms")
