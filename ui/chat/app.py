"""The chat page as an ASGI application: Gradio behind its policy and its list of routes."""

from __future__ import annotations

from importlib.resources import files

import gradio as gr
from fastapi import FastAPI
from fastapi.responses import Response
from starlette.types import ASGIApp

from ui.chat.conversation import Searches
from ui.chat.entry import OnlyText
from ui.chat.page import page, theme
from ui.chat.policy import StrictPolicy
from ui.chat.routes import SCRIPT, STYLE, OnlyWhatThePageNeeds


def chat_app(assistant: Searches) -> ASGIApp:
    """Build the application; it wants to stand behind ui.guard.HostGuard."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_api_route(SCRIPT, _script, methods=["GET"], response_class=Response)
    app.add_api_route(STYLE, _style, methods=["GET"], response_class=Response)
    gr.mount_gradio_app(
        app,
        page(assistant),
        path="/",
        root_path="",
        footer_links=[],
        run_history=False,
        show_error=False,
        ssr_mode=False,
        pwa=False,
        mcp_server=False,
        enable_monitoring=False,
        max_file_size=0,
        theme=theme(),
    )
    return OnlyWhatThePageNeeds(OnlyText(StrictPolicy(app)))


def _script() -> Response:
    return Response(_packaged("page.js"), media_type="text/javascript")


def _style() -> Response:
    # Not handed to Gradio, which rewrites style sheets and breaks selector lists in `:is()`.
    return Response(_packaged("page.css"), media_type="text/css")


def _packaged(name: str) -> bytes:
    return (files("ui.chat") / name).read_bytes()
