"""Limits of requests to the page: their time, and the number at once from an address."""

import asyncio

import pytest
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

from services.shared.base.peer import Peer
from services.shared.rpc.connection import Uses
from services.web.http import arrival
from services.web.http.arrival import Arrivals, find_deadline

PEER = Peer("10.0.0.1", 5)


def scope(path="/", host=PEER.host, port=PEER.port, **headers):
    told = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "path": path, "client": (host, port), "headers": told}


async def nothing_comes():
    await asyncio.sleep(3600)


class Sent(list):
    async def __call__(self, message):
        self.append(message)


def arrivals(app, most=2, *, connections=300, proxies=()):
    return Arrivals(app, Uses(lambda: 0.0), most, connections, lambda host: host in proxies)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"content-length": "0"}, 0.0),
        ({"content-length": "163840"}, arrival.BODY_SECONDS + 10),
        ({"transfer-encoding": "chunked"}, arrival.BODY_SECONDS + 256),
    ],
)
def test_a_body_has_twenty_seconds_and_one_more_for_each_16_kib(headers, seconds) -> None:
    assert find_deadline(Headers(headers)) == seconds


def test_half_a_body_is_given_up_and_its_connection_worth_nothing(monkeypatch) -> None:
    monkeypatch.setattr(arrival, "BODY_SECONDS", 0.01)

    async def read(scope, receive, send):
        with pytest.raises(HTTPException) as raised:
            await receive()
        assert raised.value.status_code == 408

    page = arrivals(read)
    asyncio.run(page(scope(content_length="10"), nothing_comes, Sent()))
    assert page._uses.by_peer == {}


def test_a_request_is_known_while_it_is_answered() -> None:
    async def look(scope, receive, send):
        assert page._uses.by_peer[PEER].requests == 1

    page = arrivals(look)
    asyncio.run(page(scope(), nothing_comes, Sent()))
    assert page._uses.by_peer[PEER].requests == 0


def test_a_reader_who_does_not_read_is_given_up(monkeypatch) -> None:
    monkeypatch.setattr(arrival, "SEND_SECONDS", 0.01)

    async def tell(scope, receive, send):
        await send({"type": "http.response.body"})

    async def stuck(_):
        await asyncio.sleep(3600)

    with pytest.raises(ConnectionAbortedError):
        asyncio.run(arrivals(tell)(scope(), nothing_comes, stuck))


@pytest.mark.parametrize(
    ("host", "proxies", "refused"),
    [(PEER.host, (), True), ("10.0.0.2", (), False), (PEER.host, (PEER.host,), False)],
)
def test_an_address_has_a_number_of_requests_at_once_and_hinders_no_other(host, proxies, refused) -> None:
    async def run():
        begun, go_on, last = asyncio.Semaphore(0), asyncio.Event(), Sent()

        async def wait(scope, receive, send):
            begun.release()
            await go_on.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        page = arrivals(wait, most=2, proxies=proxies)
        held = [asyncio.create_task(page(scope("/stream"), nothing_comes, Sent())) for _ in range(2)]
        for _ in held:
            await begun.acquire()
        asked = asyncio.create_task(page(scope(host=host), nothing_comes, last))
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(asked, *held)
        again = Sent()
        await page(scope(), nothing_comes, again)
        return last[0]["status"], again[0]["status"]

    assert asyncio.run(run()) == (503 if refused else 200, 200)


def test_streams_of_all_addresses_together_leave_a_third_of_the_connections_to_pages() -> None:
    """Of nine connections six are streams, each from an address of its own; the seventh is refused."""

    async def run():
        begun, go_on = asyncio.Semaphore(0), asyncio.Event()

        async def wait(scope, receive, send):
            begun.release()
            if scope["path"] == "/stream":
                await go_on.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        page = arrivals(wait, most=2, connections=9)
        held = [
            asyncio.create_task(page(scope("/stream", f"10.0.1.{number}"), nothing_comes, Sent()))
            for number in range(6)
        ]
        for _ in held:
            await begun.acquire()
        statuses = []
        for path in ("/stream", "/contests"):
            sent = Sent()
            await page(scope(path, "10.0.2.1"), nothing_comes, sent)
            statuses.append(sent[0]["status"])
        go_on.set()
        await asyncio.gather(*held)
        sent = Sent()
        await page(scope("/stream", "10.0.2.1"), nothing_comes, sent)
        return [*statuses, sent[0]["status"]]

    assert asyncio.run(run()) == [503, 200, 200]
