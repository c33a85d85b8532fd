"""`maumau duel`: mirrored deals between two programs at home until it is decided which is better."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maumau.cli.shared import game
from maumau.screen.output import LOG_SECONDS, Json, ProgressLines, console, json_line, plain, show
from maumau.screen.table import OUTSIDE, score_cells

if TYPE_CHECKING:
    from rich.live import Live

    from maumau.home.duel import Duel, DuelStanding
    from maumau.home.job import SecondRun
    from maumau.referee.share import BankShare
    from maumau.sandbox.launch import Sandbox

SPEED_AFTER = 0.5  # seconds until a speed means something


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("duel")(duel_bots)


def duel_bots(  # noqa: PLR0913 - a flag for everything that may be chosen
    first: Annotated[str, typer.Argument(help="A bot: a folder, a file, a zip or the name of a house bot.")],
    second: Annotated[str, typer.Argument(help="The other bot, given in the same way.")],
    *,
    number: Annotated[
        int, typer.Option("--sets", "-n", min=1, help="How many mirrored sets to play at most.")
    ] = 1000,
    variant: game.Variant = "mau_mau",
    options: game.Options = None,
    seed: game.Seed = None,
    all_of_them: Annotated[
        bool, typer.Option("--all", help="Play all deals, even after the duel is decided.")
    ] = False,
    score: Annotated[str, typer.Option(help="What is scored: win, places or points.")] = "win",
    deal_ms: game.Millis = 100,
    jobs: game.Jobs = 0,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Find out which of two bots is better, each deal in both seatings. Ctrl-C shows the result so far.

    Example: maumau duel my-bot greedy -n 2000
    """
    from msgspec.structs import replace

    from maumau.contest.score import UNITS
    from maumau.home import duel as home
    from maumau.sandbox.launch import choose_sandbox

    if score not in UNITS:
        raise typer.BadParameter(f"--score is one of {', '.join(UNITS)}")
    rules = game.load_rules(variant, options)
    what = home.Duel(rules.name, rules.chosen, number, game.choose_seed(seed), all_of_them, score, deal_ms)
    what = replace(what, variant_toml=rules.text)
    sandbox = choose_sandbox(tier)
    names, found, pace = _play_duel(what, [first, second], sandbox, jobs)
    if as_json:
        json_line(_result_as_json(what, names, found))
        return
    show(*_describe_result(what, names, found, (first, second, variant)), f"{pace}; {sandbox.says}")


def _play_duel(
    what: Duel, bots: Sequence[str], sandbox: Sandbox, jobs: int
) -> tuple[list[str], DuelStanding, str]:
    """Return the names of the two, the final standing, and the speed of play."""
    from maumau.home import duel as home
    from maumau.home.crew import start_crew

    with (
        game.open_programs(bots, sandbox) as (programs, names),
        start_crew(sandbox.name, jobs) as workers,
        _update_line(what, names) as watch,
    ):
        began = time.monotonic()
        found = home.play_duel(what, programs, workers, watch)
        return names, found, _describe_speed(found, time.monotonic() - began, workers.size)


@contextmanager
def _update_line(what: Duel, names: list[str]) -> Iterator[Any]:
    """Yield a function that updates a line, or prints one every few seconds if stderr is not a terminal."""
    from rich.live import Live

    err = console(stderr=True)
    if not err.is_terminal:
        lines = ProgressLines(f"{names[0]} against {names[1]}", LOG_SECONDS, late=True)
        yield lambda standing, _: lines.tell(f"{standing.sums.sets:,} of {what.sets:,} mirrored sets")
        return
    with Live(console=err, transient=True, refresh_per_second=8) as live:
        yield _make_watcher(live, what, names)


def _make_watcher(live: Live, what: Duel, names: list[str]) -> Any:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    began = time.monotonic()

    def show_progress(standing: DuelStanding, deals: int) -> None:
        took = time.monotonic() - began
        speed = f", {deals / took:,.0f} deals/s" if took > SPEED_AFTER else ""
        lines = (
            f"{names[0]} against {names[1]}, {what.rules}",
            f"score {_score_so_far(standing)}, {standing.sums.sets:,} of {what.sets:,} mirrored sets{speed}",
            f"evidence {standing.llr:+.2f}, decided at ±2.94",
        )
        played = min(deals // 2, what.sets)
        live.update(Group(*(Text(plain(line)) for line in lines), ProgressBar(what.sets, played, width=60)))

    return show_progress


def _score_so_far(standing: DuelStanding) -> str:
    """Return the score so far, once its interval says something."""
    sums = standing.sums
    score, interval = score_cells(sums.estimate, *standing.interval, sums.sets)
    return f"{score} ({interval})" if score else interval


def _describe_score(standing: DuelStanding) -> str:
    low, high = standing.interval
    return f"{standing.sums.estimate:.3f} ({low:.3f} to {high:.3f})"


def _describe_verdict(found: DuelStanding) -> str:
    """Return the verdict: better or worse only if the interval excludes one half, else leads or trails."""
    if found.winner is None:
        return "is not separated from"
    better = found.claim == "better"
    if found.winner == 0:
        return "is better than" if better else "leads"
    return "is worse than" if better else "trails"


def _describe_result(
    what: Duel, names: list[str], found: DuelStanding, words: tuple[str, str, str]
) -> Iterator[str]:
    """Yield the result in words: verdict, score, faults, time, and the command to repeat it."""
    from maumau.protocol.fault import FORFEIT, find_cause
    from maumau.referee.share import say_share

    sets = found.sums.sets
    if not sets:
        yield f"no mirrored deal of {names[0]} and {names[1]} was finished; nothing is known"
        return
    who = _describe_verdict(found)
    score = _describe_score(found)
    yield f"{names[0]} {who} {names[1]}: score {score} after {sets:,} mirrored sets of {what.rules}"
    yield f"{_describe_end(found)}; evidence {found.llr:+.2f}, decided at ±2.94"
    low, high = found.interval
    if not low <= found.sums.estimate <= high:
        yield OUTSIDE
    if what.score == "points" or any(found.points):
        yield f"points counted: {found.points[0]:,} and {found.points[1]:,}"
    for entrant, counts in enumerate(found.fault_counts()):
        if counts:
            kinds = ", ".join(f"{kind} {number}" for kind, number in counts.most_common())
            first = next(
                fault for fault in found.faults if fault.entrant == entrant and fault.kind != FORFEIT
            )
            yield f"faults of {names[entrant]}: {kinds}; the first in deal {first.deal}: {first.words}"
            if error := find_cause(first):
                yield f"  its log says: {plain(error)}"
            yield f"  again: {_replay_command(what, words, first.deal, first.seating)}"
    for entrant, name in enumerate(names):
        yield from _describe_second_runs(name, entrant, found.second_runs)
    if sets:
        each = [cpu / (2 * sets) for cpu in found.cpu_ms]
        yield f"CPU for a deal: {names[0]} {each[0]:.1f} ms, {names[1]} {each[1]:.1f} ms"
    for name, share in zip(names, _bank_shares(what, found), strict=True):
        yield from say_share(name, share)
    yield f"seed {what.seed}"


def _describe_second_runs(name: str, entrant: int, runs: list[SecondRun]) -> Iterator[str]:
    from maumau.referee.second_run import describe_provisional

    own = [[fault for fault in run.faults if fault.entrant == entrant] for run in runs]
    if late := list(filter(None, own)):
        happened = describe_provisional(fault for faults in late for fault in faults)
        blocks = _count_blocks(len(late))
        yield f"{name} {happened} in {blocks} played a second time, and the second run counts"


def _bank_shares(what: Duel, found: DuelStanding) -> list[BankShare | None]:
    """Return each bot's share of its bank; None if no block was finished."""
    return [tally.share(what.rules, 2) for tally in found.bank_tallies]


def _count_blocks(number: int) -> str:
    return "one block, which was" if number == 1 else f"{number} blocks, which were"


def _describe_speed(found: DuelStanding, took: float, size: int) -> str:
    speed = f", {2 * found.sums.sets / took:,.0f} deals/s" if took > SPEED_AFTER else ""
    return f"{took:.1f} s on {size} {'core' if size == 1 else 'cores'}{speed}"


def _describe_end(found: DuelStanding) -> str:
    reasons = {
        "decided": "decided by the sequential test",
        "not separated": "all deals are played and it is not decided",
        "stopped": "stopped before it was decided",
    }
    return reasons[found.state]


def _replay_command(what: Duel, words: tuple[str, str, str], deal: int, seating: int) -> str:
    """Return the command that replays a deal; `words` are both bots and the variant as they were typed."""
    *order, rules = words
    if seating:
        order.reverse()
    options = "".join(f" --option {key}={_shell_quoted_json(value)}" for key, value in what.options.items())
    return f"maumau play {order[0]} {order[1]} --rules {rules}{options} --seed {what.seed} --deal {deal}"


def _shell_quoted_json(value: Any) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()


def _result_as_json(what: Duel, names: list[str], found: DuelStanding) -> dict[str, Any]:
    """Return the result for programs: equal for equal seeds, except `bank`, which is measured.

    A bot that decides by the clock may change it all the same.
    """
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
        "interval": found.interval,
        "claim": found.claim,
        "llr": round(found.llr, 4),
        "points": found.points,
        "faults": [dict(counts) for counts in found.fault_counts()],
        "bank": _bank_shares(what, found),
    }
