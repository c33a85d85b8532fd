"""Who may see the results of a tournament before it is over. Pure."""

from maumau.errors import NotReleased
from services.shared.auth import Identity
from services.tournament.board import Board
from services.tournament.level import END, PARTICIPANTS, PUBLIC, release_of
from services.tournament.organiser import is_organiser
from services.tournament.store.tournament import OVER

WHO = {PARTICIPANTS: "authors whose bots take part", END: "its organiser"}


def is_released(board: Board, who: Identity) -> bool:
    """Whether the caller may see the results now."""
    row = board.tournament
    level = release_of(row.spec)
    if level == PUBLIC or row.state in OVER or is_organiser(who, row):
        return True
    return level == PARTICIPANTS and any(
        one.account_name == who.name and not one.withdrawn for one in board.entries
    )


def check_released(board: Board, who: Identity) -> None:
    """NotReleased while they are not for the caller."""
    if not is_released(board, who):
        row = board.tournament
        whose = WHO.get(release_of(row.spec), WHO[END])
        raise NotReleased(f"The results of {row.name} are visible only to {whose} until it is over.")
