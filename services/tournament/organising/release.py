"""Visibility of a tournament's results before all of it is decided. Pure."""

from maumau.errors import NotReleased
from services.shared.base.auth import Identity
from services.tournament.domain.board import ContestBoard
from services.tournament.domain.level import END, PARTICIPANTS, PUBLIC, release_of
from services.tournament.organising.permission import is_organiser
from services.tournament.store.contests.tournament import OVER

DECIDED = ("decided", *OVER)  # while it may be protested, its results are there to be looked at
WHO = {PARTICIPANTS: "authors whose bots take part", END: "its organiser"}


def is_released(board: ContestBoard, who: Identity) -> bool:
    """Return True if the caller may see the results now."""
    row = board.tournament
    level = release_of(row.spec)
    if level == PUBLIC or row.state in DECIDED or is_organiser(who, row):
        return True
    return level == PARTICIPANTS and any(
        who.owns(one.account_name) and not one.withdrawn for one in board.entries
    )


def check_released(board: ContestBoard, who: Identity) -> None:
    """Raise NotReleased unless the caller may see the results now."""
    if not is_released(board, who):
        row = board.tournament
        whose = WHO.get(release_of(row.spec), WHO[END])
        raise NotReleased(f"The results of {row.name} are visible only to {whose} until it is decided.")
