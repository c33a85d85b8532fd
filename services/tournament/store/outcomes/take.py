"""Takes of matches: begun, decided, taken back, each with its link of the chain and its event."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import select
from sqlmodel import Session, col

from maumau.contest.export.chain import Decision, Retaking
from maumau.contest.export.line import result_digest
from maumau.contest.format.match import MatchPlan, Verdict
from services.shared.base.ident import new_id
from services.shared.store.bulk import insert_rows
from services.tournament.domain.event import Event, MatchBegun, MatchResult, MatchTakenBack, encode_event
from services.tournament.domain.match_row import list_players, write_others
from services.tournament.models import Contest, Entry, Job, JobSeat, Match, Outbox, new_row
from services.tournament.store.blocks.queue import outbox
from services.tournament.store.outcomes import form
from services.tournament.store.outcomes.link import add_link, add_links

WALKOVERS = {"withdrawn": "an entrant was withdrawn", "disqualified": "an entrant was disqualified"}
"""Rules that decide a match which was not played to its end, and why."""


def take_back(
    session: Session,
    contest: Contest,
    match_id: str,
    reason: str,
    at: int,
    disqualified: Collection[int] = (),
) -> None:
    """disqualified: numbers of entrants, whose matches are taken back for that."""
    row = session.get_one(Match, match_id)
    if set(list_players(row.first, row.second, row.others)).intersection(disqualified):
        reason = WALKOVERS["disqualified"]
    row.state, row.withdrawn_at = "withdrawn", at
    words, part = f"match {row.label} is taken back: {reason}", MatchTakenBack(row.take, reason)
    _publish_event(
        session, contest, Event(at, "alert", words, row.label, part=part), Retaking(row.label, row.take)
    )


def decide_take(session: Session, contest: Contest, match_id: str, verdict: Verdict, at: int) -> None:
    row = session.get_one(Match, match_id)
    row.state, row.verdict, row.decided_at = "decided", _encode_verdict(verdict), at
    if verdict.rule not in WALKOVERS:
        form.note_form(session, row, verdict, at)
    told = Event(
        at, "match_decided", verdict_words(verdict), row.label, part=_build_result(row.take, verdict)
    )
    _publish_event(session, contest, told, _build_decision(contest, row.label, row.take, verdict))


def begin_takes(
    session: Session,
    contest: Contest,
    entries: Sequence[Entry],
    begun: Sequence[tuple[MatchPlan, Verdict | None]],
    at: int,
    reason: str,
    change: int,
    *,
    fresh_seeds: bool = False,
) -> dict[str, str]:
    """Begin new takes of matches, with the seeds of those before or fresh ones; return their ids by label.

    They are decided at once if they are walkovers. reason: why a match is begun that was begun before.
    change: the number of the contest's change that begins them.
    """
    takes = _last_takes(session, contest.id, [plan.label for plan, _ in begun])
    rows, seats, events = list[dict[str, Any]](), list[dict[str, Any]](), list[Event]()
    links = _link_walkovers(session, contest, begun, takes)
    for plan, verdict in begun:
        last, seed_take = takes.get(plan.label, (0, 0))
        take = last + 1
        why = "" if take == 1 else WALKOVERS[verdict.rule] if verdict else reason
        drawn = take if fresh_seeds else seed_take
        rows.append(
            _build_match(contest.id, plan, verdict, take=take, seed_take=drawn, reason=why, queued_at=at)
        )
        players = [entries[number - 1] for number in plan.players]
        seats += [_build_seat(rows[-1]["id"], position, entry) for position, entry in enumerate(players)]
        again = _describe_take(take, why, fresh_seeds=fresh_seeds)
        words = f"match {plan.label}: {' - '.join(entry.bot_name for entry in players)}{again}"
        events.append(Event(at, "match_started", words, plan.label, part=MatchBegun(take, drawn, why)))
        if verdict:
            told, part, link = verdict_words(verdict), _build_result(take, verdict), links[plan.label]
            events.append(Event(at, "match_decided", told, plan.label, chain=link, part=part))
    insert_rows(session, Match, rows)
    insert_rows(session, Job, [_build_job(row, change) for row in rows])
    insert_rows(session, JobSeat, seats)
    _store_events(session, contest.id, events)
    return {row["label"]: row["id"] for row in rows}


def _store_events(session: Session, contest_id: str, events: Iterable[Event]) -> None:
    rows = [{"contest_id": contest_id, "event": encode_event(one), "created_at": one.at} for one in events]
    insert_rows(session, Outbox, rows)


def _describe_take(take: int, reason: str, *, fresh_seeds: bool) -> str:
    """Return the words about a take that is not the first one."""
    if take == 1:
        return ""
    seeds = " with fresh seeds" if fresh_seeds else ""
    return f", take {take}{seeds} ({reason})"


def _last_takes(session: Session, tournament_id: str, labels: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the last take of each of these matches, and the take of its seeds."""
    takes = select(col(Match.label), col(Match.take), col(Match.seed_take)).order_by(col(Match.take))
    mine = takes.where(col(Match.tournament_id) == tournament_id, col(Match.label).in_(labels))
    return {label: (take, seed_take) for label, take, seed_take in session.execute(mine)}


def _build_match(
    tournament_id: str, plan: MatchPlan, verdict: Verdict | None, *, queued_at: int, **take: Any
) -> dict[str, Any]:
    """take: its number, the take of its seeds, and why it was begun."""
    decided = (
        {"state": "decided", "verdict": _encode_verdict(verdict), "decided_at": queued_at} if verdict else {}
    )
    plans = {name: getattr(plan, name) for name in plan.__struct_fields__} | {"others": write_others(plan)}
    terms = take | plans | decided
    return new_row(Match, id=new_id("match"), tournament_id=tournament_id, queued_at=queued_at, **terms)


def _build_job(row: dict[str, Any], changed: int) -> dict[str, Any]:
    same = {name: row[name] for name in ("id", "label", "take", "seed_take")}
    state = "over" if row["verdict"] else "open"
    replayed = 1.0 if row["bracket"] else 0.0  # who loses there is out
    terms = {"state": state, "replayed": replayed, "changed": changed}
    return new_row(Job, contest_id=row["tournament_id"], **same, **terms)


def _build_seat(job_id: str, position: int, entry: Entry) -> dict[str, Any]:
    return new_row(
        JobSeat,
        job_id=job_id,
        position=position,
        number=entry.number,
        version_id=entry.version_id,
        sha256=entry.sha256,
        bot_name=entry.bot_name,
        account_name=entry.account_name,
        built_sha256=entry.built_sha256,
        built_platform=entry.built_platform,
    )


def _publish_event(session: Session, contest: Contest, event: Event, linked: Decision | Retaking) -> None:
    told = msgspec.structs.replace(event, chain=add_link(session, contest, linked))
    session.add_all(outbox(contest.id, [told], event.at))


def _build_decision(contest: Contest, label: str, take: int, verdict: Verdict) -> Decision:
    return Decision(label, take, result_digest(verdict, contest.version))


def _link_walkovers(
    session: Session,
    contest: Contest,
    begun: Iterable[tuple[MatchPlan, Verdict | None]],
    takes: Mapping[str, tuple[int, int]],
) -> dict[str, str]:
    """Link the matches that are decided as they begin; return the links by label. takes: the last before."""
    decided = [
        _build_decision(contest, plan.label, takes.get(plan.label, (0, 0))[0] + 1, verdict)
        for plan, verdict in begun
        if verdict
    ]
    told = add_links(session, contest, decided)
    return {one.match: link for one, link in zip(decided, told, strict=True)}


def _build_result(take: int, verdict: Verdict) -> MatchResult:
    return MatchResult(take, verdict.winner or 0, verdict.rule, verdict.counted, verdict.estimate)


def _encode_verdict(verdict: Verdict) -> str:
    return msgspec.json.encode(verdict).decode()


def verdict_words(verdict: Verdict) -> str:
    """Describe a decision, such as "match 1.2.3 is decided: sequential, 300 sets"."""
    return f"match {verdict.label} is decided: {verdict.rule}, {verdict.counted} sets"
