"""Who may talk to the server: the Host and Origin headers, checked on loopback too.

Any web page can make a browser send requests to 127.0.0.1, and DNS rebinding lets it read the
answers. Both show in these two headers, which a page cannot forge.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

ALWAYS_ALLOWED = ("localhost", "127.0.0.1", "::1")
DEFAULT_PORTS = {"http": 80, "https": 443}

NOT_ONE_HOST = "A request needs exactly one Host header."
WRONG_HOST = (
    "This errsage does not answer to that host name. "
    "If it is yours, start it with: errsage serve --allow-host NAME"
)
WRONG_ORIGIN = "This errsage does not answer requests that come from another site."


@dataclass(frozen=True, slots=True)
class Authority:
    """A host name in one spelling, and the port if one was given."""

    name: str
    port: int | None


def authority(text: str) -> Authority | None:
    """Read `name`, `name:port`, `[v6]` or `[v6]:port`; None for anything else."""
    if not text.isascii() or not text.isprintable() or set(text) & set("@/?#\\, "):
        return None
    try:
        split = urlsplit(f"//{text}")
        host, port = split.hostname, split.port
    except ValueError:
        return None
    if not host or text.endswith(":"):
        return None
    return Authority(canonical(host), port)


def canonical(host: str) -> str:
    """One spelling of a host: lower case, no brackets or final dot, IPv6 compressed."""
    bare = host.strip().lower().removeprefix("[").removesuffix("]").removesuffix(".")
    try:
        return str(ipaddress.ip_address(bare))
    except ValueError:
        pass
    try:
        return bare.encode("idna").decode()
    except UnicodeError:
        return bare


def allowed_names(host: str, allow_hosts: Iterable[str]) -> frozenset[str]:
    """The names to answer to.

    Args:
        host: the address that is listened on; one that stands for every address
            (0.0.0.0, ::) is no name.
        allow_hosts: further names, each with or without a port.
    """
    read = [authority(name) or Authority(canonical(name), None) for name in allow_hosts]
    names = {*ALWAYS_ALLOWED, canonical(host), *[named.name for named in read]}
    return frozenset(name for name in names if not _is_every_address(name))


def _is_every_address(name: str) -> bool:
    try:
        return not name or ipaddress.ip_address(name).is_unspecified
    except ValueError:
        return False


class HostGuard:
    """ASGI middleware: 400, 421 or 403 for whom this server is not meant."""

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        """Stand before `app` and answer to `names` only."""
        self.app = app
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, or refuse."""
        refused = None if scope["type"] == "lifespan" else self._refusal(scope)
        if refused is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refused(scope, receive, send)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        hosts = _values(scope, b"host")
        if len(hosts) != 1:
            return PlainTextResponse(NOT_ONE_HOST, 400)
        host = authority(hosts[0])
        if host is None or host.name not in self.names:
            return PlainTextResponse(WRONG_HOST, 421)
        origins = _values(scope, b"origin")
        if origins and not (len(origins) == 1 and self._is_own(origins[0], host, scope)):
            return PlainTextResponse(WRONG_ORIGIN, 403)
        return None

    def _is_own(self, origin: str, host: Authority, scope: Scope) -> bool:
        """Tell whether an Origin is a page of this server.

        The port is the one that the client used, so that a forwarded port works; a page of
        another server on this machine has another.
        """
        scheme, separator, rest = origin.partition("://")
        origin_host = authority(rest) if separator else None
        default = DEFAULT_PORTS.get(scheme.lower())
        if origin_host is None or default is None or origin_host.name not in self.names:
            return False
        own = {host.port} if host.port else {default, _listening_port(scope)}
        return (origin_host.port or default) in own


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _listening_port(scope: Scope) -> int | None:
    server = scope.get("server")
    return server[1] if server else None
