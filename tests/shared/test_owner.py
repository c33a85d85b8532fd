"""Permissions to change things that belong to an account."""

import pytest

from maumau.errors import NotYours
from services.shared.base.auth import Identity, check_owner

ADA = Identity("account_1", "ada", frozenset({"author"}))
ADMIN = Identity("account_2", "admin", frozenset({"admin"}))


def test_the_owner_and_an_admin_pass():
    check_owner(ADA, "ada", "greedy")
    check_owner(ADMIN, "ada", "greedy")


@pytest.mark.parametrize("scopes", [{"author"}, {"author", "organiser"}, {"worker"}, {"reader"}, set()])
def test_another_account_is_refused_whatever_else_it_may(scopes):
    bob = Identity("account_3", "bob", frozenset(scopes))
    with pytest.raises(NotYours, match=r"^greedy belongs to ada, not to bob\.$"):
        check_owner(bob, "ada", "greedy")


def test_a_hint_follows_the_refusal():
    with pytest.raises(NotYours, match=r"^greedy belongs to house, not to ada\. Ask the house\.$"):
        check_owner(ADA, "house", "greedy", "Ask the house.")
