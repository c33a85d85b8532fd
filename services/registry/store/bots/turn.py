"""The tree by which validations take turns, as stored. Its rules are in `domain/turn.py`."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from sqlalchemy import literal, tuple_
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from services.registry.domain.state import State
from services.registry.domain.turn import (
    NEVER,
    PLAIN,
    ROOT,
    find_due,
    make_key,
    parent_of,
    path_of,
    weigh_time,
)
from services.registry.models import BY_ADMIN, Account, Bot, Turn, Version
from services.shared.base.clock import DAY

WITHOUT_LOG = defer(cast("Any", Version.log), raiseload=True)
"""A log is long, and no list or turn needs it."""
PASSED = (State.VALID, State.ACTIVE, State.RETIRED)
PAGE, MOST = 20, 2000  # nodes read at a time, and accounts considered for one claim
UPLOADED = col(Version.state) == literal(State.UPLOADED.value, literal_execute=True)  # as its index says it


def lock_turns(session: Session) -> None:
    """Lock the tree for this transaction, before any version, to avoid deadlocks."""
    session.exec(select(Turn).where(Turn.key == ROOT).with_for_update()).one()


def find_key(session: Session, account: Account, now: int) -> str:
    """Return the key under which a version of this account waits.

    A newcomer is an account that no admin opened, and that is younger than a day or has no version that
    passed. For accounts of an earlier release the opener is unknown.
    """
    if account.registered_from == BY_ADMIN:
        return make_key(newcomer=False, address="", account_id=account.id)
    is_new = bool(account.registered_from) and account.created_at > now - DAY
    is_newcomer = is_new or not _has_passed(session, account.id)
    return make_key(newcomer=is_newcomer, address=account.registered_from, account_id=account.id)


def give_turn(session: Session, version: Version, now: int) -> None:
    """Assign a turn to a version that has just begun to wait."""
    account = session.get_one(Account, session.get_one(Bot, version.bot_id).account_id)
    version.turn, version.turn_cost = find_key(session, account, now), version.turn_cost or PLAIN
    join_turns(session, version.turn)


def join_turns(session: Session, key: str) -> None:
    """Enter the account's node after one of its versions has begun to wait."""
    if not key:
        return  # submitted by an earlier release; the sweep gives it a key
    session.flush()
    clock = session.get_one(Turn, ROOT).clock
    for each in path_of(key):
        node = session.get(Turn, each)
        if node is None:
            node = Turn(key=each, parent=parent_of(each), due=NEVER)
            session.add(node)
        if node.due == NEVER:
            node.used = max(node.used, clock)
        clock = node.clock
    refresh_turns(session, key)


def charge_turns(session: Session, key: str, time: int, *, begins: bool = False) -> None:
    """Add time, which may be negative, to the nodes of a version; `begins`: a worker has just taken it."""
    if not key:
        return
    parent = session.get_one(Turn, ROOT)
    for each in path_of(key):
        node = session.get_one(Turn, each)
        if begins:
            parent.clock = max(parent.clock, node.used)
        node.used = max(0, node.used + weigh_time(each, time))
        parent = node
    refresh_turns(session, key)


def refresh_turns(session: Session, key: str) -> None:
    """Recompute what comes next at an account's node and at the nodes above it."""
    session.flush()
    waits = select(Version.turn_cost, Version.since).where(Version.turn == key, UPLOADED)
    head = session.exec(waits.order_by(col(Version.since), col(Version.id)).limit(1)).first()
    _settle_node(session.get_one(Turn, key), head)
    while key := parent_of(key):
        session.flush()
        first = next(_list_children(session, key), None)
        _settle_node(session.get_one(Turn, key), (first.cost, first.since) if first else None)
    session.flush()


def find_next(session: Session, where: Sequence[Any]) -> str | None:
    """Return the version whose turn it is, of those for which `where` holds; None if there is none."""
    for _, leaf in zip(range(MOST), list_leaves(session), strict=False):
        waits = select(Version.id).where(Version.turn == leaf.key, UPLOADED)
        ordered = waits.order_by(col(Version.since), col(Version.id)).limit(1)
        if found := session.exec(ordered.where(*where)).first():
            return found
        if session.exec(ordered).first() is None:  # its bot was retired
            refresh_turns(session, leaf.key)
    return None


def list_leaves(session: Session, key: str = ROOT) -> Iterator[Turn]:
    """Yield the accounts' nodes at which a version waits, in the order in which they are due."""
    for child in _list_children(session, key):
        if child.key.count("/") == 2:
            yield child
        else:
            yield from list_leaves(session, child.key)


def give_missing_turns(session: Session, now: int, most: int) -> int:
    """Assign turns to at most `most` versions that wait without one; return their number."""
    query = select(Version).where(Version.turn == "", UPLOADED).order_by(col(Version.since)).limit(most)
    found = session.exec(query.options(WITHOUT_LOG)).all()
    for version in found:
        give_turn(session, version, now)
    return len(found)


def _settle_node(node: Turn, head: tuple[int, int] | None) -> None:
    node.cost, node.since = head or (0, 0)
    node.due = find_due(node.key, node.used, node.cost)


def _list_children(session: Session, key: str) -> Iterator[Turn]:
    """Yield the nodes below this one at which a version waits, in the order in which they are due."""
    place = tuple_(col(Turn.due), col(Turn.since), col(Turn.key))
    query = select(Turn).where(Turn.parent == key, Turn.due < NEVER)
    query = query.order_by(col(Turn.due), col(Turn.since), col(Turn.key)).limit(PAGE)
    found = session.exec(query).all()
    while found:
        last = found[-1]
        after = place > tuple_(last.due, last.since, last.key)
        yield from found
        found = session.exec(query.where(after)).all() if len(found) == PAGE else []


def _has_passed(session: Session, account_id: str) -> bool:
    passed = select(Version.id).join(Bot).where(Bot.account_id == account_id)
    return session.exec(passed.where(col(Version.state).in_(PASSED)).limit(1)).first() is not None
