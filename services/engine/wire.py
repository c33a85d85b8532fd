"""The service's own things as messages."""

from maumau.errors import MaumauError
from maumau.game import Deal, Rules
from maumau.game.rules import chosen_text
from maumau.rulebook import Page
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import game_pb2
from services.engine import fold
from services.engine.fold import Eyes, Verdict

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
        record=fold.write_record(d) if eyes == "open" else "",
    )


def _views(d: Deal, eyes: Eyes, seat: int) -> list[pb.SeatView]:
    if eyes == "watcher":
        return [pb.SeatView(line=fold.open_line(d))]
    seats = range(d.seats) if eyes == "open" else (seat,)
    return [pb.SeatView(seat=one, line=fold.view_line(d, one)) for one in seats]


def refusal(error: MaumauError) -> pb.Refusal:
    return pb.Refusal(reason=error.reason, message=str(error))


def verdict(found: Verdict) -> pb.VerifyResponse:
    return pb.VerifyResponse(
        ok=not found.line, line=found.line, message=found.words,
        over=found.over, places=found.places, points=found.points,
    )  # fmt: skip
