"""Tables that a person makes: who sits there, and one deal after another at a new table each."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from maumau.bots import HOUSE_ACCOUNT, USUAL_OPPONENT, USUAL_OPPONENTS
from maumau.cli.shared import game, place
from maumau.errors import ArenaUnreachable, BadDeal, MaumauError, NoArena, NoHouseBot
from maumau.process.loopback import is_loopback
from maumau.screen.output import json_line, plain, show

if TYPE_CHECKING:
    from maumau.cli.player.beginning import Beginning
    from maumau.client.answer import Bot
    from maumau.client.live import Tables
    from maumau.game import Rules
    from maumau.referee.place import Program
    from maumau.sandbox.launch import Sandbox

JOIN = 600.0  # seconds that friends have to come: a command has to reach them first
THINK = 0.8  # seconds that a house bot waits, so that people can follow


@dataclass(frozen=True, kw_only=True)
class TablePlan:
    """The players and rules of a person's tables.

    bots: programs of this machine, as they were named. house: the arena's bots for all other seats; without
    any these are for friends. clocks: bank, increment and window in seconds. tier: the sandbox of programs.
    beginning: of a deal that has been played, from which each table goes on.
    """

    rules: Rules
    seats: int
    bots: tuple[str, ...]
    house: tuple[str, ...]
    clocks: tuple[float, float, float]
    tier: str
    beginning: Beginning | None = None

    @property
    def has_friends(self) -> bool:
        """True if a seat waits for somebody."""
        return not self.house and len(self.bots) < self.seats - 1

    def list_players(self) -> list[str]:
        """Return what the players are called, oneself first; of one name the second has a 2 behind it."""
        names = ["you", *self.bots, *self.house]
        return [
            f"{name} {number}" if (number := names[: at + 1].count(name)) > 1 else name
            for at, name in enumerate(names)
        ]


def read_house(against: str | None) -> list[str]:
    """Return the names of the house bots to play against; none without --against."""
    from maumau.bots import HOUSE

    names = [name.strip() for name in against.split(",")] if against is not None else []
    for name in names:
        if name not in HOUSE:
            raise typer.BadParameter(f"{name!r} is not a house bot; there are {', '.join(sorted(HOUSE))}")
    return names


def choose_house(rules: Rules, seats: int | None, bots: Sequence[str], arena: str | None) -> list[str]:
    """Return the house bots for a table where nobody chose any: at several seats as many different ones.

    Only those that the arena has; the usual opponent alone if it does not tell.
    """
    others = (seats or max(rules.seats[0], len(bots) + 1)) - 1
    if others - len(bots) <= 1:
        return [USUAL_OPPONENT]
    found = set[str]()
    with suppress(MaumauError), place.connect_arena(arena) as link:
        found = {bot.name for bot in link.bots() if bot.account_name == HOUSE_ACCOUNT and _is_active(bot)}
    return [name for name in USUAL_OPPONENTS if name in found] or [USUAL_OPPONENT]


def _is_active(bot: Bot) -> bool:
    return any(version.state == "active" for version in bot.versions)


def make_plan(
    rules: Rules,
    seats: int | None,
    bots: Sequence[str],
    house: Sequence[str],
    clocks: tuple[float, float, float],
    tier: str,
    beginning: Beginning | None = None,
) -> TablePlan:
    """Return the plan of a table, with as few seats as there can be unless a number is given.

    Args:
        rules: What is played.
        seats: The number of players, or None.
        bots: Programs of this machine.
        house: House bots of the arena, in turn for the seats that are left; none to leave these to friends.
        clocks: Bank, increment and window in seconds.
        tier: The sandbox to play in.
        beginning: Of a deal that has been played, or None for fresh deals.

    Raises:
        BadDeal: The variant is not played by so many, or there are more bots than seats.
    """
    count = _count_seats(rules, seats, bots)
    invited = [house[at % len(house)] for at in range(count - 1 - len(bots))] if house else []
    return TablePlan(
        rules=rules,
        seats=count,
        bots=tuple(bots),
        house=tuple(invited),
        clocks=clocks,
        tier=tier,
        beginning=beginning,
    )


def _count_seats(rules: Rules, seats: int | None, bots: Sequence[str]) -> int:
    from maumau.rulebook.named import check_seats

    count = seats or max(rules.seats[0], len(bots) + 1)
    check_seats(rules, count)
    if len(bots) >= count:
        room = "1 bot" if count == 2 else f"{count - 1} bots"
        raise BadDeal(f"A table of {count} has room for {room} besides you, not {len(bots)}.")
    return count


@contextmanager
def open_table(
    tables: Tables, plan: TablePlan, number: int, arena: str | None, *, as_json: bool
) -> Iterator[tuple[str, list[str]]]:
    """Make a table and seat everybody but oneself; give one's own token and the players by seat.

    number: of the deal, from 0; with each one the seat before leads, as the dealer moves on. Programs are
    prepared before there is a table, and a table at which they cannot sit down is closed.
    """
    own = plan.beginning.seat if plan.beginning else -number % plan.seats
    circle = [(own + at) % plan.seats for at in range(plan.seats)]  # the seats, beginning with one's own
    players = plan.list_players()
    with ExitStack() as stack:
        seated = stack.enter_context(_prepare_programs(plan.bots, plan.tier))
        table, tokens = _create_table(tables, plan, circle)
        try:
            others = [tokens[seat] for seat in circle[1:]]
            invited = others[len(plan.bots) :]
            if plan.house and not _invite_house(arena, invited, plan.house):
                seated += stack.enter_context(_prepare_programs(plan.house, plan.tier))
            stack.enter_context(_play_seats(tables, seated, others[: len(seated)]))
        except MaumauError:
            tables.close_table(table, "a bot could not sit down")
            raise
        if plan.has_friends:
            _print_invitations(invited, arena, as_json=as_json)
        order = [
            players[circle.index(seat)] if seat in circle[: len(players)] else ""
            for seat in range(plan.seats)
        ]
        yield tokens[own], order


def _create_table(tables: Tables, plan: TablePlan, circle: Sequence[int]) -> tuple[str, list[str]]:
    """Return the id of a new table and the tokens of its seats."""
    from maumau.game.ruleset.rules import chosen_text

    bank, increment, window = plan.clocks
    names = dict(zip(circle[1:], [*plan.bots, *plan.house], strict=False))
    table, tokens = tables.create(
        plan.rules.name,
        chosen_text(plan.rules),
        seats=plan.seats,
        names=[names.get(seat, "") for seat in range(plan.seats)],
        bank=bank,
        increment=increment,
        window=window,
        join=JOIN,
        unlisted=False,
        record=plan.beginning.record if plan.beginning else "",
        variant_toml=plan.rules.text,
    )
    return table.id, tokens


def _invite_house(arena: str | None, tokens: Sequence[str], names: Sequence[str]) -> bool:
    """Have house bots of the arena take these seats; return False if it has nobody who plays for them."""
    try:
        with place.connect_seeks(arena) as seeks:
            seeks.invite_house(tokens, names, THINK)
    except (NoArena, NoHouseBot, ArenaUnreachable) as error:
        who = " and ".join(dict.fromkeys(names))
        play = "play" if len(set(names)) > 1 else "plays"
        game.say_progress(f"{plain(str(error).rstrip('.'))}; {who} {play} on this machine instead")
        return False
    return True


def _print_invitations(tokens: Sequence[str], arena: str | None, *, as_json: bool) -> None:
    if as_json:
        json_line({"seat_tokens": tokens})
        return
    found = place.find_arena(arena)
    show(f"give each of your friends one of these commands, for the next {JOIN / 60:g} minutes:")
    show(*(write_command(found, token) for token in tokens))
    if is_loopback(found.engine.rpartition(":")[0]):
        show("They work on this machine only: the arena listens nowhere else.")


def write_command(found: place.ArenaPlace, token: str) -> str:
    """Return the command that takes a seat, whatever home folder or machine it is typed in."""
    return shlex.join(["maumau", "seat", "--table", token, "--arena", place.write_shared_address(found)])


@contextmanager
def _prepare_programs(words: Sequence[str], tier: str) -> Iterator[list[tuple[Program, Sandbox]]]:
    """Unpack and build programs of this machine."""
    if not words:
        yield []
        return
    from maumau.sandbox.launch import choose_sandbox

    sandbox = choose_sandbox(tier)
    with game.open_programs(words, sandbox) as (programs, _):
        yield [(program, sandbox) for program in programs]


@contextmanager
def _play_seats(
    tables: Tables, seated: Sequence[tuple[Program, Sandbox]], tokens: Sequence[str]
) -> Iterator[None]:
    """Let programs play these seats, as long as this lasts."""
    from maumau.home.live_seat import ProgramSeat

    with ExitStack() as stack:
        threads = []
        for (program, sandbox), token in zip(seated, tokens, strict=True):
            taken = stack.enter_context(tables.sit(token))
            player = ProgramSeat(taken, program, sandbox, THINK)
            threads.append(threading.Thread(target=_play_quietly, args=(player,), daemon=True))
            threads[-1].start()
        yield
        stack.close()
        for thread in threads:
            thread.join(2)


def _play_quietly(player: Any) -> None:
    """Play a seat; what goes wrong there the table says: its clock runs out."""
    try:
        player.play()
    except (MaumauError, ValueError, OSError):
        return
