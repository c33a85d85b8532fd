"""Ladders, tables, pairings and practice as messages."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from maumau.contest.history import STEP
from maumau.contest.leaderboard import Line
from maumau.contest.score import SEATINGS, count_units
from maumau.contest.sequential import Sums
from maumau.contest.terms import Terms, build_terms
from maumau.errors import BadName, BadRequest, BadSpec
from maumau.v1 import game_pb2, job_pb2
from maumau.v1 import matchmaking_pb2 as pb
from services.matchmaking.models import Epoch, Ladder, Member, Pairing, Player, PointRating, Practice
from services.matchmaking.store.pod import read_others

NAME = re.compile(r"[a-z0-9]([a-z0-9_-]{0,38}[a-z0-9])?")
PAIRING = re.compile(r"([1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")
DEFAULTS = {"deal_ms": 100, "memory": 512}
SCORES = {
    job_pb2.SCORE_UNSPECIFIED: "win",
    job_pb2.SCORE_WIN: "win",
    job_pb2.SCORE_PLACES: "places",
    job_pb2.SCORE_POINTS: "points",
}


def ladder_terms(message: pb.Ladder) -> Terms:
    """What is played on a ladder that is to be made; what is left out is as in a tournament."""
    if not NAME.fullmatch(message.name):
        raise BadName(
            f"{message.name[:80]!r} cannot name a ladder: a name has 1 to 40 of a-z, 0-9, - and _, with a"
            " letter or digit at both ends.",
            field="ladder.name",
        )
    seats = message.seats or SEATINGS
    given = {"deal_ms": message.bot.deal_ms, "memory": message.bot.memory_mib}
    bot = {key: value or DEFAULTS[key] for key, value in given.items()}
    score = SCORES.get(message.score, str(message.score))
    if seats > SEATINGS:  # a lead over each of the others is what ratings are made of
        if message.score not in {job_pb2.SCORE_UNSPECIFIED, job_pb2.SCORE_PLACES}:
            raise BadSpec(f"score: at more than two seats a ladder goes by places, not by {score}.")
        score = "places"
    return rule_terms(message.rules, "ladder", "admin", bot=bot, score=score, seats=seats)


def rule_terms(rules: Any, purpose: str, author: str, **more: Any) -> Terms:
    """Terms of these rules; BadSpec, or the game's own error, says what cannot be."""
    try:
        options = json.loads(rules.options_json or "{}")
    except (ValueError, RecursionError):
        raise BadRequest("The options are not JSON that can be read.", field="rules.options_json") from None
    table = {"purpose": purpose, "author": author, "rules": rules.name, "options": options}
    return build_terms(table | {"variant_toml": rules.variant_toml} | more)


def options_json(terms: Terms) -> str:
    """As RuleSet has them."""
    return json.dumps(terms.options, sort_keys=True)


def pairing_id(text: str) -> tuple[int, int]:
    """Epoch and label of `3.17`."""
    found = PAIRING.fullmatch(text)
    if not found:
        raise BadRequest(f"{text[:80]!r} is not the id of a pairing, which is like 3.17.", field="id")
    return int(found[1]), int(found[2])


def ladder(row: Ladder, summary: tuple[int, int, int], words: str) -> pb.Ladder:
    members, sets, epoch = summary
    return pb.Ladder(
        name=row.name, rules=_rules(row), score=f"SCORE_{row.score.upper()}",
        bot=game_pb2.BotLimits(deal_ms=row.deal_ms, memory_mib=row.memory),
        members=members, sets=sets, epoch=epoch, seats=row.seats, words=words,
    )  # fmt: skip


def _rules(row: Ladder | Practice) -> game_pb2.RuleSet:
    return game_pb2.RuleSet(
        name=row.rules, options_json=row.options, hash=row.rules_hash, variant_toml=row.variant_toml
    )


def leaderboard_line(line: Line, player: Player, member: Member, faults: int) -> pb.LeaderboardLine:
    return pb.LeaderboardLine(
        place=line.place, bot_name=player.bot_name, account_name=player.account_name,
        version_id=player.version_id, elo=line.elo, low=line.low, high=line.high,
        best_place=line.best_place, worst_place=line.worst_place, best=line.best, sets=line.sets,
        faults=faults, pinned=member.pinned, words=member.words,
    )  # fmt: skip


def head_to_head(player: Player, sums: Sums) -> pb.HeadToHead:
    low, high = sums.interval
    return pb.HeadToHead(
        opponent=player.bot_name, version_id=player.version_id, sets=sums.sets, score=sums.estimate,
        low=low, high=high,
    )  # fmt: skip


def rating_history(
    players: Sequence[Player], written: Sequence[PointRating], now: pb.LeaderboardLine | None, at: int
) -> pb.GetRatingHistoryResponse:
    """Of the versions of a bot; now: its line in the table at this time."""
    found = {one.number: _version_history(one) for one in players}
    for rating in written:
        points = found[rating.player].points
        if not points or points[-1].sets != rating.sets:
            centi = {"elo": rating.elo, "low": rating.low, "high": rating.high}
            elo = {name: value / 100 for name, value in centi.items()}
            points.append(pb.RatingPoint(at=time(rating.point * STEP), sets=rating.sets, **elo))
    for one in found.values():
        if now and now.version_id == one.version_id and now.sets:
            last = pb.RatingPoint(at=time(at), elo=now.elo, low=now.low, high=now.high, sets=now.sets)
            one.points.append(last)
    return pb.GetRatingHistoryResponse(versions=found.values())


def _version_history(one: Player) -> pb.VersionHistory:
    return pb.VersionHistory(
        version_id=one.version_id, number=one.number + 1, parent=one.parent + 1, joined_at=time(one.joined_at)
    )


def pairing(
    one: Pairing, epoch: int, booked: int, total: int, names: Mapping[int, str], unit: int
) -> pb.Pairing:
    state = "open" if one.state == "new" else one.state
    return pb.Pairing(
        id=f"{epoch}.{one.label}", epoch=epoch, first=names[one.first], second=names[one.second],
        kind=one.kind, sets=one.sets, booked=booked, score=Sums(unit, booked, total).estimate,
        state=f"JOB_STATE_{state.upper()}", made_at=time(one.made_at),
        others=[names[number] for number in read_others(one.others)],
    )  # fmt: skip


def epoch(one: Epoch) -> pb.Epoch:
    state = "running" if one.state == "new" else one.state
    return pb.Epoch(
        number=one.number, contest_id=one.contest_id, state=f"CONTEST_STATE_{state.upper()}",
        commitment=one.commitment, secret=one.secret, root=one.root, booked=one.cursor,
        began_at=time(one.began_at), ended_at=time(one.ended_at),
    )  # fmt: skip


def practice(one: Practice) -> pb.PracticeMatch:
    more = json.loads(one.more)
    unit = count_units("places", SEATINGS + len(more))
    sums = Sums(unit, one.booked, one.total, one.squares)
    low, high = sums.interval
    state = "open" if one.state == "new" else one.state
    return pb.PracticeMatch(
        id=one.id, bot=one.bot, against=one.against, rules=_rules(one), sets=one.sets, booked=one.booked,
        score=sums.estimate, low=low, high=high, faults=one.faults, other_faults=one.other_faults,
        state=f"JOB_STATE_{state.upper()}", words=one.words, more_against=[name for name, _ in more],
    )  # fmt: skip


def time(ms: int) -> Timestamp | None:
    """None where it has not happened yet."""
    if not ms:
        return None
    found = Timestamp()
    found.FromMilliseconds(ms)
    return found


def names(players: Sequence[Player]) -> dict[int, str]:
    """The bots by the numbers of their versions."""
    return {one.number: one.bot_name for one in players}
