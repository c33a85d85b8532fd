"""Ladders, tables, pairings and practice as messages."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from maumau.client.answer.version_name import tell_apart
from maumau.contest.ladder.history import STEP
from maumau.contest.ladder.leaderboard import RankedLine
from maumau.contest.score import SEATINGS, count_units
from maumau.contest.statistics.helping import Help
from maumau.contest.statistics.sequential import Sums
from maumau.contest.terms import Terms, build_terms
from maumau.errors import BadName, BadRequest, BadSpec
from maumau.v1 import game_pb2, job_pb2
from maumau.v1 import matchmaking_pb2 as pb
from services.matchmaking.models import Epoch, Ladder, Member, Pairing, Player, PointRating, Practice
from services.matchmaking.store.live_tables.pod import players_of
from services.matchmaking.store.summary import Summary
from services.shared.rpc.timestamp import to_past_timestamp

NAME = re.compile(r"[a-z0-9]([a-z0-9_-]{0,38}[a-z0-9])?")
PAIRING = re.compile(r"([1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")
DEFAULTS = {"deal_ms": 100, "memory": 512}
MOST_HELPS = 200  # lines of a report
SCORES = {
    job_pb2.SCORE_UNSPECIFIED: "win",
    job_pb2.SCORE_WIN: "win",
    job_pb2.SCORE_PLACES: "places",
    job_pb2.SCORE_POINTS: "points",
}


def ladder_terms(message: pb.Ladder) -> Terms:
    """Return the terms of a new ladder; omitted ones are as in a tournament."""
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
    if seats > SEATINGS:  # ratings are made of a lead over each of the others
        if message.score not in {job_pb2.SCORE_UNSPECIFIED, job_pb2.SCORE_PLACES}:
            raise BadSpec(f"score: at more than two seats a ladder goes by places, not by {score}.")
        score = "places"
    return rule_terms(message.rules, "ladder", "admin", bot=bot, score=score, seats=seats)


def rule_terms(rules: Any, purpose: str, author: str, **more: Any) -> Terms:
    """Return terms with these rules; raise BadSpec or the game's own error if they are not valid."""
    try:
        options = json.loads(rules.options_json or "{}")
    except (ValueError, RecursionError):
        raise BadRequest("The options are not JSON that can be read.", field="rules.options_json") from None
    table = {"purpose": purpose, "author": author, "rules": rules.name, "options": options}
    return build_terms(table | {"variant_toml": rules.variant_toml} | more)


def options_json(terms: Terms) -> str:
    """Return the options as JSON, in the notation of RuleSet."""
    return json.dumps(terms.options, sort_keys=True)


def pairing_id(text: str) -> tuple[int, int]:
    """Return epoch and label of `3.17`; raise BadRequest for other text."""
    found = PAIRING.fullmatch(text)
    if not found:
        raise BadRequest(f"{text[:80]!r} is not the id of a pairing, which is like 3.17.", field="id")
    return int(found[1]), int(found[2])


def build_ladder(row: Ladder, summary: Summary, words: str, *, rests: bool) -> pb.Ladder:
    return pb.Ladder(
        name=row.name,
        rules=build_rules(row),
        score=f"SCORE_{row.score.upper()}",
        bot=game_pb2.BotLimits(deal_ms=row.deal_ms, memory_mib=row.memory),
        seats=row.seats,
        words=words,
        rests=rests,
        author_bots=row.author_bots,
        **summary._asdict(),
    )


def build_rules(row: Ladder | Practice) -> game_pb2.RuleSet:
    return game_pb2.RuleSet(
        name=row.rules, options_json=row.options, hash=row.rules_hash, variant_toml=row.variant_toml
    )


def leaderboard_line(line: RankedLine, player: Player, member: Member, faults: int) -> pb.LeaderboardLine:
    return pb.LeaderboardLine(
        place=line.place,
        bot_name=player.bot_name,
        account_name=player.account_name,
        version_id=player.version_id,
        elo=line.elo,
        low=line.low,
        high=line.high,
        best_place=line.best_place,
        worst_place=line.worst_place,
        best=line.best,
        sets=line.sets,
        faults=faults,
        pinned=member.pinned,
        words=member.words,
        discounted_sets=line.doubt.sets,
        discounted_elo=line.doubt.elo,
        version=player.known_version,
    )


def head_to_head(player: Player, sums: Sums) -> pb.HeadToHead:
    low, high = sums.interval
    return pb.HeadToHead(
        opponent=player.bot_name,
        version_id=player.version_id,
        sets=sums.sets,
        score=sums.estimate,
        low=low,
        high=high,
        version=player.known_version,
    )


def ladder_helps(players: Sequence[Player], found: Sequence[Help]) -> pb.GetLadderHelpsResponse:
    """Return the tests of help, the first of them as lines."""
    lines = [_build_help(players[one.helper], players[one.helped], one) for one in found[:MOST_HELPS]]
    return pb.GetLadderHelpsResponse(helps=lines, tests=len(found))


def _build_help(helper: Player, helped: Player, one: Help) -> pb.LadderHelp:
    return pb.LadderHelp(
        helper_name=helper.bot_name,
        helper_account=helper.account_name,
        helped_name=helped.bot_name,
        helped_account=helped.account_name,
        over_others=one.way == "in favour",
        sets=one.sets,
        lead=round(one.lead, 4),
        error=round(one.error, 4),
        p=float(f"{one.p:.3g}"),
        named=one.named,
        helper_version=helper.known_version,
        helped_version=helped.known_version,
    )


def rating_history(
    players: Sequence[Player], written: Sequence[PointRating], now: pb.LeaderboardLine | None, at: int
) -> pb.GetRatingHistoryResponse:
    """Return the history of a bot's versions; now: its line in the table at this time."""
    found = {one.number: _version_history(one) for one in players}
    for rating in written:
        points = found[rating.player].points
        if not points or points[-1].sets != rating.sets:
            centi = {"elo": rating.elo, "low": rating.low, "high": rating.high}
            elo = {name: value / 100 for name, value in centi.items()}
            points.append(pb.RatingPoint(at=to_past_timestamp(rating.point * STEP), sets=rating.sets, **elo))
    for one in found.values():
        if now and now.version_id == one.version_id and now.sets:
            last = pb.RatingPoint(
                at=to_past_timestamp(at), elo=now.elo, low=now.low, high=now.high, sets=now.sets
            )
            one.points.append(last)
    return pb.GetRatingHistoryResponse(versions=found.values())


def _version_history(one: Player) -> pb.VersionHistory:
    return pb.VersionHistory(
        version_id=one.version_id,
        number=one.number + 1,
        parent=one.parent + 1,
        joined_at=to_past_timestamp(one.joined_at),
        version=one.known_version,
    )


def build_pairing(
    one: Pairing, epoch: int, booked: int, total: int, players: Mapping[int, Player], unit: int
) -> pb.Pairing:
    state = "open" if one.state == "new" else one.state
    first, second, *others = (players[number] for number in players_of(one))
    return pb.Pairing(
        id=f"{epoch}.{one.label}",
        epoch=epoch,
        first=first.bot_name,
        second=second.bot_name,
        kind=one.kind,
        sets=one.sets,
        booked=booked,
        score=Sums(unit, booked, total).estimate,
        state=f"JOB_STATE_{state.upper()}",
        made_at=to_past_timestamp(one.made_at),
        others=[other.bot_name for other in others],
        first_version=first.known_version,
        second_version=second.known_version,
        other_versions=[other.known_version for other in others],
        words=one.words,
    )


def build_epoch(one: Epoch) -> pb.Epoch:
    state = "running" if one.state == "new" else one.state
    return pb.Epoch(
        number=one.number,
        contest_id=one.contest_id,
        state=f"CONTEST_STATE_{state.upper()}",
        commitment=one.commitment,
        secret=one.secret,
        root=one.root,
        booked=one.results,
        began_at=to_past_timestamp(one.began_at),
        ended_at=to_past_timestamp(one.ended_at),
        chain=one.chain,
        compared=one.compared,
    )


def build_practice(one: Practice) -> pb.PracticeMatch:
    more = json.loads(one.more)
    version, against_version, *more_versions = json.loads(one.numbers) or [0] * (SEATINGS + len(more))
    unit = count_units("places", SEATINGS + len(more))
    sums = Sums(unit, one.booked, one.total, one.squares)
    low, high = sums.interval
    state = "open" if one.state == "new" else one.state
    return pb.PracticeMatch(
        id=one.id,
        bot=one.bot,
        against=one.against,
        rules=build_rules(one),
        sets=one.sets,
        booked=one.booked,
        score=sums.estimate,
        low=low,
        high=high,
        faults=one.faults,
        other_faults=one.other_faults,
        state=f"JOB_STATE_{state.upper()}",
        words=one.words,
        more_against=[name for name, _ in more],
        created_at=to_past_timestamp(one.created_at),
        ended_at=to_past_timestamp(one.ended_at),
        version=max(version, 0),
        against_version=max(against_version, 0),
        more_versions=[max(number, 0) for number in more_versions],
    )


def map_players(players: Sequence[Player]) -> dict[int, Player]:
    """Return the players by their numbers."""
    return {one.number: one for one in players}


def tell_players_apart(players: Sequence[Player]) -> dict[int, str]:
    """Return the names of the players at a table by their numbers, each unlike the others."""
    names = tell_apart([one.bot_name for one in players], [one.known_version for one in players])
    return {one.number: name for one, name in zip(players, names, strict=True)}
