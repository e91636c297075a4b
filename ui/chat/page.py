"""The chat page: what is on it, and what happens when its parts are used.

Answers reach the browser as HTML that ui.render wrote. The chat component is told to read
neither Markdown nor LaTeX in it, and to pass it through its own sanitiser all the same.
"""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from ui.chat.conversation import Searches, Turn, messages, standing, take_turn, with_turn
from ui.chat.examples import Example, examples
from ui.render.elements import element, render

TITLE = "errsage"
TAGLINE = "Paste an error. Get the record that explains it: where it is raised, why, how to fix it."
KEYS = "Enter starts a new line. Ctrl+Enter or Shift+Enter explains."
PLACEHOLDER = "A traceback, a log, an error line, or a question in your own words"

FONT = ["system-ui", "sans-serif"]
MONO = ["ui-monospace", "monospace"]

# The turns, the chat component, the paste box.
Outcome = tuple[tuple[Turn, ...], object, object]


def page(assistant: Searches) -> gr.Blocks:
    """Build the page over an assistant."""
    with gr.Blocks(title=TITLE, analytics_enabled=False) as blocks:
        gr.Markdown(_header(), sanitize_html=True, latex_delimiters=[], elem_id="es-header")
        status = gr.Markdown(latex_delimiters=[], elem_id="es-status")
        turns = gr.State(())
        chat = _chat()
        box, explain = _composer()
        outputs = [turns, chat, box]
        search = _searching(assistant)
        for trigger in (explain.click, box.submit):
            _on(trigger, search, [box, turns], outputs)
        _example_buttons(search, turns, outputs)
        _on(chat.clear, _cleared, None, [turns, chat])
        _on(blocks.load, lambda: _status(assistant), None, status)
    return blocks


def theme() -> gr.themes.Base:
    """Gradio's plainest theme, with the fonts of the system only."""
    return gr.themes.Base(
        primary_hue="teal",
        neutral_hue="slate",
        font=[_font(name) for name in FONT],
        font_mono=[_font(name) for name in MONO],
    )


def _font(name: str) -> gr.themes.Font:
    # A plain string would become a font file that Gradio serves.
    return gr.themes.Font(name)


def _header() -> str:
    return render(element("header", element("h1", TITLE), element("p", TAGLINE), css="es-masthead"))


def _status(assistant: Searches) -> str:
    return render(element("p", standing(assistant), css="es-standing"))


def _chat() -> gr.Chatbot:
    return gr.Chatbot(
        label="Answers",
        show_label=False,
        visible=False,
        elem_id="es-chat",
        height=None,
        layout="panel",
        autoscroll=False,
        buttons=[],
        render_markdown=False,
        sanitize_html=True,
        latex_delimiters=[],
        allow_tags=False,
        feedback_options=None,
        allow_file_downloads=False,
        group_consecutive_messages=False,
    )


def _composer() -> tuple[gr.Textbox, gr.Button]:
    with gr.Group(elem_id="es-composer"):
        box = gr.Textbox(
            label="Your error",
            placeholder=PLACEHOLDER,
            lines=6,
            max_lines=18,
            autofocus=True,
            elem_id="es-box",
        )
        with gr.Row(elem_id="es-actions"):
            gr.Markdown(KEYS, elem_id="es-keys")
            explain = gr.Button("Explain", variant="primary", elem_id="es-explain", scale=0)
    return box, explain


def _example_buttons(
    search: Callable[..., Outcome], turns: gr.State, outputs: list[object]
) -> None:
    given = examples()
    if not given:
        return
    gr.Markdown("Or try one of these:", elem_id="es-try")
    with gr.Row(elem_id="es-examples"):
        for example in given:
            button = gr.Button(example.title, size="sm", scale=0)
            _on(button.click, _searching_example(search, example), [turns], outputs)


def _searching(assistant: Searches) -> Callable[[str | None, tuple[Turn, ...]], Outcome]:
    def search(text: str | None, turns: tuple[Turn, ...]) -> Outcome:
        turn = take_turn(assistant, text or "")
        turns = with_turn(turns, turn)
        box = gr.skip() if turn.refused else ""
        return turns, gr.update(value=messages(turns), visible=True), box

    return search


def _searching_example(
    search: Callable[..., Outcome], example: Example
) -> Callable[[tuple[Turn, ...]], Outcome]:
    def search_example(turns: tuple[Turn, ...]) -> Outcome:
        return search(example.text, turns)

    return search_example


def _cleared() -> tuple[tuple[Turn, ...], object]:
    return (), gr.update(value=[], visible=False)


def _on(
    trigger: Callable[..., object],
    answer: Callable[..., object],
    inputs: object,
    outputs: object,
) -> None:
    """Tie an event to a function, callable from this page only.

    Not through Gradio's queue: it answers over a stream that it closes after each last event,
    and an event that is sent at that moment is never answered (seen in 6.31, one visit in three).
    """
    trigger(answer, inputs, outputs, queue=False, api_visibility="private", show_progress="hidden")
