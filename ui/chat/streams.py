"""Open streams, ended together with the server.

A browser tab holds streams open for as long as it lives. Without this, the server would wait
for them at its end, and then cut them off with a stack trace each.
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LEFT: Message = {"type": "http.disconnect"}


class EndsStreams:
    """ASGI middleware: once `ending` is set, every request is told that its client left."""

    def __init__(self, app: ASGIApp, ending: asyncio.Event) -> None:
        """Stand before `app`."""
        self.app = app
        self.ending = ending

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on; complete a response that was given up because of the end."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        unfinished = False

        async def sending(message: Message) -> None:
            nonlocal unfinished
            await send(message)
            unfinished = message["type"] == "http.response.start" or bool(message.get("more_body"))

        await self.app(scope, lambda: self._receive(receive), sending)
        if unfinished and self.ending.is_set():
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _receive(self, receive: Receive) -> Message:
        message = asyncio.ensure_future(receive())
        ending = asyncio.ensure_future(self.ending.wait())
        try:
            await asyncio.wait((message, ending), return_when=asyncio.FIRST_COMPLETED)
            return message.result() if message.done() else _LEFT
        finally:
            message.cancel()
            ending.cancel()
