"""The reveal of mystery rules: once, in the transaction of the start or at a moment before it."""

import json

from sqlalchemy import select
from sqlmodel import Session, col

from maumau.contest.spec.part import Mystery
from services.shared.store.connect import Database
from services.tournament.domain.event import Event, RulesRevealed
from services.tournament.domain.sealed import find_played_spec
from services.tournament.domain.stage_rules import write_games
from services.tournament.models import SEALED, Contest, Tournament
from services.tournament.store.blocks.queue import outbox


def list_due_reveals(database: Database, at: int) -> list[str]:
    """Return tournaments whose rules are due to be revealed before their start."""
    due = col(Tournament.state) == "open", col(Tournament.reveal_at) <= at
    with database.read() as session:
        return list(session.scalars(select(col(Tournament.id)).where(SEALED, *due)))


def reveal_rules(session: Session, row: Tournament, contest: Contest, at: int) -> None:
    """Reveal the rules of a tournament whose row and contest are locked, unless that is done."""
    if not row.sealed or row.revealed_at:
        return
    spec = find_played_spec(row)
    row.spec, row.revealed_at = spec.to_toml(), at
    row.rules, row.options = spec.rules, json.dumps(spec.options, sort_keys=True)
    row.rules_hash = spec.rules_hash
    contest.rules, contest.options, contest.rules_hash = row.rules, row.options, row.rules_hash
    contest.variant_toml, contest.games = spec.variant_toml or "", write_games(spec)
    row.version += 1
    words = f"the rules of {row.name} are revealed: {spec.rules}"
    mystery = spec.mystery or Mystery()
    part = RulesRevealed(spec.rules, mystery.commitment or "", mystery.salt or "")
    session.add_all(outbox(row.id, [Event(at, "state", words, part=part)], at))
