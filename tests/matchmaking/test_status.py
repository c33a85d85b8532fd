"""All services of an arena say how they are, as their gauges do, to whoever has a token."""

import re
from dataclasses import replace
from itertools import combinations

import pytest

from maumau.cli.arena.status import NOT_WELL
from maumau.client.arena_status import SERVICES, STATES
from maumau.client.status import read_arena_status
from maumau.errors import MissingToken, UnknownToken
from maumau.page.states import WORDS as STATE_WORDS
from maumau.v1 import status_pb2, status_pb2_grpc
from services.engine.app import bind as bind_engine
from services.shared.process.server import Server
from services.shared.process.service_status import EVENT_WAIT, VERSION_WAIT
from tests.support.arenas.calls import Calls
from tests.support.arenas.tournament import ADMIN, Arena
from tests.support.terminal import Terminal
from tests.support.waiting import until

DATABASES = ["sqlite"]


def ask(arena, token=ADMIN):
    return read_arena_status(dict.fromkeys(SERVICES, arena.address), token)


def count(arena, thing, state):
    (found,) = [one for one in ask(arena).states if (one.thing, one.state) == (thing, state)]
    return found


def test_every_service_tells_of_every_state_that_it_has(arena):
    answering = dict.fromkeys(SERVICES, "answers")
    found = until(lambda: one if (one := ask(arena)).services == answering else None)  # a host may be busy
    told = {
        name: [(one.thing, one.state) for one in found.states if one.service == name] for name in SERVICES
    }
    assert told == {name: list(states) for name, states in STATES.items()}
    assert all(row.found for name in SERVICES for row in found.rows_of(name))
    assert [one.up_to_ms for one in found.waits] == [10_000, 60_000, 600_000, None]
    assert [one.thing for one in found.rates] == ["block", "decision"]
    until(lambda: {"database", "redis", "broker"} <= {one.need for one in ask(arena).needs["registry"]})
    until(lambda: not ask(arena).away)  # on a busy host a probe may time out once


@pytest.mark.long
def test_what_is_played_is_told_with_its_age_and_its_rate(arena):
    cup = Arena.begin(arena, "first", "random")
    arena.queued(cup)
    until(lambda: count(arena, "tournament", "running").oldest_ms is not None)
    until(lambda: count(arena, "block", "queued").oldest_ms is not None)

    def are_all_waiting():
        found = ask(arena)
        (queued,) = [one.count for one in found.states if (one.thing, one.state) == ("block", "queued")]
        return queued >= 2 and sum(one.count for one in found.waits) == queued

    until(are_all_waiting)
    until(lambda: count(arena, "block", "queued").count == arena.metric("blocks", state="queued"))
    order = arena.worker.claim(arena.blocks(cup, "queued")[0].id)
    until(lambda: count(arena, "worker", "busy").count >= 1)
    assert count(arena, "worker", "present").count >= 1
    arena.worker.report(order)
    until(lambda: ask(arena).find_rate("block") > 0)
    arena.admin.cancel(cup)


def test_what_waits_for_its_validation_is_told_with_its_bound(arena):
    author, name = arena.author()
    author.submit(f"{name}-bot", arena.program(name))
    until(lambda: count(arena, "version", "uploaded").count >= 1)
    found = count(arena, "version", "uploaded")
    assert found.bound_ms == VERSION_WAIT
    assert found.oldest_ms < VERSION_WAIT
    assert not found.is_late
    assert count(arena, "event", "untold").bound_ms == EVENT_WAIT


def test_any_account_may_ask_and_nobody_without_one(arena):
    author, _ = arena.author()
    assert ask(arena, author.token).states
    with pytest.raises(MissingToken):
        ask(arena, "")
    with pytest.raises(UnknownToken):
        ask(arena, "mm_nobody-has-this-token")


@pytest.mark.long
def test_nothing_is_told_but_counts(arena):
    """No name of a contest, a bot, a host or a ladder, and no address."""
    author, name = arena.author()
    bot = arena.bot("first", author, name=f"{name}-bot")
    cup = Arena.begin(arena, "first", "random")
    ladder = arena.ladder(bot)
    calls = Calls(arena.address, author.token, status_pb2, status_pb2_grpc.StatusServiceStub)
    said = str(calls.GetStatus())
    assert not [one for one in (name, bot, cup, ladder, arena.address, "127.0.0.1", "test") if one in said]
    arena.leave(ladder)
    arena.admin.cancel(cup)


@pytest.mark.parametrize("pair", list(combinations(SERVICES, 2)))
def test_services_at_one_address_are_not_mixed_up(arena, pair):
    found = read_arena_status(dict.fromkeys(pair, arena.address), ADMIN)
    assert set(found.services) == set(pair)
    assert {one.service for one in found.states} == set(pair)


def test_it_is_read_in_the_terminal(arena, tmp_path):
    author, _ = arena.author()
    port = arena.address.rpartition(":")[2]
    where = f"http://127.0.0.1:{port},{port},{port},{port}"
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=author.token, MAUMAU_ARENA=where)
    told = terminal.run("status", code=None)
    found = terminal.run("status", "--json", code=None)
    assert (found.code == 0) == found.json()["is_well"]
    assert told.code in (0, NOT_WELL)
    for things in STATES.values():
        for thing, state in things:
            words = STATE_WORDS[f"state_{thing}_{state}"]
            assert re.search(rf"^\w+ +{words} +\d", told.out, re.MULTILINE), (thing, state)
    assert max(map(len, told.out.splitlines())) <= 80, told.out
    assert "blocks a minute" in told.out


@pytest.fixture
def lonely(arena, free_port):
    """Yield an engine service whose registry is silent: its port, and one that nobody listens on."""
    nobody = free_port()
    settings = replace(arena.settings, listen="127.0.0.1:0", registry_address=f"127.0.0.1:{nobody}")

    async def begin():
        server = Server("engine", settings)
        await bind_engine(server, settings)
        await server.start()
        return server

    server = arena.loop.run(begin())
    yield int(server.address.rpartition(":")[2]), nobody
    arena.loop.run(server.stop(0.1))


def test_silent_services_are_said_and_the_others_tell_of_themselves(lonely, tmp_path):
    engine, nobody = lonely
    where = f"http://127.0.0.1:{nobody},{nobody},{engine},{nobody}"
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=where)
    told = terminal.run("status", code=NOT_WELL).out
    assert told.startswith("not all is well\n")
    for service in ("registry", "tournament", "matchmaking"):
        assert f"the {service} service does not answer" in told
        things = re.findall(rf"^{service} .*", told, re.MULTILINE)
        assert len(things) == len(STATES[service])
        assert all(line.rstrip().endswith("silent") for line in things)
    assert re.search(r"^engine +Live tables being played +\d", told, re.MULTILINE)
    assert "waiting blocks: unknown" in told
    assert max(map(len, told.splitlines())) <= 80
    found = terminal.run("status", "--json", code=NOT_WELL).json()
    assert found["services"]["engine"] == "answers"
    assert {one["service"] for one in found["states"]} == {"engine"}


def test_a_service_that_cannot_ask_whose_a_token_is_is_not_called_silent(lonely, tmp_path):
    engine, nobody = lonely
    found = read_arena_status(
        {"registry": f"127.0.0.1:{nobody}", "engine": f"127.0.0.1:{engine}"}, "mm_some-author"
    )
    assert found.services == {"registry": "silent", "engine": "unread"}
    assert not found.is_well


def test_an_arena_that_is_not_there_is_not_reachable(tmp_path):
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA="http://127.0.0.1:1,1,1,1")
    assert terminal.run("status", code=3).out == ""
