"""Version numbers within a bot, added to rows of earlier releases, which lack them."""

import json
from collections.abc import Mapping

from sqlalchemy import select, update
from sqlmodel import Session, col

from services.matchmaking.models import UNNUMBERED_PLAYER, UNNUMBERED_PRACTICE, Player, Practice
from services.matchmaking.store.practice import more_versions
from services.shared.store.connect import Database

AT_ONCE = 50  # players, and practice matches, that get their numbers in one batch


class VersionNumbers:
    """Players and practice matches without numbers."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def list_unnumbered(self) -> list[str]:
        """Return the versions whose numbers are missing in some row, from at most AT_ONCE rows per table."""
        of_players = select(col(Player.version_id)).where(UNNUMBERED_PLAYER).limit(AT_ONCE)
        with self.database.read() as session:
            found = list(session.scalars(of_players))
            for practice in _list_practice(session):
                found += _list_versions(practice)
        return list(dict.fromkeys(found))

    def store_numbers(self, numbers: Mapping[str, int]) -> None:
        """Store the numbers of versions, by id; -1 for a version that the registry does not have."""
        with self.database.write() as session:
            for version_id, number in numbers.items():
                mine = update(Player).where(col(Player.version_id) == version_id, UNNUMBERED_PLAYER)
                session.execute(mine.values(version=number))
            for practice in _list_practice(session):
                versions = _list_versions(practice)
                if numbers.keys() >= set(versions):
                    practice.numbers = json.dumps([numbers[one] for one in versions])


def _list_practice(session: Session) -> list[Practice]:
    mine = select(Practice).where(UNNUMBERED_PRACTICE).order_by(col(Practice.id).desc()).limit(AT_ONCE)
    return list(session.scalars(mine))


def _list_versions(practice: Practice) -> list[str]:
    return [practice.version_id, practice.other_id, *more_versions(practice)]
