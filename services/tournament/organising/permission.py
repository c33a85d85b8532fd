"""Permission to change a tournament, and to enter a bot into it."""

from maumau.contest.spec.spec import Spec
from maumau.errors import NotInvited, NotYours
from services.shared.base.auth import HOUSE, Identity, Need, check_owner
from services.shared.rpc.registry import PlayableVersion
from services.tournament.models import Tournament


def is_organiser(who: Identity, tournament: Tournament) -> bool:
    """Return True if the caller may change a tournament.

    These are admins, and the organisers of its group; of one without a group, its maker with an organiser's
    token.
    """
    if who.may(Need.ADMIN):
        return True
    if tournament.group_name:
        return tournament.group_name in who.led
    return who.may(Need.ORGANISER) and who.name == tournament.organiser


def check_organiser(who: Identity, tournament: Tournament) -> None:
    """Raise NotYours if the caller may not change a tournament."""
    if not is_organiser(who, tournament):
        raise NotYours(f"{tournament.name} is organised by {tournament.organiser}, not by {who.name}.")


def check_bot_owner(who: Identity, owner: str, bot_name: str) -> None:
    """Raise NotYours if the caller may not act for a bot of this owner."""
    hint = "Bots of the house are entered by the contest's organiser." if owner == HOUSE else ""
    check_owner(who, owner, bot_name, hint)


def check_invited(version: PlayableVersion, spec: Spec) -> None:
    """Raise NotInvited if accounts are listed and the bot's is not among them.

    A second account of a person does not evade the limit of one where only known accounts may enter.
    """
    invited = spec.entries.accounts
    if invited is not None and version.account_name not in invited:
        raise NotInvited(
            f"{spec.name} is for the accounts that its spec names, not for {version.account_name}."
        )


def check_group(tournament: Tournament, version: PlayableVersion) -> None:
    """Raise NotInvited if a team has members who are not of the contest's group."""
    group, owner = tournament.group_name, version.owner
    if group and owner.is_team and group not in owner.groups:
        raise NotInvited(
            f"{tournament.name} is for the group {group}, and not all members of the team"
            f" {version.account_name} are in it."
        )
