"""A submitted bot sits down with people where its author allows it, and nowhere else."""

from __future__ import annotations

import asyncio
import html
import re
import uuid
from pathlib import Path
from types import SimpleNamespace

import pytest

from maumau.client.answer import LeaderboardLine
from maumau.client.live import Seat, Tables
from maumau.errors import BadManifest, NoHouseBot
from maumau.protocol.fault import Misplay
from maumau.protocol.manifest import Manifest, parse_manifest
from maumau.referee.place import Program
from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.web.delivery.cache import Cache
from services.web.play.opponents import Opponent, Opponents
from services.web.play.play_on import choose_champion
from services.worker import table_process
from services.worker.client import SeatKey
from services.worker.metrics import CounterTally
from services.worker.sitter import Sitter, Sitting
from services.worker.table_process import TableProcess
from tests.play.conftest import Guest
from tests.support.arenas.calls import refused
from tests.support.arenas.engine import Calls
from tests.support.arenas.seat import Player
from tests.support.arenas.tournament import WORKER, make_program
from tests.support.waiting import until

QUICK = "/play?rules=prsi_quick"


@pytest.fixture(scope="module")
def author(arena):
    """Return an author with a bot that plays people and one that does not: names of all three."""
    client, name = arena.author()
    names = [f"{word}-{uuid.uuid4().hex[:8]}" for word in ("sociable", "shy")]
    for bot, line in zip(names, ("plays_people = true\n", ""), strict=True):
        version = client.submit(bot, make_program("greedy", line)).version
        arena.pass_validation(version.id, ["prsi_quick"])
        client.activate(version.id)
    return name, *names


@pytest.mark.long
def test_a_bot_whose_author_allows_it_is_listed_and_plays_to_the_end(page, guest, author) -> None:
    account, sociable, shy = author
    found = until(lambda: shown if sociable in (shown := guest.get(QUICK)).text else None, 30)
    assert f"{sociable} by {account}" in found.words
    assert shy not in found.text
    assert sociable not in guest.get("/play?rules=prsi").text  # it was validated for prsi_quick alone
    over = guest.play_to_the_end(guest.deal("prsi_quick", bot=sociable))
    assert sociable in over.words
    again = guest.send(guest.at, f"{guest.at}/again")
    assert again.status == 303
    guest.at = again.headers["location"]
    assert sociable in guest.get(guest.at).words


def test_a_bot_whose_author_does_not_allow_it_is_refused_everywhere(arena, page, guest, author) -> None:
    _, _, shy = author
    answer = guest.send(QUICK, "/play", {"bot": shy})
    assert (answer.status, "There is no such house bot." in answer.words) == (400, True)
    client, _ = arena.author()
    live = arena.live_calls(client.token)
    token = f"table_{'0' * 26}/1/{'x' * 43}"
    with refused(NoHouseBot, "plays no people: its author allows it"):
        live.InviteHouse(seat_tokens=[token], bot_names=[shy])
    with refused(NoHouseBot, "is not a house bot"):
        live.InviteHouse(seat_tokens=[token], bot_names=["nobody"])


def test_the_manifest_says_it_with_a_truth_value() -> None:
    head = b'name = "ab"\nrun = ["./a"]\n'
    assert not parse_manifest(head).plays_people
    assert parse_manifest(head + b"plays_people = true\n").plays_people
    with pytest.raises(BadManifest, match="plays_people: expected true or false, not"):
        parse_manifest(head + b'plays_people = "yes"\n')


def a_line(name: str, place: int, elo: float, width: float) -> LeaderboardLine:
    """Return a line of a ladder whose interval has this width to either side."""
    bounds = elo - width, elo + width
    return LeaderboardLine(place, name, "ada", "v", elo, *bounds, 1, 2, 0.5, 9, 0, False, "")


class Services:
    """An arena with a ladder and a contest: `fox` has won it, `owl` is second on the ladder."""

    width = 99.5  # of the owl's interval, to either side

    def __init__(self, *, has_fox_left: bool = False) -> None:
        left = SimpleNamespace(number=1, withdrawn=has_fox_left, disqualified=False)
        self.entries = left, SimpleNamespace(number=2, withdrawn=False, disqualified=False)

    async def list_bots(self):
        version = SimpleNamespace(state="active", plays_people=True, rules=(), seats=())
        return tuple(
            SimpleNamespace(name=name, account_name=account, versions=[version])
            for name, account in (("ant", "ada"), ("fox", "bob"), ("owl", "eve"), ("greedy", "house"))
        )

    async def list_ladders(self):
        rules = SimpleNamespace(name="prsi")
        return (SimpleNamespace(name="prsi", rules=rules),)

    async def get_leaderboard(self, _):
        return SimpleNamespace(ranked=[a_line("x", 1, 80.0, 300.0), a_line("owl", 2, 12.5, self.width)])

    async def list_tournaments(self):
        return tuple(
            SimpleNamespace(id=name, name=name, state=state, entries=self.entries, compared=0)
            for name, state in (("autumn-cup", "running"), ("spring-cup", "finished"))
        )

    async def get_standings(self, name):
        assert name == "spring-cup"
        return SimpleNamespace(standings=[SimpleNamespace(bot_name="fox", entrant=1)])

    async def get_tournament(self, _):
        return SimpleNamespace(entries=self.entries)

    async def list_matches(self, _):
        final = {"label": "1.1.1", "names": {1: "fox", 2: "ant"}, "state": "decided", "rule": "cap"}
        return (SimpleNamespace(**final),)


def test_bots_are_listed_with_their_strength_and_the_contests_they_won() -> None:
    found = asyncio.run(Opponents(Services(), Cache()).list_players("prsi"))
    assert found == (
        Opponent("owl", "eve", 2, 2, 12.5, is_rated=True),
        Opponent("fox", "bob", won=("spring-cup",)),
        Opponent("ant", "ada"),
    )


def test_the_strength_of_one_of_which_little_is_known_is_its_place_alone() -> None:
    services = Services()
    services.width = 100.5  # to either side
    owl = asyncio.run(Opponents(services, Cache()).list_players("prsi"))[0]
    assert (owl.place, owl.is_rated) == (2, False)


def test_who_left_after_winning_the_final_is_still_the_winner() -> None:
    found = asyncio.run(Opponents(Services(has_fox_left=True), Cache()).list_players("prsi"))
    assert [one.name for one in found if one.won] == ["fox"]


def test_the_champion_is_the_winner_of_the_deals_contest_or_the_strongest_that_plays_people() -> None:
    found = asyncio.run(Opponents(Services(), Cache()).list_players("prsi"))
    assert [choose_champion(found, contest).name for contest in ("", "spring-cup", "other")] == [
        "owl", "fox", "owl",
    ]  # fmt: skip
    assert choose_champion((), "spring-cup") is None


@pytest.mark.long
def test_the_same_deal_is_played_against_the_champion(guest, author) -> None:
    account, sociable, _ = author
    until(lambda: sociable in guest.get(QUICK).text, 30)
    over = guest.play_to_the_end(guest.deal("prsi_quick"))
    address = html.unescape(re.search(r'href="(/play/from[^"]*)"', over.text)[1])
    offered = guest.get(address)
    assert f"{sociable} the champion that plays people · by {account}" in offered.words
    made = guest.send(address, "/play/from", {"bot": sociable, "calls": "bot"})
    assert made.status == 303, made.words
    guest.at = made.headers["location"]
    over = guest.play_to_the_end(guest.wait_for_turn())
    assert sociable in over.words


@pytest.mark.long
def test_an_author_lets_people_play_a_bot_at_the_page(arena, page) -> None:
    client, _, visitor = page.author()
    name = f"later-{uuid.uuid4().hex[:8]}"
    version = client.submit(name, make_program("greedy")).version
    arena.pass_validation(version.id, ["prsi_quick"])
    until(lambda: client.version(version.id).state == "active", 30)
    at, form = f"/me/bots/{name}", f"/me/versions/{version.id}/people"
    assert "plays no people" in visitor.get("/me").words
    assert "Nobody may play version 1" in visitor.get(at).words
    assert "plays people" not in visitor.get(at).words
    assert visitor.send(at, form).headers["location"] == at
    assert client.version(version.id).plays_people
    assert "Everybody may play version 1" in visitor.get(at).words
    visitor.send(at, form)
    assert not client.version(version.id).plays_people


class Silent:
    """A process that never answers."""

    left = wall = 1e9

    def ask(self, lines):
        self.asked = lines

    def hear_replies(self, replies, due, go_on):
        while True:
            go_on()


def test_a_program_that_never_answers_is_waited_for_no_longer_than_people_are(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(table_process, "ANSWER", 0.05)
    program = Program(tmp_path, Manifest("mute", ["./mute"]), "0" * 64, "mute")
    one = TableProcess(program, None, {}, lambda: False)
    monkeypatch.setattr(one, "_ready_process", Silent)
    with pytest.raises(Misplay, match="did not answer"):
        one.ask(one.begin(), b'{"deal":0,"ask":"turn"}')


ODD = (
    b"7S " * 2000, b"x" * 4097, b'{"act":"' + b"x" * 5000 + b'"}',
    b'{"act":"draw","note":"' + b"x" * 9000 + b'"}', b"\xff" * 5000, b"\xff" * 9, b"\0" * 4096, b"\0", b"",
    b" " * 5000, b"{", b"[" * 4000, b'{"also":' + b"[" * 4000, b'{"act":"\\ud800"}', b'{"act":1}',
    b'{"act":"draw","also":["!"]}', b"react:" + b"9" * 4000, b"draw!!!!", b"count:\xc2\xb2",
    "\U0001f4a5".encode() * 3000, b"accuse@Z:mau", b"A" * 60_000,
)  # fmt: skip
"""Answers of a program that are not actions, or are too long to be one."""


class Odd:
    """A program that answers in every way in which it must not."""

    def __init__(self) -> None:
        self.asked = 0

    def begin(self) -> int:
        return 1

    def ask(self, deal: int, line: bytes) -> bytes:
        self.asked += 1
        return ODD[(self.asked - 1) % len(ODD)]

    def tell(self, deal: int, line: bytes) -> None:
        pass


def test_whatever_a_program_answers_the_first_action_is_played_at_once(arena, monkeypatch) -> None:
    """Nobody waits for a bank of five minutes; each answer is refused once."""
    program, odd = Program(Path(), Manifest("odd", ["./odd"]), "0" * 64, "odd"), Odd()
    bench = SimpleNamespace(name="odd", stopping=lambda: False, tally=CounterTally())
    heard: list[str] = []
    hear = Seat._hear_part
    monkeypatch.setattr(
        Seat, "_hear_part", lambda *a: (told := hear(*a)) and (heard.append(told.reason), told)[1]
    )
    with (
        Tables(arena.address, WORKER) as workers,
        Tables(arena.address, arena.author()[0].token) as tables,
    ):
        table, tokens = tables.create("prsi", names=["ada", "odd"], bank=300, increment=5)
        sitter = Sitter(bench, None, workers, 1)
        monkeypatch.setattr(sitter, "_get_process", lambda *_: odd)
        engine = Calls(arena.address, "", engine_pb2, engine_pb2_grpc.EngineServiceStub)
        person = Player([engine], tokens[0])
        assert sitter._play_sitting(SeatKey(table.id, 1), Sitting(tokens[1], program, 0.0, "odd")) == "played"
        assert person.ended()["fault"] is None
        over = tables.table(table.id)
    assert (over.state, over.faults) == ("over", ())
    assert 0 < odd.asked == len([reason for reason in heard if reason])
    assert {reason for reason in heard if reason} <= {"BAD_REQUEST", "ILLEGAL_ACTION", "UNREADABLE_ACTION"}


def test_guests_choose_it_by_an_address_too(page, author) -> None:
    _, sociable, _ = author
    until(lambda: f'value="{sociable}" checked' in Guest(page.port).get(f"{QUICK}&bot={sociable}").text, 30)
