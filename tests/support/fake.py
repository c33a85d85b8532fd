"""An arena that plays nothing: what it answers is set by a test."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import msgspec

from maumau.client import answer
from maumau.client.arena_status import SERVICES, ArenaStatus, Contact, join_status
from maumau.client.live import Table, Told
from maumau.errors import (
    ArenaUnreachable,
    BadRequest,
    NotJoined,
    NotYours,
    UnknownBot,
    UnknownLadder,
    UnknownMatch,
    UnknownPairing,
    UnknownSet,
    UnknownStage,
    UnknownTable,
    UnknownTeam,
    UnknownTournament,
)
from maumau.game import deal, load, record
from services.engine.fold import open_line
from tests.support.fake_status import a_status

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def a_match(
    label: str = "1.1.1", first: int = 1, second: int = 2, names=("greedy", "rollout"), **changes: Any
):
    """Return a match that is being played, named first against second."""
    made = {
        "label": label, "first": first, "second": second, "first_name": names[0], "second_name": names[1],
        "state": "playing", "winner": 0, "rule": "", "sets": 300, "estimate": 0.47, "low": 0.43, "high": 0.51,
        "llr": -0.8, "faults": (0, 0), "format": "round_robin", "id": f"match_{label}", "take": 1,
        "seed_take": 0,
    }  # fmt: skip
    return answer.Match(**{**made, **changes})


def a_spec(name: str = "cup", match: str = "") -> str:
    """Return the spec of a knock-out. match: lines of its `[match]`."""
    return f'name = "{name}"\nrules = "mau_mau"\n[[stage]]\nformat = "single_elimination"\n[match]\n{match}\n'


def a_tournament(name="cup", state="running", bots=("greedy", "rollout"), **changes) -> answer.Tournament:
    """Return a contest whose entrants have these names."""
    entries = tuple(
        answer.Entry(number, bot, f"version_{number}", "ab" * 32, False, "house", "")
        for number, bot in enumerate(bots, 1)
    )
    made = {
        "id": f"tournament_{name}", "name": name, "state": state, "spec_toml": a_spec(),
        "rules": answer.RuleSet("mau_mau", "{}", "cd" * 32, ""), "commitment": "5e" * 32, "secret": "",
        "secret_given": False, "entries_root": "", "entries": entries, "matches_decided": 1,
        "matches_known": 3,
        "created_at": NOW, "words": "",
    }  # fmt: skip
    return answer.Tournament(**{**made, **changes})


def a_standing(rank: int, entrant: int, name: str, rating: float, **changes: Any) -> answer.Standing:
    """Return a line of the table with an interval of ±40 Elo."""
    made = {
        "rank": rank, "entrant": entrant, "bot_name": name, "rating": rating, "low": rating - 40,
        "high": rating + 40, "sets": 900, "won": 1, "lost": 1, "level": 0, "faults": 0, "rule": "rating",
    }  # fmt: skip
    return answer.Standing(**{**made, **changes})


def a_line(place: int, name: str, elo: float, **changes: Any) -> answer.LeaderboardLine:
    """Return a line of a ladder with an interval of ±20 Elo, of an author named as the bot with `-author`."""
    made = {
        "place": place, "bot_name": name, "account_name": f"{name}-author", "version_id": f"version_{name}",
        "elo": elo, "low": elo - 20, "high": elo + 20, "best_place": place, "worst_place": place + 1,
        "best": 0.5, "sets": 400, "faults": 0, "pinned": False, "words": "",
    }  # fmt: skip
    return answer.LeaderboardLine(**{**made, **changes})


def a_bot(name: str, author: str = "house", **changes: Any) -> answer.Bot:
    """Return a bot with one active version."""
    made = {
        "id": f"version_{name}", "bot_id": f"bot_{name}", "bot_name": name, "account_name": author,
        "number": 1, "sha256": "ab" * 32, "state": "active", "reason": "", "rules": (), "seats": (),
        "created_at": NOW,
        "progress": "", "built_sha256": "", "built_platform": "",
    }  # fmt: skip
    return answer.Bot(f"bot_{name}", name, author, (answer.Version(**{**made, **changes}),))


def a_pairing(pairing_id: str, first: str, second: str, **changes: Any) -> answer.Pairing:
    """Return a pairing of two that may both be the best; half of its sets are played."""
    made = {
        "id": pairing_id, "epoch": 3, "first": first, "second": second, "kind": "top two", "sets": 20,
        "booked": 10, "score": 0.55, "state": "open", "made_at": NOW,
        "others": (),
    }  # fmt: skip
    return answer.Pairing(**{**made, **changes})


def scores_of(one: answer.Pairing, number: int) -> tuple[int, ...]:
    """Return the scores of a set of a pairing: the first wins every set but set 0, which nobody wins."""
    rest = 1 + len(one.others)
    return (4, *(0,) * rest) if number else (2,) * (1 + rest)


DEAL = answer.LiveDeal(
    0, 0, (0, 1), 0,
    ("up 9H", "A KH", "B 7H", "A +2", "A draw", "B JS>D", "A 8D!", "B skipped", "A 9D", "A out"),
    (5, 5, 4, 5, 4, 4, 6, 4, 7, 4, 7, 3, 1, 3, 1, 3, 0, 3, 0, 3), (1, 2), (0, 12),
)  # fmt: skip


def a_set(number: int = 0, note: str = "", names=("greedy", "rollout")) -> answer.GetSetResponse:
    """Return a deal set of `mau_mau` in which the bots decide differently after a while."""
    deals = []
    for entrants in ((0, 1), (1, 0)):
        d = deal(load("mau_mau"), 2, f"set {number}")
        while not d.over:
            seat = d.to_act[0]
            legal = d.legal(seat)
            action = legal[-1 if entrants[seat] and len(d.log) > 6 and len(d.log) < 30 else 0]
            d.apply(seat, str(action) + d.due(seat, action))
        notes = (answer.Note(2, 0, note),) if note else ()
        deals.append(answer.DealResult(entrants, tuple(d.places), tuple(d.points), record(d), (), notes))
    return answer.GetSetResponse(answer.SetResult(number, tuple(deals)), 1, 2, *names)


def a_table(table_id: str = "table_1", names=("ada", "greedy"), **changes: Any) -> Table:
    """Return a table of `prsi` at which seat 0 has 61 seconds and seat 1 has 59; seat 0 is on turn."""
    made = {
        "id": table_id, "rules": "prsi", "options_json": "{}", "seats": len(names), "names": names,
        "state": "playing", "clocks_ms": (61_000, 59_000), "turn": 0, "cursor": 1, "words": "", "places": (),
        "points": (), "account_name": "ada", "commitment": "5e" * 32, "secret": "", "record": "",
        "joined": (0, 1), "created_at": NOW,
    }  # fmt: skip
    return Table(**{**made, **changes})


def table_news(actions: int = 10_000) -> tuple[list[Told], Any]:
    """Return watchers' messages about a deal of `prsi`, event by event, and the deal after these actions."""
    d = deal(load("prsi"), 2, "x")
    told, start = [], 0
    for number in range(actions + 1):
        view = msgspec.json.decode(open_line(d, start))
        turn = None if d.over else d.to_act[0]
        told.append(Told("news", cursor=number + 1, view=view, clocks_ms=(61_000, 59_000), turn=turn))
        if d.over or number == actions:
            break
        start, seat = len(d.log), d.to_act[0]
        action = d.legal(seat)[0]
        d.apply(seat, str(action) + d.due(seat, action))
    return told, d


class FakeArena:
    """As `services.web.client.Arena`: what it knows are its attributes; `down` makes it silent."""

    def __init__(self) -> None:
        self.down, self.registration = False, "open"
        self.contests: list[answer.Tournament] = []
        self.games: dict[str, list[answer.Match]] = {}
        self.ranks: dict[str, list[answer.Standing]] = {}
        self.stage_tables: dict[tuple[str, int], list[answer.Standing]] = {}
        """Tables after single stages, by contest and stage."""
        self.rounds: dict[str, tuple[answer.Round, ...]] = {}
        self.stages: dict[tuple[str, int], tuple[answer.Round, ...]] = {}
        self.done = 0  # blocks of every match, beside the one that is being played
        self.faults: tuple[answer.FaultSummary, ...] = ()
        self.deals: list[answer.LiveDeal] = []
        self.sets: dict[int, answer.GetSetResponse] = {}
        self.scores: tuple[int, ...] = ()
        """Of the first, of 4, in the sets of every match."""
        self.all_bots: tuple[answer.Bot, ...] = ()
        self.retired_bots: dict[str, answer.Bot] = {}
        self.teams: dict[str, tuple[str, ...]] = {}
        self.boards: dict[str, list[answer.LeaderboardLine]] = {}
        self.ladder_rules = answer.RuleSet("prsi", "{}", "cd" * 32, "")
        self.idle: dict[str, str] = {}
        self.resting: set[str] = set()
        self.walk: tuple[answer.WalkPoint, ...] = ()
        """Reasons why nobody is paired on a ladder."""
        self.versus: dict[str, tuple[answer.HeadToHead, ...]] = {}
        self.paired: list[answer.Pairing] = []
        self.histories: dict[str, tuple[answer.VersionHistory, ...]] = {}
        self.banks: tuple[answer.BankShare, ...] = ()
        self.ladders_down = self.engine_down = False
        self.live: dict[str, list[Table | Told]] = {}
        """Messages of each live table's watch, its present state first."""
        self.status = a_status()
        """The answer of every service about all services."""
        self.contacts: dict[str, answer.GetStatusResponse | Contact] = {}
        """Different answers of single services."""
        self.asked: list[str] = []
        self.streams = 0
        self._changed = asyncio.Event()
        """Set by the next change; a watcher takes it before it reads the state, so that it misses none."""

    def change(self) -> None:
        """Wakes whoever watches."""
        self._changed.set()
        self._changed = asyncio.Event()

    def _ask_fake(self, what: str) -> None:
        self.asked.append(what)
        if self.down:
            raise ArenaUnreachable("the arena at 127.0.0.1:1 does not answer (connection refused)")

    async def close(self) -> None:
        pass

    async def list_tournaments(self, most: int = 100) -> tuple[answer.Tournament, ...]:
        self._ask_fake("tournaments")
        return tuple(self.contests[:most])

    async def tournament_page(self, most: int, after: str = ""):
        self._ask_fake("tournaments")
        ids = [one.id for one in self.contests]
        if after and after not in ids:
            raise BadRequest(f"{after!r} is not the token of a page.")
        start = ids.index(after) + 1 if after else 0
        part = tuple(self.contests[start : start + most])
        return part, part[-1].id if start + most < len(ids) else ""

    async def all_tournaments(self):
        self._ask_fake("tournaments")
        for each in self.contests:
            yield each

    async def get_tournament(self, name: str) -> answer.Tournament:
        self._ask_fake("tournament")
        for each in self.contests:
            if name in (each.name, each.id):
                return each
        raise UnknownTournament(f"There is no tournament {name!r}.")

    async def get_standings(self, name: str, stage: int = 0) -> answer.GetStandingsResponse:
        found = await self.get_tournament(name)
        lines = self.stage_tables.get((name, stage), self.ranks.get(name, []))
        return answer.GetStandingsResponse(tuple(lines), found.over, ())

    async def get_bracket(self, name: str, stage: int = 0) -> tuple[answer.Round, ...]:
        await self.get_tournament(name)
        if stage:
            return self.stages.get((name, stage), ())
        if name not in self.rounds:
            raise UnknownStage(f"{name} has no bracket.")
        return self.rounds[name]

    async def list_matches(self, name: str) -> tuple[answer.Match, ...]:
        await self.get_tournament(name)
        return tuple(self.games.get(name, ()))

    async def get_match(self, name: str, label: str, newest: int = 0) -> answer.GetMatchResponse:
        for each in await self.list_matches(name):
            if each.label == label:
                state = "claimed" if each.state == "playing" else "done"
                blocks = [answer.Block(f"block_{n}", n, 0, 100, "done", 1, "h") for n in range(self.done)]
                blocks.append(answer.Block("block_1", self.done, 0, 100, state, 1, "host-1"))
                newest_blocks = tuple(blocks[-newest:])
                return answer.GetMatchResponse(each, newest_blocks, self.faults, self.banks, self.walk)
        raise UnknownMatch(f"{name} has no match {label}.")

    async def set_scores(self, name: str, label: str) -> tuple[answer.SetSummary, ...]:
        return await self.some_set_scores(name, label, 0, len(self.scores))

    async def some_set_scores(self, name: str, label: str, first: int, most: int):
        await self._may_see_deals(name, label)
        return tuple(
            answer.SetSummary(number, number // 5, (score, 4 - score), 4, (3 * (4 - score), -3 * score), "5e")
            for number, score in enumerate(self.scores)
        )[first : first + most]

    async def _may_see_deals(self, name: str, label: str) -> None:
        await self.get_match(name, label)
        if not (await self.get_tournament(name)).over:
            raise NotYours(f"{name} is not over; its deals are for their players' authors.")

    async def deal_set(self, name: str, label: str, number: int) -> answer.GetSetResponse:
        await self._may_see_deals(name, label)
        if number not in self.sets:
            raise UnknownSet(f"Match {label} of {name} has no deal set {number} now.")
        return self.sets[number]

    async def find_contests(self, part: str, most: int, after: str = ""):
        self._ask_fake("tournaments")
        return tuple(one for one in self.contests if part in one.name)[:most], ""

    async def find_bots(self, part: str, most: int, after: str = "", owner: str = ""):
        self._ask_fake("bots")
        of = [one for one in self.all_bots if owner in ("", one.account_name)]
        found = [one for one in of if part in one.name and one.name > after]
        return tuple(found[:most]), found[most - 1].name if len(found) > most else ""

    async def find_registration(self) -> str:
        self._ask_fake("registration")
        return self.registration

    async def find_authors(self, part: str, most: int, after: str = "", name: str = ""):
        self._ask_fake("authors")
        names = sorted({one.account_name for one in self.all_bots})
        found = [one for one in names if part in one and name in ("", one)]
        return tuple(answer.Author(one, one in self.teams, 1) for one in found[:most]), ""

    async def team(self, name: str) -> answer.GetTeamResponse:
        if name not in self.teams:
            raise UnknownTeam(f"There is no team {name!r}.", thing=name)
        members = tuple(answer.TeamMember(one, "member", None) for one in self.teams[name])
        return answer.GetTeamResponse(answer.Team(name, len(members), 1, None), members)

    async def list_bots(self) -> tuple[answer.Bot, ...]:
        self._ask_fake("bots")
        return self.all_bots

    async def load_retired_bot(self, name: str) -> answer.Bot:
        if name not in self.retired_bots:
            raise UnknownBot(f"There is no bot {name!r}.", thing=name)
        return self.retired_bots[name]

    async def watch_tournament(self, name: str):
        self.streams += 1
        try:
            while True:
                changed = self._changed
                found = await self.get_tournament(name)
                yield found
                if found.over:
                    return
                await changed.wait()
        finally:
            self.streams -= 1

    async def watch_match(self, name: str, label: str, idle: int = 0):
        self.streams += 1
        try:
            while True:
                changed = self._changed
                found = await self.get_match(name, label)
                yield found.match
                for deal in self.deals:
                    yield deal
                if found.match.state != "playing":
                    return
                await changed.wait()
        finally:
            self.streams -= 1

    def _ask_ladders(self, what: str, name: str = "") -> None:
        self._ask_fake(what)
        if self.ladders_down:
            raise ArenaUnreachable("the arena at 127.0.0.1:2 does not answer (connection refused)")
        if name and name not in self.boards:
            raise UnknownLadder(f"There is no ladder {name!r}.")

    def _find_ladder(self, name: str) -> answer.Ladder:
        rules = self.ladder_rules
        members, words = len(self.boards[name]), self.idle.get(name, "")
        return answer.Ladder(name, rules, "win", None, members, 1234, 3, 2, words, rests=name in self.resting)

    async def list_ladders(self) -> tuple[answer.Ladder, ...]:
        self._ask_ladders("ladders")
        return tuple(map(self._find_ladder, sorted(self.boards)))

    async def get_leaderboard(self, ladder: str) -> answer.GetLeaderboardResponse:
        self._ask_ladders("leaderboard", ladder)
        return answer.GetLeaderboardResponse(self._find_ladder(ladder), tuple(self.boards[ladder]))

    async def head_to_head(self, ladder: str, bot: str) -> tuple[answer.HeadToHead, ...]:
        self._ask_ladders("head_to_head", ladder)
        if bot not in self.versus:
            raise NotJoined(f"{bot} has never been on the ladder {ladder}.")
        return self.versus[bot]

    async def rating_history(self, ladder: str, bot: str) -> tuple[answer.VersionHistory, ...]:
        self._ask_ladders("rating_history", ladder)
        return self.histories.get(bot, ())

    async def list_pairings(
        self, ladder: str, bot: str = "", most: int = 200, after: str = "", *, over=False
    ):
        self._ask_ladders("pairings", ladder)
        found = [one for one in self.paired if bot in ("", one.first, one.second)]
        found = [one for one in found if one.state == "over" or not over]
        start = [one.id for one in found].index(after) + 1 if after else 0
        part = tuple(found[start : start + most])
        return part, part[-1].id if start + most < len(found) else ""

    async def explain_pairing(self, ladder: str, pairing: str) -> answer.ExplainPairingResponse:
        self._ask_ladders(f"explain {pairing}", ladder)
        one = next((one for one in self.paired if one.id == pairing), None)
        if one is None:
            raise UnknownPairing(f"The ladder {ladder} has no pairing {pairing}.")
        words = f"{one.first} and {one.second} may both be the best."
        return answer.ExplainPairingResponse(one, words)

    async def pairing_sets(
        self, ladder: str, pairing: str, most: int = 1000, after: str = "", *, first: int = 0
    ):
        one = (await self.explain_pairing(ladder, pairing)).pairing
        first = int(after) + 1 if after else first
        shown = [
            answer.SetSummary(number, 0, scores_of(one, number), 4, (0,) * (2 + len(one.others)), "")
            for number in range(one.booked)
        ][first : first + most]
        return tuple(shown), str(shown[-1].set) if shown and shown[-1].set < one.booked - 1 else ""

    async def pairing_set(self, ladder: str, pairing: str, number: int) -> answer.GetPairingSetResponse:
        one = (await self.explain_pairing(ladder, pairing)).pairing
        if number not in self.sets or number >= one.booked:
            raise UnknownSet(f"The pairing {pairing} of the ladder {ladder} has no deal set {number} now.")
        names = one.first, one.second, *one.others
        return answer.GetPairingSetResponse(one, self.sets[number].set, names, self.ladder_rules)

    async def list_epochs(self, ladder: str) -> tuple[answer.Epoch, ...]:
        self._ask_ladders("epochs", ladder)
        proofs = f"318 {'c2' * 32}", "d4" * 32
        over = answer.Epoch(2, "contest_2", "over", "5e" * 32, "91" * 32, "", 311, NOW, NOW, *proofs)
        link = f"17 {'c3' * 32}"
        return answer.Epoch(3, "contest_3", "running", "7a" * 32, "", "", 12, NOW, None, link), over

    async def watch_pairing(self, ladder: str, pairing: str):
        self.streams += 1
        try:
            while True:
                changed = self._changed
                found = await self.explain_pairing(ladder, pairing)
                assert found.pairing
                yield found.pairing
                for deal in self.deals:
                    yield deal
                if found.pairing.state == "over":
                    return
                await changed.wait()
        finally:
            self.streams -= 1

    async def watch_ladder(self, ladder: str):
        self.streams += 1
        try:
            while True:
                changed = self._changed
                yield await self.get_leaderboard(ladder)
                await changed.wait()
        finally:
            self.streams -= 1

    def _ask_engine(self, what: str, table_id: str = "") -> None:
        self._ask_fake(what)
        if self.engine_down:
            raise ArenaUnreachable("the arena at 127.0.0.1:3 does not answer (connection refused)")
        if table_id and table_id not in self.live:
            raise UnknownTable(f"There is no table {table_id!r}.")

    async def attempts(self, day: str):
        self._ask_engine("attempts")
        return ()

    async def list_tables(self, most: int = 0, *, ended: bool = False) -> tuple[Table, ...]:
        self._ask_engine("tables")
        found = [one[0] for one in self.live.values()]
        return tuple(one for one in found if (one.state in ("over", "void")) == ended)

    async def get_table(self, table_id: str) -> Table:
        self._ask_engine("table", table_id)
        return self.live[table_id][0]

    async def watch_table(self, table_id: str, after: int = 0):
        self.streams += 1
        try:
            told = 0
            while True:
                changed = self._changed
                self._ask_engine("watch_table", table_id)
                parts = self.live[table_id][told:]  # tests add more from their own thread
                for part in parts:
                    yield part
                told += len(parts)
                if (table := self.live[table_id][0]).state in ("over", "void"):
                    yield table
                    return
                await changed.wait()
        finally:
            self.streams -= 1

    async def arena_status(self) -> ArenaStatus:
        self.asked.append("arena_status")
        silent = {
            "tournament": self.down,
            "matchmaking": self.ladders_down,
            "engine": self.engine_down or self.down,
        }
        told = {name: "silent" if silent.get(name) else self.status for name in SERVICES}
        return join_status(told | self.contacts)
