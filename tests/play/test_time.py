"""The clock of a player, the limits of a network, a table that others change."""

from __future__ import annotations

import secrets

import pytest

from maumau.errors import BadRequest, QuotaReached
from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.engine.store import NETWORK
from services.web.play import lobby
from tests.play.conftest import find_hidden
from tests.support.arenas.calls import refused
from tests.support.arenas.engine import Calls
from tests.support.waiting import until
from tests.web.visitor import READER


@pytest.mark.long
def test_whoever_runs_out_of_time_loses_and_is_told(guest, monkeypatch) -> None:
    monkeypatch.setattr(lobby, "BANK_MS", 2000)
    monkeypatch.setattr(lobby, "INCREMENT_MS", 60_000)  # so that a bot that has answered once has time
    asked = guest.deal()
    over = until(lambda: shown if "again-button" in (shown := guest.get(guest.at)).text else None, 60)
    assert "greedy has won." in over.words
    assert "Your time ran out, so the deal is lost" in over.words
    late = guest.act(asked, guest.pick(asked))
    assert (late.status, "The deal is over." in late.words) == (409, True)


def test_a_browser_that_slept_gets_the_table_as_it_is_and_its_old_form_changes_nothing(guest) -> None:
    asked = guest.deal("prsi_quick", seats="2")
    act = guest.pick(asked)
    assert guest.act(asked, act).status == 303  # the same table in another tab
    now = guest.wait_for_turn()
    assert find_hidden(now)["cursor"] != find_hidden(asked)["cursor"]
    stale = guest.act(asked, "react:1")
    assert (stale.status, find_hidden(stale) == find_hidden(now)) == (409, True)


@pytest.mark.long
def test_all_guests_of_a_network_have_no_more_open_tables_than_a_class_needs(arena) -> None:
    engine = Calls(arena.address, READER, engine_pb2, engine_pb2_grpc.EngineServiceStub)
    network, rules = secrets.token_hex(16), {"name": "prsi"}

    def create(**fields):
        return engine.CreateTable(rules=rules, seats=2, guest=secrets.token_hex(16), **fields)

    made = [create(network=network) for _ in range(NETWORK)]
    with refused(QuotaReached, "Guests from your network have 120 open tables"):
        create(network=network)
    create(network=secrets.token_hex(16))
    engine.CloseTable(table_id=made[0].table.id)
    create(network=network)
    with refused(BadRequest, "16 to 64 hexadecimal digits"):
        create(network="10.0.0.1")
    for one in made[1:]:
        engine.CloseTable(table_id=one.table.id)
