"""The table: plays a block of mirrored deals between programs, in workers and at home."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

import msgspec

from maumau.errors import BadOrder, BlockStopped
from maumau.game import Deal, Rules, load_any, order_deals, order_seatings
from maumau.game.game import hash_game
from maumau.protocol import message
from maumau.protocol.limit import RunLimits
from maumau.protocol.outcome import DealOutcome
from maumau.protocol.use import Use, sum_uses
from maumau.referee.course import Course, SingleDeal
from maumau.referee.games import GameCourse
from maumau.referee.pace import Pace, PaceSpan
from maumau.referee.place import Program, SeatPlace
from maumau.referee.play import Look
from maumau.referee.player import GRACE, ProgramPlayer
from maumau.referee.seating import Seating
from maumau.sandbox.kernel.host import collecting_seldom, pinned_to_core
from maumau.sandbox.launch import Sandbox

__all__ = [
    "BlockMeasurements",
    "BlockOrder",
    "BlockOutcome",
    "DealOutcome",
    "Program",
    "SetOutcome",
    "play_block",
]


class BlockOrder(msgspec.Struct, frozen=True):
    """A block to play: deal sets `first_set`, `first_set + 1`, …, one per seed, each in every seating.

    The order in which the seatings and, in each of them, the deals are played follows from the seeds.
    `options` are those that differ from the variant's own; `rules_hash`, if given, must be that of the rules.
    `cpu` is the core to play on, None for any; `seatings` are those to play, empty for all. `variant_toml` is
    the text of a custom variant, "" for a known one. `most_stalled`: once so many deals of a seating have
    stalled, those behind them are forfeited by everybody; 0 for no such limit. `game`: each set is a
    whole game in every seating, and `rules_hash` that of `hash_game`.
    """

    rules: str
    seats: int
    seeds: list[str]
    options: dict[str, Any] = {}
    first_set: int = 0
    deal_ms: int = 100
    memory_mib: int = RunLimits().memory_mib
    rules_hash: str = ""
    cpu: int | None = None
    seatings: list[int] = []
    variant_toml: str = ""
    most_stalled: int = 0
    game: bool = False


class SetOutcome(msgspec.Struct, frozen=True):
    """A deal set: its number and its deal in each seating, or its game, in order."""

    number: int
    deals: list[DealOutcome]


class BlockMeasurements(msgspec.Struct, frozen=True):
    """Measurements, which are never compared.

    Times are in ms (`start_ms`: of all starts, `probe_ms`: of all probes), the bank per deal in reference ms;
    pace is the core's, uses are by entrant.
    """

    wall_ms: float
    start_ms: float
    uses: list[Use]
    deal_ms: int
    probe_ms: float
    pace: PaceSpan


class BlockOutcome(msgspec.Struct, frozen=True):
    """A finished block."""

    sets: list[SetOutcome]
    measured: BlockMeasurements


OnDeal = Callable[[int, int, DealOutcome], None]
OnLook = Callable[[int, int, Deal], None]


def play_block(
    order: BlockOrder,
    programs: Sequence[Program | None],
    sandbox: Sandbox,
    on_deal: OnDeal | None = None,
    stop: Callable[[], bool] | None = None,
    on_look: OnLook | None = None,
    pace: Pace | None = None,
) -> BlockOutcome:
    """Play a block, seating by seating, each with fresh processes; None: the referee plays, at random.

    Programs are told a number that counts the deals of a seating as they begin, from 0; everything else has
    the number of the set. `on_deal(set number, seating, outcome)` is called once a set stands,
    `on_look(seating, set number, deal)` before a deal's decisions and at its end; it changes nothing.
    `pace` is kept from block to block of a core;
    None: this block has one of its own. BadOrder: it cannot be played at all;
    PlatformFault: the platform failed, nothing counts; BlockStopped: `stop()` was true.
    """
    with pinned_to_core(order.cpu), collecting_seldom():
        return BlockRun(order, programs, sandbox, pace or Pace(), on_deal, stop, on_look).play()


@lru_cache(maxsize=4)
def _load_rules(name: str, text: str, options: bytes) -> Rules:
    """Return the rules of a block, the same ones again for the next: their lists of actions are kept."""
    return load_any(name, text, **msgspec.json.decode(options))


class BlockRun:
    """A block being played; seat k of seating s is entrant (k + s) mod n."""

    def __init__(
        self,
        order: BlockOrder,
        programs: Sequence[Program | None],
        sandbox: Sandbox,
        pace: Pace,
        on_deal: OnDeal | None,
        stop: Callable[[], bool] | None,
        on_look: OnLook | None,
    ) -> None:
        self.order, self.programs, self.sandbox, self.pace = order, programs, sandbox, pace
        self._on_deal, self._stop, self._on_look = on_deal, stop, on_look
        self._rules = _load_rules(order.rules, order.variant_toml, msgspec.json.encode(order.options))
        self._limits = RunLimits(memory_mib=order.memory_mib)
        self._uses: dict[int, list[Use]] = {}  # by seating, in the order of the entrants
        self._start_ms = 0.0
        self._check_programs()
        taken = [program.manifest.concurrent for program in programs if program]
        self._at_once = min([len(order.seeds), *taken])
        """The number of deals played side by side: as many as all programs accept."""

    def play(self) -> BlockOutcome:
        """Play all seatings."""
        began, probed = time.perf_counter(), self.pace.probed
        self.pace.begin_block()
        numbers = sorted(set(self.order.seatings)) or range(self.order.seats)
        seatings = {
            number: self._play_seating(number) for number in order_seatings(self.order.seeds, numbers)
        }
        sets = [
            SetOutcome(self.order.first_set + index, list(deals))
            for index, deals in enumerate(zip(*(seatings[number] for number in numbers), strict=True))
        ]
        wall_ms, probe_ms = (time.perf_counter() - began) * 1000, (self.pace.probed - probed) * 1000
        uses = sum_uses([self._uses[number] for number in numbers])
        measured = BlockMeasurements(
            wall_ms, self._start_ms, uses, self.order.deal_ms, probe_ms, self.pace.pace_span()
        )
        return BlockOutcome(sets, measured)

    def _check_programs(self) -> None:
        order, (fewest, most) = self.order, self._rules.seats
        known = hash_game(self._rules.hash) if order.game else self._rules.hash
        if order.rules_hash not in {"", known}:
            raise BadOrder(f"The rules {order.rules} ordered are not those of this library.")
        if len(self.programs) != order.seats or not fewest <= order.seats <= most:
            here = len(self.programs)
            named = "one program is" if here == 1 else f"{here} programs are"
            there = f" for {order.seats} seats" if here != order.seats else ""
            raise BadOrder(f"{order.rules} is played by {fewest} to {most}; {named} named{there}.")
        if not order.seeds or order.deal_ms <= 0 or order.memory_mib <= 0:
            raise BadOrder("A block has at least one deal set, and time and memory for its programs.")
        if not set(order.seatings) <= set(range(order.seats)):
            raise BadOrder(f"At {order.seats} seats there are the seatings 0 to {order.seats - 1}.")

    def _play_seating(self, seating: int) -> list[DealOutcome]:
        """Play a seating; return its deals in the order of their sets."""
        self.pace.begin_seating()
        players = [self._make_player(seat, seating) for seat in range(self.order.seats)]
        table = Seating(players, self._at_once, self._go_on, self.pace, most_stalled=self.order.most_stalled)
        try:
            ended = {}
            for number, outcome in self._play_sets(table, players, seating):
                ended[number] = outcome
                if self._on_deal:
                    self._on_deal(number, seating, outcome)
            for player in players:
                player.say_goodbye()
            return [ended[number] for number in sorted(ended)]
        finally:
            self._start_ms += table.start_ms
            self._end_players(players, seating)

    def _play_sets(
        self, table: Seating, players: Sequence[ProgramPlayer], seating: int
    ) -> Iterator[tuple[int, DealOutcome]]:
        """Play the sets of a seating; yield each with its number and outcome."""
        look = partial(self._on_look, seating) if self._on_look else None
        yield from table.play_courses(self._list_courses(players, seating, look))

    def _list_courses(
        self, players: Sequence[ProgramPlayer], seating: int, look: Look | None
    ) -> Iterator[Course]:
        """Yield the sets in their order of play."""
        rules, seeds, first = self._rules, self.order.seeds, self.order.first_set
        for place in order_deals(seeds, seating):
            if self.order.game:
                deal_s = self.order.deal_ms / 1000
                yield GameCourse(rules, first + place, seeds[place], players, look, deal_s)
            else:
                yield SingleDeal(rules, first + place, seeds[place], players, look)

    def _make_player(self, seat: int, seating: int) -> ProgramPlayer:
        order, entrant = self.order, (seat + seating) % self.order.seats

        def hello_line(bank: float) -> bytes:
            return message.write_hello(self._rules, order.options, order.seats, seat, bank, self._at_once)

        place = SeatPlace(self.programs[entrant], entrant, seating, hello_line)
        bank = order.deal_ms * len(order.seeds) / 1000
        most = bank * self._rules.number("max_hands") if order.game else bank
        return ProgramPlayer(place, self.sandbox, self._limits, bank, self.pace, most)

    def _go_on(self) -> None:
        if self._stop and self._stop():
            raise BlockStopped

    def _end_players(self, players: Sequence[ProgramPlayer], seating: int) -> None:
        """End every process and sum up the uses; a process that cannot be ended does not keep the others."""
        until = time.monotonic() + GRACE
        with contextlib.ExitStack() as all_of_them:
            for player in players:
                all_of_them.callback(player.close, until)
        for player in players:
            numbers = range(self.order.first_set, self.order.first_set + len(self.order.seeds))
            player.use.deals_ms = [1000 * player.deals[number] for number in numbers]
        self._uses[seating] = [
            player.use for player in sorted(players, key=lambda player: player.place.entrant)
        ]
