"""Teams in contests: who acts for them, who counts with whom, and what a leaver has left."""

import pytest

from maumau.errors import NotAllowed, NotInvited, NotYours, QuotaReached, UnknownTournament
from tests.support.arenas.calls import refused
from tests.support.waiting import until
from tests.tournament.test_visibility import spec


@pytest.fixture
def pair(arena):
    """Return the owner and a member of a new team, known as such to all services, and its name."""
    (owner, name), (member, other) = arena.author(), arena.author()
    team = owner.create_team(f"team-{name[-8:]}").name
    member.join_team(invitation=owner.invite_to_team(other).invitation.id)
    return owner, member, team


def opened(arena, **more):
    name = arena.create(**more)
    arena.admin.open(name)
    return name


def may_not(call):
    """Return True once a call is refused: services know a token's owner for some seconds."""
    try:
        call()
    except (NotYours, NotAllowed):
        return True
    return False


@pytest.mark.long
def test_every_member_acts_for_the_teams_bots(arena, pair):
    owner, member, team = pair
    name, bot = opened(arena), arena.bot("first", owner)
    assert member.enter(name, bot).account_name == team
    owner.withdraw(name, bot)
    stranger, _ = arena.author()
    stranger.create_team(f"{team}-2")
    with refused(NotYours, f"belongs to {team}"):
        stranger.enter(name, bot)
    practice = opened(arena)
    member.enter(practice, bot)
    member.leave_team()
    asked = {"tournament": practice, "bot_name": bot}
    until(lambda: may_not(lambda: member.preview("Withdraw", **asked)))
    assert owner.withdraw(practice, bot).bot_name == bot


@pytest.mark.long
def test_who_moves_counts_with_the_team_that_he_left_since_the_contest_was_created(arena, pair):
    owner, member, team = pair
    name = opened(arena, top="[entries]\nper_account = 1")
    shared = arena.bot("first", owner)
    owner.enter(name, shared)
    with refused(QuotaReached, "takes 1 bots of an account"):
        member.enter(name, arena.bot("random", member))
    member.leave_team()
    until(lambda: not member.who().team_name)
    own = arena.bot("crash", member)
    with refused(QuotaReached, f"you have entered {shared}"):
        member.enter(name, own)
    later = opened(arena, top="[entries]\nper_account = 1")
    owner.enter(later, shared)
    assert member.enter(later, own).number == 2
    assert team in {one.account_name for one in member.tournament(later).entries}


@pytest.mark.long
def test_who_brings_a_bot_into_a_team_brings_its_entry_too(arena, pair):
    owner, _, _ = pair
    guest, account = arena.author()
    name, own = opened(arena, top="[entries]\nper_account = 1"), arena.bot("first", guest)
    guest.enter(name, own)
    guest.join_team(invitation=owner.invite_to_team(account).invitation.id)
    with refused(QuotaReached, f"you have entered {own}"):
        owner.enter(name, arena.bot("random", owner))


@pytest.mark.long
def test_a_team_enters_a_groups_contest_if_all_its_members_are_in_the_group(arena, pair):
    owner, member, team = pair
    group, names = f"class-{team[-8:]}", [one.who().account_name for one in (owner, member)]
    arena.admin.set_member(group, names[0])
    cup = f"cup-{team[-8:]}"
    arena.admin.create(spec(cup, "group", group))
    arena.admin.open(cup)
    bot = arena.bot("first", owner)
    until(lambda: not _is_unknown(owner, cup))
    with refused(NotInvited, f"not all members of the team {team}"):
        owner.enter(cup, bot)
    arena.admin.set_member(group, names[1])
    owner.enter(cup, bot)
    guest, account = arena.author()
    guest.join_team(invitation=owner.invite_to_team(account).invitation.id)
    with refused(UnknownTournament, cup):
        guest.tournament(cup)
    assert cup not in {one.name for one in guest.tournaments()}


def _is_unknown(client, name):
    try:
        client.tournament(name)
    except UnknownTournament:
        return True
    return False
