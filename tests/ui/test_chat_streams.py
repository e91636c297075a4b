from __future__ import annotations

import asyncio

from starlette.types import Message, Receive, Scope, Send

from ui.chat.streams import EndsStreams

START: Message = {"type": "http.response.start", "status": 200, "headers": []}


async def _endless(scope: Scope, receive: Receive, send: Send) -> None:
    await send(START)
    await send({"type": "http.response.body", "body": b"a", "more_body": True})
    while (await receive())["type"] != "http.disconnect":
        pass


async def _never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


def drive(*, end: bool) -> list[Message]:
    async def run() -> list[Message]:
        ending = asyncio.Event()
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)

        request = EndsStreams(_endless, ending)({"type": "http"}, _never, send)
        task = asyncio.ensure_future(request)
        await asyncio.sleep(0.01)
        if end:
            ending.set()
            await asyncio.wait_for(task, 5)
        assert task.done() is end
        task.cancel()
        return sent

    return asyncio.run(run())


def test_a_stream_stays_open_while_the_server_runs() -> None:
    assert [message["type"] for message in drive(end=False)] == [
        "http.response.start",
        "http.response.body",
    ]


def test_a_stream_is_completed_at_the_end() -> None:
    assert drive(end=True)[-1] == {"type": "http.response.body", "body": b"", "more_body": False}


def test_a_body_is_passed_on() -> None:
    async def echo(scope: Scope, receive: Receive, send: Send) -> None:
        await send(START)
        await send({"type": "http.response.body", "body": (await receive())["body"]})

    async def run() -> list[Message]:
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"x"}

        async def send(message: Message) -> None:
            sent.append(message)

        await EndsStreams(echo, asyncio.Event())({"type": "http"}, receive, send)
        return sent

    assert asyncio.run(run()) == [START, {"type": "http.response.body", "body": b"x"}]
