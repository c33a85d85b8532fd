"""Teams: roles, invitations, whose bots are whose, and what a leaver may still do."""

import re
import uuid
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from bench.support.patience import patient
from maumau import errors
from maumau.client.call import rpc_errors
from maumau.v1 import team_pb2 as pb
from maumau.v1.team_pb2_grpc import TeamServiceStub
from services.registry.teams.servicer import NEEDS
from services.shared.base.auth import Need

OWNER, MEMBER = pb.TEAM_ROLE_OWNER, pb.TEAM_ROLE_MEMBER


class TeamClient:
    """The calls of TeamService with the token of an account."""

    def __init__(self, account):
        self.stub = TeamServiceStub(account.channel)

    def __getattr__(self, method):
        request = getattr(pb, f"{method}Request")

        def call(**fields):
            with rpc_errors():
                return getattr(self.stub, method)(request(**fields), timeout=patient(20))

        return call


def new_name(kind="team"):
    return f"{kind}-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def person(registry):
    """Return a function that opens an account, with the calls about teams as `teams`."""

    def open_account():
        account = registry.author()
        account.teams = TeamClient(account)
        return account

    return open_account


@pytest.fixture
def pair(person):
    """Return an owner and a member of one team; the owner knows its name as `team`."""
    owner, member = person(), person()
    owner.team = new_name()
    owner.teams.CreateTeam(name=owner.team)
    invite(owner, member)
    return owner, member


def invite(owner, account):
    made = owner.teams.InviteToTeam(account_name=account.name)
    return account.teams.JoinTeam(invitation_id=made.invitation.id)


def members(account, name=""):
    return {one.account_name: one.role for one in account.teams.GetTeam(name=name).members}


@pytest.mark.long
@pytest.mark.stores
def test_members_own_bots_together(registry, pair, person, program):
    owner, member = pair
    assert members(member, owner.team) == {owner.name: OWNER, member.name: MEMBER}
    bot = new_name("bot")
    version = member.submit(bot, program()).version
    assert version.account_name == owner.team
    registry.worker.validate(version.id)
    assert owner.GetLog(version_id=version.id).log
    assert [one.name for one in owner.ListBots(mine=True).bots] == [bot]
    assert owner.fetch(version.sha256)
    second = owner.submit(bot, program(), no_activate=True).version
    registry.worker.validate(second.id)
    assert member.ActivateVersion(version_id=second.id).version.number == 2
    stranger = person()
    stranger.teams.CreateTeam(name=new_name())
    for refused in (
        lambda: stranger.submit(bot, program()),
        lambda: stranger.GetLog(version_id=version.id),
        lambda: stranger.ActivateVersion(version_id=version.id),
        lambda: stranger.LetPlayPeople(version_id=version.id, plays_people=True),
        lambda: stranger.fetch(version.sha256),
        lambda: stranger.DeleteBot(name=bot),
    ):
        with pytest.raises(errors.NotYours):
            refused()


def test_a_leaver_loses_the_team_at_once_and_keeps_what_he_brought(registry, pair, person, program):
    owner, _ = pair
    leaver, own, shared = person(), new_name("own"), new_name("shared")
    leaver.submit(own, program())
    assert invite(owner, leaver).brought_bots == 1
    version = leaver.submit(shared, program()).version
    assert {one.account_name for one in owner.ListBots(mine=True).bots} == {owner.team}
    assert owner.teams.LeaveTeam(account_name=leaver.name).returned_bots == 1
    assert [(one.name, one.account_name) for one in leaver.ListBots(mine=True).bots] == [(own, leaver.name)]
    assert leaver.WhoAmI().team_name == ""
    for refused in (
        lambda: leaver.submit(shared, program()),
        lambda: leaver.GetLog(version_id=version.id),
        lambda: leaver.fetch(version.sha256),
        lambda: leaver.DeleteBot(name=shared),
    ):
        with pytest.raises(errors.NotYours):
            refused()
    with pytest.raises(errors.UnknownTeam):
        leaver.teams.LeaveTeam()


@pytest.mark.long
def test_the_last_owner_hands_over_or_dissolves(pair, program):
    owner, member = pair
    shared = new_name("bot")
    member.submit(shared, program())
    with pytest.raises(errors.WrongState, match=r"promote NAME.*dissolve"):
        owner.teams.LeaveTeam()
    with pytest.raises(errors.WrongState, match="no other owner"):
        owner.teams.SetTeamRole(account_name=owner.name, role=MEMBER)
    for refused in (
        member.teams.DissolveTeam,
        member.teams.InviteToTeam,
        lambda: member.teams.SetTeamRole(account_name=member.name, role=OWNER),
        lambda: member.teams.LeaveTeam(account_name=owner.name),
    ):
        with pytest.raises(errors.NotAllowed, match="owners"):
            refused()
    owner.teams.SetTeamRole(account_name=member.name, role=OWNER)
    owner.teams.LeaveTeam()
    assert members(member) == {member.name: OWNER}
    member.teams.DissolveTeam()
    assert [one.account_name for one in member.ListBots(mine=True).bots] == [member.name]
    with pytest.raises(errors.UnknownTeam):
        member.teams.GetTeam(name=owner.team)
    with pytest.raises(errors.NameTaken):
        owner.teams.CreateTeam(name=owner.team)


def test_two_owners_who_leave_at_the_same_time_leave_one_behind(pair):
    owner, member = pair
    owner.teams.SetTeamRole(account_name=member.name, role=OWNER)
    start = Barrier(2)

    def leave(account):
        start.wait()
        try:
            account.teams.LeaveTeam()
        except errors.WrongState:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(leave, (owner, member))) == [False, True]


@pytest.mark.stores
def test_one_of_two_who_accept_one_code_joins(pair, person):
    owner, _ = pair
    code = owner.teams.InviteToTeam().code
    rivals, start = [person(), person()], Barrier(2)

    def join(account):
        start.wait()
        try:
            account.teams.JoinTeam(code=code.lower().replace("-", " "))
        except errors.UnknownInvitation:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(join, rivals)) == [False, True]
    assert len(members(owner)) == 3


def test_an_unknown_invited_is_told_names_of_people_alone(pair):
    owner, member = pair
    with pytest.raises(errors.UnknownAccount) as unknown:
        owner.teams.InviteToTeam(account_name=f"{member.name}x")
    assert member.name in str(unknown.value).partition("; ")[2]
    for near in (f"{owner.team}x", "hous", "admi"):
        with pytest.raises(errors.UnknownAccount) as unknown:
            owner.teams.InviteToTeam(account_name=near)
        told = re.findall(r"[\w-]+", str(unknown.value).partition("; ")[2])
        assert not {owner.team, "house", "admin", "worker", "reader"} & set(told)


def test_invitations_are_for_one_account_and_end(pair, person):
    owner, member = pair
    invited, thief = person(), person()
    made = owner.teams.InviteToTeam(account_name=invited.name)
    assert made.code == ""
    with pytest.raises(errors.UnknownInvitation) as other:
        thief.teams.JoinTeam(invitation_id=made.invitation.id)
    with pytest.raises(errors.UnknownInvitation) as never:
        thief.teams.JoinTeam(invitation_id="invitation_x")
    assert str(other.value).replace(made.invitation.id, "invitation_x") == str(never.value)
    with pytest.raises(errors.UnknownInvitation):
        thief.teams.EndTeamInvitation(id=made.invitation.id)
    with pytest.raises(errors.NotAllowed):
        member.teams.EndTeamInvitation(id=made.invitation.id)
    with pytest.raises(errors.WrongState, match="invited already"):
        owner.teams.InviteToTeam(account_name=invited.name)
    assert [one.team_name for one in invited.teams.ListTeamInvitations().invitations] == [owner.team]
    invited.teams.EndTeamInvitation(id=made.invitation.id)
    with pytest.raises(errors.UnknownInvitation):
        invited.teams.JoinTeam(invitation_id=made.invitation.id)
    again = owner.teams.InviteToTeam(account_name=invited.name).invitation.id
    invited.teams.JoinTeam(invitation_id=again)
    with pytest.raises(errors.WrongState, match="in the team"):
        invited.teams.CreateTeam(name=new_name())


def test_a_former_owner_does_not_return_by_a_code_of_his_own(pair):
    owner, member = pair
    code = owner.teams.InviteToTeam().code
    owner.teams.SetTeamRole(account_name=member.name, role=OWNER)
    member.teams.LeaveTeam(account_name=owner.name)
    with pytest.raises(errors.UnknownInvitation):
        owner.teams.JoinTeam(code=code)


def test_teams_and_accounts_have_different_names(registry, person):
    ada = person()
    with pytest.raises(errors.NameTaken):
        ada.teams.CreateTeam(name=ada.name)
    team = new_name()
    ada.teams.CreateTeam(name=team)
    with pytest.raises(errors.NameTaken):
        registry.stranger.CreateAccount(name=team)
    with pytest.raises(errors.UnknownAccount):
        registry.admin.CreateToken(account_name=team)
    with pytest.raises(errors.NotAllowed, match="arena's own"):
        TeamClient(registry.admin).CreateTeam(name=new_name())


@pytest.mark.long
def test_services_alone_are_told_about_owners(registry, pair, person, program):
    owner, member = pair
    group = new_name("class")
    registry.admin.SetMember(group_name=group, account_name=owner.name)
    bot, own = new_name("bot"), new_name("own")
    version = member.submit(bot, program()).version
    said = registry.worker.GetVersion(version_id=version.id).owner
    assert (said.team, list(said.members), list(said.groups)) == (
        True,
        sorted([owner.name, member.name]),
        [],
    )
    registry.admin.SetMember(group_name=group, account_name=member.name)
    assert list(registry.worker.GetVersion(version_id=version.id).owner.groups) == [group]
    assert not member.GetVersion(version_id=version.id).HasField("owner")
    member.teams.LeaveTeam()
    alone = member.submit(own, program()).version
    said = registry.worker.GetVersion(version_id=alone.id).owner
    assert (said.name, said.party) == (member.name, owner.team)
    assert {one.name: one.HasField("until") for one in said.related} == {owner.team: True, owner.name: True}
    related = registry.worker.GetVersion(version_id=version.id).owner.related
    assert {one.name: one.HasField("until") for one in related} == {owner.name: False, member.name: True}


@pytest.mark.long
def test_all_who_were_in_one_team_count_with_one_another(registry, pair, person, program):
    """The owner dissolves the team; the member joins another one, which then counts with the owner, too."""
    owner, member = pair
    third, stranger = person(), person()
    owner.teams.DissolveTeam()
    third.team = new_name()
    third.teams.CreateTeam(name=third.team)
    invite(third, member)
    alone = owner.submit(new_name("bot"), program()).version
    related = registry.worker.GetVersion(version_id=alone.id).owner.related
    assert {one.name for one in related} == {owner.team, member.name, third.team}
    assert all(one.HasField("until") for one in related)
    theirs = third.submit(new_name("bot"), program()).version
    related = registry.worker.GetVersion(version_id=theirs.id).owner.related
    assert {one.name: one.HasField("until") for one in related} == {
        third.name: False,
        member.name: False,
        owner.team: True,
        owner.name: True,
    }
    apart = stranger.submit(new_name("bot"), program()).version
    assert not registry.worker.GetVersion(version_id=apart.id).owner.related


@pytest.mark.parametrize("method", sorted(NEEDS))
def test_a_call_about_teams_needs_the_token_that_its_table_says(registry, method):
    with pytest.raises(errors.MissingToken):
        getattr(TeamClient(registry.stranger), method)()
    as_worker = getattr(TeamClient(registry.worker), method)
    if NEEDS[method] is Need.AUTHOR:
        with pytest.raises(errors.NotAllowed, match="authors"):
            as_worker()
    elif method == "GetTeam":
        with pytest.raises(errors.UnknownTeam):
            as_worker(name="no-such-team")
    else:
        as_worker()
