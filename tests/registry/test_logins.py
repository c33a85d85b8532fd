"""Logins at a provider: an account by issuer and subject alone, opened as the arena opens accounts."""

import pytest

from maumau import errors
from maumau.v1 import login_pb2 as pb
from maumau.v1.login_pb2_grpc import LoginServiceStub
from tests.support.arenas.calls import Calls, refused

READER = "mm_the-reader-of-these-tests"
ANA = {"issuer": "https://id.example", "subject": "ana"}


@pytest.fixture
def run(start, settings, valkey, database_url, tmp_path):
    def begin(**more):
        given = {"reader_token": READER, "registration": "open"} | more
        return start(settings(tmp_path, database_url, f"{valkey}/6", **given))

    return begin


def logins(registry, token=READER):
    return Calls(registry.address, token, pb, LoginServiceStub)


def test_a_person_has_the_account_that_was_bound_and_no_other_by_its_name(run):
    with run() as registry:
        page = logins(registry)
        with refused(errors.UnknownLogin):
            page.OpenLogin(**ANA)
        made = page.CreateLoginAccount(**ANA, name="ana-maria")
        opened = page.OpenLogin(**ANA)
        assert opened.account_name == "ana-maria"
        for other in ({**ANA, "issuer": "https://other.example"}, {**ANA, "subject": "ANA"}):
            with refused(errors.UnknownLogin):
                page.OpenLogin(**other)
        with refused(errors.NotAllowed, "already belongs"):
            page.CreateLoginAccount(**ANA, name="another-one")
        with refused(errors.NameTaken):
            page.CreateLoginAccount(issuer=ANA["issuer"], subject="bob", name="ana-maria")
        mine = logins(registry, made.token)
        assert [(one.issuer, one.subject) for one in mine.ListLogins().logins] == [tuple(ANA.values())]
        with refused(errors.NotAllowed):
            mine.OpenLogin(**ANA)  # the page alone vouches for people


def test_who_is_shut_out_stays_out_until_an_admin_lets_him_in(run):
    with run() as registry:
        page = logins(registry)
        page.CreateLoginAccount(**ANA, name="ana-maria")
        entered = registry.client(page.OpenLogin(**ANA).token)
        while found := registry.admin.ListTokens(account_name="ana-maria").tokens:
            registry.admin.RevokeToken(id=found[0].id)
        with refused(errors.NotAllowed, "shut out"):
            page.OpenLogin(**ANA)
        with refused(errors.RevokedToken):
            entered.WhoAmI()
        page.LinkLogin(account_name="ana-maria", **ANA)  # with a session that an admin's token has opened
        assert page.OpenLogin(**ANA).account_name == "ana-maria"
        other = registry.author()
        with refused(errors.NotAllowed, "already belongs"):
            page.LinkLogin(account_name=other.name, **ANA)


def test_a_login_is_no_more_than_the_session_in_which_it_was_given(run):
    """With only an author's token of the operator's account, adding a login opens nothing more."""
    with run() as registry:
        page, name = logins(registry), registry.admin.WhoAmI().account_name
        page.LinkLogin(account_name=name, **ANA, as_author=True)
        assert list(registry.client(page.OpenLogin(**ANA).token).WhoAmI().scopes) == ["author"]
        page.LinkLogin(account_name=name, **ANA)
        assert list(registry.client(page.OpenLogin(**ANA).token).WhoAmI().scopes) == ["organiser"]


@pytest.mark.parametrize(
    ("signup", "error"), [("code", errors.NeedsInvitation), ("closed", errors.RegistrationClosed)]
)
def test_accounts_are_opened_as_the_arena_says(run, signup, error):
    with run(registration=signup) as registry:
        with refused(error):
            logins(registry).CreateLoginAccount(**ANA, name="ana-maria")
        if signup == "closed":
            return
        (code,) = registry.admin.CreateInvitations(group_name="class-9b", count=1).invitations
        made = logins(registry).CreateLoginAccount(**ANA, name="ana-maria", code=code.code)
        assert made.group_name == "class-9b"
        assert logins(registry).OpenLogin(**ANA).account_name == "ana-maria"
        with refused(errors.UnknownInvitation):
            bob = {"issuer": ANA["issuer"], "subject": "bob"}
            logins(registry).CreateLoginAccount(**bob, name="bob-the-second", code=code.code)
