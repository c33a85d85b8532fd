"""A seat as its player's page shows it, and its updates.

The engine's watch of the table says when something has changed; what the seat sees is read with its own
token. So no stream of the seat is held: two tabs show the same, and every replica of the page can go on.
"""

import asyncio
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import Struct

from maumau.client.live import Table, Told
from maumau.errors import NotAsked
from maumau.game import deal, load_text
from maumau.game.model.compiled import CompiledRules
from maumau.game.notation.action import SEATS
from maumau.page.words import show_cards, sort_cards, tell_event
from maumau.rulebook.named import find_rules
from services.web.client import Arena
from services.web.delivery.feed import Feed
from services.web.figures.deal_data import name_player
from services.web.play.choices import Menu, list_sayings, make_menu, word_question
from services.web.play.invitation import Invitation
from services.web.play.reasons import tell_bars, tell_step_bars
from services.web.play.seat_pass import SeatPass
from services.web.public.deals.review import link_moment
from services.web.public.live_table import ENDED, TableView, find_final_hands
from services.web.public.live_table import draw_public as draw_table
from services.web.seat import SeatView
from services.web.words import TONGUES, Tongue

PARTS: Final = ("play_state", "play_invites", "play_hand", "play_log", "play_told")
KEPT: Final = 64  # games whose traits are kept
TOLD: Final = 30  # sentences of the log
TOLD_AT_END: Final = 8  # of them announced when the deal is over
FAULTS: Final = ("time", "left")


class PlayView(Struct, frozen=True):
    """A seat of a table as of `read_at` (time.time).

    seat: its number. cursor: of its question. seen: its view, empty before the deal begins. window_ms: left
    of an open window. has_own_calls, is_friend: as in SeatPass. friends: invitations, used or not.
    """

    table: Table
    seat: int
    read_at: float
    cursor: int = 0
    seen: Mapping[str, Any] = {}
    clocks_ms: tuple[int, ...] = ()
    window_ms: int | None = None
    has_own_calls: bool = False
    is_friend: bool = False
    friends: tuple[Invitation, ...] = ()

    @property
    def invitations(self) -> list[Invitation]:
        """Invitations that are still open."""
        is_waiting = self.table.state == "waiting"
        return [one for one in self.friends if is_waiting and one.seat not in self.table.joined]

    @property
    def is_over(self) -> bool:
        return self.table.state in ENDED

    @property
    def is_asked(self) -> bool:
        """True if the player has to answer."""
        return bool(self.seen.get("ask")) and self.table.state == "playing"

    @property
    def hand(self) -> list[str]:
        """The cards in hand, by suit and rank."""
        return sort_cards(self.seen.get("hand") or [])

    @property
    def bot(self) -> str:
        """The opponent, for another deal like this one."""
        people = {self.seat, *(one.seat for one in self.friends)}
        return next((name for seat, name in enumerate(self.table.names) if seat not in people), "")

    @property
    def champion_link(self) -> str:
        """The address at which the same deal is played again."""
        return link_moment(f"/tables/{quote(self.table.id, safe='')}/review", self.seat)

    @property
    def window_until(self) -> int:
        """The end of an open window, in seconds since 1970; 0 if none is open."""
        return 0 if self.window_ms is None else round(self.read_at + self.window_ms / 1000)

    def name(self, t: Tongue, seat: int) -> str:
        """Return what the player of a seat is called."""
        return name_player(t, self.table, seat)

    def make_menu(self, t: Tongue, picks: Sequence[int] = ()) -> Menu:
        """Return the choices of the question."""
        return make_menu(self.seen, picks, t, lambda seat: self.name(t, seat))

    def tell_bars(self, t: Tongue, menu: Menu | None = None) -> dict[str, str]:
        """Return, by card of the hand, why it may not be laid now, in a sentence. menu: of a step."""
        if not self.seen or self.is_over:
            return {}
        table = self.table
        compiled = compile_table(table.seats, table.rules, table.options_json, table.variant_toml)
        if menu and menu.title:
            return tell_step_bars(compiled, self.seen, menu.actions, t)
        return tell_bars(compiled, self.seen if self.is_asked else {**self.seen, "ask": ""}, t)

    def list_sayings(self, t: Tongue) -> list[tuple[str, str]]:
        """Return what may be said besides an action."""
        return list_sayings(self.seen, t, lambda seat: self.name(t, seat))

    def word_state(self, t: Tongue) -> str:
        """Return what is asked, or for whom the table waits."""
        if self.table.state == "waiting":
            return t("play_waits_for_friend" if self.invitations else "play_waits")
        if self.is_asked:
            return word_question(self.seen, t, lambda seat: self.name(t, seat))
        turn = self.table.turn
        return t("play_others") if turn is None else t("play_turn_of", who=self.name(t, turn))

    def tell_pile(self, t: Tongue) -> str:
        """Return what lies on top and what it costs, in sentences."""
        if not self.seen or self.is_over:
            return ""
        seen = self.seen
        told = [t("play_on_top", card=show_cards(seen["top"]))] if seen["top"] else []
        told += [t("play_wished", suit=t(f"suit_{seen['wish']}"))] if seen["wish"] else []
        told += [t("play_owed", n=seen["owed"])] if seen["owed"] else []
        told += [t("play_skips", n=seen["skips"])] if seen["skips"] else []
        return " ".join(told)

    def tell_events(self, t: Tongue) -> list[str]:
        """Return the last events in sentences, the newest first."""
        names = [self.name(t, seat) for seat in range(self.table.seats)]
        events = list(self.seen.get("events") or [])[-TOLD:]
        return [tell_event(event, names, t.language) for event in reversed(events)]

    def tell_aloud(self, t: Tongue) -> list[str]:
        """Return the sentences for a screen reader: what happened, what is asked, the choices."""
        if self.is_over:
            return [*self._tell_new_events(t)[:TOLD_AT_END], *self.tell_faults(t), self.tell_winner(t)]
        if not self.is_asked:
            return [*self._tell_new_events(t), self.word_state(t)]
        told = [*self._tell_new_events(t), self.word_state(t), self.tell_pile(t)]
        if cards := show_cards(" ".join(self.hand)):
            told.append(t("told_hand", cards=cards))
        elif self.seen["ask"] != "keep":  # before the deal nobody has cards
            told.append(t("play_hand_empty"))
        others = [
            t("told_count", who=self.name(t, seat), n=count)
            for seat, count in enumerate(self.seen["counts"])
            if seat != self.seat
        ]
        told.append(t("told_counts", counts=", ".join(others)))
        choices = self.make_menu(t).list_shown(self.hand)
        numbered = [t("told_choice", n=n, words=one.words) for n, one in enumerate(choices, 1)]
        return [*told, t("told_choices", choices="; ".join(numbered))] if choices else told

    def _tell_new_events(self, t: Tongue) -> list[str]:
        """Return the events since the player's own last action, in sentences."""
        events, own = list(self.seen.get("events") or [])[-TOLD:], f"{SEATS[self.seat]} "
        last = max((at for at, event in enumerate(events) if event.startswith(own)), default=0)
        names = [self.name(t, seat) for seat in range(self.table.seats)]
        return [tell_event(event, names, t.language) + "." for event in events[last:]]

    def tell_winner(self, t: Tongue) -> str:
        """Return who has won; "" without a result."""
        places = self.table.places
        if not places:
            return ""
        if places[self.seat] == 1:
            return t("play_won")
        return t("play_lost", who=" & ".join(self.name(t, seat) for seat, at in enumerate(places) if at == 1))

    def tell_faults(self, t: Tongue) -> list[str]:
        """Return the players that have lost the deal by leaving or by the clock, in sentences."""
        told = []
        for event in self.seen.get("events") or []:
            head, _, rest = event.partition(" ")
            seat, kind = SEATS.find(rest[:1]), rest[2:]
            if head == "forfeit" and kind in FAULTS:
                whose = "own" if seat == self.seat else "other"
                told.append(t(f"play_{kind}_{whose}", who=self.name(t, seat)))
        return told

    @property
    def traits(self) -> "Traits":
        """The demands of the game on its players."""
        return find_traits(self.table.rules, self.table.options_json, self.table.variant_toml)


class Traits(NamedTuple):
    """Demands of a game on its players.

    has_calls: “Mau!” or another call. has_unlisted: legal actions that no list has.
    """

    has_calls: bool
    has_unlisted: bool


@lru_cache(KEPT)
def find_traits(rules: str, options_json: str = "", variant_toml: str = "") -> Traits:
    """Return the traits of a variant with options. variant_toml: the text of a custom one."""
    compiled = compile_table(0, rules, options_json, variant_toml)
    return Traits(compiled.largest_hand_owing_call >= 0, compiled.has_unlisted_actions)


@lru_cache(KEPT)
def compile_table(seats: int, rules: str, options_json: str = "", variant_toml: str = "") -> CompiledRules:
    """Return the rules of a table, compiled for its seats (0: the fewest that there may be)."""
    options = msgspec.json.decode(options_json or "{}")
    found = load_text(rules, variant_toml, **options) if variant_toml else find_rules(rules, options_json)
    return deal(found, seats or found.seats[0], rules).compiled


class SeatSource:
    """The source of a player's page."""

    def __init__(self, arena: Arena, one: SeatPass, friends: tuple[Invitation, ...] = ()) -> None:
        self._arena, self._pass, self._friends = arena, one, friends

    async def load_view(self) -> PlayView:
        """Load the table and what the seat sees."""
        table, seen = await asyncio.gather(self._arena.get_table(self._pass.table_id), self._see())
        view = PlayView(
            table,
            self._pass.seat,
            time.time(),
            clocks_ms=table.clocks_ms,
            has_own_calls=self._pass.has_own_calls,
            is_friend=self._pass.is_friend,
            friends=self._friends,
        )
        if table.state == "void" or seen is None:
            return view
        return msgspec.structs.replace(
            view, cursor=seen.cursor, seen=seen.view, clocks_ms=seen.clocks_ms, window_ms=seen.window_ms
        )

    async def _see(self) -> SeatView | None:
        """Return what the seat sees; None before the deal begins."""
        with suppress(NotAsked):
            return await self._arena.seat_view(self._pass.token)
        return None

    async def update_feed(self, feed: Feed) -> None:
        """Update the feed until the table has ended; what an answer has shown already is not read again."""
        async for told in self._arena.watch_table(self._pass.table_id):
            if isinstance(told, Told) and is_shown(feed.view, told.cursor):
                continue
            publish_newer(feed, await self.load_view())


def publish_newer(feed: Feed, view: PlayView) -> None:
    """Publish a view unless a newer one is shown: of two that are read at once, either may arrive first."""
    shown = feed.view
    if isinstance(shown, PlayView) and not view.is_over and _is_behind(view, shown):
        return
    feed.publish_view(view)
    feed.over = view.is_over


def _is_behind(view: PlayView, shown: PlayView) -> bool:
    return view.table.cursor < shown.table.cursor or view.cursor < shown.cursor


def is_shown(view: object, cursor: int) -> bool:
    """Return True if both the table and the seat of a view have come as far as this cursor."""
    return isinstance(view, PlayView) and min(view.table.cursor, view.cursor) >= cursor


def draw_seat(view: PlayView, language: str) -> Mapping[str, Any]:
    """Return the table as the script and the template draw it, with the player's own seat at the bottom."""
    table = _mark_own(view, TONGUES[language])
    hands = find_final_hands(table)
    seen = view.seen
    drawn = draw_table(
        TableView(
            table,
            view.clocks_ms,
            table.turn if table.state == "playing" else None,
            view.read_at,
            tuple(seen.get("events") or ()),
            seen,
            (),
            hands,
        ),
        language,
    )
    return _turn_drawing(drawn, view.seat)


def _mark_own(view: PlayView, t: Tongue) -> Table:
    names = list(view.table.names)
    names[view.seat] = f"{view.name(t, view.seat)} ({t('play_you')})"
    return msgspec.structs.replace(view.table, names=tuple(names))


def _turn_drawing(drawn: Mapping[str, Any], seat: int) -> Mapping[str, Any]:
    """Return a drawing with another seat first."""
    seats = len(drawn["players"])
    order = [(seat + number) % seats for number in range(seats)]

    def turned(row: Any) -> Any:
        return [row[one] for one in order] if row is not None and len(row) == seats else row

    clock = drawn["clock"]
    turn = None if clock["turn"] is None else (clock["turn"] - seat) % seats
    return {
        **drawn,
        "players": turned(drawn["players"]),
        "counts": [turned(row) for row in drawn["counts"]],
        "places": turned(drawn["places"]),
        "points": turned(drawn["points"]),
        "hands": [turned(row) for row in drawn["hands"]],
        "clocks": turned(drawn["clocks"]),
        "clock": {**clock, "ms": turned(clock["ms"]), "turn": turn},
        "events": [_turn_event(event, seat, seats) for event in drawn["events"]],
    }


def _turn_event(event: str, seat: int, seats: int) -> str:
    """Return an event as of a table whose first seat is this one; only who acts matters to who draws it."""
    if event[1:2] == " " and (acting := SEATS.find(event[0])) >= 0:
        return SEATS[(acting - seat) % seats] + event[1:]
    return event


def choose_seats(seats: int, people: int) -> list[int]:
    """Return seats for this number of people, drawn by lot, so that chance decides who leads."""
    return secrets.SystemRandom().sample(range(seats), people)
