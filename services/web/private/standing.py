"""The standing of an author's bots: their places and ratings, last matches, and faults in groups."""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress

from msgspec import Struct

from maumau.client.answer import FaultSummary, Ladder, LeaderboardLine, Match, Tournament, VersionHistory
from maumau.errors import ArenaUnreachable, DatabaseUnavailable, DeadlinePassed, NotJoined, NotReleased
from services.web.http.session import Session

CONTESTS = 5  # in which a bot's faults are looked for, the newest
FAULTS = 200  # of a bot that are listed
SILENT = (ArenaUnreachable, DatabaseUnavailable, DeadlinePassed)  # the rest of a page does not need who is


class LadderStanding(Struct, frozen=True):
    """A bot on a ladder: its line, how many are there, and what its rating rose by since it joined."""

    ladder: str
    line: LeaderboardLine
    members: int
    change: float | None


class LastMatch(Struct, frozen=True):
    """The last decided match of a bot in a contest, its score seen from there."""

    contest: str
    match: Match
    opponent: str
    score: float
    won: bool


class FaultPlace(Struct, frozen=True):
    """A fault and the match in which it was made."""

    contest: str
    label: str
    fault: FaultSummary


class FaultGroup(Struct, frozen=True):
    """Faults of one kind with one reason, in the order of their matches and sets."""

    kind: str
    words: str
    places: tuple[FaultPlace, ...]

    @property
    def deals(self) -> int:
        """The deals lost by them: those that a bot forfeits in a block are one fault."""
        return sum(max(1, place.fault.deals) for place in self.places)


def list_own_entries(contest: Tournament, owners: Collection[str]) -> list[str]:
    """Return the names of the bots of these owners that are in a contest."""
    return [one.bot_name for one in contest.entries if one.account_name in owners and not one.withdrawn]


def list_standings(session: Session, ladders: Sequence[Ladder]) -> dict[str, list[LadderStanding]]:
    """Return by bot of this account where it stands on ladders; a silent service has nothing to say."""
    found: dict[str, list[LadderStanding]] = {}
    with suppress(*SILENT):
        for ladder in ladders:
            lines = session.matchmaking.leaderboard(ladder.name).ranked
            for line in lines:
                if line.account_name in session.owners:
                    change = _find_change(session, ladder.name, line)
                    standing = LadderStanding(ladder.name, line, len(lines), change)
                    found.setdefault(line.bot_name, []).append(standing)
    return found


def _find_change(session: Session, ladder: str, line: LeaderboardLine) -> float | None:
    """Return by how many Elo the version that plays has risen since it was first rated; None if it is new."""
    try:
        history: tuple[VersionHistory, ...] = session.matchmaking.history(ladder, line.bot_name)
    except NotJoined:
        return None
    points = next((one.points for one in history if one.version_id == line.version_id), ())
    return line.elo - points[0].elo if points else None


def list_last_matches(session: Session, contests: Iterable[Tournament]) -> dict[str, LastMatch]:
    """Return by bot of this account its last decided match in the newest contest of these that shows one."""
    found: dict[str, LastMatch] = {}
    for contest in contests:
        missing = set(list_own_entries(contest, session.owners)) - found.keys()
        if missing:
            with suppress(NotReleased):
                for match in reversed(session.arena.matches(contest.name)):
                    _note_match(found, contest.name, match, missing)
    return found


def _note_match(found: dict[str, LastMatch], contest: str, match: Match, missing: set[str]) -> None:
    for one in match.players:
        rivals = ", ".join(other.bot_name for other in match.players if other != one)
        if match.state == "decided" and one.bot_name in missing and one.bot_name not in found:
            won = match.winner == one.entrant
            found[one.bot_name] = LastMatch(contest, match, rivals, one.score, won)
    if match.players:
        return
    sides = (
        (match.first_name, match.second_name, match.first, match.estimate),
        (match.second_name, match.first_name, match.second, 1 - match.estimate),
    )
    for name, opponent, number, score in sides:
        if match.state == "decided" and name in missing and name not in found:
            found[name] = LastMatch(contest, match, opponent, score, match.winner == number)


def group_faults(session: Session, name: str) -> list[FaultGroup]:
    """Return the faults of a bot in its newest contests; the kind with the most deals first."""
    groups: dict[tuple[str, str], list[FaultPlace]] = {}
    for place in _list_faults(session, name)[:FAULTS]:
        words = f"{place.fault.words}: {place.fault.error}" if place.fault.error else place.fault.words
        groups.setdefault((place.fault.kind, words), []).append(place)
    told = [FaultGroup(kind, words, tuple(places)) for (kind, words), places in groups.items()]
    return sorted(told, key=lambda group: -group.deals)


def _list_faults(session: Session, name: str) -> list[FaultPlace]:
    """Return faults, those of the newest contests first, in the order of matches and sets."""
    contests = [one for one in session.arena.tournaments() if name in list_own_entries(one, session.owners)]
    found: list[FaultPlace] = []
    for contest in contests[:CONTESTS]:
        with suppress(NotReleased):  # a list of matches would tell who has come how far
            found += _list_faults_in(session, contest.name, name)
    return found


def _list_faults_in(session: Session, contest: str, name: str) -> list[FaultPlace]:
    return [
        FaultPlace(contest, match.label, fault)
        for match in session.arena.matches(contest)
        if name in match.names.values() and any(match.faults)
        for fault in sorted(session.arena.faults(contest, match.label, name), key=lambda one: one.set)
    ]
