"""The registry's tables. Times are whole milliseconds since 1970, UTC.

Rows are deleted only if they are sent messages, used or expired page codes, webhooks, past retention, or
what a deleted account had of its person.
"""

from services.registry.models.account import BY_ADMIN, Account, ClosedName, Login, PageCode, Token
from services.registry.models.base import RegistryTable
from services.registry.models.bot import OPEN_TRIALS, VALIDATED, Bot, Platform, Trial, Turn, Version
from services.registry.models.notice import (
    CONFIRMS,
    DUE,
    UNDELIVERED,
    UNTOLD,
    Delivery,
    FollowedContest,
    Notice,
    Webhook,
)
from services.registry.models.people import (
    AccountGroup,
    GroupInvitation,
    Membership,
    Team,
    TeamInvitation,
    TeamMember,
)
from services.registry.models.service import (
    Outbox,
    RegistryAction,
    RegistryBeat,
    RegistryChange,
    RegistryLeader,
)

__all__ = [
    "BY_ADMIN",
    "CONFIRMS",
    "DUE",
    "OPEN_TRIALS",
    "UNDELIVERED",
    "UNTOLD",
    "VALIDATED",
    "Account",
    "AccountGroup",
    "Bot",
    "ClosedName",
    "Delivery",
    "FollowedContest",
    "GroupInvitation",
    "Login",
    "Membership",
    "Notice",
    "Outbox",
    "PageCode",
    "Platform",
    "RegistryAction",
    "RegistryBeat",
    "RegistryChange",
    "RegistryLeader",
    "RegistryTable",
    "Team",
    "TeamInvitation",
    "TeamMember",
    "Token",
    "Trial",
    "Turn",
    "Version",
    "Webhook",
]
