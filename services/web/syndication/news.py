"""Entries of feeds: a contest's announcement, start, rounds, decisions, podium. Pure.

Every moment is one that the arena has recorded, and no entry depends on the time of the request.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from urllib.parse import quote

from msgspec import Struct

from maumau.client.answer import Match, Standing, Tournament
from maumau.client.standing.winner import find_winner
from services.web.delivery.render import moment, tell_match
from services.web.syndication.atom import FeedItem
from services.web.words import Tongue
from services.web.words.rules import get_rules_title

DECIDED = ("decided", "finished")
ORDER = ("announced", "started", "round", "match", "decided", "podium", "cancelled")
"""Kinds of events of a contest, in the order in which they happen."""
PODIUM = 3  # places of the podium


class Results(Struct, frozen=True):
    """The results of a contest that everybody may see now: none while they are not released."""

    standings: tuple[Standing, ...] = ()
    matches: tuple[Match, ...] = ()


class Outcome(Struct, frozen=True):
    """The end of a contest: when its last match was decided, and the name of the bot that won, "" if none."""

    at: datetime
    winner: str


def find_page(site: str, name: str) -> str:
    """Return the address of a contest's page."""
    return f"{site}/contests/{quote(name, safe='')}"


def find_outcome(contest: Tournament, results: Results) -> Outcome | None:
    """Return how a contest was decided; None if it is not decided or has no moment of it."""
    if contest.state not in DECIDED:
        return None
    ends = [one.decided_at for one in results.matches if one.state == "decided" and one.decided_at]
    at = max(ends, default=contest.ended_at)
    won = find_winner(results.standings, contest.entries, results.matches)
    return Outcome(at, won.bot_name if won else "") if at else None


def tell_contest(t: Tongue, site: str, contest: Tournament, outcome: Outcome | None) -> Iterator[FeedItem]:
    """Yield the entries of a contest in the feed of all contests: announcement, start, end."""
    page, name = find_page(site, contest.name), contest.name
    played = get_rules_title(contest.rules, t.language) if contest.rules else ""
    if contest.created_at:
        closes = t("feed_closes", at=moment(contest.closes_at)) if contest.closes_at else ""
        text = " ".join(part for part in (f"{played}." if played else "", closes) if part)
        yield _build_news(
            contest, "announced", contest.created_at, t("feed_announced", name=name), text, page
        )
    if contest.started_at:
        entered = t.count("entrants", contest.entrants)
        text = f"{played}, {entered}." if played else f"{entered}."
        yield _build_news(contest, "started", contest.started_at, t("feed_started", name=name), text, page)
    if outcome:
        key = "feed_decided" if outcome.winner else "feed_decided_nobody"
        title = t(key, name=name, winner=outcome.winner)
        yield _build_news(contest, "decided", outcome.at, title, t("feed_see_page"), page)
    if contest.state == "cancelled" and contest.ended_at:
        title = t("feed_cancelled", name=name)
        yield _build_news(contest, "cancelled", contest.ended_at, title, t("feed_see_page"), page)


def tell_results(t: Tongue, site: str, contest: Tournament, results: Results) -> Iterator[FeedItem]:
    """Yield the rounds, the decided matches and the podium of a contest."""
    page = find_page(site, contest.name)
    counted = [one for one in results.matches if one.state != "withdrawn"]
    yield from _tell_rounds(t, contest, counted, page)
    for one in counted:
        if one.state == "decided" and one.decided_at:
            key = "match", contest.id, one.id, str(one.take)
            at = f"{page}/matches/{quote(one.label, safe='')}"
            told = tell_match(t, one)
            title = t("feed_match", label=one.label, told=told)
            yield FeedItem(key, one.decided_at, title, f"{told}.", at, ORDER.index("match"))
    outcome = find_outcome(contest, results)
    if outcome and outcome.winner:
        podium = list_podium(contest, results.standings)
        places = ", ".join(f"{place}. {name}" for place, name in enumerate(podium, 1))
        yield _build_news(
            contest, "podium", outcome.at, t("feed_podium", name=contest.name), f"{places}.", page
        )


def list_podium(contest: Tournament, standings: Sequence[Standing]) -> list[str]:
    """Return the names of the first bots of a table, without those that were disqualified."""
    out = {entry.number for entry in contest.entries if entry.disqualified}
    return [line.bot_name for line in standings if line.entrant not in out][:PODIUM]


def _tell_rounds(t: Tongue, contest: Tournament, matches: Iterable[Match], page: str) -> Iterator[FeedItem]:
    """Yield the rounds that have begun: when the first of their matches was there to be played."""
    in_order = sorted(matches, key=_read_round)
    for (stage, number), of_round in groupby(in_order, key=_read_round):
        begun = [at for one in of_round if (at := one.queued_at or one.started_at)]
        if begun:
            title = t("feed_round", stage=stage, number=number)
            key, text = ("round", contest.id, str(stage), str(number)), f"{contest.name}: {title}."
            yield FeedItem(key, min(begun), title, text, page, ORDER.index("round"))


def _read_round(match: Match) -> tuple[int, int]:
    """Return stage and round of a match."""
    stage, number, _ = match.label.split(".")
    return int(stage), int(number)


def _build_news(contest: Tournament, what: str, at: datetime, title: str, text: str, page: str) -> FeedItem:
    return FeedItem((what, contest.id), at, title, text or title, page, ORDER.index(what))
