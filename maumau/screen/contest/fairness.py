"""The two reports for organisers as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from maumau.client.answer import GetLadderHelpsResponse, Help
from maumau.client.answer.version_name import name_version
from maumau.client.fairness import ComparedBot, CopyLine, Fairness, HelpLine
from maumau.screen.next_steps import own_command
from maumau.screen.output import count_things, plain
from maumau.screen.table import table

if TYPE_CHECKING:
    from rich.console import RenderableType

SHOWN = 10
"""Lines of a report, if no more are named."""


def describe_fairness(found: Fairness) -> Iterator[RenderableType]:
    """Yield both reports, each with what it cannot tell."""
    yield from _describe_helps(found.helps, found.help_tests)
    yield ""
    yield from _describe_copies(found)
    yield ""
    yield "Neither is a verdict: look at the deals, and ask the authors, before you accuse anybody."


def describe_ladder_helps(found: GetLadderHelpsResponse) -> Iterator[RenderableType]:
    """Yield the report of a ladder, whose sources and decisions are not compared."""
    lines = [
        HelpLine(
            ComparedBot(name_version(one.helper_name, one.helper_version), one.helper_account),
            ComparedBot(name_version(one.helped_name, one.helped_version), one.helped_account),
            Help(
                0, 0, "in_favour" if one.over_others else "against",
                one.sets, one.lead, one.error, one.p, one.named, (),
            ),
        )
        for one in found.helps
    ]  # fmt: skip
    yield from _describe_helps(lines, found.tests)
    yield ""
    yield (
        f"This does not prove anything: look at the deals that `{own_command()} ladder pairings` lists before"
        " you accuse anybody."
    )


def _describe_helps(helps: Sequence[HelpLine], tests: int) -> Iterator[RenderableType]:
    yield "who helps whom"
    if not tests:
        yield "nothing can be said: other results do not tell what to expect of any two bots, as in a bracket"
        return
    named = sum(one.found.named for one in helps)
    yield f"{named or 'none'} of {tests:,} tests named; chance names a bot in at most 1 % of contests"
    lines = table("helper", "helped", "lead", ">of a seating", ">±", ">sets", ">p", "", "matches")
    for one in helps[: max(SHOWN, named)]:
        line = one.found
        word = "named" if line.named else ""
        way = "over the helper" if line.way == "against" else "over the others"
        numbers = f"{line.lead:+.3f}", f"{1.96 * line.error:.3f}", f"{line.sets:,}", f"{line.p:.2g}"
        lines.add_row(_say(one.helper), _say(one.helped), way, *numbers, word, _list_matches(one))
    yield lines


def _list_matches(line: HelpLine) -> str:
    labels = line.found.matches
    return ", ".join(labels[:3]) + (f" and {len(labels) - 3} more" if len(labels) > 3 else "")


def _describe_copies(found: Fairness) -> Iterator[RenderableType]:
    yield "who copied whom"
    named = [one for one in found.copies if one.named]
    pairs = count_things(found.pairs_compared, "pair")
    yield f"{pairs} compared by their decisions; {len(named) or 'none'} named"
    if found.copies:
        lines = table("bot", "bot", ">decided alike", ">usual", ">deals", ">sources alike", "", "match")
        for one in found.copies[: max(SHOWN, len(named))]:
            lines.add_row(_say(one.first), _say(one.second), *_say_copy(one))
        yield lines
    if found.unreadable:
        names = ", ".join(plain(one.name) for one in found.unreadable)
        yield f"not compared by their sources, of which too little is their own or can be read: {names}"


def _say_copy(line: CopyLine) -> tuple[str, str, str, str, str, str]:
    alike, written = line.decisions, line.sources
    usual = alike.usual if alike else None
    return (
        f"{100 * alike.share:.1f} %" if alike else "",
        "" if usual is None else f"{100 * usual:.1f} %",
        f"{alike.deals:,}" if alike else "",
        f"{100 * written.share:.0f} %" if written else "",
        "named" if line.named else "",
        alike.label if alike else "",
    )


def _say(bot: ComparedBot) -> str:
    return f"{plain(bot.name)} ({plain(bot.account)})"
