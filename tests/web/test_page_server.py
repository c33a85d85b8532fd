"""The page's own server: it looks at itself seldom, and ends at once."""

from __future__ import annotations

import asyncio
import http.client

import uvicorn

from bench.support.patience import patient
from services.web.http.listener import PageServer


async def answer(scope, _receive, send) -> None:
    assert scope["type"] == "http"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


def get(port: int) -> tuple[str, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patient(5))
    connection.request("GET", "/")
    said = connection.getresponse()
    return said.headers["date"], said.read()


def test_it_answers_with_a_date_and_ends_when_it_is_told_to(monkeypatch) -> None:
    monkeypatch.setattr("services.web.http.listener.DATE_SECONDS", 1e6)  # nothing but `end` ends it

    async def play() -> tuple[str, bytes]:
        config = uvicorn.Config(answer, port=0, log_config=None, lifespan="off")
        server = PageServer(config)
        serving = asyncio.create_task(server._serve())
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.005)
        said = await asyncio.to_thread(get, server.servers[0].sockets[0].getsockname()[1])
        server.end()
        await asyncio.wait_for(serving, patient(10))
        return said

    date, body = asyncio.run(play())
    assert date.endswith(" GMT")
    assert body == b"hello"


def test_the_date_is_kept_while_nobody_asks(monkeypatch) -> None:
    monkeypatch.setattr("services.web.http.listener.DATE_SECONDS", 0.001)
    ticks: list[int] = []

    class Counted(PageServer):
        async def on_tick(self, counter: int) -> bool:
            ticks.append(counter)
            if len(ticks) == 3:
                self.end()
            return await super().on_tick(counter)

    server = Counted(uvicorn.Config(answer, log_config=None))
    asyncio.run(server.main_loop())
    assert ticks == [0, 0, 0]
