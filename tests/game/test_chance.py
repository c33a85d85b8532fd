"""Chance is the same in every language: worked out here once more, by the standard library's HMAC."""

from __future__ import annotations

import hmac
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from maumau.game import bot_seed, deal, load, order_deals, order_seatings, stream
from tests.game.chi import bounds, chi, unfair

DECK = [rank + suit for rank in "789TJQKA" for suit in "CSHD"]
PAGE = (Path(__file__).parent.parent.parent / "docs/reference/verify.md").read_text(encoding="utf-8")


def numbers(seed: str, purpose: str) -> Iterator[int]:
    block = 0
    while True:
        yield from hmac.digest(seed.encode(), purpose.encode() + b"\0" + block.to_bytes(4, "big"), "sha256")
        block += 1


def shuffled(items: list[str], source: Iterator[int], stop: int) -> list[str]:
    items = items[:]
    for at in range(stop):
        left = len(items) - at
        byte = next(b for b in source if b < 256 - 256 % left)
        items[at], items[at + byte % left] = items[at + byte % left], items[at]
    return items


@pytest.mark.parametrize("seed", ["", "x", "ü" * 90, "ab" * 32])
def test_a_stream_is_hmac_sha256_over_purpose_and_counter(seed: str) -> None:
    ours, theirs = stream(seed, "deal"), numbers(seed, "deal")
    assert [ours.below(256) for _ in range(100)] == [next(theirs) for _ in range(100)]


def test_a_bot_seed_is_the_first_block_of_its_purpose() -> None:
    assert bot_seed("s", 3) == hmac.digest(b"s", b"bot:3\0\0\0\0\0", "sha256").hex()


def test_the_order_of_play_is_that_of_the_first_blocks_of_its_purposes() -> None:
    seeds = [f"{number:064x}" for number in range(300)]

    def key(seed: str, purpose: str) -> bytes:
        return hmac.digest(seed.encode(), purpose.encode() + bytes(5), "sha256")

    for seating in range(3):
        places = sorted(range(300), key=lambda place: key(seeds[place], f"order:{seating}"))
        assert order_deals(seeds, seating) == places
    for seed in seeds[:50]:
        seatings = sorted(range(4), key=lambda seating: key(seed, f"seating:{seating}"))
        assert order_seatings([seed, "another"], range(4)) == seatings


def test_each_seating_is_as_often_first_as_another_and_its_deals_lie_anywhere() -> None:
    seeds = [f"fair {number}" for number in range(3000)]
    first = Counter(order_seatings([seed], range(2))[0] for seed in seeds)
    assert chi([first[0], first[1]]) < bounds(1)[1]
    orders = [order_deals(seeds, seating) for seating in (0, 1)]
    same = sum(a == b for a, b in zip(*orders, strict=True))
    assert same < 10  # one is expected, and ten come once in ten million times


@pytest.mark.parametrize("m", [1, 2, 3, 7, 32, 52, 100, 128, 255, 256])
def test_every_number_below_m_is_as_likely_as_another(m: int) -> None:
    source = stream("fair", f"below {m}")
    found = Counter(source.below(m) for _ in range(200 * m))
    assert set(found) == set(range(m))
    chi = sum((count - 200) ** 2 / 200 for count in found.values())
    assert chi < m + 6 * (2 * m) ** 0.5 + 10


def test_many_deals_are_fair() -> None:
    """A million are dealt by `make fuzz`."""
    assert list(unfair(20_000)) == []


def test_a_bent_coin_is_found_out() -> None:
    low, high = bounds(31)
    assert low < chi([1000 + at % 3 * 20 for at in range(32)]) < high
    assert chi([1400, *[1000] * 31]) > high
    assert chi([1000] * 32) < low


def test_hands_then_the_card_turned_up_come_off_the_deal_stream() -> None:
    for seed in ("a", "b", "c" * 64):
        d = deal(load("prsi"), 3, seed)
        order = shuffled(DECK, numbers(seed, "deal"), 13)
        lines = [f"deal {seat} {' '.join(order[4 * at : 4 * at + 4])}" for at, seat in enumerate("ABC")]
        assert all(line in _record(d) for line in [*lines, f"up {order[12]}"])


def test_a_seat_draws_the_first_card_of_its_permutation_that_is_still_there() -> None:
    for seed in ("a", "b", "c"):
        d = deal(load("app"), 2, seed)
        order = shuffled(DECK, numbers(seed, "deal"), 11)
        stock = [card for card in DECK if card not in order[:11]]
        lists = [shuffled(stock, numbers(seed, f"stock:{seat}:0"), len(stock)) for seat in range(2)]
        if d.asks == "wish":
            d.apply(1, "wish:C")
        for _ in range(6):
            seat = d.seat
            action = "take" if d.owed else "draw"
            expected = [card for card in lists[seat] if card in stock][: d.owed or 1]
            d.apply(seat, action)
            stock = [card for card in stock if card not in expected]
            said = f"+{len(expected)}" if action == "take" else "draw"
            assert f"{'AB'[seat]} {said} {' '.join(expected)}" in d.events


def _record(d: object) -> list[str]:
    from maumau.game import Deal, record

    assert isinstance(d, Deal)
    return record(d).split("\n")


def test_four_significant_cards_are_shuffled_away_by_the_stream_cut() -> None:
    rules = load("mau_mau")
    for number in range(4000):
        seed = f"cut {number}"
        source, again = numbers(seed, "deal"), numbers(seed, "cut")
        order = shuffled(DECK, source, 15)
        tries = 1
        while all(card[0] in "78JA" for card in order[11:15]):
            order = shuffled(DECK, again, 15)
            tries += 1
        assert deal(rules, 2, seed).events[0] == f"cut {' '.join(order[11:15])}"
        if tries > 2:
            return
    raise AssertionError("no seed of these was cut twice in vain")


def test_the_vectors_of_the_page_are_true() -> None:
    found = re.findall(r"^\| `(.+?)` \| `(.+?)` \| `([0-9a-f]{32})` \| `([\d ]+)` \|$", PAGE, re.MULTILINE)
    assert len(found) >= 4
    for seed, purpose, first, below in found:
        source = stream(seed, purpose)
        assert bytes(source.below(256) for _ in range(16)).hex() == first
        source = stream(seed, purpose)
        assert [source.below(32 - at) for at in range(8)] == [int(number) for number in below.split()]
    shown = re.findall(r"^```\n(\[seats 2\].*?)\n```$", PAGE, re.DOTALL | re.MULTILINE)
    assert shown
    for text in shown:
        seed = re.findall(r"\[seed (.*)\]", text)[0]
        assert _record(deal(load("mau_mau"), 2, seed))[2:8] == text.split("\n")
