"""The report for organisers on bots whose decisions depend on whether a deal was played before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from maumau.client.answer import Foreknowledge
from maumau.screen.output import plain

UNREPEATABLE = 0.1
"""The share of fresh deals decided differently above which a bot is reported as unrepeatable."""


def describe_foreknowledge(found: Iterable[Foreknowledge]) -> Iterator[str]:
    """Yield the findings on each bot whose deals were replayed alone; nothing if none were."""
    entrants = list(found)
    looked_at = [one for one in entrants if one.told or one.screened]
    if not looked_at:
        return
    yield ""
    for one in looked_at:
        if one.suspicious:
            yield _describe_suspicious(one)
        elif one.fresh_changed > UNREPEATABLE * one.fresh:
            yield _describe_unrepeatable(one)
    if not any(one.suspicious for one in looked_at):
        yield _describe_none(looked_at, len(entrants))
    if missing := [plain(one.bot_name) for one in entrants if one not in looked_at]:
        yield f"no deal was played again alone of {', '.join(missing)}"


def _describe_suspicious(one: Foreknowledge) -> str:
    return (
        f"{plain(one.bot_name)}'s decisions depended on whether the deal had been played before: played "
        f"again alone, it decided differently in {one.told_changed} of {one.told} deals that had, and in "
        f"{one.fresh_changed} of {one.fresh} that had not; p ≤ {one.p:.2g}"
    )


def _describe_unrepeatable(one: Foreknowledge) -> str:
    return (
        f"{plain(one.bot_name)} decides differently when it plays a deal again, whether it had been played "
        f"before ({one.told_changed} of {one.told}) or not ({one.fresh_changed} of {one.fresh}), as bots "
        "do that decide by the clock; this test says little about it"
    )


def _describe_none(looked_at: Sequence[Foreknowledge], entrants: int) -> str:
    from maumau.contest.export.carryover import ALPHA

    deals = sum(one.told + one.fresh + one.screened for one in looked_at)
    least = min(looked_at, key=lambda one: one.p)
    return (
        f"no bot's decisions depended on whether the deal had been played before ({deals:,} deals played "
        f"again alone, of {len(looked_at)} of {entrants} bots; the least likely "
        f"differences are {plain(least.bot_name)}'s, which chance gives in {100 * least.p:.3g} % of "
        f"contests; suspicious from {100 * ALPHA / entrants:.3g} % down)"
    )
