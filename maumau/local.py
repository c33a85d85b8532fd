"""`maumau-bot`: mirrored deals between SDK bots in this process, without sandbox, clock or arena.

It is the command of the small distribution `maumau-bot` (deploy/maumau-bot). `maumau duel` plays the same
deals for the same seed, each program in a process of its own behind the sandbox's wall.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import secrets
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from maumau.bot.inside import bot_class, play_inside
from maumau.bot.sdk import Bot
from maumau.bots import HOUSE, folder
from maumau.errors import BadRequest, MaumauError, NoBot
from maumau.game import Rules, load, load_file

PROGRAM: Final = "bot.py"
NORMAL: Final = 1.96  # standard errors on each side of a mean, for an interval of 95 %


def deal_seed(seed: str, number: int) -> str:
    """Return the seed of deal `number` (from 0) of a contest with this seed: 64 hex digits."""
    return hashlib.sha256(f"{seed}\n{number}".encode()).hexdigest()


def find_bot(name: str) -> type[Bot]:
    """Return the class of a bot: of a file, of bot.py in a folder, or of a house bot by its name.

    Raises:
        NoBot: There is no such file or house bot, or it defines no class of Bot.
    """
    path = Path(name)
    if name in HOUSE and not path.exists():
        path = folder(name)
    try:
        program = path / PROGRAM if path.is_dir() else path
        is_there = program.is_file()
    except OSError as error:
        raise NoBot(f"{name[:80]} cannot be found ({error.strerror})") from None
    if not is_there:
        raise NoBot(f"there is no {program}; house bots: {', '.join(HOUSE)}")
    return bot_class(program)


def play_sets(rules: Rules, bots: Sequence[type[Bot]], seed: str, count: int) -> Iterator[list[float]]:
    """Yield the share of deals that each bot has won in each of so many sets.

    In seating s of a set, seat k is bot (k + s) mod n; every seating has the same cards. A deal that several
    win is shared among them. What a bot raises has a note that says in which deal.
    """
    seats = range(len(bots))
    for number in range(count):
        won = [0.0 for _ in seats]
        for seating in seats:
            seated = [(seat + seating) % len(bots) for seat in seats]
            try:
                played = play_inside(rules, [bots[one] for one in seated], deal_seed(seed, number))
            except Exception as error:
                error.add_note(f"in deal {number} of seed {seed}, seating {seating}")
                raise
            first = [seat for seat in seats if played.places[seat] == 1]
            for seat in first:
                won[seated[seat]] += 1 / len(first) / len(bots)
        yield won


def main(given: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code, 1 after an error."""
    asked = _parse_arguments(given)
    try:
        bots = [find_bot(name) for name in asked.bots]
        rules = _load_rules(asked.rules, asked.option)
        sets = list(play_sets(rules, bots, asked.seed, asked.sets))
    except MaumauError as error:
        notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
        sys.stderr.write(f"error: {error}{notes}\n")
        return 1
    deals = len(sets) * len(bots)
    sys.stdout.write(f"{rules.name}: {len(sets)} mirrored sets, {deals} deals, seed {asked.seed}\n")
    for name, shares in zip(asked.bots, zip(*sets, strict=True), strict=True):
        sys.stdout.write(f"{name}: {_describe_share(shares)}\n")
    return 0


def _parse_arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("maumau-bot", description=__doc__.split("\n")[0].partition(": ")[2])
    parser.add_argument("bots", nargs="+", help="two or more: files, folders with a bot.py, house bots")
    parser.add_argument("--rules", default="mau_mau", help="a variant, or the .toml file of one of your own")
    parser.add_argument("-o", "--option", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("-n", "--sets", type=int, default=100, help="deals, each played in every seating")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="any text, which decides the deals")
    asked = parser.parse_args(given)
    if len(asked.bots) == 1:
        parser.error("name two bots or more")
    if asked.sets < 1:
        parser.error("--sets is at least 1")
    if not asked.seed.isprintable():
        parser.error("--seed is a line of text")
    return asked


def _load_rules(name: str, options: Sequence[str]) -> Rules:
    chosen = dict(_parse_option(text) for text in options)
    return load_file(Path(name), **chosen) if name.endswith(".toml") else load(name, **chosen)


def _parse_option(given: str) -> tuple[str, Any]:
    """Return key and value; the value is JSON, else a word."""
    key, equals, value = given.partition("=")
    if not equals or not key:
        raise BadRequest(f"--option {given!r} is not KEY=VALUE")
    try:
        return key, json.loads(value)
    except (ValueError, RecursionError):
        return key, value


def _describe_share(shares: Sequence[float]) -> str:
    """Return the mean share of deals won, with an interval of 95 % from two sets on."""
    mean = f"wins {100 * statistics.fmean(shares):.1f} %"
    if len(shares) == 1:
        return mean
    return f"{mean} ± {100 * NORMAL * statistics.stdev(shares) / len(shares) ** 0.5:.1f}"


if __name__ == "__main__":
    sys.exit(main())
