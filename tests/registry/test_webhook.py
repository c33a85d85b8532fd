"""Webhooks of a running registry: told in order, signed, again after failures and over a restart."""

import base64
import hashlib
import hmac
import itertools
import json
import time

import pytest
from sqlmodel import select

from maumau import errors
from maumau.v1 import team_pb2
from maumau.v1 import webhook_pb2 as pb
from maumau.v1.team_pb2_grpc import TeamServiceStub
from maumau.v1.webhook_pb2_grpc import WebhookServiceStub
from services.registry.models import Account, Delivery, Notice, Webhook
from services.registry.store.notices import delivery
from services.registry.store.notices.delivery import Deliveries
from services.registry.webhooks import dispatch
from services.shared.base.clock import DAY
from services.shared.store.connect import Database
from tests.support.arenas.calls import Calls, refused
from tests.support.host.receiver import PERMITTED, receiving
from tests.support.stores import tables

NUMBERS = itertools.count(100, 100)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Try again after hundredths of a second instead of seconds."""
    monkeypatch.setattr(delivery, "FIRST_WAIT", 20)
    monkeypatch.setattr(delivery, "LONGEST_WAIT", 100)
    monkeypatch.setattr(dispatch, "SHORTEST_REST", 0.02)


@pytest.fixture
def run(start, settings, valkey, database_url, tmp_path):
    """`with run() as registry`, again and again on the same database."""

    def begin(**more):
        return start(settings(tmp_path, database_url, f"{valkey}/6", **(PERMITTED | more)))

    return begin


@pytest.fixture
def receiver():
    with receiving() as one:
        yield one


@pytest.fixture
def other():
    with receiving() as one:
        yield one


def hooks(registry, client):
    return Calls(registry.address, client.token, pb, WebhookServiceStub)


def tell(registry, *notices):
    arena = hooks(registry, registry.worker)
    arena.TellNotices(notices=[pb.Notice(**{"data": "{}"} | one) for one in notices])


def decided(number, **more):
    return {"id": f"msg_{number:04}", "kind": "contest.decided"} | more


@pytest.fixture
def series():
    """Makes notices whose ids no other test has."""
    first = next(NUMBERS)
    return lambda number, **more: decided(first + number, **more)


def is_signed(secret, told):
    """Check a signature as a receiver does."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{told.id}.{told.headers['webhook-timestamp']}.".encode() + told.body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return told.headers["webhook-signature"] == f"v1,{expected}"


@pytest.mark.long
def test_an_author_is_told_what_becomes_of_his_bots(registry, receiver, program, until):
    author, stranger = registry.author(), registry.author()
    made = hooks(registry, author).CreateWebhook(url=receiver.url, kinds=["bot"])
    good = author.submit("tom", program()).version
    registry.worker.validate(good.id)
    bad = author.submit("tom", program()).version
    registry.worker.validate(bad.id, ok=False, reason="in prsi: crash")
    registry.worker.SuspendVersion(version_id=good.id, words="faults in 3 matches in a row")
    theirs = stranger.submit("tim", program()).version
    registry.worker.validate(theirs.id)
    until(lambda: len(receiver.told) == 3)
    shown = hooks(registry, author).GetWebhook(id=made.webhook.id)
    assert receiver.kinds() == ["bot.active", "bot.refused", "bot.suspended"]
    assert all(is_signed(made.secret, one) for one in receiver.told)
    assert receiver.told[1].event["data"] == {
        "bot": "tom", "version": 2, "version_id": bad.id, "reason": "in prsi: crash",
    }  # fmt: skip
    assert abs(int(receiver.told[0].headers["webhook-timestamp"]) - time.time()) < 300
    assert len({one.id for one in receiver.told}) == 3
    assert [one.kind for one in shown.deliveries] == ["bot.suspended", "bot.refused", "bot.active"]
    assert {one.id for one in shown.deliveries} == {one.id for one in receiver.told}


@pytest.mark.long
def test_who_fails_is_told_again_in_order_and_over_a_restart(run, receiver, until):
    receiver.answer = 503
    with run() as registry:
        author = registry.author()
        made = hooks(registry, author).CreateWebhook(url=receiver.url).webhook
        tell(registry, *(decided(number, accounts=[author.name]) for number in range(3)))
        until(lambda: len(receiver.told) >= 3)
        shown = until(lambda: _failing(hooks(registry, author).GetWebhook(id=made.id)))
    assert {one.id for one in receiver.told} == {"msg_0000"}  # no other overtakes it
    assert shown.webhook.problem == "it answers 503"
    with run() as registry:
        tell(registry, decided(2, accounts=[author.name]), decided(3, accounts=[author.name]))
        receiver.answer = 204
        until(lambda: receiver.told[-1].id == "msg_0003")
        shown = until(lambda: _calm(hooks(registry, author).GetWebhook(id=made.id)))
    ids = [one.id for one in receiver.told]
    assert list(dict.fromkeys(ids)) == [f"msg_{number:04}" for number in range(4)]
    assert ids == sorted(ids)
    assert ids[-3:] == ["msg_0001", "msg_0002", "msg_0003"]  # each once, as soon as it answers
    assert len({one.body for one in receiver.told if one.id == "msg_0000"}) == 1
    assert [one.status for one in shown.deliveries] == [204] * 4


def _failing(shown):
    return shown if shown.webhook.problem and shown.deliveries[-1].attempts >= 2 else None


def _calm(shown):
    return shown if not shown.webhook.problem and not shown.webhook.waiting else None


def test_one_that_hangs_delays_nobody_else(registry, receiver, other, until, series):
    slow, quick = registry.author(), registry.author()
    receiver.released.clear()
    hooks(registry, slow).CreateWebhook(url=receiver.url)
    hooks(registry, quick).CreateWebhook(url=other.url)
    both = [slow.name, quick.name]
    tell(registry, *(series(number, accounts=both) for number in range(10)))
    until(lambda: len(other.told) == 10)
    assert {one.id for one in receiver.told} == {other.told[0].id}
    receiver.released.set()
    until(lambda: receiver.told[-1].id == other.told[-1].id)
    assert list(dict.fromkeys(one.id for one in receiver.told)) == [one.id for one in other.told]


@pytest.mark.long
def test_after_days_of_failure_a_webhook_is_disabled_and_its_owner_told(run, receiver, other, until):
    with run(webhook_days=1e-6) as registry:
        author = registry.author()
        mine = hooks(registry, author)
        made = mine.CreateWebhook(url=receiver.url, kinds=["contest"]).webhook
        mine.CreateWebhook(url=other.url)
        receiver.answer = 500
        tell(registry, decided(1, accounts=[author.name]))
        until(lambda: mine.GetWebhook(id=made.id).webhook.HasField("disabled_at"))
        until(lambda: len(other.told) == 2)
        tell(registry, decided(2, accounts=[author.name]))
        until(lambda: len(other.told) == 3)
        assert other.told[1].event["data"] == {
            "webhook": made.id, "url": receiver.url, "reason": "it answers 500",
        }  # fmt: skip
        receiver.answer = 200
        sent = mine.TestWebhook(id=made.id).delivery_id
        until(lambda: receiver.told[-1].id == sent)
        told = list(dict.fromkeys(one.id for one in receiver.told))
        assert told == ["msg_0001", sent]  # what happened while it was disabled is not told
        shown = until(lambda: _calm(mine.GetWebhook(id=made.id)))
    assert not shown.webhook.HasField("disabled_at")


def test_who_is_gone_is_asked_no_more(registry, receiver, until, series):
    receiver.answer = 410
    author = registry.author()
    made = hooks(registry, author).CreateWebhook(url=receiver.url).webhook
    tell(registry, *(series(number, accounts=[author.name]) for number in range(3)))
    until(lambda: hooks(registry, author).GetWebhook(id=made.id).webhook.HasField("disabled_at"))
    assert [one.id for one in receiver.told] == [series(0)["id"]]


def test_followers_are_told_only_what_everybody_may_know(run, receiver, other, until):
    with run() as registry:
        follower, entrant = registry.author(), registry.author()
        hooks(registry, follower).CreateWebhook(url=receiver.url, contests=["cup", "cellar"])
        hooks(registry, entrant).CreateWebhook(url=other.url)
        about = {"contest": "cellar", "accounts": [entrant.name]}
        tell(registry, decided(1, **about, is_public=False), decided(2, contest="cup", is_public=True))
        tell(registry, decided(2, contest="cup", is_public=True))  # told again: it is known
        tell(registry, decided(3, **about | {"contest": "cup"}, is_public=True))
        until(lambda: len(receiver.told) == 2 and len(other.told) == 2)
    assert [one.id for one in receiver.told] == ["msg_0002", "msg_0003"]
    assert [one.id for one in other.told] == ["msg_0001", "msg_0003"]


def test_webhooks_are_their_owners_alone(run, receiver):
    with run(webhooks=2, webhook_ports="1024-65535") as registry:
        mine, theirs = (hooks(registry, registry.author()) for _ in range(2))
        made = mine.CreateWebhook(url=receiver.url, kinds=["bot.active"], contests=["cup"])
        assert made.secret.startswith("whsec_")
        (listed,) = mine.ListWebhooks().webhooks
        assert (listed.url, listed.kinds, listed.contests) == (receiver.url, ["bot.active"], ["cup"])
        assert not theirs.ListWebhooks().webhooks
        for call in (theirs.GetWebhook, theirs.TestWebhook, theirs.DeleteWebhook):
            with refused(errors.UnknownWebhook, "You have no webhook"):
                call(id=made.webhook.id)
        with refused(errors.BadRequest, "already"):
            mine.CreateWebhook(url=receiver.url)
        mine.CreateWebhook(url=f"{receiver.url}/2")
        with refused(errors.QuotaReached, "2 webhooks"):
            mine.CreateWebhook(url=f"{receiver.url}/3")
        with refused(errors.BadRequest, "port 22"):
            mine.CreateWebhook(url="http://127.0.0.1:22/")
        mine.DeleteWebhook(id=made.webhook.id)
        assert [one.url for one in mine.ListWebhooks().webhooks] == [f"{receiver.url}/2"]
        with refused(errors.NotAllowed, "services"):
            mine.TellNotices(notices=[pb.Notice(**decided(1), data="{}")])


def test_the_webhooks_of_an_account_that_is_shut_out_stop(registry, receiver, other, until, series):
    author, witness = registry.author(), registry.author()
    made = hooks(registry, author).CreateWebhook(url=receiver.url).webhook
    hooks(registry, witness).CreateWebhook(url=other.url)
    for token in registry.admin.ListTokens(account_name=author.name).tokens:
        registry.admin.RevokeToken(id=token.id)
    tell(registry, series(1, accounts=[author.name, witness.name]))
    until(lambda: other.told)
    assert not receiver.told
    back = registry.client(registry.admin.CreateToken(account_name=author.name).token)
    assert hooks(registry, back).GetWebhook(id=made.id).webhook.problem == "its account is shut out"
    sent = hooks(registry, back).TestWebhook(id=made.id).delivery_id
    until(lambda: receiver.told)
    assert [one.id for one in receiver.told] == [sent]


def test_all_members_of_a_team_are_told_of_its_bots_and_who_has_left_is_not(
    registry, receiver, other, program, until
):
    owner, member = registry.author(), registry.author()
    teams = [Calls(registry.address, one.token, team_pb2, TeamServiceStub) for one in (owner, member)]
    teams[0].CreateTeam(name=f"team-{owner.name[-8:]}")
    teams[1].JoinTeam(code=teams[0].InviteToTeam().code)
    for client, one in ((owner, receiver), (member, other)):
        hooks(registry, client).CreateWebhook(url=one.url, kinds=["bot.active"])
    name = f"bot-{owner.name[-8:]}"
    registry.worker.validate(owner.submit(name, program()).version.id)
    until(lambda: receiver.told and other.told)
    teams[1].LeaveTeam()
    registry.worker.validate(owner.submit(name, program()).version.id)
    until(lambda: len(receiver.told) == 2)
    assert len(other.told) == 1


def test_a_team_is_told_of_a_groups_contest_as_far_as_its_members_are_in_the_group(
    registry, receiver, other, until, series
):
    owner, guest = registry.author(), registry.author()
    team, group = f"team-{owner.name[-8:]}", f"class-{owner.name[-8:]}"
    teams = [Calls(registry.address, one.token, team_pb2, TeamServiceStub) for one in (owner, guest)]
    teams[0].CreateTeam(name=team)
    teams[1].JoinTeam(code=teams[0].InviteToTeam().code)
    registry.admin.SetMember(group_name=group, account_name=owner.name)
    for client, one in ((owner, receiver), (guest, other)):
        hooks(registry, client).CreateWebhook(url=one.url)
    tell(
        registry,
        series(1, accounts=[f"{team}+{group}"]),
        series(2, accounts=[f"{guest.name}@{group}"]),
        series(3, accounts=[f"{guest.name}+{group}"]),
        series(4, accounts=[owner.name]),
    )
    until(lambda: len(receiver.told) == 2 and other.told)
    assert [one.id for one in other.told] == [series(3)["id"]]


@pytest.mark.long
def test_a_removed_webhook_takes_its_deliveries_with_it(run, receiver, until):
    receiver.answer = 500
    with run() as registry:
        author = registry.author()
        mine = hooks(registry, author)
        made = mine.CreateWebhook(url=receiver.url).webhook
        tell(registry, *(decided(number, accounts=[author.name]) for number in range(3)))
        until(lambda: receiver.told)
        mine.DeleteWebhook(id=made.id)
        again = mine.CreateWebhook(url=receiver.url).webhook
        receiver.answer = 200
        tell(registry, decided(9, accounts=[author.name]))
        until(lambda: receiver.told[-1].id == "msg_0009")
        until(lambda: registry.metric("webhook_waiting") == 0)
        assert len(mine.GetWebhook(id=again.id).deliveries) == 1
        assert registry.metric("webhook_deliveries_total", outcome="delivered") == 1
        assert registry.metric("webhook_deliveries_total", outcome="failed") >= 1


@pytest.mark.parametrize(("fields", "words"), [
    ({"url": "http://169.254.169.254/latest"}, "not a public address"),
    ({"url": "https://[::1]/"}, "not a public address"),
    ({"url": "https://[::ffff:10.0.0.1]/"}, "not a public address"),
    ({"url": "ftp://example.com/"}, "begin with 'ftp'"),
    ({"url": "https://user:word@example.com/"}, "no user"),
    ({"url": "https://example.com/#x"}, "no fragment"),
    ({"url": "https://example.com/a b"}, "visible ASCII"),
    ({"url": "https://example.com/\r\nhost:x"}, "visible ASCII"),
    ({"url": "https:///x"}, "no host"),
    ({"url": "https://example.com:99999/"}, "cannot be read"),
    ({"url": "https://example.com/" + "x" * 2000}, "2000 characters"),
    ({"url": "https://example.com/", "kinds": ["bots"]}, "There is no event 'bots'"),
    ({"url": "https://example.com/", "contests": [str(one) for one in range(51)]}, "up to 50"),
])  # fmt: skip
def test_what_cannot_be_told_is_refused(registry, fields, words):
    author = registry.author()
    with refused(errors.BadRequest, words):
        hooks(registry, author).CreateWebhook(**fields)


def test_the_body_is_the_one_of_the_reference(registry, receiver, until, series):
    author = registry.author()
    hooks(registry, author).CreateWebhook(url=receiver.url)
    notice = pb.Notice(**series(1, accounts=[author.name]), data='{"contest": "cup"}')
    notice.at.FromMilliseconds(1_795_000_000_042)
    hooks(registry, registry.worker).TellNotices(notices=[notice])
    until(lambda: receiver.told)
    expected = {
        "type": "contest.decided",
        "timestamp": "2026-11-18T11:06:40.042Z",
        "data": {"contest": "cup"},
    }
    assert json.loads(receiver.told[0].body) == expected
    assert receiver.told[0].headers["Content-Type"] == "application/json"


def test_what_was_delivered_long_ago_is_forgotten(database_url, tmp_path):
    tables.add_tables(database := Database(database_url, "registry"), "registry")
    now = 100 * DAY
    store = Deliveries(database, lambda: now, DAY)
    with database.write() as session:
        session.add(Account(id="a", name="ada", scopes="author", created_at=1))
        session.flush()
        session.add(
            Webhook(id="w", account_id="a", url="https://x.example/", kinds="", secret="", created_at=1)
        )
        for name, age in (("old", 31), ("new", 29), ("lonely", 31)):
            at = now - age * DAY
            session.add(Notice(id=name, kind="test", at=at, data="{}", told_at=at))
        session.flush()
        for name, age in (("old", 31), ("new", 29)):
            at = now - age * DAY
            session.add(Delivery(webhook_id="w", notice_id=name, created_at=at, delivered_at=at))
    store.prune_old()
    with database.read() as session:
        assert session.scalars(select(Delivery.notice_id)).all() == ["new"]
        assert session.scalars(select(Notice.id)).all() == ["new"]
    database.close()


def test_attempts_come_later_and_later():
    waits = [[delivery.choose_wait(attempts) for _ in range(50)] for attempts in range(1, 40)]
    assert all(len(set(each)) > 1 for each in waits)
    for attempts, each in enumerate(waits):
        longest = min(delivery.FIRST_WAIT * 2**attempts, delivery.LONGEST_WAIT)
        assert longest // 2 <= min(each) <= max(each) <= longest


@pytest.mark.long
def test_nothing_is_lost_when_the_registry_is_killed_in_the_middle(spawn_at, tmp_path, receiver, until):
    settings = {f"MAUMAU_{name.upper()}": value for name, value in PERMITTED.items()}
    receiver.released.clear()
    first = spawn_at(tmp_path / "one", **settings)
    token = first.client().CreateAccount(name="ada").token
    author, service = (
        Calls(first.said()["address"], secret, pb, WebhookServiceStub)
        for secret in (token, "mm_a-worker-of-these-tests")
    )
    author.CreateWebhook(url=receiver.url)
    notices = [pb.Notice(**decided(number, accounts=["ada"]), data="{}") for number in range(5)]
    service.TellNotices(notices=notices)
    until(lambda: receiver.told, 30)
    first.popen.kill()
    first.popen.wait()
    under_way = len(receiver.told)
    receiver.released.set()
    spawn_at(tmp_path / "one", **settings).said()
    until(lambda: receiver.told[-1].id == notices[-1].id, 60)
    ids = [one.id for one in receiver.told]
    assert set(ids[:under_way]) == {notices[0].id}
    assert ids[under_way:] == [one.id for one in notices]  # the one that was under way comes again
