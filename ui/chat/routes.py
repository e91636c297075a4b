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
        "/gradio_api/queue/data",
        "/gradio_api/queue/join",
        "/gradio_api/reset",
        "/gradio_api/startup-events",
        "/manifest.json",
        "/robots.txt",
        "/theme.css",
    }
)

# A paste of 20 MB may be three times as long as JSON.
BODY_BYTES = 64 * 1024 * 1024
TOO_LARGE = "This paste is too large: 20 MB is the limit. Paste the part with the error."


class OnlyWhatThePageNeeds:
    """ASGI middleware: refuses other routes, and bodies that no paste needs."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, or answer 404, 411 or 413."""
        refused = _refusal(scope)
        await (refused or self.app)(scope, receive, send)


def _refusal(scope: Scope) -> JSONResponse | None:
    if scope["type"] == "lifespan":
        return None
    if scope["type"] != "http" or not _needed(scope["path"]):
        return JSONResponse({"detail": "not found"}, 404)
    headers = dict(scope["headers"])
    if b"transfer-encoding" in headers:
        return JSONResponse({"detail": "the length of the body is needed"}, 411)
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length) > BODY_BYTES:
        return JSONResponse({"detail": TOO_LARGE}, 413)
    return None


def _needed(path: str) -> bool:
    return path in EXACT or path.rstrip("/") in EXACT or path.startswith(ASSETS)
