"""Seeks, live games and ratings as messages."""

from collections.abc import Sequence
from typing import Any

from maumau.contest.ladder.seeking import Seeker
from maumau.contest.ladder.time_control import BOUNDS, TimeControl, read_time_control
from maumau.errors import BadName, BadRequest
from maumau.game import Rules
from maumau.game.ruleset.rules import chosen_text
from maumau.protocol.manifest import BOT_NAME, NAME_TERMS
from maumau.rulebook.named import check_seats, find_rules
from maumau.v1 import engine_pb2, game_pb2
from maumau.v1 import seek_pb2 as pb
from services.matchmaking.live.matcher import Prospect
from services.matchmaking.live.ratings import PoolRatings, Rated, pool_of
from services.matchmaking.models import LiveGame, LivePlayer
from services.matchmaking.store.live_tables.seek import Seek, SeekState
from services.shared.base.auth import Identity
from services.shared.base.ident import new_id
from services.shared.rpc.timestamp import to_timestamp

WIDEST = 3000  # Elo
LONGEST = 3600  # seconds


def game_of(message: Any) -> tuple[Rules, int]:
    """Return the rules and seats of a request; raise BadRequest if they cannot be played live."""
    asked = message.rules
    if asked.variant_toml:
        raise BadRequest("Only the arena's own variants are played at live tables.")
    rules = find_rules(asked.name, asked.options_json, asked.hash)
    seats = message.seats or rules.seats[0]
    check_seats(rules, seats)
    return rules, seats


def new_seek(request: pb.SeekRequest, who: Identity, rules: Rules, seats: int, rating: float) -> Seek:
    """Return the seek of a request; raise BadRequest if it is not valid."""
    if request.rating_range > WIDEST:
        raise BadRequest(f"rating_range is {request.rating_range:,}; {WIDEST:,} Elo are the most.")
    if request.HasField("house_after") and request.house_after > LONGEST:
        raise BadRequest(f"house_after is {request.house_after:,}; {LONGEST:,} seconds are the most.")
    return Seek(
        id=new_id("seek"),
        rules=rules.name,
        options_json=chosen_text(rules),
        hash=rules.hash,
        seats=seats,
        time=_time_control(request.time),
        account_id=who.account_id,
        account_name=who.name,
        bot_name=request.bot_name,
        rated=request.rated,
        range=request.rating_range,
        rating=rating,
        house_after=float(request.house_after) if request.HasField("house_after") else None,
        team=who.team,
    )


def check_name(name: str, *, rated: bool) -> None:
    """Raise BadName for an account's invalid name of its program, BadRequest if a rated game has none."""
    if rated and not name:
        raise BadRequest("A rated game needs the name of the bot that plays; without one, seek unrated.")
    if name and not BOT_NAME.fullmatch(name):
        raise BadName(f"{name[:80]!r} cannot be a bot's name: it is {NAME_TERMS}.")


def _time_control(asked: Any) -> TimeControl:
    given = {name: getattr(asked, name) for name in BOUNDS if name != "increment_ms" and getattr(asked, name)}
    if asked.HasField("increment_ms"):
        given["increment_ms"] = asked.increment_ms
    given.pop("join_ms", None)
    return read_time_control(given)


def build_seek(seek: Seek, one: SeekState, prospect: Prospect | None) -> pb.SeekResponse:
    """Return a seek's standing as a message, without prospects if they are not known yet."""
    told = pb.SeekResponse(seek_id=seek.id)
    if one.seating:
        told.seated.table_id, told.seated.seat = one.seating.table_id, one.seating.seat
        told.seated.seat_token, told.seated.rated = one.seating.token, one.seating.rated
        told.seated.names.extend(one.seating.names)
        return told
    waited = one.waited_ms / 1000
    seeker = Seeker(seek.id, seek.pool, seek.seats, "", range=seek.range, waited=waited)
    told.waiting.waited_ms = one.waited_ms
    told.waiting.range = round(seeker.reach) if seek.range else 0
    if prospect is None:
        return told
    told.waiting.others, told.waiting.words = prospect.others, _describe_wait(seek, prospect)
    if seek.house_after is not None and prospect.house:
        told.waiting.house_in_ms = max(0, round(1000 * (seek.house_after - waited)))
    return told


def _describe_wait(seek: Seek, prospect: Prospect) -> str:
    others, house = prospect
    who = (
        f"{others} {'other seeks' if others == 1 else 'others seek'} this game"
        if others
        else "Nobody else seeks this game"
    )
    if seek.house_after is not None and not house:
        return f"{who}, and no house bot can sit down just now."
    return f"{who}."


# --- results and ratings ---


def read_result(message: pb.LiveResult, now: int) -> tuple[LiveGame, list[LivePlayer]]:
    """Return a reported result as rows; raise BadRequest if it is not a table's."""
    seats = len(message.players)
    if not message.table_id or seats < 2 or not seats == len(message.places) == len(message.points):
        raise BadRequest("A result names its table, and player, place and points of each seat.")
    rules = message.rules
    game = LiveGame(
        id=message.table_id,
        rules=rules.name,
        options=rules.options_json,
        rules_hash=rules.hash,
        seats=seats,
        pool=pool_of(rules.hash, seats),
        rated=message.rated,
        secret=message.secret,
        record=message.record,
        made_at=message.made_at.ToMilliseconds(),
        kept_at=now,
    )
    players = [
        LivePlayer(
            game_id=game.id,
            seat=seat,
            account_id=one.account_id,
            account_name=one.account_name,
            bot_name=one.bot_name,
            place=message.places[seat],
            points=message.points[seat],
        )
        for seat, one in enumerate(message.players)
    ]
    return game, players


def build_game(one: LiveGame, players: Sequence[LivePlayer], *, whole: bool) -> pb.LiveResult:
    """Return a game as a message. whole: with its record and secret."""
    seated = [
        engine_pb2.TablePlayer(
            account_id=each.account_id, account_name=each.account_name, bot_name=each.bot_name
        )
        for each in players
    ]
    return pb.LiveResult(
        table_id=one.id,
        players=seated,
        rated=one.rated,
        made_at=to_timestamp(one.made_at),
        rules=game_pb2.RuleSet(name=one.rules, options_json=one.options, hash=one.rules_hash),
        secret=one.secret if whole else "",
        record=one.record if whole else "",
        places=[each.place for each in players],
        points=[each.points for each in players],
    )


def build_ratings(rules: Rules, seats: int, table: PoolRatings) -> pb.GetLiveRatingsResponse:
    what = game_pb2.RuleSet(name=rules.name, options_json=chosen_text(rules), hash=rules.hash)
    lines = map(_build_rating, table.lines)
    return pb.GetLiveRatingsResponse(rules=what, seats=seats, games=table.games, ratings=lines)


def _build_rating(one: Rated) -> pb.LiveRating:
    return pb.LiveRating(
        place=one.place,
        bot_name=one.name.bot_name,
        account_name=one.account_name,
        elo=one.elo,
        low=one.low,
        high=one.high,
        games=one.games,
        provisional=one.provisional,
    )
