from __future__ import annotations

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from ui.guard import HostGuard, allowed_names, authority, canonical

NAMES = allowed_names("127.0.0.1", ["Errors.Example.org"])


async def _inside(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"inside"})
    else:
        await send({"type": f"{scope['type']}.inside"})


def ask(
    *headers: tuple[str, str], kind: str = "http", path: str = "/", method: str = "GET"
) -> list[Message]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "server": ("127.0.0.1", 7860),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }
    asyncio.run(HostGuard(_inside, NAMES)(scope, receive, send))
    return sent


def status(*headers: tuple[str, str], **given: str) -> int:
    code = ask(*headers, **given)[0]["status"]
    assert isinstance(code, int)
    return code


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:7860",
        "LOCALHOST:7860",
        "localhost.:7860",
        "127.0.0.1",
        "127.0.0.1:7860",
        "127.0.0.1:18080",
        "[::1]",
        "[::1]:7860",
        "[0:0:0:0:0:0:0:1]:7860",
        "errors.example.org",
        "ERRORS.example.org.:443",
    ],
)
def test_own_hosts_pass(host: str) -> None:
    assert status(("host", host)) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:7860",
        "localhost.evil.example",
        "evil-localhost",
        "127.0.0.1.evil.example",
        "127.0.0.2",
        "127.1",
        "0x7f.0.0.1",
        "2130706433",
        "0.0.0.0:7860",
        "[::]:7860",
        "[::ffff:127.0.0.1]:7860",
        "::1",
        "[::1",
        "localhost:",
        "localhost:http",
        "localhost:99999",
        "localhost:-1",
        "localhost:7860:7860",
        "user@localhost:7860",
        "localhost@evil.example",
        "localhost/",
        "localhost?x",
        "localhost#x",
        "localhost, evil.example",
        "localhost evil.example",
        "localhost\\evil.example",
        "localhost\t",
        "localhost..",
        "",
        ".",
        "löcalhost",
    ],
)
def test_other_hosts_get_421(host: str) -> None:
    assert status(("host", host)) == 421


def test_a_request_has_exactly_one_host() -> None:
    assert status() == 400
    assert status(("host", "localhost"), ("host", "localhost")) == 400
    assert status(("host", "localhost"), ("host", "evil.example")) == 400


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:7860", "http://localhost:7860"),
        ("127.0.0.1:7860", "http://localhost:7860"),
        ("localhost:7860", "HTTP://LOCALHOST.:7860"),
        ("[::1]:7860", "http://[::1]:7860"),
        # A forwarded port: the browser knows another port than the one listened on.
        ("localhost:18080", "http://localhost:18080"),
        # Behind a proxy with a certificate.
        ("errors.example.org", "https://errors.example.org"),
        ("errors.example.org:443", "https://errors.example.org"),
        ("localhost", "http://localhost"),
        ("localhost", "http://localhost:7860"),
    ],
)
def test_own_origins_pass(host: str, origin: str) -> None:
    assert status(("host", host), ("origin", origin)) == 200


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "http://evil.example",
        "http://evil.example:7860",
        "http://localhost",
        "http://localhost:3000",
        "https://localhost",
        "http://localhost:7860.evil.example",
        "http://localhost.evil.example:7860",
        "http://evil.example@localhost:7860",
        "http://localhost:7860/path",
        "http://localhost:7860 http://evil.example",
        "localhost:7860",
        "//localhost:7860",
        "file://",
        "file://localhost:7860",
        "chrome-extension://localhost:7860",
        "ws://localhost:7860",
        "http://0.0.0.0:7860",
        "http://[::]:7860",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_foreign_origins_get_403(origin: str, method: str) -> None:
    assert status(("host", "localhost:7860"), ("origin", origin), method=method) == 403


def test_two_origins_get_403() -> None:
    own = ("origin", "http://localhost:7860")
    assert status(("host", "localhost:7860"), own, own) == 403


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/queue/join",
        "/gradio_api/queue/data",
        "/gradio_api/upload",
        "/gradio_api/file=x",
        "/gradio_api/heartbeat/x",
        "/assets/x.js",
    ],
)
def test_every_route_is_guarded(path: str) -> None:
    assert status(("host", "evil.example"), path=path, method="POST") == 421
    foreign = ("origin", "http://evil.example")
    assert status(("host", "localhost"), foreign, path=path, method="POST") == 403


def test_header_names_in_any_case() -> None:
    assert status(("Host", "evil.example")) == 421
    assert status(("Host", "localhost"), ("Origin", "null")) == 403


def test_websockets_are_guarded() -> None:
    refused = [{"type": "websocket.close", "code": 1008}]
    assert ask(("host", "evil.example"), kind="websocket") == refused
    foreign = ("origin", "http://evil.example")
    assert ask(("host", "localhost"), foreign, kind="websocket") == refused
    assert ask(("host", "localhost"), kind="websocket") == [{"type": "websocket.inside"}]


def test_lifespan_passes() -> None:
    assert ask(kind="lifespan") == [{"type": "lifespan.inside"}]


def test_the_refusal_says_what_to_do() -> None:
    body = ask(("host", "evil.example"))[1]["body"]
    assert b"--allow-host NAME" in body
    assert b"evil" not in body


@pytest.mark.parametrize(
    ("host", "added"),
    [
        ("127.0.0.1", set()),
        ("0.0.0.0", set()),
        ("::", set()),
        ("[::]", set()),
        ("0:0:0:0:0:0:0:0", set()),
        ("", set()),
        ("192.168.1.5", {"192.168.1.5"}),
        ("Box.LAN.", {"box.lan"}),
        ("fe80:0::1", {"fe80::1"}),
    ],
)
def test_the_address_listened_on_is_a_name_unless_it_stands_for_all(
    host: str, added: set[str]
) -> None:
    assert allowed_names(host, ()) == {"localhost", "127.0.0.1", "::1"} | added


def test_allowed_names_are_read_with_and_without_ports() -> None:
    given = ["a.example:8080", "[fe80::2]:80", "fe80::3", "bücher.example", "0.0.0.0"]
    assert allowed_names("127.0.0.1", given) == {
        "localhost",
        "127.0.0.1",
        "::1",
        "a.example",
        "fe80::2",
        "fe80::3",
        "xn--bcher-kva.example",
    }


def test_authority_reads_names_and_ports() -> None:
    read = authority("[::1]:7860")
    assert read is not None
    assert (read.name, read.port) == ("::1", 7860)
    assert canonical("EXAMPLE.org.") == "example.org"
