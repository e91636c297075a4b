from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from chat_fakes import FakeAssistant, running

from records.errors import ErrsageError
from ui.chat.entry import BODY_BYTES, EVENT
from ui.chat.policy import content_security_policy, front_page
from ui.serve import CannotListen, address_of, listen, serve

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from chat_fakes import FakeAssistant
from ui.serve import serve
serve(FakeAssistant(), host="127.0.0.1", port=0, allow_hosts=[], open_callback=None)
print("after")
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(FakeAssistant()) as address:
        yield address


def fetch(
    url: str,
    path: str,
    *,
    method: str = "GET",
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    connection.request(method, path, body, headers or {})
    response = connection.getresponse()
    told = {name.lower(): value for name, value in response.getheaders()}
    answer = response.read()
    connection.close()
    return response.status, told, answer


def policy_of(headers: dict[str, str]) -> dict[str, str]:
    directives = headers["content-security-policy"].split("; ")
    return dict(directive.split(" ", 1) for directive in directives)


def test_the_page_has_no_remote_address_and_a_strict_policy(url: str) -> None:
    status, headers, body = fetch(url, "/", headers={"Accept-Encoding": "br"})
    assert status == 200
    assert set(re.findall(rb"https?://[^\s\"'<>\\]+", body)) == {url.encode()}
    policy = policy_of(headers)
    assert "unsafe" not in policy["script-src"]
    assert policy["script-src"].count("'sha256-") == body.count(b"<script>") + 1
    assert policy["default-src"] == policy["connect-src"] == "'self'"
    assert policy["img-src"] == policy["font-src"] == "'self' data:"
    assert policy["frame-ancestors"] == policy["object-src"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert int(headers["content-length"]) == len(body)


def test_gradio_keeps_quiet(url: str) -> None:
    config = json.loads(fetch(url, "/config")[2])
    assert config["analytics_enabled"] is False
    assert config["show_error"] is False
    assert config["footer_links"] == []
    assert not config.get("run_history")
    assert config["stylesheets"] == []
    assert {fn["api_visibility"] for fn in config["dependencies"]} == {"private"}


def test_every_response_carries_the_policy(url: str) -> None:
    for path in ("/theme.css", "/config", "/errsage/page.js", "/errsage/page.css", "/favicon.ico"):
        status, headers, _ = fetch(url, path)
        assert status == 200, path
        assert "script-src 'self';" in headers["content-security-policy"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/gradio_api/upload"),
        ("GET", "/gradio_api/upload_progress?upload_id=x"),
        ("GET", "/gradio_api/file=/etc/passwd"),
        ("GET", "/gradio_api/file/etc/passwd"),
        ("GET", "/gradio_api/file=https://evil.example/"),
        ("GET", "/gradio_api/proxy=https://evil.hf.space/"),
        ("GET", "/file=/etc/passwd"),
        ("POST", "/gradio_api/component_server"),
        ("POST", "/gradio_api/vibe-edit/"),
        ("GET", "/gradio_api/vibe-code/"),
        ("POST", "/gradio_api/process_recording"),
        ("POST", "/gradio_api/call/search"),
        ("POST", "/gradio_api/run/search"),
        ("POST", "/gradio_api/queue/join"),
        ("GET", "/gradio_api/queue/data?session_hash=x"),
        ("GET", "/gradio_api/runs"),
        ("GET", "/gradio_api/openapi.json"),
        ("GET", "/gradio_api/deep_link"),
        ("GET", "/gradio_api/custom_component/a/client/component/../../x"),
        ("GET", "/gradio_api/dev/reload"),
        ("GET", "/monitoring"),
        ("GET", "/docs"),
        ("GET", "/openapi.json"),
    ],
)
def test_routes_that_the_page_does_not_need_are_gone(url: str, method: str, path: str) -> None:
    body = b"{}" if method == "POST" else None
    assert fetch(url, path, method=method, body=body)[0] == 404


@pytest.mark.parametrize("root", ["/assets/", "/static/", "/svelte/", "//assets/"])
@pytest.mark.parametrize(
    "path",
    [
        "../../../../../../../../../../etc/passwd",
        "%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "../index.html/../../../../__init__.py",
    ],
)
def test_assets_are_gradios_own_only(url: str, root: str, path: str) -> None:
    status, _, body = fetch(url, root + path)
    assert status >= 400
    assert b"root:" not in body
    assert b"import" not in body


def test_the_guard_stands_before_everything(url: str) -> None:
    for path in ("/", "/gradio_api/run/predict", "/gradio_api/upload", "/assets/x", "/nothing"):
        assert fetch(url, path, headers={"Host": "evil.example"})[0] == 421
        assert fetch(url, path, headers={"Origin": "http://evil.example"})[0] == 403
    assert fetch(url, "/", headers={"Origin": url})[0] == 200


def event(data: object) -> bytes:
    return json.dumps({"data": data, "fn_index": 0, "session_hash": "s", "trigger_id": 5}).encode()


def join(url: str, body: bytes) -> tuple[int, bytes]:
    kind = {"Content-Type": "application/json"}
    status, _, told = fetch(url, EVENT, method="POST", body=body, headers=kind)
    return status, told


PASSWD = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}
REMOTE = {"path": "https://evil.example/x", "meta": {"_type": "gradio.FileData"}}


@pytest.mark.parametrize(
    "data",
    [[PASSWD, None], ["x", PASSWD], [[PASSWD], None], [REMOTE, None], [{"a": 1}], [5], [True], {}],
)
def test_only_text_enters(url: str, data: object) -> None:
    assert join(url, event(data)) == (400, b'{"detail":"Only text can be sent here."}')


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b'{"data": null}', b"[" * 100_000])
def test_what_is_no_event_does_not_enter(url: str, body: bytes) -> None:
    assert join(url, body)[0] == 400


def test_text_enters(url: str) -> None:
    assert join(url, event(["KeyError: 'x' \ud800", None]))[0] == 200


def test_bodies_are_capped(url: str) -> None:
    status, told = join(url, b" " * (BODY_BYTES + 1))
    assert status == 413
    assert b"20 MB is the limit" in told


def test_a_script_in_the_page_is_allowed_by_its_hash_only() -> None:
    html = '<head><script>a()</script><script src="x.js"></script></head>'
    assert "script-src 'self' 'sha256-" in content_security_policy(html)
    assert content_security_policy(html).count("sha256-") == 1
    assert "sha256-" not in content_security_policy("")


def test_preview_cards_leave_the_front_page() -> None:
    html = '<head><meta property="og:url"\n content="https://x" /><meta charset="utf-8" /></head>'
    assert front_page(html) == (
        '<head><meta charset="utf-8" /><title>errsage</title>'
        '<link rel="stylesheet" href="./errsage/page.css">'
        '<script src="./errsage/page.js" defer></script></head>'
    )


def test_the_encoder_is_loaded_after_listening() -> None:
    assistant = FakeAssistant()
    with running(assistant):
        deadline = time.monotonic() + 10
        while not assistant.warmed and time.monotonic() < deadline:
            time.sleep(0.01)
    assert assistant.warmed == 1


def test_a_port_in_use_is_one_sentence() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match=f"cannot listen on 127.0.0.1 port {port}: .*--port"):
            serve(FakeAssistant(), host="127.0.0.1", port=port)


@pytest.mark.parametrize(("host", "port"), [("no.such.host.invalid", 0), ("127.0.0.1", 99999)])
def test_an_impossible_address_is_one_sentence(host: str, port: int) -> None:
    with pytest.raises(ErrsageError, match="cannot listen on"):
        listen(host, port)


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "127.0.0.1"), ("localhost", "localhost"), ("0.0.0.0", "localhost")],
)
def test_the_address_is_one_to_open(host: str, address: str) -> None:
    with listen(host, 0) as listening:
        port = listening.getsockname()[1]
        assert address_of(listening, host) == f"http://{address}:{port}"


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_server_cleanly(which: signal.Signals) -> None:
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", SCRIPT]
    process = subprocess.Popen(
        [*command, str(Path(__file__).parent)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+", line)
    assert found, line + process.communicate()[1]
    # An open page keeps a stream; the end does not wait for it.
    parts = urlsplit(found[0])
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as page:
        request = f"GET /gradio_api/heartbeat/x HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n"
        page.sendall(request.encode())
        page.recv(100)
        started = time.monotonic()
        process.send_signal(which)
        told, errors = process.communicate(timeout=20)
    assert time.monotonic() - started < 10
    assert (process.returncode, told, errors) == (0, "after\n", "")
