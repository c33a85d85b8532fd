"""Rows of a tournament from its spec, checked for playability."""

import json
from datetime import datetime

from maumau.contest import seed
from maumau.contest.entrant import check_entrants
from maumau.contest.export.line import root_of
from maumau.contest.mystery import check_unsealed, find_reveal
from maumau.contest.spec.bound import bound_spec
from maumau.contest.spec.spec import Spec, check_order, check_start, parse_spec
from maumau.errors import BadSpec, MaumauError
from maumau.rulebook.check import check_own_variant
from services.shared.base.ident import new_id
from services.tournament.domain.board import list_entrants, spec_of
from services.tournament.domain.sealed import find_played_spec
from services.tournament.domain.stage_rules import write_games
from services.tournament.models import Contest, Entry, Tournament

MAX_SPEC_BYTES = 64 << 10


def check_spec(text: str) -> Spec:
    """Return a playable spec with a bound of a deal's length; raise BadSpec or the game's own error."""
    if len(text.encode()) > MAX_SPEC_BYTES:
        raise BadSpec(f"The spec has more than {MAX_SPEC_BYTES >> 10} KiB.", field="spec_toml")
    spec = parse_spec(text)
    check_order(spec)
    check_unsealed(spec)
    check_own_variant(spec.load_rules(), spec.most_seats)  # the organiser answers for it
    return bound_spec(spec)


def build_tournament(spec: Spec, at: int) -> Tournament:
    """Return the row of a new tournament; its secret is drawn if the spec has none."""
    due = _find_due(spec.schedule.starts, at)
    row = _build_row(spec, spec.secret or seed.new_secret(), due, at, given=spec.secret is not None)
    row.reveal_at = _find_reveal(spec, at)
    return row


def rebuild_tournament(spec: Spec, now: Tournament, at: int) -> Tournament:
    """Return the row of a tournament with another spec; a start in the past may stay as it is."""
    stays = spec.schedule.starts == _find_starts(now)
    due = now.due_at if stays else _find_due(spec.schedule.starts, at)
    given = now.secret_given or spec.secret is not None
    rebuilt = _build_row(spec, spec.secret or now.secret, due, at, given=given)
    rebuilt.organiser, rebuilt.reveal_at = now.organiser, _find_reveal(spec, at)
    return rebuilt


def build_contest(tournament: Tournament, spec: Spec) -> Contest:
    """Return the row of a tournament's contest."""
    return Contest(
        id=tournament.id,
        purpose="tournament",
        author=tournament.organiser,
        rules=tournament.rules,
        options=tournament.options,
        rules_hash=tournament.rules_hash,
        variant_toml=spec.variant_toml or "",
        seats=spec.most_seats,
        score=spec.score,
        deal_ms=spec.bot.deal_ms,
        memory=spec.bot.memory,
        secret=tournament.secret,
        games=write_games(spec),
    )


def compute_root(tournament: Tournament, entries: list[Entry]) -> str:
    """Return the root of a tournament with these entries; raise if they cannot play it."""
    spec = find_played_spec(tournament)
    entrants = list_entrants(spec, entries, tournament.secret, "")
    check_entrants(entrants)
    check_start(spec, len(entrants), sum(one.guest for one in entrants))
    return root_of(spec, entrants, spec.version)


def _build_row(spec: Spec, secret: str, due: int, at: int, *, given: bool) -> Tournament:
    return Tournament(
        id=new_id("tournament"),
        name=spec.name,
        spec=spec.hide_secret().to_toml(),
        rules=spec.rules,
        options=json.dumps(spec.options, sort_keys=True),
        rules_hash=spec.rules_hash,
        secret=secret,
        secret_given=given,
        commitment=seed.compute_commitment(secret),
        created_at=at,
        due_at=due,
        visibility=spec.visibility,
        group_name=spec.group or "",
    )


def _find_starts(row: Tournament) -> datetime | None:
    """Return the start in a row's spec; None if there is none, or if this release cannot read the spec."""
    try:
        return spec_of(row.spec).schedule.starts
    except MaumauError:
        return None


def _find_reveal(spec: Spec, now: int) -> int:
    """Return the time at which sealed rules are revealed; 0: at the start. Raise BadSpec if it is past."""
    if (reveal := find_reveal(spec)) is None:
        return 0
    at = int(1000 * reveal.timestamp())
    if at <= now:
        raise BadSpec(f"mystery.reveal: {reveal.isoformat()} is in the past.", field="mystery.reveal")
    return at


def _find_due(starts: datetime | None, now: int) -> int:
    """Return the time of the automatic start; 0: none. Raise BadSpec if it is in the past."""
    if starts is None:
        return 0
    due = int(1000 * starts.timestamp())
    if due <= now:
        raise BadSpec(f"schedule.starts: {starts.isoformat()} is in the past.", field="schedule.starts")
    return due
