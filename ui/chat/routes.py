"""The routes of Gradio that the chat page needs; every other one answers 404.

Gradio brings routes that read files, take uploads, fetch other sites, edit the program and
record the screen. This page uses none of them.
"""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

SCRIPT = "/errsage/page.js"
STYLE = "/errsage/page.css"

ASSETS = ("/assets/", "/static/", "/svelte/", "/gradio_api/heartbeat/")
EXACT = frozenset(
    {
        "/",
        SCRIPT,
        STYLE,
        "/config",
        "/favicon.ico",
        "/gradio_api/app_id",
        "/gradio_api/info",
        "/gradio_api/reset",
        "/gradio_api/run/predict",
        "/gradio_api/startup-events",
        "/manifest.json",
        "/robots.txt",
        "/theme.css",
    }
)


class OnlyWhatThePageNeeds:
    """ASGI middleware: answers 404 for every other route."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, or answer 404."""
        if scope["type"] == "lifespan" or (scope["type"] == "http" and _needed(scope["path"])):
            await self.app(scope, receive, send)
        else:
            await JSONResponse({"detail": "not found"}, 404)(scope, receive, send)


def _needed(path: str) -> bool:
    return path in EXACT or path.rstrip("/") in EXACT or path.startswith(ASSETS)
