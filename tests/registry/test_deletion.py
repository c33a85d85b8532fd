"""Deleted accounts: what goes, what stays under a pseudonym, and who may not be deleted."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlmodel import select

from maumau import errors
from maumau.v1 import registry_pb2 as pb
from services.registry.models import Account, Login, Token, Webhook
from services.shared.store.connect import Database
from tests.registry.conftest import ADMIN
from tests.registry.test_logins import ANA, READER, logins
from tests.registry.test_teams import OWNER, TeamClient, invite, members, new_name
from tests.registry.test_webhook import hooks
from tests.support.host.receiver import PERMITTED, receiving
from tests.support.terminal import Terminal

PSEUDONYM = re.compile(r"deleted-[0-9a-z]{12}")


@pytest.fixture
def person(registry):
    """Return a function that opens an account, with the calls about teams as `teams`."""

    def open_account():
        account = registry.author()
        account.teams = TeamClient(account)
        return account

    return open_account


@pytest.mark.long
@pytest.mark.sample
@pytest.mark.stores
def test_a_deleted_account_s_bots_retire_and_its_results_have_a_pseudonym(registry, submitted, program):
    author, bot, version = submitted()
    registry.worker.validate(version.id)
    waiting = author.submit(bot, program()).version
    deleted = author.DeleteAccount(name=author.name)
    assert PSEUDONYM.fullmatch(deleted.pseudonym)
    assert deleted.bots == 1
    for found in (version, waiting):
        shown = registry.admin.GetVersion(version_id=found.id).version
        assert shown.account_name == deleted.pseudonym
        assert shown.bot_name == bot
        assert shown.state in {pb.VERSION_STATE_RETIRED, pb.VERSION_STATE_REFUSED}
    assert not registry.admin.ListBots(account_name=deleted.pseudonym).bots
    with pytest.raises(errors.NotActive):
        registry.admin.GetVersion(version_id=bot)


@pytest.mark.sample
@pytest.mark.stores
def test_tokens_groups_and_invitations_of_a_deleted_account_end(registry, person):
    leader, group = person(), new_name("class")
    registry.admin.SetMember(group_name=group, account_name=leader.name, role=pb.GROUP_ROLE_ORGANISER)
    code = leader.CreateInvitations(group_name=group, count=1).invitations[0].code
    other_token = registry.client(leader.CreateToken(label="laptop").token)
    page_code = leader.CreatePageCode().code
    leader.DeleteAccount(name=leader.name)
    for client in (leader, other_token):
        with pytest.raises(errors.RevokedToken):
            client.WhoAmI()
    with pytest.raises(errors.UnknownPageCode):
        registry.admin.RedeemPageCode(code=page_code)
    assert not registry.admin.ListMembers(group_name=group).members
    with pytest.raises(errors.UnknownInvitation):
        person().JoinGroup(code=code)


@pytest.mark.stores
def test_a_deleted_name_is_never_given_again(registry, person):
    gone, other = person(), person()
    pseudonym = gone.DeleteAccount(name=gone.name).pseudonym
    with pytest.raises(errors.NameTaken, match="was deleted; its name is not given out again"):
        registry.stranger.CreateAccount(name=gone.name)
    with pytest.raises(errors.NameTaken, match="was deleted; its name is not given out again"):
        registry.admin.CreateAccount(name=gone.name)
    with pytest.raises(errors.NameTaken):
        other.teams.CreateTeam(name=gone.name)
    for name in (pseudonym, "deleted-i-chose-this"):
        with pytest.raises(errors.BadName):
            registry.stranger.CreateAccount(name=name)
    with pytest.raises(errors.UnknownAccount):
        registry.admin.CreateToken(account_name=gone.name)


@pytest.mark.stores
def test_an_admin_deletes_an_account_and_a_second_time_changes_nothing(registry, submitted):
    author, _, _ = submitted()
    first = registry.admin.DeleteAccount(name=author.name)
    again = registry.admin.DeleteAccount(name=author.name)
    assert (first.bots, again.bots) == (1, 0)
    assert first.pseudonym == again.pseudonym
    with pytest.raises(errors.RevokedToken):
        author.DeleteAccount(name=author.name)


@pytest.mark.stores
def test_a_pseudonym_stands_for_nobody_who_could_come_back(registry, person):
    gone, owner = person(), person()
    pseudonym = gone.DeleteAccount(name=gone.name).pseudonym
    for _ in range(2):
        again = registry.admin.DeleteAccount(name=pseudonym)
        assert (again.pseudonym, again.bots) == (pseudonym, 0)
    owner.teams.CreateTeam(name=new_name())
    with pytest.raises(errors.UnknownAccount, match="was deleted"):
        registry.admin.CreateToken(account_name=pseudonym, scopes=["author"])
    with pytest.raises(errors.UnknownAccount, match="was deleted"):
        registry.admin.SetMember(group_name=new_name("class"), account_name=pseudonym)
    with pytest.raises(errors.UnknownAccount, match="was deleted"):
        owner.teams.InviteToTeam(account_name=pseudonym)


@pytest.mark.stores
def test_two_deletions_at_once_are_one(registry, submitted):
    author, _, _ = submitted()
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: registry.admin.DeleteAccount(name=author.name), range(2)))
    assert sorted(one.bots for one in both) == [0, 1]
    assert len({one.pseudonym for one in both}) == 1


@pytest.mark.sample
@pytest.mark.stores
def test_the_last_owner_of_a_team_is_told_what_to_do_first(registry, person, program):
    owner, member = person(), person()
    team = new_name()
    owner.teams.CreateTeam(name=team)
    invite(owner, member)
    brought = new_name("bot")
    owner.submit(brought, program())
    with pytest.raises(errors.WrongState, match=f"only owner of {team}.*team promote NAME.*team dissolve"):
        owner.DeleteAccount(name=owner.name)
    assert owner.WhoAmI().account_name == owner.name
    owner.teams.SetTeamRole(account_name=member.name, role=OWNER)
    owner.DeleteAccount(name=owner.name)
    assert members(member) == {member.name: OWNER}
    assert [one.name for one in registry.admin.ListBots(account_name=team).bots] == [brought]


def test_webhooks_logins_and_labels_of_a_deleted_account_are_gone(
    start, settings, valkey, database_url, tmp_path
):
    given = {"reader_token": READER, "registration": "open", **PERMITTED}
    with (
        start(settings(tmp_path, database_url, f"{valkey}/6", **given)) as registry,
        receiving() as receiver,
    ):
        page = logins(registry)
        author = registry.client(page.CreateLoginAccount(**ANA, name="ana-maria").token)
        hooks(registry, author).CreateWebhook(url=receiver.url, contests=["cup"])
        author.CreateToken(label="ana's laptop")
        pseudonym = author.DeleteAccount(name="ana-maria").pseudonym
        with pytest.raises(errors.UnknownLogin):
            page.OpenLogin(**ANA)
        database = Database(database_url, "registry")
        with database.read() as session:
            assert not session.exec(select(Webhook)).all()
            assert not session.exec(select(Login)).all()
            kept = session.exec(select(Account).where(Account.name == pseudonym)).one()
            tokens = session.exec(select(Token).where(Token.account_id == kept.id)).all()
            assert len(tokens) >= 2
            assert {(one.label, one.revoked_at is None) for one in tokens} == {("", False)}
            assert not session.exec(select(Account).where(Account.name == "ana-maria")).all()


@pytest.mark.sample
@pytest.mark.stores
def test_a_token_that_another_made_does_not_delete_the_account(registry, person):
    author = person()
    for made in (author.CreateToken(label="ci"), author.CreateToken(scopes=["author"], days=1)):
        with pytest.raises(
            errors.NotAllowed, match="take the token with which it was opened, or delete it at the page"
        ):
            registry.client(made.token).DeleteAccount(name=author.name)
    code = registry.client(made.token).CreatePageCode().code
    page = registry.client(registry.admin.RedeemPageCode(code=code).token)
    with pytest.raises(errors.NotAllowed, match="made by another one"):
        page.DeleteAccount(name=author.name)
    own = registry.admin.RedeemPageCode(code=author.CreatePageCode().code).token
    assert registry.client(own).DeleteAccount(name=author.name).pseudonym


@pytest.mark.stores
def test_a_token_with_fewer_scopes_than_another_does_not_delete_the_account(registry, person):
    author = person()
    admin = registry.client(registry.admin.CreateToken(account_name=author.name, scopes=["admin"]).token)
    with pytest.raises(errors.NotAllowed, match="lacks the scope admin"):
        author.DeleteAccount(name=author.name)
    assert admin.DeleteAccount(name=author.name).pseudonym


@pytest.mark.sample
@pytest.mark.stores
def test_an_admin_whose_token_a_host_has_gives_it_another_first(registry, person):
    author = person()
    admin = registry.client(registry.admin.CreateToken(account_name=author.name, scopes=["admin"]).token)
    host = registry.client(admin.CreateToken(scopes=["worker"], label="red").token)
    for caller in (admin, registry.admin):
        with pytest.raises(errors.WrongState, match=r"host red .*--scope worker --label red.*token revoke"):
            caller.DeleteAccount(name=author.name)
    used = next(one for one in admin.ListTokens().tokens if one.label == "red")
    assert host.WhoAmI().host == "red"
    admin.RevokeToken(id=used.id)
    assert admin.DeleteAccount(name=author.name).pseudonym


@pytest.mark.sample
@pytest.mark.stores
def test_the_only_organiser_of_a_group_is_told_what_to_do_first(registry, person):
    leader, member, group = person(), person(), new_name("class")
    organiser = {"group_name": group, "role": pb.GROUP_ROLE_ORGANISER}
    registry.admin.SetMember(account_name=leader.name, **organiser)
    leader.SetMember(group_name=group, account_name=member.name)
    with pytest.raises(errors.WrongState, match=f"only organiser of the group {group}.*--role organiser"):
        leader.DeleteAccount(name=leader.name)
    leader.SetMember(account_name=member.name, **organiser)
    assert leader.DeleteAccount(name=leader.name).pseudonym
    assert [one.account_name for one in registry.admin.ListMembers(group_name=group).members] == [member.name]


def test_an_admin_is_told_that_a_name_is_a_team_s(registry, person):
    owner, team = person(), new_name()
    owner.teams.CreateTeam(name=team)
    with pytest.raises(errors.UnknownAccount, match=f"is a team, which `maumau team dissolve --team {team}`"):
        registry.admin.DeleteAccount(name=team)
    owner.teams.DissolveTeam()
    with pytest.raises(errors.UnknownAccount, match="was a team, which is dissolved"):
        registry.admin.DeleteAccount(name=team)


@pytest.mark.parametrize("name", ["house", "admin", "worker"])
def test_an_account_of_the_arena_s_own_is_not_deleted(registry, name):
    with pytest.raises(errors.NotAllowed, match="arena's own"):
        registry.admin.DeleteAccount(name=name)


def test_nobody_deletes_another_s_account(registry, person):
    author, other = person(), person()
    with pytest.raises(errors.NotYours):
        author.DeleteAccount(name=other.name)
    with pytest.raises(errors.UnknownAccount):
        registry.admin.DeleteAccount(name="nobody-at-all")


def test_the_command_asks_for_the_name_once_more(registry, person, tmp_path):
    author = person()
    arena = f"{registry.address},{registry.address.rpartition(':')[2]}"
    home = Terminal(tmp_path, MAUMAU_ARENA=arena, MAUMAU_TOKEN=author.token)
    words = ("account", "delete", author.name)
    assert f"--confirm {author.name}" in home.run(*words, code=1).err
    assert "Nothing was deleted: you did not type" in home.run(*words, "--confirm", "somebody", code=1).err
    assert author.WhoAmI().account_name == author.name
    deleted = home.run(*words, "--confirm", author.name, "--json").json()
    assert PSEUDONYM.fullmatch(deleted["pseudonym"])
    admin = Terminal(tmp_path, MAUMAU_ARENA=arena, MAUMAU_TOKEN=ADMIN)
    told = admin.run("account", "delete", author.name, "--confirm", author.name).out
    assert deleted["pseudonym"] in told


def test_a_command_whose_first_answer_was_lost_says_what_may_have_happened(registry, person, tmp_path):
    author, arena = person(), f"{registry.address},{registry.address.rpartition(':')[2]}"
    home = Terminal(tmp_path, MAUMAU_ARENA=arena)
    home.run("login", "--token", author.token)
    author.DeleteAccount(name=author.name)
    delete = ("account", "delete", author.name, "--confirm", author.name)
    assert "may be deleted already" in home.run(*delete, code=1).err
    [kept] = tmp_path.rglob("tokens.json")
    assert author.token not in kept.read_text()
    other = person()
    home.run("login", "--token", other.token)
    other.DeleteAccount(name=other.name)
    assert "may be deleted already" not in home.run(*delete, code=1).err  # the token was never one of it
    assert other.token in kept.read_text()
