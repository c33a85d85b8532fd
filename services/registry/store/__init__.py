"""The registry's tables, and the only access to them: accounts, bots, validations."""

from services.registry.store.account import Accounts
from services.registry.store.account_list import ListedAccount
from services.registry.store.author import Authors
from services.registry.store.bot import Bots, Listed, Program
from services.registry.store.deletion import Deletions
from services.registry.store.group import Groups, ListedGroup, ListedMember
from services.registry.store.invitation import Invitations, ListedInvitation
from services.registry.store.page import PageCodes
from services.registry.store.place import Place, Places
from services.registry.store.quota import Quota, Quotas
from services.registry.store.team import Teams
from services.registry.store.team_invitation import TeamInvitations
from services.registry.store.token import Owned, Tokens
from services.registry.store.trial import Trials
from services.registry.store.validation import Validations

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
