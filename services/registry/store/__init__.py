"""The registry's tables, and nobody else's way to them: accounts, bots, validations."""

from services.registry.store.account import Accounts
from services.registry.store.bot import Bots, Listed, Program
from services.registry.store.page import PageCodes
from services.registry.store.place import Place, Places
from services.registry.store.quota import Quota, Quotas
from services.registry.store.token import Owned, Tokens
from services.registry.store.validation import Validations

__all__ = [
    "Accounts", "Bots", "Listed", "Owned", "PageCodes", "Place", "Places", "Program", "Quota",
    "Quotas", "Tokens", "Validations",
]  # fmt: skip
