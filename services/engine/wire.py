"""The service's domain objects as messages."""

import time
from typing import Any

import msgspec

from maumau.contest.ladder.time_control import BOUNDS, TimeControl, read_time_control
from maumau.errors import BadRequest, MaumauError, NotAsked
from maumau.game import Deal, Rules, load_text, replay
from maumau.game import record as game_record
from maumau.game.ruleset.rules import chosen_text
from maumau.protocol.words import clean_line
from maumau.rulebook import RulePage
from maumau.rulebook.named import check_seats, find_rules
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import game_pb2, seek_pb2
from services.engine import fold
from services.engine.fold import Eyes, RecordVerdict, to_line
from services.engine.folded import Folded
from services.engine.replica import LOST
from services.engine.seat import Replaced, SeatLine, Told
from services.engine.table import SeatedPlayer, TableHead, hash_token, new_tokens
from services.engine.table import new_head as make_head
from services.shared.base import ident
from services.shared.rpc.timestamp import to_timestamp

EYES: dict[int, Eyes] = {
    pb.EYES_UNSPECIFIED: "open",
    pb.EYES_OPEN: "open",
    pb.EYES_SEAT: "seat",
    pb.EYES_WATCHER: "watcher",
}


def rule_set(rules: Rules) -> game_pb2.RuleSet:
    return game_pb2.RuleSet(name=rules.name, options_json=chosen_text(rules), hash=rules.hash)


def build_summary(rules: Rules) -> pb.VariantSummary:
    least, most = rules.seats
    return pb.VariantSummary(
        name=rules.name, title=rules.variant.title, least_seats=least, most_seats=most, hash=rules.hash
    )


def build_variant(rules: Rules, told: RulePage) -> pb.GetVariantResponse:
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


def build_fold(d: Deal, mark: str, eyes: Eyes, seat: int) -> pb.FoldResponse:
    return pb.FoldResponse(
        mark=mark,
        rules=rule_set(d.rules),
        seats=d.seats,
        to_act=fold.list_asked(d, eyes, seat),
        over=d.over,
        places=d.places if d.over else (),
        points=d.points if d.over else (),
        views=_build_views(d, eyes, seat),
        record=game_record(d) if eyes == "open" else "",
    )


def _build_views(d: Deal, eyes: Eyes, seat: int) -> list[pb.SeatView]:
    if eyes == "watcher":
        return [pb.SeatView(line=fold.open_line(d))]
    seats = range(d.seats) if eyes == "open" else (seat,)
    return [pb.SeatView(seat=one, line=to_line(d.view(one))) for one in seats]


def build_refusal(error: MaumauError) -> pb.Refusal:
    return pb.Refusal(reason=error.reason, message=str(error))


def build_verdict(found: RecordVerdict) -> pb.VerifyResponse:
    return pb.VerifyResponse(
        ok=not found.line,
        line=found.line,
        message=found.words,
        over=found.over,
        places=found.places,
        points=found.points,
    )


# --- tables ---

STATES = {
    "waiting": pb.TABLE_STATE_WAITING,
    "playing": pb.TABLE_STATE_PLAYING,
    "over": pb.TABLE_STATE_OVER,
    "void": pb.TABLE_STATE_VOID,
}
MADE_BY = "matchmaking"  # the account of tables opened for players that matchmaking has paired
NAME = 80  # characters of a player's name
LONGEST_DELAY = 3600  # seconds
START = 64 << 10  # characters of a record from which a table goes on


def new_head(
    request: pb.CreateTableRequest, account_id: str, account_name: str, **more: Any
) -> tuple[TableHead, list[str]]:
    """Return the head of the requested table, and the tokens of its seats; more: fields of the head."""
    rules, seats = read_start(request) if request.record else _read_game(request)
    if len(request.names) > seats:
        raise BadRequest(f"There are {len(request.names)} names for {seats} seats.", field="names")
    table_id = ident.new_id("table")
    tokens = new_tokens(table_id, seats)
    names = [clean_line(name, NAME) for name in request.names]
    head = make_head(
        id=table_id,
        rules=rules.name,
        options_json=chosen_text(rules),
        hash=rules.hash,
        seats=seats,
        names=names + [""] * (seats - len(names)),
        time=_time_control(request.time),
        tokens=[hash_token(token) for token in tokens],
        account_id=account_id,
        account_name=account_name,
        created_at=time.time_ns() // 1_000_000,
        delay_ms=_read_delay(request),
        unlisted=request.unlisted or bool(request.record),
        record=request.record,
        variant_toml=rules.text,
        is_named=request.named,
        day=request.day,
        **more,
    )
    return head, tokens


def _read_game(request: pb.CreateTableRequest) -> tuple[Rules, int]:
    """Return the rules and the number of seats of a fresh deal."""
    if request.rules.variant_toml:
        raise BadRequest("Only the arena's own variants are dealt afresh at live tables.")
    rules = find_rules(request.rules.name, request.rules.options_json, request.rules.hash)
    check_seats(rules, request.seats)
    return rules, request.seats


def read_start(request: pb.CreateTableRequest) -> tuple[Rules, int]:
    """Return the rules and the number of seats of the record from which a table goes on.

    Raise BadRecord if it is wrong, and BadRequest if it does not fit the other fields or nobody is asked.
    """
    if len(request.record) > START:
        words = f"The record has {len(request.record):,} characters; a table begins with {START:,} at most."
        raise BadRequest(words, field="record")
    asked = request.rules
    own = load_text(asked.name, asked.variant_toml) if asked.variant_toml else None
    d = replay(request.record, own=own)
    if (asked.name or d.rules.name, asked.hash or d.rules.hash) != (d.rules.name, d.rules.hash):
        raise BadRequest(f"The record is of {d.rules.name}, hash {d.rules.hash}.", field="rules")
    if request.seats not in (0, d.seats):
        raise BadRequest(f"The record has {d.seats} seats, not {request.seats}.", field="seats")
    if d.over or d.seats - len(d.faults) < 2 or not set(d.to_act) - set(d.faults):
        raise BadRequest("Nothing is left to play where the record ends.", field="record")
    return d.rules, d.seats


def open_head(request: pb.OpenTableRequest) -> tuple[TableHead, list[str]]:
    """Return head and tokens of a table that the matchmaking service asks for."""
    if len(request.players) != request.table.seats:
        raise BadRequest(f"There are {len(request.players)} players for {request.table.seats} seats.")
    players = [SeatedPlayer(one.account_id, one.account_name, one.bot_name) for one in request.players]
    return new_head(request.table, MADE_BY, MADE_BY, players=players, rated=request.rated)


def build_result(folded: Folded) -> seek_pb2.LiveResult:
    """Return the result of a table that is over."""
    head, d = folded.head, folded.board.deal
    return seek_pb2.LiveResult(
        table_id=head.id,
        rules=rule_set(d.rules),
        rated=head.rated,
        secret=head.secret,
        players=[pb.TablePlayer(**msgspec.structs.asdict(one)) for one in head.players],
        record=game_record(d),
        places=d.places,
        points=d.points,
        made_at=to_timestamp(head.created_at),
    )


def _time_control(asked: Any) -> TimeControl:
    given = {name: getattr(asked, name) for name in BOUNDS if name != "increment_ms" and getattr(asked, name)}
    if asked.HasField("increment_ms"):
        given["increment_ms"] = asked.increment_ms
    return read_time_control(given)


def _read_delay(request: pb.CreateTableRequest) -> int:
    if request.hands in (pb.HANDS_UNSPECIFIED, pb.HANDS_AFTER_END):
        return 0
    if request.hands != pb.HANDS_DELAYED or not 1 <= request.delay_seconds <= LONGEST_DELAY:
        words = f"Hands are shown after the end, or delayed by 1 to {LONGEST_DELAY:,} seconds."
        raise BadRequest(words, field="hands_delay_seconds")
    return int(request.delay_seconds) * 1000


def build_table(folded: Folded, *, record: bool = True) -> pb.Table:
    head, board, state = folded.head, folded.board, folded.standing.state
    d, ended = board.deal, folded.ended
    told = pb.Table(
        id=head.id,
        rules=rule_set(d.rules),
        seats=head.seats,
        names=_show_names(folded),
        state=pb.TABLE_STATE_VOID if folded.lost else STATES[state],
        time=pb.TimeControl(**msgspec.structs.asdict(head.time)),
        clocks_ms=folded.read_clocks(),
        turn=board.on_turn if state == "playing" else None,
        cursor=board.cursor,
        commitment="" if head.record else head.commitment,
        words=LOST if folded.lost else board.words,
        account_name=head.account_name,
        created_at=to_timestamp(head.created_at),
        rated=head.rated,
        hands=pb.HANDS_DELAYED if head.delay_ms else pb.HANDS_AFTER_END,
        delay_seconds=head.delay_ms // 1000,
        unlisted=head.unlisted,
        joined=folded.standing.joined,
        bot_names=folded.standing.bots if any(folded.standing.bots) else (),
        faults=[d.faults.get(seat, "") for seat in range(head.seats)] if d.faults else (),
        begun_lines=head.begun_lines,
        named=head.is_named,
        day=head.day,
    )
    told.rules.variant_toml = head.variant_toml
    if ended:
        told.secret = "" if head.record else head.secret  # the deal of a record does not follow from it
        told.record = game_record(d) if record else ""
    if d.over and not board.void:
        told.places.extend(d.places)
        told.points.extend(d.points)
    return told


def attempt(folded: Folded) -> pb.Table:
    """Return an attempt at a deal of the day for the page, which alone knows its cards before the end."""
    told = build_table(folded)
    if not folded.ended:
        told.record = folded.head.record
    return told


def _show_names(folded: Folded) -> list[str]:
    """Return who sits where: the name given with the table, or the account that came to the seat.

    At a rated table nobody is named until everybody has come to it.
    """
    head = folded.head
    hidden = head.rated and len(folded.standing.joined) < head.seats
    if hidden:
        return [""] * head.seats
    return [name or account for name, account in zip(head.names, folded.standing.accounts, strict=True)]


def build_told(part: Told) -> pb.PlayResponse:
    """Return a message to a seat as protobuf."""
    if isinstance(part, Replaced):
        return pb.PlayResponse(replaced=pb.SeatReplaced())
    if not isinstance(part, SeatLine):
        return pb.PlayResponse(voided=pb.TableVoid(words=part.words))
    if part.news:
        news = pb.PlayNews(cursor=part.cursor, line=part.line, clocks_ms=part.clocks, turn=part.turn)
        return pb.PlayResponse(news=news)
    return pb.PlayResponse(line=pb.PlayLine(cursor=part.cursor, line=part.line, clocks_ms=part.clocks))


def table_news(part: SeatLine) -> pb.TableNews:
    return pb.TableNews(cursor=part.cursor, line=part.line, clocks_ms=part.clocks, turn=part.turn)


def build_view(folded: Folded, seat: int | None) -> pb.GetViewResponse:
    """Return the current view of a seat, or of a watcher; raise NotAsked before the deal begins."""
    board = folded.board
    if folded.standing.state == "waiting":
        raise NotAsked("The deal begins when somebody has come to every seat.")
    line = fold.open_line(board.deal) if seat is None else to_line(board.view_seat(seat, 0))
    seen = pb.SeatView(seat=seat, line=line)
    return pb.GetViewResponse(
        cursor=board.cursor, view=seen, clocks_ms=folded.read_clocks(),
        window_ms=folded.left_ms if board.window and not board.over else None,
    )  # fmt: skip
