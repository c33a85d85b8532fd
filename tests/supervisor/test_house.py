"""The account of the house bots, while its registry comes and goes."""

from types import SimpleNamespace

from maumau.errors import ArenaUnreachable, NameTaken
from services.supervisor.contests import house


class Registry:
    """Makes the account, and is gone before it can say so; then it knows the name."""

    def __init__(self):
        self.asked = []

    def create_account(self, name):
        self.asked.append(name)
        raise ArenaUnreachable if len(self.asked) == 1 else NameTaken

    def create_token(self, account, scopes):
        return SimpleNamespace(token=f"a token of {account} as {scopes[0]}")


def test_a_registry_that_is_killed_while_it_makes_the_account_is_asked_again():
    registry = Registry()
    assert house.renew_token(registry, None, kept="") == "a token of house as author"
    assert registry.asked == ["house", "house"]
