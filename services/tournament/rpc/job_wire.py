"""Contests of jobs and their results as messages; requests as terms and orders."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from google.protobuf.message import Message

from maumau import wire as game_wire
from maumau.contest.score import SEATINGS, count_units
from maumau.contest.seed import compute_commitment
from maumau.contest.terms import Terms, build_terms
from maumau.errors import BadRequest
from maumau.protocol.live import LiveDeal
from maumau.v1 import game_pb2, tournament_pb2
from maumau.v1 import job_pb2 as pb
from services.shared.rpc.timestamp import to_timestamp
from services.tournament.history.archive import SetLine
from services.tournament.models import Contest
from services.tournament.store.contests.job import Booked, JobNews

LABEL = re.compile(r"[A-Za-z0-9.-]{1,40}")
MOST_SETS, MOST_JOBS = 2000, 500
MOST_BLOCK, MOST_BLOCK_OF_MANY = 100, 25  # sets; a set of more than two seats has more and longer deals


def read_terms(message: pb.Terms) -> Terms:
    """Return the terms of a message; raise BadSpec or the game's own error if they are not valid."""
    try:
        options = json.loads(message.rules.options_json or "{}")
    except (ValueError, RecursionError):
        raise BadRequest("The options are not JSON that can be read.") from None
    found = build_terms(
        {
            "purpose": _name_value(pb.Purpose, message.purpose),
            "author": message.author,
            "rules": message.rules.name,
            "options": options,
            "variant_toml": message.rules.variant_toml,
            "seats": message.seats,
            "score": _name_value(pb.Score, message.score),
            "bot": {"deal_ms": message.bot.deal_ms, "memory": message.bot.memory_mib},
        }
    )
    known = found.load_rules().hash
    if message.rules.hash not in {"", known}:
        raise BadRequest(f"The rules have the hash {known} here, not {message.rules.hash}.")
    return found


def _name_value(kind: Any, number: int) -> str:
    """Return an enum value's name as the database has it: LADDER is `ladder`; "" if it is unknown."""
    if number not in kind.values():
        return ""
    return str(kind.Name(number)).rpartition("_")[2].lower()


def options_json(terms: Terms) -> str:
    """Return the options as JSON, in the notation of RuleSet."""
    return json.dumps(terms.options, sort_keys=True)


def check_job(job: pb.Job, seats: int) -> None:
    """Raise BadRequest if the job is not valid."""
    if not LABEL.fullmatch(job.label):
        raise BadRequest(f"A label is 1 to 40 letters, digits, dots and dashes, not {job.label!r}.")
    if len(job.version_ids) != seats or len(set(job.version_ids)) != seats:
        raise BadRequest(f"Job {job.label} has {len(job.version_ids)} versions, not {seats} different ones.")
    most = MOST_BLOCK if seats == SEATINGS else MOST_BLOCK_OF_MANY
    if not 1 <= job.sets <= MOST_SETS or not 1 <= job.block <= most:
        raise BadRequest(
            f"Job {job.label} cannot have {job.sets} sets in blocks of {job.block}: there are 1 to"
            f" {MOST_SETS:,} sets in blocks of 1 to {most}."
        )


def build_contest(row: Contest) -> pb.Contest:
    state = "over" if row.state == "over" else "closed" if row.closed else "running"
    return pb.Contest(
        id=row.id,
        terms=pb.Terms(
            purpose=f"PURPOSE_{row.purpose.upper()}",
            author=row.author,
            rules=game_pb2.RuleSet(
                name=row.rules,
                options_json=row.options,
                hash=row.rules_hash,
                variant_toml=row.variant_toml,
            ),
            seats=row.seats,
            score=f"SCORE_{row.score.upper()}",
            bot=game_pb2.BotLimits(deal_ms=row.deal_ms, memory_mib=row.memory),
        ),
        state=f"CONTEST_STATE_{state.upper()}",
        commitment=compute_commitment(row.secret),
        secret=row.secret if row.state == "over" else "",
        root=row.root,
        booked=row.results,
        chain=row.chain or row.root,
        links=row.booked,
        compared=row.compared,
    )


def set_summary(of: Contest, one: SetLine) -> tournament_pb2.SetSummary:
    score = one.score
    return tournament_pb2.SetSummary(
        set=score.number,
        block=one.block,
        scores=score.by_entrant(of.score),
        unit=count_units(of.score, of.seats),
        points=score.points,
        seed=one.seed,
    )


def build_news(found: JobNews) -> Iterator[Message]:
    """Yield booked results first, then changes of jobs."""
    for one in found.booked:
        yield pb.FollowContestResponse(booked=build_booked(found.contest.score, one))
    for label, state, words in found.jobs:
        changed = pb.JobChanged(label=label, state=f"JOB_STATE_{state.upper()}", words=words)
        yield pb.FollowContestResponse(job=changed)


def build_booked(mode: str, one: Booked) -> pb.BlockBooked:
    at = to_timestamp(one.result.stored_at)
    return pb.BlockBooked(
        booking=one.result.booking,
        label=one.label,
        block=one.number,
        sets=[
            pb.BookedSet(
                number=score.number,
                units=score.by_entrant(mode),
                points=score.points,
                gain=score.gain,
            )
            for score in one.scores
        ],
        faults=[
            pb.BookedFault(
                id=fault.id,
                position=one.positions[fault.entrant],
                set=fault.set_number,
                kind=fault.kind,
                words=fault.words,
            )
            for fault in one.faults
        ],
        chain=one.result.chain,
        at=at,
        decisions=one.result.decisions,
        put_off=[
            pb.PutOff(position=one.positions[number], words=words)
            for number, words in sorted(one.put_off.items())
        ],
    )


def tell_deals(cursor: str, deals: Sequence[LiveDeal]) -> bytes:
    """Return the parts of deals of a worker's report as one message, encoded once for all watchers."""
    return pb.WatchJobResponse(cursor=cursor, deals=map(game_wire.live_message, deals)).SerializeToString()
