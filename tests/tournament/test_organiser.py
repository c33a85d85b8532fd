"""An organiser controls their own contest, and nothing else in the arena."""

import pytest

from maumau.client import action
from maumau.client.arena import Arena as Client
from maumau.errors import BadRequest, NotAllowed, NotYours, QuotaReached, SecretKnown
from services.tournament.organising import organiser
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN, DEFAULTS, SPEC
from tests.support.waiting import until

DATABASES = ["sqlite"]  # nothing here depends on the kind


@pytest.fixture
def organise(arena):
    """Return a function: a new account with an organiser's token from an admin, as client and name."""
    clients = []

    def made():
        _, name = arena.author()
        token = arena.admin.create_token(name, scopes=("organiser",)).token
        clients.append(Client(arena.address, arena.address, token))
        return clients[-1], name

    yield made
    for client in clients:
        client.close()


def cup_of(name):
    """Return a name as long as other tests' names of contests."""
    return f"cup-{name[-8:]}"


def spec(name):
    return SPEC.format(**DEFAULTS | {"name": name})


@pytest.mark.long
def test_an_organiser_runs_a_contest_from_its_spec_to_a_retake(arena, organise):
    ada, name = organise()
    cup = cup_of(name)
    assert ada.create(spec(cup)).organiser == name
    assert ada.edit(cup, spec(cup)).organiser == name
    ada.open(cup)
    for bot in arena.field("first", "random", "random"):
        arena.enter(cup, bot)
    assert ada.start(cup).state == "running"
    assert ada.pause(cup).state == "paused"
    assert ada.resume(cup).state == "running"
    label = ada.matches(cup)[0].label
    for block in ada.match(cup, label).blocks:
        arena.worker.play(block.id)
    until(lambda: ada.match(cup, label).match.state == "decided")
    assert ada.retake(cup, label, "a test").match.state == "playing"
    assert ada.cancel(cup).state == "cancelled"


def test_nobody_changes_a_contest_of_others_but_an_admin(arena, organise):
    ada, name = organise()
    grace, _ = organise()
    cup = cup_of(name)
    ada.create(spec(cup))
    words = f"{cup} is organised by {name}"
    for change in (grace.open, grace.start, grace.pause, grace.resume, grace.cancel, grace.confirm):
        with refused(NotYours, words):
            change(cup)
    with refused(NotYours, words):
        grace.edit(cup, spec(cup))
    with refused(NotYours, words):
        grace.retake(cup, "1.1.1", "a test")
    with refused(NotYours, "is organised by admin"):
        ada.open(arena.create())
    assert arena.admin.edit(cup, spec(cup)).organiser == name
    assert arena.admin.open(cup).state == "open"


def test_who_organises_may_take_a_bot_out_of_it(arena, organise):
    ada, name = organise()
    cup, bot = cup_of(name), arena.field("first")[0]
    ada.create(spec(cup))
    ada.open(cup)
    arena.enter(cup, bot)
    grace, _ = organise()
    with refused(NotYours):
        grace.withdraw(cup, bot)
    assert ada.withdraw(cup, bot).withdrawn


@pytest.mark.long
def test_only_who_organises_sees_whether_a_bot_plays_better_the_second_time(arena, organise):
    ada, name = organise()
    grace, _ = organise()
    cup = cup_of(name)
    ada.create(spec(cup))
    ada.open(cup)
    for bot in arena.field("first", "random"):
        arena.enter(cup, bot)
    ada.start(cup)
    arena.worker.play(arena.blocks(cup, "queued")[0].id)
    assert ada.standings(cup).carryover
    assert arena.admin.standings(cup).carryover
    assert not grace.standings(cup).carryover
    ada.cancel(cup)


def test_an_organiser_gives_no_secret_that_was_published(arena, organise):
    ada, _ = organise()
    given = 'secret = "an-organiser-read-this-secret"\n'
    before, free = "read-before", "never-read"
    ada.create(given + spec(before))
    ada.create(spec(free))
    ada.cancel(before)
    with refused(SecretKnown):
        ada.create(given + spec("again"))
    with refused(SecretKnown):
        ada.edit(free, given + spec(free))


def test_what_an_organiser_does_is_kept(arena, organise):
    ada, name = organise()
    ada.create(spec(cup_of(name)))
    ada.open(cup_of(name))
    kept = [
        one
        for one in action.read_newest_actions({"tournament": arena.address}, ADMIN, 1000)
        if one.account_name == name
    ]
    assert [one.method for one in kept] == ["OpenEntries", "CreateTournament"]


def test_an_organiser_is_no_admin(arena, organise):
    ada, _ = organise()
    with refused(NotAllowed, "Only admins may do this"):
        ada.workers()
    with refused(NotAllowed):
        ada.create_token(arena.author()[1])
    with refused(NotAllowed, "has no scope admin"):
        ada.create_token(scopes=("admin",))


def test_nobody_becomes_an_organiser_alone(arena, organise):
    author, _ = arena.author()
    with refused(NotAllowed, "has no scope organiser"):
        author.create_token(scopes=("organiser",))
    with refused(NotAllowed, "has no scope reader"):
        author.create_token(scopes=("reader",))
    with refused(BadRequest, "scopes are author, organiser, admin, worker, reader"):
        author.create_token(scopes=("king",))
    _, name = organise()
    other = Client(arena.address, arena.address, arena.admin.create_token(name, scopes=("author",)).token)
    with other, refused(NotAllowed, "Only organisers of the arena or of a group may do this"):
        other.create(spec("a-cup-by-another-token"))


def test_an_organiser_has_so_many_contests_at_once(arena, organise, monkeypatch):
    monkeypatch.setattr(organiser, "MOST_OPEN", 2)
    ada, name = organise()
    for number in range(2):
        ada.create(spec(f"{number}-{cup_of(name)}"))
    with refused(QuotaReached, "has 2 tournaments that are not over"):
        ada.create(spec(f"2-{cup_of(name)}"))
    ada.cancel(f"0-{cup_of(name)}")
    assert ada.create(spec(f"2-{cup_of(name)}")).state == "created"
    assert organise()[0].create(spec(f"3-{cup_of(name)}")).state == "created"
