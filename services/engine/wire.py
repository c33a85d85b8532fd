"""The service's own things as messages."""

import time
from typing import Any

import msgspec
from google.protobuf.timestamp_pb2 import Timestamp

from maumau.bot.words import clean_line
from maumau.contest.time_control import BOUNDS, TimeControl, read_time_control
from maumau.errors import BadRequest, MaumauError, NotAsked
from maumau.game import Deal, Rules
from maumau.game import record as game_record
from maumau.game.rules import chosen_text
from maumau.rulebook import Page
from maumau.rulebook.named import check_seats, find_rules
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import game_pb2, seek_pb2
from services.engine import fold
from services.engine.fold import Eyes, Verdict, to_line
from services.engine.folded import Folded
from services.engine.replica import LOST
from services.engine.seat import Line, Replaced, Told
from services.engine.table import Head, Player, digest, new_tokens
from services.engine.table import new_head as make_head
from services.shared import ident

EYES: dict[int, Eyes] = {
    pb.EYES_UNSPECIFIED: "open",
    pb.EYES_OPEN: "open",
    pb.EYES_SEAT: "seat",
    pb.EYES_WATCHER: "watcher",
}


def rule_set(rules: Rules) -> game_pb2.RuleSet:
    return game_pb2.RuleSet(name=rules.name, options_json=chosen_text(rules), hash=rules.hash)


def summary(rules: Rules) -> pb.VariantSummary:
    least, most = rules.seats
    return pb.VariantSummary(
        name=rules.name, title=rules.variant.title, least_seats=least, most_seats=most, hash=rules.hash
    )


def variant(rules: Rules, told: Page) -> pb.GetVariantResponse:
    least, most = rules.seats
    return pb.GetVariantResponse(
        rules=rule_set(rules),
        title=told.title,
        source=told.source,
        least_seats=least,
        most_seats=most,
        cards=rules.cards,
        sections=[
            pb.Section(
                heading=heading, lines=[pb.RuleLine(text=line.text, quotes=line.quotes) for line in lines]
            )
            for heading, lines in told.sections
        ],
        options=[
            pb.VariantOption(
                name=one.name, value=one.value, fallback=one.default, known=one.known, source=one.source
            )
            for one in told.options
        ],
    )


def folded(d: Deal, mark: str, eyes: Eyes, seat: int) -> pb.FoldResponse:
    return pb.FoldResponse(
        mark=mark,
        rules=rule_set(d.rules),
        seats=d.seats,
        to_act=fold.asked(d, eyes, seat),
        over=d.over,
        places=d.places if d.over else (),
        points=d.points if d.over else (),
        views=_views(d, eyes, seat),
        record=game_record(d) if eyes == "open" else "",
    )


def _views(d: Deal, eyes: Eyes, seat: int) -> list[pb.SeatView]:
    if eyes == "watcher":
        return [pb.SeatView(line=fold.open_line(d))]
    seats = range(d.seats) if eyes == "open" else (seat,)
    return [pb.SeatView(seat=one, line=to_line(d.view(one))) for one in seats]


def refusal(error: MaumauError) -> pb.Refusal:
    return pb.Refusal(reason=error.reason, message=str(error))


def verdict(found: Verdict) -> pb.VerifyResponse:
    return pb.VerifyResponse(
        ok=not found.line, line=found.line, message=found.words,
        over=found.over, places=found.places, points=found.points,
    )  # fmt: skip


# --- tables ---

STATES = {
    "waiting": pb.TABLE_STATE_WAITING,
    "playing": pb.TABLE_STATE_PLAYING,
    "over": pb.TABLE_STATE_OVER,
    "void": pb.TABLE_STATE_VOID,
}
MADE_BY = "matchmaking"  # who has made tables for players whom the arena has brought together
NAME = 80  # characters of what somebody is called
LONGEST_DELAY = 3600  # seconds


def new_head(request: Any, account_id: str, account_name: str, **more: Any) -> tuple[Head, list[str]]:
    """The head of the table that is asked for, and the tokens of its seats; more: fields of the head."""
    if request.rules.variant_toml:
        raise BadRequest("Only the arena's own variants are played at live tables.")
    rules = find_rules(request.rules.name, request.rules.options_json, request.rules.hash)
    check_seats(rules, request.seats)
    if len(request.names) > request.seats:
        raise BadRequest(f"There are {len(request.names)} names for {request.seats} seats.", field="names")
    table_id = ident.new_id("table")
    tokens = new_tokens(table_id, request.seats)
    names = [clean_line(name, NAME) for name in request.names]
    head = make_head(
        id=table_id, rules=rules.name, options_json=chosen_text(rules), hash=rules.hash, seats=request.seats,
        names=names + [""] * (request.seats - len(names)), time=_time_control(request.time),
        tokens=[digest(token) for token in tokens], account_id=account_id, account_name=account_name,
        created_at=time.time_ns() // 1_000_000, delay_ms=_delay(request), unlisted=request.unlisted,
        **more,
    )  # fmt: skip
    return head, tokens


def open_head(request: Any) -> tuple[Head, list[str]]:
    """The same of a table that the matchmaking service asks for."""
    if len(request.players) != request.table.seats:
        raise BadRequest(f"There are {len(request.players)} players for {request.table.seats} seats.")
    players = [Player(one.account_id, one.account_name, one.bot_name) for one in request.players]
    return new_head(request.table, MADE_BY, MADE_BY, players=players, rated=request.rated)


def result(folded: Folded) -> seek_pb2.LiveResult:
    """A table that is over."""
    head, d = folded.head, folded.board.deal
    return seek_pb2.LiveResult(
        table_id=head.id, rules=rule_set(d.rules), rated=head.rated, secret=head.secret,
        players=[pb.TablePlayer(**msgspec.structs.asdict(one)) for one in head.players],
        record=game_record(d), places=d.places, points=d.points, made_at=_stamp(head.created_at),
    )  # fmt: skip


def _time_control(asked: Any) -> TimeControl:
    given = {name: getattr(asked, name) for name in BOUNDS if name != "increment_ms" and getattr(asked, name)}
    if asked.HasField("increment_ms"):
        given["increment_ms"] = asked.increment_ms
    return read_time_control(given)


def _delay(request: Any) -> int:
    if request.hands in (pb.HANDS_UNSPECIFIED, pb.HANDS_AFTER_END):
        return 0
    if request.hands != pb.HANDS_DELAYED or not 1 <= request.delay_seconds <= LONGEST_DELAY:
        words = f"Hands are shown after the end, or delayed by 1 to {LONGEST_DELAY:,} seconds."
        raise BadRequest(words, field="hands_delay_seconds")
    return int(request.delay_seconds) * 1000


def table(folded: Folded, *, record: bool = True) -> pb.Table:
    head, board, state = folded.head, folded.board, folded.standing.state
    d, ended = board.deal, folded.ended
    told = pb.Table(
        id=head.id, rules=rule_set(d.rules), seats=head.seats, names=head.names,
        state=pb.TABLE_STATE_VOID if folded.lost else STATES[state],
        time=pb.TimeControl(**msgspec.structs.asdict(head.time)), clocks_ms=folded.clocks(),
        turn=board.on_turn if state == "playing" else None, cursor=board.cursor,
        commitment=head.commitment, words=LOST if folded.lost else board.words,
        account_name=head.account_name, created_at=_stamp(head.created_at),
        rated=head.rated, hands=pb.HANDS_DELAYED if head.delay_ms else pb.HANDS_AFTER_END,
        delay_seconds=head.delay_ms // 1000, unlisted=head.unlisted, joined=folded.standing.joined,
    )  # fmt: skip
    if ended:
        told.secret = head.secret
        told.record = game_record(d) if record else ""
    if d.over and not board.void:
        told.places.extend(d.places)
        told.points.extend(d.points)
    return told


def _stamp(milliseconds: int) -> Timestamp:
    stamp = Timestamp()
    stamp.FromMilliseconds(milliseconds)
    return stamp


def told(part: Told) -> pb.PlayResponse:
    """What a seat is told."""
    if isinstance(part, Replaced):
        return pb.PlayResponse(replaced=pb.SeatReplaced())
    if not isinstance(part, Line):
        return pb.PlayResponse(voided=pb.TableVoid(words=part.words))
    if part.news:
        news = pb.PlayNews(cursor=part.cursor, line=part.line, clocks_ms=part.clocks, turn=part.turn)
        return pb.PlayResponse(news=news)
    return pb.PlayResponse(line=pb.PlayLine(cursor=part.cursor, line=part.line, clocks_ms=part.clocks))


def table_news(part: Line) -> pb.TableNews:
    return pb.TableNews(cursor=part.cursor, line=part.line, clocks_ms=part.clocks, turn=part.turn)


def view(folded: Folded, seat: int | None) -> pb.GetViewResponse:
    """What a seat sees now, or a watcher; NotAsked before the deal begins."""
    board = folded.board
    if folded.standing.state == "waiting":
        raise NotAsked("The deal begins when somebody has come to every seat.")
    line = fold.open_line(board.deal) if seat is None else to_line(board.view(seat, 0))
    seen = pb.SeatView(seat=seat, line=line)
    return pb.GetViewResponse(cursor=board.cursor, view=seen, clocks_ms=folded.clocks())
