"""The page in a real browser, with a real server and a fake Assistant."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chat_fakes import (
    TRACEBACK,
    FakeAssistant,
    make_hit,
    make_record,
    make_result,
    make_runner_up,
    running,
)

from assistant.api import Assistant
from assistant.paste.parsed import Link, Span, Understood
from assistant.result import Note, Result
from index.encoder import HashingEncoder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
]

HOSTILE = (
    "<script>alert(1)</script><img src=https://evil.example/a.png onerror=alert(2)>"
    "</textarea></code></pre><svg/onload=alert(3)><iframe src=https://evil.example/></iframe>"
    "<style>*{display:none}</style><link rel=stylesheet href=https://evil.example/x.css>"
    '<div style="position:fixed;inset:0" onclick=alert(4)>x</div><form action=//evil.example>'
    "[x](javascript:alert(5)) ![y](https://evil.example/b.png) <javascript:alert(6)> "
    "$$\\href{javascript:alert(7)}{z}$$ \\(e\\) {{constructor}} ${alert(8)} `code` "
    "\x1b[31mred\x1b[0m \u202egnp.exe\u202c &lt;b&gt;"
)
# What a person sees of it: control characters as pictures, direction marks by their codes.
SEEN = (
    HOSTILE.replace("\x1b", "\u241b")
    .replace("\u202e", "\u27e6U+202E\u27e7")
    .replace("\u202c", "\u27e6U+202C\u27e7")
)
ACTIVE = "script, img, iframe, style, svg, form, textarea, link, math, .katex, .mermaid"


@dataclass
class Watched:
    """A page, and everything it did that could be seen from outside."""

    page: Page
    url: str
    requests: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def explain(self, text: str) -> Locator:
        answers = self.page.locator(".es-answer")
        before = answers.count()
        self.page.get_by_label("Your error").fill(text)
        self.page.get_by_role("button", name="Explain", exact=True).click()
        answers.nth(before).wait_for()
        return answers.nth(before)

    def foreign(self) -> list[str]:
        own = (self.url + "/", "data:", "blob:")
        return [address for address in self.requests if not address.startswith(own)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


def watch(browser: Browser, url: str, **options: object) -> Watched:
    context = browser.new_context(**options)  # type: ignore[arg-type]
    page = context.new_page()
    watched = Watched(page, url)
    page.on("request", lambda request: watched.requests.append(request.url))
    page.on("websocket", lambda socket: watched.requests.append(socket.url))
    page.on("pageerror", lambda error: watched.faults.append(str(error)))
    page.on("console", lambda told: told.type == "error" and watched.faults.append(told.text))
    page.on("dialog", lambda dialog: (watched.faults.append(dialog.message), dialog.dismiss()))
    page.goto(url)
    page.get_by_role("button", name="Explain", exact=True).wait_for()
    return watched


@pytest.fixture
def serving(fake: FakeAssistant) -> Iterator[str]:
    with running(fake) as url:
        yield url


def test_a_traceback_is_explained(browser: Browser, serving: str, fake: FakeAssistant) -> None:
    watched = watch(browser, serving)
    page = watched.page
    page.get_by_text("137,205 records, searched on this machine.").wait_for()
    answer = watched.explain(TRACEBACK)
    assert answer.get_by_role("heading", name="This is the error").is_visible()
    assert answer.locator("mark").first.inner_text() == "_cached_kv_post"
    assert answer.locator(".es-raising").first.inner_text().lstrip().startswith("\u25b6 77")
    assert page.locator(".es-paste").inner_text().strip() == TRACEBACK.strip()
    assert page.get_by_label("Your error").input_value() == ""

    runner_up = answer.locator("details.es-card")
    explanation = runner_up.get_by_text("A runner-up with its own explanation.")
    assert not explanation.is_visible()
    runner_up.locator("summary").first.click()
    assert explanation.is_visible()

    watched.explain("another")
    assert page.locator(".es-answer").count() == 2
    # What was opened stays open.
    assert explanation.first.is_visible()
    assert [asked for asked, _, _ in fake.asked] == [TRACEBACK.strip("\r"), "another"]
    assert watched.foreign() == []
    assert watched.faults == []


def test_the_link_leaves_the_page_safely(browser: Browser, serving: str) -> None:
    answer = watch(browser, serving).explain(TRACEBACK)
    link = answer.get_by_role("link", name="permalink").first
    assert link.get_attribute("href") == make_record().github_url
    assert link.get_attribute("target") == "_blank"
    assert "noopener" in (link.get_attribute("rel") or "")


def test_keys(browser: Browser, serving: str, fake: FakeAssistant) -> None:
    page = watch(browser, serving).page
    box = page.get_by_label("Your error")
    for number, keys in enumerate(["Control+Enter", "Shift+Enter"]):
        box.fill("one")
        box.press("Enter")
        box.press_sequentially("two")
        box.press(keys)
        page.locator(".es-answer").nth(number).wait_for()
    assert [asked for asked, _, _ in fake.asked] == ["one\ntwo", "one\ntwo"]


def test_messages_have_names_for_screen_readers(browser: Browser, serving: str) -> None:
    watched = watch(browser, serving)
    watched.explain(TRACEBACK)
    assert watched.page.get_by_role("group", name="Your paste").count() == 1
    assert watched.page.get_by_role("group", name="Answer").count() == 1
    assert watched.page.get_by_role("log").count() == 1


def test_an_example_explains(browser: Browser, serving: str, fake: FakeAssistant) -> None:
    page = watch(browser, serving).page
    buttons = page.locator("#es-examples button")
    if not buttons.count():
        pytest.skip("ui/examples/examples.json is not there yet")
    assert buttons.count() == 5
    buttons.nth(1).click()
    page.locator(".es-answer").wait_for()
    assert page.locator(".es-paste").is_visible()
    assert len(fake.asked) == 1


def test_clearing_begins_a_new_conversation(browser: Browser, serving: str) -> None:
    watched = watch(browser, serving)
    watched.explain(TRACEBACK)
    watched.page.get_by_role("button", name="Clear").click()
    watched.page.locator("#es-chat").wait_for(state="hidden")
    watched.explain("again")
    assert watched.page.locator(".es-answer").count() == 1


def test_two_conversations_do_not_mix(browser: Browser, serving: str) -> None:
    first, second = watch(browser, serving), watch(browser, serving)
    first.explain("mine")
    second.explain("yours")
    assert first.page.locator(".es-paste").all_inner_texts() == ["mine"]
    assert second.page.locator(".es-paste").all_inner_texts() == ["yours"]


def test_refusals_keep_the_text(browser: Browser, serving: str) -> None:
    watched = watch(browser, serving)
    answer = watched.explain("  ")
    assert answer.inner_text() == "There is nothing to search for: paste an error"
    assert watched.page.locator(".es-paste").count() == 0
    assert watched.page.get_by_label("Your error").input_value() == "  "


def test_a_paste_over_the_limit_gets_the_sentence(browser: Browser, serving: str) -> None:
    watched = watch(browser, serving)
    # Typing 20 MB is not what is tested: the value is set, and the input announced.
    watched.page.get_by_label("Your error").evaluate(
        "box => { box.value = ('x'.repeat(999) + '\\n').repeat(20_100);"
        " box.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    watched.page.get_by_role("button", name="Explain", exact=True).click()
    watched.page.get_by_text("The paste is larger than 20 MB").wait_for(timeout=60_000)


def test_an_empty_index_says_how_to_add(browser: Browser) -> None:
    assistant = FakeAssistant(result=make_result(), records=0)
    with running(assistant) as url:
        watched = watch(browser, url)
        watched.page.locator("#es-status").get_by_text("errsage add FILE").wait_for()
        assert "errsage add FILE" in watched.explain("x").inner_text()


def hostile_assistant() -> FakeAssistant:
    record = make_record(
        repo="evil/" + re.sub(r"[/\s]", "", HOSTILE)[:200],
        errorMessage=HOSTILE,
        messagePattern=None,
        errorClass=HOSTILE,
        errorCode=HOSTILE,
        filePath=HOSTILE,
        sourceCode=f"{HOSTILE}\n{HOSTILE}",
        githubUrl=f"https://evil.example/{HOSTILE}",
        documentation=HOSTILE,
        triggerScenarios=f"\n\n{HOSTILE}\n\n    {HOSTILE}\n\n> {HOSTILE}\n\n# {HOSTILE}",
        commonSituations=f"- {HOSTILE}\n\n```mermaid\ngraph TD; A-->B\n```",
        solutions=[HOSTILE],
        exampleFix=HOSTILE,
        validationCode=HOSTILE,
        typeGuard=HOSTILE,
        tryCatchPattern=HOSTILE,
        preventionTips=[HOSTILE],
    )
    hit = make_hit(record, captures=(("x", HOSTILE),), source=HOSTILE, package_version=HOSTILE)
    link = Link(kind="exception", error_class=HOSTILE, message="m", span=Span(start=0, end=1))
    understood = Understood(links=(link,), codes=(HOSTILE,), left_out=HOSTILE)
    notes = (Note(name="x", text=HOSTILE),)
    return FakeAssistant(make_result(hit, make_runner_up(), understood=understood, notes=notes))


def test_hostile_records_and_pastes_stay_text(browser: Browser) -> None:
    with running(hostile_assistant()) as url:
        watched = watch(browser, url)
        answer = watched.explain(HOSTILE)
        chat = watched.page.locator("#es-chat .message")
        for summary in answer.locator("summary").all():
            if summary.is_visible():
                summary.click()
        assert chat.locator(ACTIVE).count() == 0
        assert answer.locator("[style], [onclick], [onload], [onerror]").count() == 0
        assert chat.locator("a:not([href^='https://'])").count() == 0
        assert {link.inner_text() for link in chat.locator("a").all()} == {"permalink"}
        pre = answer.locator("section", has_text="Example fix").locator("pre").first
        assert pre.text_content() == SEEN
        assert watched.page.locator(".es-paste").text_content() == SEEN
        assert answer.locator(".es-notes").text_content() == SEEN
        watched.page.wait_for_timeout(300)
        assert watched.foreign() == []
        assert watched.faults == []


def test_injected_markup_would_not_run(browser: Browser, serving: str) -> None:
    """The second line of defence: even markup that got into the page is dead."""
    watched = watch(browser, serving)
    page = watched.page
    page.evaluate(
        """() => {
            const put = document.createElement("div");
            put.innerHTML = "<img src='https://evil.example/x.png' onerror='window.hit=1'>"
                + "<a id='bad' href='javascript:window.hit=2'>x</a>";
            document.body.append(put);
            const script = document.createElement("script");
            script.textContent = "window.hit=3";
            document.body.append(script);
            document.querySelector("#bad").click();
        }"""
    )
    page.wait_for_timeout(300)
    assert page.evaluate("window.hit") is None
    assert any("Content Security Policy" in fault for fault in watched.faults)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(browser: Browser, serving: str, scheme: str) -> None:
    watched = watch(browser, serving, color_scheme=scheme)
    watched.explain(TRACEBACK)
    for selector in (
        "#es-header p",
        "#es-status p",
        "#es-keys p",
        ".es-head h2",
        ".es-small",
        ".es-record section p",
        ".es-paste code",
        ".es-answer mark",
        ".es-number",
        ".es-raising",
        "#es-explain",
        "summary",
    ):
        ratio = watched.page.locator(selector).first.evaluate(CONTRAST)
        assert ratio >= 4.5, (selector, ratio)


def test_a_phone_needs_no_sideways_scrolling(browser: Browser, serving: str) -> None:
    watched = watch(browser, serving, viewport={"width": 390, "height": 844})
    answer = watched.explain(TRACEBACK + "x" * 500)
    for summary in answer.locator("summary").all():
        if summary.is_visible():
            summary.click()
    width = watched.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    box = answer.bounding_box()
    assert box is not None
    assert box["width"] > 330


# The WCAG contrast of an element's text against the nearest background behind it.
CONTRAST = """element => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const read = colour => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = rgb => {
    const [r, g, b] = rgb.slice(0, 3).map(part => {
      const value = part / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let behind = element, back = [0, 0, 0, 0];
  while (behind && back[3] < 255) {
    back = read(getComputedStyle(behind).backgroundColor);
    behind = behind.parentElement;
  }
  if (back[3] < 255) back = [255, 255, 255, 255];
  const [a, b] = [light(read(getComputedStyle(element).color)), light(back)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}"""


class Held(FakeAssistant):
    """An assistant whose encoder, and searches for "slow", wait until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = threading.Event()

    def search(self, text: str, *, k: int = 5, wait_for_encoder: bool = True) -> Result:
        if text == "slow":
            self.let_go.wait(60)
        return super().search(text, k=k, wait_for_encoder=wait_for_encoder)

    def warm(self) -> None:
        self.let_go.wait(60)


def test_nobody_waits_for_the_encoder_or_for_others(browser: Browser) -> None:
    held = Held()
    with running(held) as url:
        try:
            first, second = watch(browser, url), watch(browser, url)
            first.page.get_by_label("Your error").fill("slow")
            first.page.get_by_role("button", name="Explain", exact=True).click()
            second.explain("fast")
            assert first.page.locator(".es-answer").count() == 0
        finally:
            held.let_go.set()
        first.page.locator(".es-answer").wait_for()


def test_the_real_assistant(browser: Browser, tmp_path: Path) -> None:
    record = make_record().model_dump(by_alias=True)
    source = tmp_path / "records.json"
    source.write_text(json.dumps(record), encoding="utf-8")
    with Assistant.open(tmp_path / "home", encoder=HashingEncoder()) as assistant:
        assistant.add(source)
        with running(assistant) as url:
            watched = watch(browser, url)
            watched.page.get_by_text("1 record, searched on this machine.").wait_for()
            answer = watched.explain(TRACEBACK)
            assert answer.get_by_role("heading", name="This is the error").is_visible()
            assert answer.locator("mark").first.inner_text() == "_cached_kv_post"
            assert answer.get_by_role("link", name="permalink").is_visible()
            assert watched.foreign() == []
            assert watched.faults == []
