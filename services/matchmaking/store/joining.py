"""Bounds on joining a ladder: bots of one author at once, and joins of one bot within an hour."""

from sqlalchemy import select
from sqlmodel import Session, col

from maumau.errors import QuotaReached
from services.matchmaking.models import Ladder, Member
from services.matchmaking.store.pool import author_of
from services.shared.base.clock import HOUR

MOST_JOINS = 20
"""Joins of a bot on one ladder within an hour."""


def count_join(session: Session, ladder: Ladder, member: Member, at: int) -> None:
    """Count a bot that joins; the ladder is locked.

    Raise QuotaReached if its author has as many bots there as the ladder takes, or if the bot has joined too
    often.
    """
    _check_author(session, ladder, member)
    if at - member.joins_from >= HOUR:
        member.joins, member.joins_from = 0, at
    if member.joins >= MOST_JOINS:
        raise QuotaReached(
            f"{member.bot_name} has joined the ladder {ladder.name} {MOST_JOINS} times within an hour; it may"
            " join again later.",
            quota=f"joins of {member.bot_name}",
        )
    member.joins += 1


def _check_author(session: Session, ladder: Ladder, member: Member) -> None:
    here = select(Member).where(col(Member.ladder) == ladder.name, col(Member.here))
    others = session.scalars(here.where(col(Member.bot_name) != member.bot_name)).all()
    own = sorted(one.bot_name for one in others if author_of(one) == author_of(member))
    if len(own) >= ladder.author_bots:
        most = "one bot" if ladder.author_bots == 1 else f"{ladder.author_bots} bots"
        raise QuotaReached(
            f"The ladder {ladder.name} takes {most} of one author, and has {', '.join(own)} already;"
            f" `maumau ladder leave {ladder.name} BOT` makes room.",
            quota=f"bots of {author_of(member)} on {ladder.name}",
        )
