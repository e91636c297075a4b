"""The server of the chat page: listens, says where, loads the encoder, ends cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from records.errors import ErrsageError
from ui.chat.app import chat_app
from ui.chat.conversation import Searches
from ui.chat.streams import EndsStreams
from ui.guard import HostGuard, allowed_names

LAST_PORT = 65_535

# For searches that run when the end comes.
SECONDS_TO_FINISH = 5

_log = logging.getLogger(__name__)


class CannotListen(ErrsageError):
    """The address or port cannot be listened on."""


def serve(
    assistant: Searches,
    *,
    host: str = "127.0.0.1",
    port: int = 7860,
    allow_hosts: Sequence[str] = (),
    open_callback: Callable[[str], object] | None = None,
) -> None:
    """Serve the chat page until SIGINT or SIGTERM.

    Args:
        assistant: what searches; its encoder is loaded in the background.
        host: the address to listen on.
        port: the port; 0 takes any free one.
        allow_hosts: further host names to answer to.
        open_callback: called with the page's address once it is served.

    Raises:
        CannotListen: the port is in use, or the address is not of this machine.
    """
    listening = listen(host, port)
    server = ChatServer(assistant, listening, host=host, allow_hosts=allow_hosts)
    server.when_listening = open_callback
    with contextlib.closing(listening):
        server.run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """Open the listening socket.

    Raises:
        CannotListen: with the sentence for people.
    """
    try:
        if not 0 <= port <= LAST_PORT:
            raise OverflowError(f"ports are 0 to {LAST_PORT}")
        [(family, _, _, _, address), *_] = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        return socket.create_server(address[:2], family=family, backlog=128)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CannotListen(
            f"cannot listen on {host} port {port}: {reason}; "
            "choose another with --port (0 takes any free one) or --host"
        ) from None


class ChatServer(uvicorn.Server):
    """Uvicorn that says where it listens, and ends with exit status 0 on a signal."""

    def __init__(
        self,
        assistant: Searches,
        listening: socket.socket,
        *,
        host: str,
        allow_hosts: Sequence[str] = (),
    ) -> None:
        """Prepare; the page is built once the event loop runs."""
        self._ending = asyncio.Event()
        self._names = allowed_names(host, allow_hosts)
        super().__init__(
            uvicorn.Config(
                # Built outside the loop, Gradio would make another loop and leave it open.
                self._application,
                factory=True,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=SECONDS_TO_FINISH,
                ws="none",
            )
        )
        self.when_listening: Callable[[str], object] | None = None
        self._assistant = assistant
        self.url = address_of(listening, host)

    def _application(self) -> ASGIApp:
        return EndsStreams(HostGuard(chat_app(self._assistant), self._names), self._ending)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so, and only then load the encoder."""
        await super().startup(sockets=sockets)
        if self.should_exit:
            return
        sys.stdout.write(f"errsage is at {self.url} (Ctrl+C ends it)\n")
        sys.stdout.flush()
        threading.Thread(target=self._warm, name="encoder", daemon=True).start()
        if self.when_listening is not None:
            self.when_listening(self.url)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End open streams first; nothing waits for a browser tab."""
        self._ending.set()
        await super().shutdown(sockets=sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on signals; unlike uvicorn's own, never raise them again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {which: signal.signal(which, self._end) for which in _ENDING}
        try:
            yield
        finally:
            for which, handler in before.items():
                signal.signal(which, handler)

    def _end(self, which: int, frame: FrameType | None) -> None:
        self.handle_exit(which, frame)

    def _warm(self) -> None:
        try:
            self._assistant.warm()
        except ErrsageError as error:
            _log.warning("searching without the encoder: %s", error)
        except Exception:
            _log.exception("searching without the encoder")


_ENDING = (signal.SIGINT, signal.SIGTERM)


def address_of(listening: socket.socket, host: str) -> str:
    """The address to open in a browser."""
    name, port = listening.getsockname()[:2]
    if name in ("0.0.0.0", "::"):
        name = "localhost"
    elif host == "localhost":
        name = host
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
