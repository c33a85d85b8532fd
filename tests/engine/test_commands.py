"""`maumau seat`, `tables` and `watch` as they are typed, at the arena of these tests."""

import io
import re
import sys
import threading

import pytest

from maumau.bots import folder
from maumau.client.live import Tables
from tests.support.arenas.engine import ADMIN
from tests.support.arenas.seat import Player, Typing
from tests.support.terminal import Terminal
from tests.support.waiting import until


@pytest.fixture
def terminal(arena, tmp_path):
    address = arena.address
    port = address.rpartition(":")[2]
    return Terminal(tmp_path, MAUMAU_ARENA=f"127.0.0.1:{port},{port},{port},{port}", MAUMAU_TOKEN=ADMIN)


@pytest.mark.long
def test_a_person_plays_a_deal_against_a_house_bot(terminal, monkeypatch):
    typing = Typing()
    monkeypatch.setattr(sys, "stdin", typing)
    out = terminal.run("seat", "prsi", "--bot", str(folder("first")), "--sandbox", "process").out
    assert "'nonsense' is not on the list" in out
    assert "Your turn." in out
    assert "The deal is over: 1." in out
    assert typing.count > 1


@pytest.mark.sample
@pytest.mark.parametrize("typed", ["", "nonsense\n"])
def test_where_the_input_ends_it_is_said_with_the_command_that_leads_back(terminal, monkeypatch, typed):
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    words = ["seat", "prsi", "--bot", str(folder("first")), "--sandbox", "process"]
    said = terminal.run(*words, code=1).out.splitlines()
    assert said[-2] == (
        "The input has ended, so you have left the table, which goes on without you. Come back with:"
    )
    assert said[-1].startswith("maumau seat --table table_")
    assert said[-1].split("/")[1] == "0"


@pytest.mark.long
def test_tables_are_listed_and_watched(terminal, arena, engine):
    with Tables(arena.address, ADMIN) as tables:
        table, tokens = tables.create("prsi", names=["ada", "bob"])
        assert table.id in terminal.run("tables").out
        assert [one for one in terminal.run("tables", "--json").json() if one["id"] == table.id]
        told = []
        thread = threading.Thread(target=lambda: told.append(terminal.spawn("watch", table.id).out))
        thread.start()
        players = [Player([engine], token) for token in tokens]
        assert all(player.ended() for player in players)
        thread.join()
        assert told[0].splitlines()[0] == "prsi: ada, bob"
        assert re.search(r"^(ada|bob) lays (10|[7-9JQKA])[♣♠♥♦]", told[0], re.MULTILINE)
        assert re.search(r"  ada \d+, bob \d+$", told[0].splitlines()[-2])
        assert "1. " in told[0].splitlines()[-1]
        assert table.id in terminal.run("tables", "--ended").out
        raw = terminal.run("watch", table.id, "--raw").out
        assert re.search(r"^[AB] ([2-9TJQKA][CSHD]|draw).* in hand \d+ \d+$", raw, re.MULTILINE)
        lines = terminal.run("watch", table.id, "--json").json_lines()
        assert lines[-1]["table"]["state"] == "over"


def test_a_table_is_joined_with_the_token_of_a_seat(terminal, arena, engine, monkeypatch):
    with Tables(arena.address, ADMIN) as tables:
        _, tokens = tables.create("prsi")
    other = Player([engine], tokens[0])
    monkeypatch.setattr(sys, "stdin", Typing())
    said = terminal.run("seat", "--table", tokens[1]).out
    assert other.ended()
    assert "The deal is over" in said


def test_seats_without_a_name_are_called_after_the_accounts_that_come(terminal, arena, engine):
    with Tables(arena.address, ADMIN) as tables:
        _, tokens = tables.create("prsi", names=["", "bob"])
        with tables.sit(tokens[0]) as seat, tables.sit(tokens[1]) as other:
            assert next(iter(seat)).table.names == ("admin", "bob")
            next(iter(other))
        nobody, tokens = tables.create("prsi")
    with Tables(arena.address) as strangers, strangers.sit(tokens[0]) as seat:
        assert next(iter(seat)).table.names == ("", "")
    assert "admin, bob" in terminal.run("tables").out
    assert "seat A, seat B" in next(
        line for line in terminal.run("tables").out.splitlines() if nobody.id in line
    )


@pytest.mark.parametrize("words", [["--against", "nosuch"], ["--against", "greedy,,first"]])
def test_only_house_bots_are_played_against(terminal, words):
    said = terminal.run("seat", "prsi", *words, code=2).err
    assert "there are counter, first, greedy, hoarder, random, rollout" in " ".join(said.split())


def test_a_bot_that_cannot_play_leaves_no_table_behind(terminal, arena):
    with Tables(arena.address, ADMIN) as tables:
        before = {each.id for each in tables.tables()}
        terminal.run("seat", "prsi", "--bot", "nosuchbot", code=1)
        assert {each.id for each in tables.tables()} == before


@pytest.mark.parametrize("words", [[], ["prsi", "--table", "x"]])
def test_a_variant_or_a_table_is_named(terminal, words):
    terminal.run("seat", *words, code=2)


def test_what_is_refused_is_one_line(terminal):
    for words, reason in (
        (["seat", "skat"], "UNKNOWN_VARIANT"),
        (["seat", "--table", "x"], "BAD_SEAT_TOKEN"),
        (["watch", "x"], "UNKNOWN_TABLE"),
        (["seat", "prsi", "--seats", "99"], "BAD_DEAL"),
    ):
        assert terminal.run(*words, "--json", code=1).error()["reason"] == reason


def test_the_client_of_the_library_plays_a_deal_to_its_end(arena):
    with Tables(arena.address, ADMIN) as tables:
        table, tokens = tables.create("mau_mau")
    ended = []

    def play(address, token):
        with Tables(address) as link, link.sit(token) as seat:
            for told in seat:
                if told.kind == "line" and "ask" in told.view:
                    action = told.view["legal"][0]
                    seat.reply(told.cursor, action + told.view["call"].get(action, ""))
                if told.view.get("end"):
                    ended.append(told.view["end"]["places"])

    threads = [threading.Thread(target=play, args=(arena.address, token), daemon=True) for token in tokens]
    for thread in threads:
        thread.start()
    until(lambda: len(ended) == 2, 30)
    assert ended[0] == ended[1]
    with Tables(arena.address, ADMIN) as tables:
        assert list(tables.table(table.id).places) == list(ended[0])


@pytest.mark.long
def test_doctor_says_which_services_can_be_reached(terminal, arena, free_port):
    said = terminal.run("doctor", "--json", code=None).json()
    found = {each["what"]: each["ok"] for each in said if each["what"].startswith("arena")}
    parts = ("registry", "tournament", "matchmaking", "engine", "version", "rules")
    assert found == {f"arena: {part}": True for part in parts}
    port = arena.address.rpartition(":")[2]
    ports = f"{port},{port},{free_port()},{port}"
    away = Terminal(terminal.home, MAUMAU_ARENA=f"127.0.0.1:{ports}", MAUMAU_TOKEN=ADMIN)
    said = away.run("doctor", "--json", code=None).json()
    (engine,) = [each for each in said if each["what"] == "arena: engine"]
    assert not engine["ok"]
    assert "cannot be reached" in engine["words"]
