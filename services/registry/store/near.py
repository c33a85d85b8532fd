"""Names similar to an unknown one, without reading all names."""

from typing import Any

from sqlmodel import Session, select

from services.registry.domain.name import list_near

MOST = 100  # names on each side


def say_near(session: Session, column: Any, name: str, *where: Any) -> str:
    """Return the end of a sentence with similar names, among those next to it in the alphabet."""
    names, small = select(column).where(*where), name.lower()
    before = session.exec(names.where(column < small).order_by(column.desc()).limit(MOST)).all()
    after = session.exec(names.where(column >= small).order_by(column).limit(MOST)).all()
    return list_near(name, [*before, *after])
