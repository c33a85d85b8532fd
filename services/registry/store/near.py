"""Names like one that nobody has: all names would be too many to read."""

from typing import Any

from sqlmodel import Session, select

from services.registry.name import near

MOST = 100  # names on each side


def say_near(session: Session, column: Any, name: str, *where: Any) -> str:
    """The end of a sentence, as `near` says it of the names before and after this one in the alphabet."""
    names, small = select(column).where(*where), name.lower()
    before = session.exec(names.where(column < small).order_by(column.desc()).limit(MOST)).all()
    after = session.exec(names.where(column >= small).order_by(column).limit(MOST)).all()
    return near(name, [*before, *after])
