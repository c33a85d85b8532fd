"""People who play in browsers: 200 tables, each with a browser's stream, and one in a real browser.

The arena's processes are real. Here are the other browsers, as HTTP clients that read their stream and post
their answers as the page's script does, and the programs at the other seats, which think as long as house
bots.
"""

from __future__ import annotations

import asyncio
import html
import json
import random
import re
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlencode

import grpc
import psutil
from starlette.responses import Response

from bench.results.pace import measure_pace
from bench.results.row import ResultRow
from bench.support.embedded import BRISK, Embedded, running
from bench.support.patience import Deadline, patient
from bench.web.browser import weigh_page
from bench.web.taps import tap_in_browser
from maumau.client.live import Tables
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import engine_pb2_grpc
from services.web.play.seat_pass import SeatPass, SeatPasses

TABLES: Final = 200
LINE: Final = 1 << 22  # bytes of an event at most
THINK: Final = (2.0, 6.0)  # seconds of a person
BOT_THINK: Final = 0.8
SECONDS: Final = 30.0
CHANNELS: Final = 8
QUIET: Final = {**BRISK, "MAUMAU_LADDERS": "rest"}
CURSOR: Final = re.compile(r'name="cursor" value="(\d+)"')
CHOICE: Final = re.compile(r'<button[^>]*name="act" value="([^"]*)"[^>]*data-choice')


def measure_rows() -> Iterator[ResultRow]:
    """Yield all rows, in about two minutes."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "arena", 1, settings=QUIET) as arena:
        yield weigh_lobby(arena)
        with Hall(arena) as hall:
            hall.let_play(SECONDS)
        waits, taps, web, pace = hall.waits, hall.taps, hall.used, measure_pace()
        assert waits, "nobody was answered"
        how = (
            f"{len(waits):,} answers of {TABLES} people who think {THINK[0]:g} to {THINK[1]:g} s,"
            f" median {1000 * statistics.median(waits):.0f} ms; the page used {web:.0%} of a core"
        )
        yield ResultRow(
            "p95 from an answer to its event in the stream",
            find_quantile(waits),
            100,
            most=True,
            unit="ms",
            how=how,
            pace=pace,
        )
        if taps:
            middle = 1000 * statistics.median(taps)
            yield ResultRow(
                "p95 from a tap to the drawn answer in a browser",
                find_quantile(taps),
                100,
                most=True,
                unit="ms",
                how=f"{len(taps):,} taps in headless Chromium beside them, median {middle:.0f} ms",
                pace=pace,
            )
            yield ResultRow(
                "drawn answer against the event in the stream",
                find_quantile(taps) / find_quantile(waits),
                2,
                most=True,
                how="both p95, within the same minute",
            )


def find_quantile(waits: list[float]) -> float:
    """Return the 95th percentile, in ms."""
    return 1000 * sorted(waits)[min(len(waits) - 1, int(0.95 * len(waits)))]


def weigh_lobby(arena: Embedded) -> ResultRow:
    """Return the weight of the scripts of `/play`."""
    port = int(arena.read_card()["web"].rpartition(":")[2])
    found = weigh_page(port, "/play")
    how = f"gzip, all modules it loads; {found.whole / 1000:.0f} kB in all"
    return ResultRow("scripts of /play", found.scripts / 1000, 60, most=True, unit="kB", how=how)


class PersonSeat:
    """A person's seat: the table, and the cookie with which its page is read."""

    def __init__(self, token: str, passes: SeatPasses) -> None:
        one, answer = SeatPass(token, is_guest=True, has_own_calls=False), Response()
        passes.give_pass(answer, one)
        self.token, self.at = token, f"/play/{one.table_id}"
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        self.form_token = passes.make_form_token(one)


class Hall:
    """The tables, their people and their programs, in a thread of this process."""

    def __init__(self, arena: Embedded) -> None:
        card = arena.read_card()
        self.port = int(card["web"].rpartition(":")[2])
        self._engine, self._token = card["engine"], card["token"]
        self._web = psutil.Process(card["processes"]["web"])
        passes = SeatPasses(card["reader_token"], secure=False)
        self.waits: list[float] = []
        self.taps: list[float] = []
        self.used = 0.0
        self._people: list[PersonSeat] = []
        self._programs: list[str] = []
        with Tables(self._engine, self._token) as tables:
            for _ in range(TABLES + 1):  # the last one is played in a browser
                _, (own, other) = tables.create("mau_mau", bank=3600, increment=5, join=600)
                with tables.sit(own) as seat:
                    next(iter(seat))
                self._people.append(PersonSeat(own, passes))
                self._programs.append(other)
        self._at_browser = self._people.pop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._enough.set()
        self._thread.join(patient(30))

    def let_play(self, seconds: float) -> None:
        """Let everybody play for this time."""
        self._enough = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run_players()), daemon=True)
        self._thread.start()
        last = Deadline(120)
        while not self._ready.is_set():
            assert not last.has_passed(), "not all streams are open"
            last.pause()
        times, began = self._web.cpu_times(), time.monotonic()
        self.waits.clear()
        own = self._at_browser
        self.taps = tap_in_browser(f"http://127.0.0.1:{self.port}{own.at}", own.cookie, seconds)
        now, took = self._web.cpu_times(), time.monotonic() - began
        self.used = (now.user + now.system - times.user - times.system) / took

    async def _run_players(self) -> None:
        async with AsyncExitStack() as stack:
            stubs: list[Any] = []
            for _ in range(CHANNELS):  # one connection has a limit of streams
                channel = await stack.enter_async_context(grpc.aio.insecure_channel(self._engine))
                stubs.append(engine_pb2_grpc.EngineServiceStub(channel))
            self._open = 0
            programs = enumerate(self._programs)
            tasks = [asyncio.create_task(follow_program(stubs[n % CHANNELS], token)) for n, token in programs]
            tasks += [asyncio.create_task(self._follow_person(seat)) for seat in self._people]
            while not self._enough.is_set():
                if self._open == len(self._people):
                    self._ready.set()
                await asyncio.sleep(0.1)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow_person(self, seat: PersonSeat) -> None:
        """Read a stream, and answer every question after a person's time."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=LINE)
        head = (
            f"GET /stream{seat.at} HTTP/1.0\r\nhost: 127.0.0.1:{self.port}\r\ncookie: {seat.cookie}\r\n\r\n"
        )
        writer.write(head.encode())
        assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
        self._open += 1
        asked, sent, answering = "", 0.0, None
        try:
            while line := await reader.readline():
                hand = read_hand(line)
                found = CURSOR.search(hand) if hand else None
                if not found or found[1] == asked:
                    continue
                if sent:
                    self.waits.append(time.monotonic() - sent)
                    sent = 0.0
                choices = CHOICE.findall(hand)
                if choices:
                    asked = found[1]
                    await asyncio.sleep(random.uniform(*THINK))
                    sent = time.monotonic()
                    answering = asyncio.create_task(self._send_answer(seat, asked, html.unescape(choices[0])))
        finally:
            writer.close()
            if answering:
                answering.cancel()

    async def _send_answer(self, seat: PersonSeat, cursor: str, act: str) -> None:
        body = urlencode({"form_token": seat.form_token, "cursor": cursor, "act": act}).encode()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        head = (
            f"POST {seat.at}/act HTTP/1.0\r\nhost: 127.0.0.1:{self.port}\r\ncookie: {seat.cookie}\r\n"
            "content-type: application/x-www-form-urlencoded\r\naccept: application/json\r\n"
            f"sec-fetch-site: same-origin\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await reader.read()
        writer.close()


def read_hand(line: bytes) -> str:
    """Return the hand in a line of a stream, or "" if it is not in it."""
    if not line.startswith(b"data: ") or b"play_hand" not in line:
        return ""
    return str(json.loads(line.removeprefix(b"data: ")).get("play_hand", ""))


async def follow_program(stub: Any, token: str) -> None:
    """Play a seat by the first action."""
    said: asyncio.Queue[Any] = asyncio.Queue()
    said.put_nowait(pb.PlayRequest(hello=pb.PlayHello(seat_token=token)))

    async def requests() -> Any:
        while True:
            yield await said.get()

    async for part in stub.Play(requests()):
        told = json.loads(part.line.line) if part.HasField("line") else {}
        if "ask" in told:
            await asyncio.sleep(BOT_THINK)
            act = told["legal"][0] + told["call"].get(told["legal"][0], "")
            reply = pb.PlayReply(cursor=part.line.cursor, op_id=str(part.line.cursor), line=act)
            said.put_nowait(pb.PlayRequest(reply=reply))
