"""The content security policy of the page, and its front page freed of remote addresses.

Gradio's front page has inline scripts; they are allowed by their hashes, so that a script
from anywhere else, injected markup included, does not run.
"""

from __future__ import annotations

import base64
import hashlib
import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.chat.routes import SCRIPT, STYLE

_INLINE_SCRIPT = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)
# Preview cards for other sites: pictures and addresses of gradio.app.
_PREVIEW = re.compile(r'<meta\s+(?:property|name)="(?:og|twitter):[^>]*>', re.DOTALL)
_OWN_HEAD = (
    "<title>errsage</title>"
    f'<link rel="stylesheet" href=".{STYLE}"><script src=".{SCRIPT}" defer></script></head>'
)

HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def front_page(html: str) -> str:
    """Gradio's front page without remote addresses, with a title and our script."""
    return _PREVIEW.sub("", html).replace("</head>", _OWN_HEAD, 1)


def content_security_policy(html: str = "") -> str:
    """The policy; the inline scripts of `html` are the only ones that may run.

    Styles may stand inline: Gradio's components are built on it.
    """
    hashes = [f"'sha256-{_digest(script)}'" for script in _INLINE_SCRIPT.findall(html)]
    return "; ".join(
        [
            "default-src 'self'",
            " ".join(["script-src 'self'", *hashes]),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "object-src 'none'",
            "frame-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        ]
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


class StrictPolicy:
    """ASGI middleware: sends the policy with every response, and rewrites the front page."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, adding headers to what comes back."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif scope["path"] == "/" and scope["method"] == "GET":
            await self.app(_uncompressed(scope), receive, _FrontPage(send).take)
        else:
            await self.app(scope, receive, _with_headers(send))


def _uncompressed(scope: Scope) -> Scope:
    headers = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
    return {**scope, "headers": headers}


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            _add_headers(message, content_security_policy())
        await send(message)

    return sending


def _add_headers(start: Message, policy: str) -> None:
    headers = MutableHeaders(scope=start)
    headers.update({**HEADERS, "content-security-policy": policy})


class _FrontPage:
    """Holds one response back until its body is whole."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message = {}
        self._body = b""

    async def take(self, message: Message) -> None:
        """Take a message of the response; send all after the last."""
        if message["type"] == "http.response.start":
            self._start = message
            return
        self._body += message.get("body", b"")
        if not message.get("more_body"):
            await self._send_rewritten()

    async def _send_rewritten(self) -> None:
        html = front_page(self._body.decode())
        _add_headers(self._start, content_security_policy(html))
        body = html.encode()
        MutableHeaders(scope=self._start)["content-length"] = str(len(body))
        await self._send(self._start)
        await self._send({"type": "http.response.body", "body": body})
