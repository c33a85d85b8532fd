"""The registry's tables, and the only access to them: accounts, bots, validations."""

from services.registry.store.bots.author import Authors
from services.registry.store.bots.bot import Bots, Listed, Program
from services.registry.store.bots.place import Place, Places
from services.registry.store.bots.quota import Quota, Quotas
from services.registry.store.bots.trial import Trials
from services.registry.store.bots.validation import Validations
from services.registry.store.people.account import Accounts
from services.registry.store.people.account_list import ListedAccount
from services.registry.store.people.deletion import Deletions
from services.registry.store.people.group import Groups, ListedGroup, ListedMember
from services.registry.store.people.invitation import Invitations, ListedInvitation
from services.registry.store.people.page import PageCodes
from services.registry.store.people.team import Teams
from services.registry.store.people.team_invitation import TeamInvitations
from services.registry.store.people.token import Owned, Tokens

__all__ = [
    "Accounts",
    "Authors",
    "Bots",
    "Deletions",
    "Groups",
    "Invitations",
    "Listed",
    "ListedAccount",
    "ListedGroup",
    "ListedInvitation",
    "ListedMember",
    "Owned",
    "PageCodes",
    "Place",
    "Places",
    "Program",
    "Quota",
    "Quotas",
    "TeamInvitations",
    "Teams",
    "Tokens",
    "Trials",
    "Validations",
]
