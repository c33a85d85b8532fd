"""Webhooks are told of contests: who takes part, who organises, who follows; and of faults."""

import uuid

import pytest
from sqlalchemy import delete

from maumau.errors import NotAllowed
from services.shared.rpc.client import connect_aio
from services.shared.rpc.notice import Relay
from services.shared.store.notice_table import new_notice
from services.tournament.models import TournamentNotice
from services.tournament.store.contests.notice import ContestNotices
from tests.support.arenas.tournament import WORKER
from tests.support.host.receiver import PERMITTED, receiving
from tests.support.waiting import free_port, until
from tests.tournament.test_visibility import spec


@pytest.fixture(scope="module")
def arena(start):
    with start(**PERMITTED) as arena:
        yield arena


@pytest.fixture
def receivers():
    with receiving() as one, receiving() as two:
        yield one, two


def new(arena, policy, client):
    return arena.bot(policy, client=client, name=f"{policy}-{uuid.uuid4().hex[:8]}")


def play(arena, name):
    """Play a contest to its end."""
    while isinstance(blocks := arena.queued(name), list):
        for block in blocks:
            arena.worker.play(block.id)


def kinds(receiver):
    return [one.event["type"] for one in receiver.told]


LIFE = ["contest.opened", "contest.started", "contest.decided", "contest.finished"]


@pytest.mark.long
def test_a_contest_is_told_in_order_to_those_whom_it_concerns(arena, receivers):
    follower, entrant = (arena.author()[0] for _ in range(2))
    name = arena.create(block=5, cap=5)
    follower.create_webhook(receivers[0].url, ["contest"], [name, "another"])
    entrant.create_webhook(receivers[1].url, ["contest"])
    arena.admin.open(name)
    until(lambda: kinds(receivers[0]) == LIFE[:1])
    arena.enter(name, new(arena, "first", entrant))
    arena.enter(name, new(arena, "random", arena.admin))
    arena.admin.start(name)
    play(arena, name)
    until(lambda: kinds(receivers[0]) == LIFE)
    until(lambda: kinds(receivers[1]) == LIFE[1:])  # it took no part when the contest was opened
    event = receivers[0].told[1].event
    assert event["data"]["contest"] == name
    assert event["data"]["contest_id"] == arena.admin.tournament(name).id
    assert event["data"]["words"] == f"{name} is running"
    cancelled = arena.create()
    follower.create_webhook(f"{receivers[0].url}/2", ["contest.cancelled"], [cancelled])
    arena.admin.cancel(cancelled)
    until(lambda: kinds(receivers[0])[-1] == "contest.cancelled")


def test_who_left_a_group_is_told_no_more_of_a_contest_of_his(arena, receivers):
    teacher, account = arena.author()
    group, marker = f"class-{uuid.uuid4().hex[:8]}", arena.create()
    arena.admin.set_member(group, account, "organiser")
    name = f"cup-{group[-8:]}"
    until(lambda: _try_to_create(teacher, spec(name, "group", group)))
    teacher.create_webhook(receivers[0].url, ["contest"], [marker])
    teacher.open(name)
    until(lambda: kinds(receivers[0]) == ["contest.opened"])
    arena.admin.remove_member(group, account)
    arena.admin.cancel(name)
    arena.admin.cancel(marker)  # told after it
    until(lambda: len(receivers[0].told) == 2)
    assert [one.event["data"]["contest"] for one in receivers[0].told] == [name, marker]


def _try_to_create(client, text):
    """Return the contest, None while the service still remembers who was in no group."""
    try:
        return client.create(text)
    except NotAllowed:
        return None


@pytest.mark.long
@pytest.mark.parametrize(("release", "named"), [("public", True), ("end", False)])
def test_an_author_is_told_of_faults_in_a_match(arena, receivers, release, named):
    author, rival = (arena.author()[0] for _ in range(2))
    author.create_webhook(receivers[0].url, ["bot.fault"])
    rival.create_webhook(receivers[1].url, ["bot.fault"])
    crash, first = new(arena, "crash", author), new(arena, "first", rival)
    name = arena.create(block=5, cap=5, top=f'release = "{release}"')
    arena.admin.open(name)
    for bot in (crash, first):
        arena.enter(name, bot)
    arena.admin.start(name)
    play(arena, name)
    until(lambda: receivers[0].told)
    (told,) = receivers[0].told
    data = told.event["data"]
    assert (data["bot"], data["contest"], data["faults"]) == (crash, name, "crash")
    assert ("match" in data) == named
    assert not receivers[1].told


def test_what_the_registry_does_not_take_waits_and_is_told_once(arena, receivers, store, loop):
    author, account = arena.author()
    author.create_webhook(receivers[0].url, ["bot.fault"])
    notices = ContestNotices(store.database)
    notice = new_notice(TournamentNotice, "bot.fault", 1, {"bot": "tom"}, (account,))
    given = notice.model_dump()

    def tell(address):
        with store.database.write() as session:
            session.execute(delete(TournamentNotice))
            session.add(TournamentNotice(**given))
        loop.run(relay(notices, address))
        return len(notices.list_waiting())

    assert tell(f"127.0.0.1:{free_port()}") == 1
    assert [tell(arena.address), tell(arena.address)] == [0, 0]
    until(lambda: receivers[0].told)
    sent = author.test_webhook(author.webhooks()[0].id)
    until(lambda: receivers[0].told[-1:] and receivers[0].told[-1].id == sent)
    assert [one.id for one in receivers[0].told] == [given["id"], sent]


async def relay(notices, address):
    """Tell the registry at this address once, as the service does."""
    channel = connect_aio(address, WORKER)
    told = Relay(notices, channel, address, leads)
    told.stir()
    await told.look()
    await channel.close()


async def leads():
    return True
