"""What may be sent into Gradio: text, and nothing else.

Gradio looks for file descriptions in whatever a client sends, in a text box's value too. In a
mounted app it then copies any file of this machine into its cache, or fetches any address
(seen in 6.31: it checks paths only in apps that were launched, and addresses never).
"""

from __future__ import annotations

import asyncio
import json

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

EVENT = "/gradio_api/run/predict"

# A paste of 20 MB may be three times as long as JSON.
BODY_BYTES = 64 * 1024 * 1024
TOO_LARGE = "This paste is too large: 20 MB is the limit. Paste the part with the error."
NOT_TEXT = "Only text can be sent here."


class OnlyText:
    """ASGI middleware: lets events through whose data are texts, and answers 400 or 413."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the whole event, judge it, and pass it on as it came."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        body = await _whole(receive)
        refused = await _refusal(scope["path"], body)
        await (refused or self.app)(scope, _replayed(body or b"", receive), send)


async def _whole(receive: Receive) -> bytes | None:
    """The body; None where it is over BODY_BYTES, or the client left."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if message["type"] != "http.request" or size > BODY_BYTES:
            return None
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


async def _refusal(path: str, body: bytes | None) -> JSONResponse | None:
    if body is None:
        return JSONResponse({"detail": TOO_LARGE}, 413)
    if path.rstrip("/") == EVENT and not await asyncio.to_thread(_is_text, body):
        return JSONResponse({"detail": NOT_TEXT}, 400)
    return None


def _is_text(body: bytes) -> bool:
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        return False
    data = event.get("data") if isinstance(event, dict) else None
    return isinstance(data, list) and all(isinstance(item, str | None) for item in data)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Give the body once, then what follows on the connection."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receiving() -> Message:
        return waiting.pop() if waiting else await receive()

    return receiving
