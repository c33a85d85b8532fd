"""Groups, and the codes that let people into them."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import text

from maumau import errors
from maumau.client.action import read_newest_actions
from maumau.client.arena import Arena
from maumau.client.link import new_request_id
from maumau.v1 import registry_pb2 as pb
from services.registry.domain.token import LETTERS, code_hash
from services.registry.models import Account
from services.registry.people.servicer import TRIES
from services.registry.store import Accounts, Groups, Invitations
from services.registry.store.people.invitation import MOST_CODES
from services.registry.store.people.registration import RegistrationBounds
from services.shared.base.address import Address
from services.shared.base.auth import Identity
from services.shared.base.clock import HOUR
from services.shared.store.connect import Database
from tests.registry.conftest import ADMIN

NOON = 1_800_000_000_000
ORGANISER = pb.GROUP_ROLE_ORGANISER


def new_name(kind="class"):
    return f"{kind}-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def invite(registry):
    """Return a function that makes codes for a group: `invite(group, count)`."""

    def make(group, count=1, maker=None, **more):
        made = (maker or registry.admin).CreateInvitations(group_name=group, count=count, **more)
        return [one.code for one in made.invitations]

    return make


@pytest.fixture
def join(registry):
    """Open an account with a code, and return its client: `join(code)`."""

    def open_account(code, name=""):
        name = name or new_name("pupil")
        made = registry.stranger.CreateAccount(name=name, code=code)
        client = registry.client(made.token)
        client.name = name
        return client

    return open_account


def roles(client):
    return {one.group_name: one.role for one in client.WhoAmI().groups}


@pytest.mark.stores
def test_a_code_opens_one_account_in_its_group(registry, invite, join):
    group = new_name()
    made = registry.admin.CreateInvitations(group_name=group, count=2)
    assert made.new_group
    first, second = (one.code for one in made.invitations)
    ada = join(first)
    grace = join(second.lower().replace("-", " "))
    assert roles(ada) == {group: pb.GROUP_ROLE_MEMBER}
    assert [one.account_name for one in ada.ListMembers(group_name=group).members] == sorted(
        [ada.name, grace.name]
    )
    with pytest.raises(errors.UnknownInvitation) as used:
        join(first)
    with pytest.raises(errors.UnknownInvitation) as unknown:
        join("AAAA-BBBB-CCCC-DDDD")
    assert str(used.value) == str(unknown.value)
    states = registry.admin.ListInvitations(group_name=group).invitations
    assert {one.account_name for one in states} == {ada.name, grace.name}
    assert {one.state for one in states} == {pb.INVITATION_STATE_USED}
    assert not registry.admin.CreateInvitations(group_name=group, count=1).new_group


def test_a_code_has_seventy_nine_bits_and_is_stored_as_a_hash(registry, invite):
    codes = invite(new_name(), 50)
    assert len(set(codes)) == 50
    assert {len(code.replace("-", "")) for code in codes} == {16}
    assert set("".join(codes)) <= {*LETTERS, "-"}
    assert len(LETTERS) ** 16 > 2**64
    database = Database(registry.settings.database("registry"), "registry")
    with database.read() as session:
        rows = str(session.exec(text("SELECT * FROM invitation")).all())
    database.close()
    assert code_hash(codes[0]) in rows
    assert not any(code in rows for code in codes)


def test_a_name_that_is_taken_leaves_the_code_as_it_was(registry, invite, join):
    taken, (code,) = registry.author().name, invite(new_name())
    with pytest.raises(errors.NameTaken, match="not used up"):
        join(code, taken)
    assert join(code)


@pytest.mark.stores
def test_of_two_who_use_a_code_at_once_one_gets_in(registry, invite):
    (code,), start = invite(new_name()), Barrier(4)

    def redeem(_):
        client = registry.client("")
        start.wait(20)
        try:
            return client.CreateAccount(name=new_name("racer"), code=code).token
        except errors.UnknownInvitation:
            return ""

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(redeem, range(4)))
    assert sum(map(bool, results)) == 1


@pytest.mark.stores
def test_a_code_whose_answer_was_lost_gives_the_same_account_again(registry, invite):
    group = new_name()
    (code,), name = invite(group), new_name("pupil")
    with Arena(registry.address, registry.address) as link:
        repeated = link.with_request_id(new_request_id())
        first, second = repeated.create_account(name, code), repeated.create_account(name, code)
    assert first == second
    assert first.group_name == group
    members = registry.admin.ListMembers(group_name=group).members
    assert [one.account_name for one in members] == [name]


@pytest.mark.stores
def test_revoked_codes_open_nothing(registry, invite, join):
    group = new_name()
    one, two, three = invite(group, 3)
    ada = join(one)
    listed = registry.admin.ListInvitations(group_name=group).invitations
    open_ones = [each for each in listed if each.state == pb.INVITATION_STATE_OPEN]
    assert registry.admin.RevokeInvitations(ids=[open_ones[0].id]).revoked == 1
    assert registry.admin.RevokeInvitations(group_name=group).revoked == 1
    assert registry.admin.RevokeInvitations(group_name=group).revoked == 0
    for code in (two, three):
        with pytest.raises(errors.UnknownInvitation):
            join(code)
    assert roles(ada)
    with pytest.raises(errors.UnknownInvitation, match="There is no invitation"):
        registry.admin.RevokeInvitations(ids=["invitation_nothing"])


@pytest.mark.stores
def test_a_code_ends_with_its_time(registry):
    database, now = Database(registry.settings.database("registry"), "registry"), [NOON]
    invitations = Invitations(database, lambda: now[0], "code")
    accounts = Accounts(database, lambda: now[0], 90, RegistrationBounds(1, 1), "code")
    admin = Identity("admin", "admin", frozenset({"admin"}))
    made = invitations.create_invitations(admin, new_name(), 2, 2, "member")
    early, late = made.codes.values()
    now[0] = made.expires_at - 1
    assert made.expires_at == NOON + 2 * HOUR
    assert accounts.create_invited(new_name("pupil"), early)
    now[0] = made.expires_at
    with pytest.raises(errors.ExpiredInvitation, match="This code has expired"):
        accounts.create_invited(new_name("pupil"), late)
    database.close()


@pytest.mark.sample
@pytest.mark.stores
def test_an_organiser_invites_and_removes_in_the_own_group_alone(registry, invite, join):
    group, other = new_name(), new_name("other")
    teacher = join(invite(group, role=ORGANISER)[0])
    foreign = join(invite(other)[0])
    assert roles(teacher) == {group: ORGANISER}
    pupil = join(invite(group, maker=teacher)[0])
    with pytest.raises(errors.NotAllowed, match="you are a member"):
        invite(group, maker=pupil)
    words = set()
    for name in (other, new_name("nowhere")):
        for ask in ("CreateInvitations", "ListInvitations", "ListMembers", "RevokeInvitations"):
            fields = {"count": 1} if ask == "CreateInvitations" else {}
            with pytest.raises(errors.UnknownGroup) as refusal:
                getattr(teacher, ask)(group_name=name, **fields)
            words.add(str(refusal.value).replace(name, "NAME"))
        with pytest.raises(errors.UnknownGroup):
            teacher.SetMember(group_name=name, account_name=teacher.name)
    assert len(words) == 1
    assert [one.name for one in pupil.ListGroups().groups] == [group]
    assert pupil.ListGroups(name=other).groups == []
    teacher.SetMember(group_name=group, account_name=foreign.name)
    assert set(roles(foreign)) == {group, other}
    with pytest.raises(errors.NotAllowed):
        pupil.RemoveMember(group_name=group, account_name=foreign.name)
    teacher.RemoveMember(group_name=group, account_name=foreign.name)
    pupil.RemoveMember(group_name=group)
    assert (set(roles(foreign)), roles(pupil)) == ({other}, {})
    with pytest.raises(errors.UnknownMember):
        teacher.RemoveMember(group_name=group, account_name=pupil.name)
    with pytest.raises(errors.UnknownAccount):
        teacher.SetMember(group_name=group, account_name="nobody-of-this-name")


@pytest.mark.sample(2)
@pytest.mark.stores
@pytest.mark.parametrize("ended", ["removed", "made a member"])
def test_an_organiser_who_is_none_any_more_does_not_come_back_by_a_code_of_his(registry, invite, join, ended):
    group = new_name()
    teacher, second = (join(code) for code in invite(group, 2, role=ORGANISER))
    own = invite(group, maker=teacher, role=ORGANISER)[0], invite(group, maker=teacher)[0]
    kept = invite(group, maker=second)[0]
    if ended == "removed":
        second.RemoveMember(group_name=group, account_name=teacher.name)
    else:
        second.SetMember(group_name=group, account_name=teacher.name)
    for code in own:
        with pytest.raises(errors.UnknownInvitation):
            teacher.JoinGroup(code=code)
        with pytest.raises(errors.UnknownInvitation):
            join(code)
    assert roles(teacher).get(group) != ORGANISER
    assert roles(join(kept)) == {group: pb.GROUP_ROLE_MEMBER}


@pytest.mark.stores
def test_an_account_joins_with_a_code_and_an_organiser_stays_one(registry, invite, join):
    group = new_name()
    author, (code, second) = registry.author(), invite(group, 2)
    joined = author.JoinGroup(code=code).group
    assert (joined.name, joined.role, joined.members) == (group, pb.GROUP_ROLE_MEMBER, 1)
    registry.admin.SetMember(group_name=group, account_name=author.name, role=ORGANISER)
    author.JoinGroup(code=second)
    assert roles(author) == {group: ORGANISER}
    with pytest.raises(errors.UnknownInvitation):
        author.JoinGroup(code=second)


@pytest.mark.stores
def test_groups_are_listed_by_pages_without_a_skip(registry, join, invite):
    prefix = new_name("pages")
    author = registry.author()
    for number in range(5):
        registry.admin.SetMember(group_name=f"{prefix}-{number}", account_name=author.name)
    found, token = [], ""
    while True:
        listed = author.ListGroups(page_size=2, page_token=token)
        found += [one.name for one in listed.groups]
        if not (token := listed.next_page_token):
            break
    assert found == [f"{prefix}-{number}" for number in range(5)]
    assert {one.name for one in registry.worker.ListGroups(name=f"{prefix}-3").groups} == {f"{prefix}-3"}


@pytest.mark.parametrize("fields", [{"count": 0}, {"count": MOST_CODES + 1}, {"count": 1, "hours": 8761}])
def test_a_call_for_impossible_codes_is_refused(registry, fields):
    with pytest.raises(errors.BadRequest):
        registry.admin.CreateInvitations(group_name=new_name(), **fields)
    with pytest.raises(errors.BadName, match="group's name"):
        registry.admin.CreateInvitations(group_name="Class 9b", count=1)


def test_a_group_has_a_bounded_number_of_open_codes(registry, invite):
    group = new_name()
    invite(group, MOST_CODES)
    with pytest.raises(errors.QuotaReached, match="open codes"):
        invite(group)
    registry.admin.RevokeInvitations(group_name=group)
    assert invite(group)


def test_accounts_by_code_do_not_count_against_an_address(registry):
    database = Database(registry.settings.database("registry"), "registry")
    invitations = Invitations(database, lambda: NOON, "code")
    accounts = Accounts(database, lambda: NOON, 90, RegistrationBounds(1, 1), "open")
    admin = Identity("admin", "admin", frozenset({"admin"}))
    for code in invitations.create_invitations(admin, new_name(), 3, 1, "member").codes.values():
        grant, group = accounts.create_invited(new_name("pupil"), code)
        with database.read() as session:
            assert session.get_one(Account, grant.account_id).registered_from == "admin"
        assert Groups(database, lambda: NOON).list_roles(grant.account_id) == {group: "member"}
    accounts.create_account(new_name("author"), None, Address("192.0.2.77"))
    with pytest.raises(errors.QuotaReached):
        accounts.create_account(new_name("author"), None, Address("192.0.2.77"))
    database.close()


@pytest.mark.sample
@pytest.mark.parametrize("mode", ["code", "closed"])
def test_an_arena_says_how_accounts_are_opened_in_it(start, settings, valkey, tmp_path, mode):
    given = settings(tmp_path, "", f"{valkey}/6", registration=mode)
    with start(given) as registry:
        info = registry.stranger.GetServerInfo()
        assert (info.open, info.registration) == (False, mode)
        refusal = {"code": errors.NeedsInvitation, "closed": errors.RegistrationClosed}[mode]
        with pytest.raises(refusal):
            registry.stranger.CreateAccount(name="ada")
        assert registry.admin.CreateAccount(name="alan").token
        if mode == "closed":
            with pytest.raises(errors.RegistrationClosed, match="MAUMAU_REGISTRATION=code"):
                registry.admin.CreateInvitations(group_name="class-9b", count=1)
            with pytest.raises(errors.RegistrationClosed):
                registry.stranger.CreateAccount(name="ada", code="AAAA-BBBB-CCCC-DDDD")
            return
        codes = registry.admin.CreateInvitations(group_name="class-9b", count=1).invitations
        for _ in range(TRIES):
            with pytest.raises(errors.UnknownInvitation):
                registry.stranger.CreateAccount(name="ada", code="AAAA-BBBB-CCCC-DDDD")
        with pytest.raises(errors.TooManyCalls, match="wrong codes"):
            registry.stranger.CreateAccount(name="ada", code=codes[0].code)


def test_what_a_groups_organiser_does_in_the_registry_is_kept(registry, invite, join):
    group, member = new_name(), registry.author()
    teacher = join(invite(group, role=ORGANISER)[0])
    teacher.SetMember(group_name=group, account_name=member.name)
    member.JoinGroup(code=invite(group)[0])
    kept = read_newest_actions({"registry": registry.address}, ADMIN, 50)
    mine = [one.method for one in kept if one.account_name == teacher.name]
    assert mine == ["SetMember"]
    assert not [one for one in kept if one.account_name == member.name]
