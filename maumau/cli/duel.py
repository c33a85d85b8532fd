"""`maumau duel`: mirrored deals between two programs at home until it is decided which is better."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maumau.cli import game
from maumau.cli.output import Json, console, json_line, plain, show

if TYPE_CHECKING:
    from rich.live import Live

    from maumau.home.duel import Duel, Standing

SPEED_AFTER = 0.5  # seconds until a speed means something


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(duel)


def duel(  # noqa: PLR0913 - a flag for everything that may be chosen
    first: Annotated[str, typer.Argument(help="A folder, a file, a zip or a house bot's name.")],
    second: Annotated[str, typer.Argument(help="The other one.")],
    *,
    number: Annotated[int, typer.Option("-n", min=1, help="Mirrored deals at most.")] = 1000,
    variant: game.Variant = "mau_mau",
    options: game.Options = None,
    seed: game.Seed = None,
    all_of_them: Annotated[bool, typer.Option("--all", help="Play all, also when it is decided.")] = False,
    score: Annotated[str, typer.Option(help="What counts: win or points.")] = "win",
    deal_ms: game.Millis = 100,
    jobs: game.Jobs = 0,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Find out which of two bots is better, each deal in both seatings. Ctrl-C gives the result so far."""
    from maumau.bot.sandbox import choose
    from maumau.contest.score import UNITS
    from maumau.home import duel as home
    from maumau.home.crew import crew

    if score not in UNITS:
        raise typer.BadParameter(f"--score is one of {', '.join(UNITS)}")
    rules = game.rules(variant, options)
    what = home.Duel(
        rules.name, rules.chosen, number, game.seed(seed), all_of_them, score=score, deal_ms=deal_ms
    )
    sandbox = choose(tier)
    with (
        game.programs([first, second], sandbox) as (programs, names),
        crew(sandbox.name, jobs) as workers,
        _live(what, names) as watch,
    ):
        began = time.monotonic()
        found = home.play(what, programs, workers, watch)
        took, size = time.monotonic() - began, workers.size
    if as_json:
        json_line(_answer(what, names, found))
        return
    show(*_said(what, names, found, (first, second)), f"{_pace(found, took, size)}; {sandbox.says}")


@contextmanager
def _live(what: Duel, names: list[str]) -> Iterator[Any]:
    """A line that is kept up to date, only where stderr is a terminal."""
    from rich.live import Live

    err = console(stderr=True)
    if not err.is_terminal:
        yield lambda _standing, _deals: None
        return
    with Live(console=err, transient=True, refresh_per_second=8) as live:
        yield _watcher(live, what, names)


def _watcher(live: Live, what: Duel, names: list[str]) -> Any:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    began = time.monotonic()

    def watch(standing: Standing, deals: int) -> None:
        took = time.monotonic() - began
        speed = f", {deals / took:,.0f} deals/s" if took > SPEED_AFTER else ""
        lines = (
            f"{names[0]} against {names[1]}, {what.rules}",
            f"score {_score(standing)}, {standing.sums.sets:,} of {what.sets:,} mirrored deals{speed}",
            f"evidence {standing.llr:+.2f}, decided at ±2.94",
        )
        played = min(deals // 2, what.sets)
        live.update(Group(*(Text(plain(line)) for line in lines), ProgressBar(what.sets, played, width=60)))

    return watch


def _score(standing: Standing) -> str:
    low, high = standing.sums.interval
    return f"{standing.sums.estimate:.3f} ({low:.3f} to {high:.3f})"


def _said(what: Duel, names: list[str], found: Standing, words: tuple[str, str]) -> Iterator[str]:
    """The result in words: who, by how much, how surely, the faults, the time, how to play it again."""
    sets = found.sums.sets
    who = "beats" if found.winner == 0 else "loses to" if found.winner == 1 else "is not separated from"
    yield f"{names[0]} {who} {names[1]}: score {_score(found)} after {sets:,} mirrored deals of {what.rules}"
    yield f"{_reason(found)}; evidence {found.llr:+.2f}, decided at ±2.94"
    if what.score == "points" or any(found.points):
        yield f"points counted: {found.points[0]:,} and {found.points[1]:,}"
    for entrant, counts in enumerate(found.fault_counts()):
        if counts:
            kinds = ", ".join(f"{kind} {number}" for kind, number in counts.most_common())
            first = next(fault for fault in found.faults if fault.entrant == entrant)
            yield f"faults of {names[entrant]}: {kinds}; the first in deal {first.deal}: {first.words}"
            yield f"  again: {_again(what, words, first.deal, first.seating)}"
    if sets:
        each = [cpu / (2 * sets) for cpu in found.cpu_ms]
        yield f"CPU for a deal: {names[0]} {each[0]:.1f} ms, {names[1]} {each[1]:.1f} ms"
    yield f"seed {what.seed}"


def _pace(found: Standing, took: float, size: int) -> str:
    speed = f", {2 * found.sums.sets / took:,.0f} deals/s" if took > SPEED_AFTER else ""
    return f"{took:.1f} s on {size} {'core' if size == 1 else 'cores'}{speed}"


def _reason(found: Standing) -> str:
    reasons = {
        "decided": "decided by the sequential test",
        "not separated": "all deals are played and it is not decided",
        "stopped": "stopped before it was decided",
    }
    return reasons[found.state]


def _again(what: Duel, words: tuple[str, str], deal: int, seating: int) -> str:
    """The command that plays a deal once more."""
    order = words if seating == 0 else words[::-1]
    options = "".join(f" --option {key}={_json(value)}" for key, value in what.options.items())
    return f"maumau play {order[0]} {order[1]} --rules {what.rules}{options} --seed {what.seed} --deal {deal}"


def _json(value: Any) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()


def _answer(what: Duel, names: list[str], found: Standing) -> dict[str, Any]:
    """The result for programs: the same for the same seed, unless a bot decides by the clock."""
    winner = None if found.winner is None else names[found.winner]
    return {
        "first": names[0],
        "second": names[1],
        "rules": what.rules,
        "options": what.options,
        "seed": what.seed,
        "state": found.state,
        "winner": winner,
        "sets": found.sums.sets,
        "score": found.sums.estimate,
        "interval": found.sums.interval,
        "llr": round(found.llr, 4),
        "points": found.points,
        "faults": [dict(counts) for counts in found.fault_counts()],
    }
