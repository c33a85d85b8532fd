"""A worker's live view of a block: open cards alone, and no more than there is room for."""

import threading
from contextlib import contextmanager

import pytest

from bench.support.patience import patient
from maumau import game
from maumau.errors import ArenaUnreachable
from services.worker import live
from services.worker.live import AT_ONCE, FINISHED, FULL, LONGEST, ROOM, LiveSender
from tests.support.arenas.play import load_variant
from tests.support.waiting import until


class Watchers:
    """Takes reports as the tournament service does; `watched` is its answer."""

    def __init__(self, watched):
        self.watched, self.pieces, self.reports, self.fails = watched, [], [], False
        self.asked, self.held = threading.Event(), threading.Event()
        self.held.set()

    def __call__(self, deals):
        self.asked.set()
        self.held.wait(patient(10))
        if self.fails:
            raise ArenaUnreachable
        self.reports.append(deals)
        self.pieces += deals
        return self.watched


class Nobody:
    """Sees nothing of a deal."""

    def record_events(self, seating, number, deal):
        pass


def play(shown, number=0, seating=0):
    """Play a deal, show it to `shown`, and return it."""
    deal = game.deal(load_variant("mau_mau"), 2, f"deal-{number}")
    while not deal.over:
        shown.record_events(seating, number, deal)
        deal.apply(deal.seat, game.first_action(deal, deal.seat))
    shown.record_events(seating, number, deal)
    return deal


@pytest.fixture(autouse=True)
def brisk(monkeypatch):
    for name in ("PERIOD", "IDLE", "REST"):
        monkeypatch.setattr(live, name, 0.05)


def test_a_watched_deal_is_told_event_by_event_without_what_lies_hidden():
    watchers = Watchers(watched=True)
    with LiveSender(watchers, watched=True) as shown:
        deal = play(shown)
        until(lambda: watchers.pieces and watchers.pieces[-1].places)
    events = [event for piece in watchers.pieces for event in piece.events]
    assert events == deal.watched()
    assert [event for event in deal.events if " draw " in event]  # cards were drawn, and the record has them
    assert not [event for event in events if " draw " in event]
    counts = [count for piece in watchers.pieces for count in piece.counts]
    assert len(counts) == 2 * len(events)
    assert counts[:4] == [0, 0, 5, 5]
    assert counts[-2:] == [hand.bit_count() for hand in deal.hands]
    assert watchers.pieces[-1].places == deal.places


def test_a_deal_that_is_played_anew_is_told_from_its_beginning():
    watchers = Watchers(watched=True)
    watchers.held.clear()
    with LiveSender(watchers, watched=True) as shown:
        begun = game.deal(load_variant("mau_mau"), 2, "deal-0")
        shown.record_events(0, 0, begun)
        begun.apply(begun.seat, game.first_action(begun, begun.seat))
        shown.record_events(0, 0, begun)
        watchers.held.set()
        until(lambda: watchers.pieces)
        begun.forfeit(1, "forfeit")
        anew = game.deal(load_variant("mau_mau"), 2, "deal-0")
        anew.forfeit(0, "forfeit")
        shown.record_events(0, 0, anew)
        until(lambda: any("forfeit A forfeit" in piece.events for piece in watchers.pieces))
    last = [piece for piece in watchers.pieces if "forfeit A forfeit" in piece.events][-1]
    assert (last.start, last.events) == (0, anew.watched())


def test_where_nobody_watches_some_deals_are_told_at_their_end():
    watchers = Watchers(watched=False)
    with LiveSender(watchers, watched=False) as shown:
        until(lambda: watchers.reports or play(shown, 999) is None)
        watchers.held.clear()
        deals = [play(shown, number) for number in range(100)]
        watchers.held.set()
        until(lambda: len(watchers.reports) >= 2)
    last = {piece.set: piece for piece in watchers.reports[-1]}
    assert 0 < len(last) <= FINISHED
    for number in range(100):
        if number in last:
            assert last[number].events == deals[number].watched()
            assert last[number].places


@contextmanager
def hanging():
    """Yield a service that has been asked and does not answer until `held` is set, and the view."""
    watchers = Watchers(watched=True)
    watchers.held.clear()
    with LiveSender(watchers, watched=True) as shown:
        shown.record_events(0, 999, play(Nobody()))
        until(watchers.asked.is_set)
        yield watchers, shown


def test_a_service_that_hangs_costs_deals_and_never_the_play():
    with hanging() as (watchers, shown):
        for number in range(300):
            play(shown, number)
        waiting = list(shown._waiting.values())
        watchers.held.set()
        until(lambda: watchers.reports)
    assert 0 < sum(len(piece.events) for piece in waiting) <= FULL + LONGEST
    assert all(piece.start == 0 and piece.places for piece in waiting)


def test_of_many_deals_at_once_some_are_told_and_each_of_them_whole():
    watchers = Watchers(watched=True)
    deals = [game.deal(load_variant("mau_mau"), 2, f"deal-{number}") for number in range(32)]
    with LiveSender(watchers, watched=True) as shown:
        while playing := [number for number, deal in enumerate(deals) if not deal.over]:
            for number in playing:
                shown.record_events(0, number, deals[number])
                deals[number].apply(deals[number].seat, game.first_action(deals[number], deals[number].seat))
                if deals[number].over:
                    shown.record_events(0, number, deals[number])
    shown._thread.join(patient(10))  # the last report has been made
    told = {piece.set for piece in watchers.pieces}
    assert AT_ONCE <= len(told) < len(deals)
    for number in told:
        mine = [piece for piece in watchers.pieces if piece.set == number]
        assert [event for piece in mine for event in piece.events] == deals[number].watched()


def test_a_watcher_who_comes_in_the_middle_sees_the_deal_from_its_start():
    watchers = Watchers(watched=True)
    with LiveSender(watchers, watched=False) as shown:
        deal = game.deal(load_variant("mau_mau"), 2, "long")
        for _ in range(6):
            shown.record_events(0, 0, deal)
            deal.apply(deal.seat, game.first_action(deal, deal.seat))
        shown.watched = True
        shown.record_events(0, 0, deal)
        until(lambda: watchers.pieces)
    assert watchers.pieces[0].start == 0
    assert watchers.pieces[0].events == deal.watched()


def test_reports_that_fail_are_lost_and_the_next_ones_come():
    watchers = Watchers(watched=True)
    watchers.fails = True
    with LiveSender(watchers, watched=True) as shown:
        play(shown)
        until(lambda: not shown.watched)
        watchers.fails, shown.watched = False, True
        until(lambda: play(shown, 7) and watchers.pieces)


def test_a_long_deal_is_told_to_its_end_and_none_is_begun_beside_it():
    """Both take the last action listed, which is never a card while they may draw: it goes on for ever."""
    with hanging() as (watchers, shown):
        deal = game.deal(load_variant("mau_mau"), 2, "long")
        while len(deal.watched()) < 4 * ROOM:
            shown.record_events(0, 0, deal)
            deal.apply(deal.seat, deal.legal(deal.seat)[-1])
        shown.record_events(0, 0, deal)
        play(shown, 1)
        waiting = {piece.set: piece.events for piece in shown._waiting.values()}
        watchers.held.set()
        until(lambda: watchers.reports)
    assert waiting == {0: deal.watched()}
