"""Replacements of a tournament's spec before play, with a record of who changed what.

The root, from which all deals come, is made at the start, of what is played and of the entrants. What may
change once bots have entered is not in it (docs/decisions/0053-nonces.md).
"""

from collections import Counter
from hashlib import sha256
from typing import NamedTuple

import msgspec
from sqlalchemy import bindparam, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col

from maumau.contest.spec.change import SpecKeyChange, compare_specs, list_fixed
from maumau.contest.spec.spec import Spec
from maumau.errors import BadSpec, MaumauError, NameTaken, QuotaReached, WrongState
from services.shared.base.auth import OWN
from services.shared.store.connect import Database
from services.tournament.domain.board import spec_of
from services.tournament.domain.event import Event, SpecChanged
from services.tournament.models import Contest, Entry, SpecChange, Tournament
from services.tournament.store.blocks.queue import outbox
from services.tournament.store.contests.name import free_name
from services.tournament.store.contests.nonce import say_state
from services.tournament.store.contests.tournament import (
    check_secret,
    contest_of,
    entries_of,
    find_tournament,
)

MOST_CHANGES = 50  # of a tournament
MAX_VALUE_LENGTH = 200  # characters of a value in the record
REPLACED = (
    "name",
    "spec",
    "rules",
    "options",
    "rules_hash",
    "secret",
    "secret_given",
    "commitment",
    "due_at",
    "visibility",
    "group_name",
    "sealed",
    "reveal_at",
)
CHANGES = (
    select(SpecChange)
    .where(col(SpecChange.tournament_id) == bindparam("tournament"))
    .order_by(col(SpecChange.number))
)


class SpecReplacement(NamedTuple):
    """The replacement of a spec. seen: the row that it was made for. account: that of its author."""

    tournament: Tournament
    contest: Contest
    spec: Spec
    seen: Tournament
    account: str


def list_changes(session: Session, tournament_id: str) -> list[SpecChange]:
    """Return the changes of a tournament's spec, in their order."""
    return list(session.scalars(CHANGES, {"tournament": tournament_id}))


def replace_spec(database: Database, key: str, replacement: SpecReplacement, at: int) -> None:
    """Replace the spec and what follows from it, except for the id, and record what is different."""
    try:
        with database.write() as session:
            row = find_tournament(session, key, lock=True)
            entries, before = entries_of(session, row.id), _read_spec(row)
            changes = compare_specs(before, replacement.spec.hide_secret())
            _check_moment(row, before, replacement, at)
            if row.state == "open":
                _check_entrants(row, entries, changes, replacement)
                _check_room(entries, replacement.spec)
            if replacement.tournament.commitment != row.commitment:
                changes.append(SpecKeyChange("commitment", row.commitment, replacement.tournament.commitment))
            if changes:
                if replacement.spec.schedule.starts == (before and before.schedule.starts):
                    replacement.tournament.due_at = row.due_at  # put off or hastened meanwhile
                _replace_spec(session, row, replacement, at)
                _record_changes(session, row, replacement.account, changes, at)
    except IntegrityError:
        raise NameTaken(f"There is a tournament {replacement.tournament.name!r} already.") from None


def _read_spec(row: Tournament) -> Spec | None:
    """Return the present spec, None if this release cannot read it."""
    try:
        return spec_of(row.spec)
    except MaumauError:
        return None


def _check_moment(row: Tournament, before: Spec | None, replacement: SpecReplacement, at: int) -> None:
    """Raise WrongState once entries have closed, or if somebody else has changed the spec meanwhile."""
    if row.state not in {"created", "open"}:
        raise WrongState(
            f"{row.name} is {row.state}: its spec cannot be changed any more."
            f" `maumau tournament copy {row.name} NEW-NAME` makes another one from it."
        )
    closes = before.entries.closes if before else None
    if row.closed_at or (row.state == "open" and closes and closes.timestamp() * 1000 <= at):
        raise WrongState(
            f"{row.name} is {say_state(row)}, and its entries have closed: its spec cannot be changed any"
            f" more, since its deals come from it and from what authors confirm now. {_say_instead(row)}"
        )
    if (row.spec, row.commitment) != (replacement.seen.spec, replacement.seen.commitment):
        raise WrongState(f"The spec of {row.name} has been changed meanwhile: look at it and try again.")
    new = replacement.spec.entries.closes
    if row.state == "open" and new and new != closes and new.timestamp() * 1000 <= at:
        raise BadSpec(f"entries.closes: {new.isoformat()} is in the past.", field="entries.closes")


def _check_entrants(
    row: Tournament, entries: list[Entry], changes: list[SpecKeyChange], replacement: SpecReplacement
) -> None:
    """Raise WrongState for what may not change once entries are open, or once somebody has entered."""
    if replacement.tournament.secret != row.secret:
        raise WrongState(
            f"The secret of {row.name} cannot be changed any more: entries have opened, and its commitment"
            f" {row.commitment[:12]} is what its entrants rely on. {_say_instead(row)}"
        )
    if entries and (fixed := list_fixed(changes)):
        raise WrongState(
            f"{', '.join(fixed)} cannot be changed any more: bots have entered {row.name} ({len(entries)}),"
            f" and they entered for what is played. Its name, [entries], [schedule],"
            f" release, visibility and group can."
            f" {_say_instead(row)}"
        )


def _say_instead(row: Tournament) -> str:
    return (
        f"`maumau tournament cancel {row.name}` and `maumau tournament copy {row.name} NEW-NAME` make"
        " another one."
    )


def _check_room(entries: list[Entry], spec: Spec) -> None:
    """Raise BadSpec if those who have entered could not have entered under the new conditions."""
    rule, per_account = spec.entries, Counter(one.account_name for one in entries)
    if len(entries) > rule.most:
        words = f"entries.most: {rule.most} is less than the {len(entries)} bots that have entered."
        raise BadSpec(words, field="entries.most")
    for account, count in per_account.items():
        if rule.accounts is not None and account not in rule.accounts:
            words = f"{account} is not listed, but has a bot in the tournament; withdraw it first."
            raise BadSpec(f"entries.accounts: {words}", field="entries.accounts")
        if account not in OWN and count > rule.per_account:
            words = f"entries.per_account: {account} has {count} bots in it, more than {rule.per_account}."
            raise BadSpec(words, field="entries.per_account")


def _replace_spec(session: Session, row: Tournament, replacement: SpecReplacement, at: int) -> None:
    accounts = (row.organiser, *(one.account_name for one in entries_of(session, row.id)))
    check_secret(session, replacement.tournament, accounts)
    if replacement.tournament.name != row.name:
        free_name(session, replacement.tournament.name, at)
    replaced = {name: getattr(replacement.tournament, name) for name in REPLACED}
    played = contest_of(session, row.id)
    row.sqlmodel_update(replaced)
    played.sqlmodel_update(replacement.contest.model_dump(exclude={"id", "state"}, exclude_unset=True))
    row.version += 1


def _record_changes(
    session: Session, row: Tournament, account: str, changes: list[SpecKeyChange], at: int
) -> None:
    number = len(list_changes(session, row.id)) + 1
    if number > MOST_CHANGES:
        words = f"The spec of {row.name} has been changed {MOST_CHANGES} times; more changes are refused."
        raise QuotaReached(words, quota=f"changes of the spec of {row.name}")
    kept = [[key, _cut_value(before), _cut_value(after)] for key, before, after in changes]
    session.add(
        SpecChange(
            tournament_id=row.id,
            number=number,
            at=at,
            account_name=account,
            changes=msgspec.json.encode(kept).decode(),
        )
    )
    words = f"the spec of {row.name} has changed: {', '.join(one.key for one in changes)}"
    session.add_all(outbox(row.id, [Event(at, "state", words, part=SpecChanged(row.name))], at))


def _cut_value(value: str) -> str:
    """Return a value as the record has it; two that differ only after the cut have different digests."""
    if len(value) <= MAX_VALUE_LENGTH:
        return value
    return f"{value[:MAX_VALUE_LENGTH]}… [{len(value)}, sha256 {sha256(value.encode()).hexdigest()[:16]}]"
