"""Players: versions on a ladder."""

import hashlib
from typing import NamedTuple

import msgspec
from sqlalchemy import func, select, update
from sqlmodel import Session, col

from services.matchmaking.models import Member, Player


class ActiveVersion(NamedTuple):
    """A bot's active version, as the registry tells it. party: under which its owner is counted.

    number: within the bot; 0 if it was not asked for.
    """

    id: str
    account_name: str
    party: str = ""
    number: int = 0


def find_player(session: Session, member: Member, version: ActiveVersion, at: int) -> int:
    """Return the number of a version on the ladder, which may be new."""
    mine = select(Player).where(col(Player.ladder) == member.ladder, col(Player.version_id) == version.id)
    known: Player | None = session.scalars(mine).one_or_none()
    if known is None:
        last = session.scalar(select(func.max(col(Player.number))).where(col(Player.ladder) == member.ladder))
        known = Player(
            ladder=member.ladder,
            number=0 if last is None else last + 1,
            version_id=version.id,
            bot_name=member.bot_name,
            account_name=version.account_name,
            party=version.party,
            parent=member.number,
            joined_at=at,
        )
        session.add(known)
        session.flush()
    known.version = version.number or known.version
    note_owner(session, member, version)
    return known.number


def note_owner(session: Session, member: Member, version: ActiveVersion) -> None:
    """Store a bot's new owner, with all versions that it has had on the ladder."""
    if (member.account_name, member.party) != (version.account_name, version.party):
        member.account_name, member.party = version.account_name, version.party
        mine = col(Player.ladder) == member.ladder, col(Player.bot_name) == member.bot_name
        owner = {"account_name": version.account_name, "party": version.party}
        session.execute(update(Player).where(*mine).values(**owner))


def hash_members(session: Session, ladder: str, *more: str) -> tuple[int, int]:
    """Return numbers that differ whenever a member or its owner does, or one of the other texts.

    Owners count for the ratings: those of bots that have left change only when they join again.
    """
    mine = col(Member.ladder) == ladder
    joins = select(func.sum(col(Member.joins_from) + col(Member.joins))).where(mine)
    shown = ("bot_name", "account_name", "party", "number", "pinned", "words")
    here = select(*(col(getattr(Member, name)) for name in shown)).where(mine, col(Member.here))
    rows = [tuple(row) for row in session.execute(here.order_by(col(Member.bot_name)))]
    digest = hashlib.blake2b(msgspec.msgpack.encode((more, rows)), digest_size=8).digest()
    return int(session.scalar(joins) or 0), int.from_bytes(digest)
