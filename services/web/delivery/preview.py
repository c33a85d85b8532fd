"""Sentences for previews of links: the content of a page in brief."""

from typing import Any

from maumau.client.standing.winner import find_winner
from services.web.words import Tongue
from services.web.words.rules import get_rules_title


def tell_contest_preview(t: Tongue, view: Any) -> str:
    """Return the state of a contest in a sentence, with its winner if it is finished; nothing hidden."""
    contest = view.tournament
    facts = [get_rules_title(contest.rules, t.language)] if contest.rules else []
    facts.append(t.count("entrants", contest.entrants))
    if contest.state == "finished" and view.standings:
        won = find_winner(view.standings, contest.entries, view.matches)
        facts += [f"{t('winner_is')} {won.bot_name}"] if won else []
    return t("preview_contest", state=t(contest.state), facts=", ".join(facts))


def tell_ladder_preview(t: Tongue, view: Any) -> str:
    """Return a ladder's rules and number of bots, and its leader if any bot has played."""
    ladder = view.ladder
    facts = [get_rules_title(ladder.rules, t.language)] if ladder.rules else []
    facts.append(t.count("bots", ladder.members))
    if view.lines and view.lines[0].sets:
        facts.append(t("preview_leads", name=view.lines[0].bot_name))
    return t("preview_ladder", facts=", ".join(facts))


def tell_bot_preview(t: Tongue, view: Any) -> str:
    """Return the bot's author and its places on ladders."""
    places = [
        t("preview_place", place=one.line.place, ladder=one.ladder)
        for one in view.ladders or ()
        if one.line.sets
    ]
    return ", ".join([t("preview_bot", author=view.bot.account_name), *places])
