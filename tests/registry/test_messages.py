"""Mail and chat of a running registry: confirmed, sent again while refused, ended by readers, kept inside."""

import inspect
import re

import pytest

from maumau import errors
from maumau.v1 import webhook_pb2 as pb
from maumau.v1.webhook_pb2_grpc import WebhookServiceStub
from services.registry.store.notices import delivery
from services.registry.webhooks import dispatch
from services.registry.webhooks.teller import make_plugin
from tests.support.arenas.calls import Calls, refused
from tests.support.host.mail import receiving_mail
from tests.support.host.receiver import PERMITTED, receiving

PAGE = "https://arena.example"
READER = "mm_the-reader-of-these-tests"

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Try again after hundredths of a second instead of seconds."""
    monkeypatch.setattr(delivery, "FIRST_WAIT", 20)
    monkeypatch.setattr(delivery, "LONGEST_WAIT", 100)
    monkeypatch.setattr(dispatch, "SHORTEST_REST", 0.02)


@pytest.fixture
def post():
    with receiving_mail() as (mailbox, url):
        yield mailbox, url


@pytest.fixture
def run(start, settings, valkey, database_url, tmp_path):
    def begin(**more):
        given = {"page_url": PAGE, "reader_token": READER} | more
        return start(settings(tmp_path, database_url, f"{valkey}/6", **given))

    return begin


def hooks(registry, token):
    return Calls(registry.address, token, pb, WebhookServiceStub)


def tell(registry, *notices):
    arena = hooks(registry, registry.worker.token)
    arena.TellNotices(notices=[pb.Notice(**{"data": "{}"} | one) for one in notices])


def decided(number, account):
    data = '{"contest": "autumn cup", "contest_id": "t_1", "words": "x"}'
    return {"id": f"msg_{number:04}", "kind": "contest.decided", "accounts": [account], "data": data}


def links(mail):
    found = re.findall(rf"{PAGE}/mail/(confirm|stop)/(\S+)/(\S+)", mail.get_content())
    return {kind: {"id": webhook, "key": key} for kind, webhook, key in found}


def test_mail_is_sent_only_to_who_has_confirmed_and_until_it_is_stopped(run, post, until):
    mailbox, url = post
    with run(mail_url=url, mail_from="Maumau Arena <arena@arena.example>") as registry:
        author = registry.author()
        mine, page = hooks(registry, author.token), hooks(registry, READER)
        made = mine.CreateWebhook(url="mailto:Ana@EXAMPLE.org", kinds=["contest"], language="de").webhook
        asked = until(lambda: mailbox.got and mailbox.got[0])
        tell(registry, decided(1, author.name))
        assert made.url == "mailto:Ana@example.org"
        assert asked["x-rcpt"] == "Ana@example.org"
        assert asked["subject"] == "Bitte bestätige deine E-Mail-Adresse"
        first = links(asked)["confirm"]
        mine.TestWebhook(id=made.id)  # asks once more; the link sent before is void
        again = until(lambda: len(mailbox.got) == 2 and mailbox.got[1])
        with refused(errors.UnknownWebhook, "confirms nothing"):
            page.ConfirmMail(**first)
        with refused(errors.NotAllowed):
            mine.ConfirmMail(**links(again)["confirm"])  # the page alone says so
        assert page.ConfirmMail(**links(again)["confirm"]).url == made.url
        with refused(errors.UnknownWebhook, "confirms nothing"):
            page.ConfirmMail(**links(again)["confirm"])
        mailbox.refusal = "451 try later"
        tell(registry, decided(2, author.name))
        until(lambda: mailbox.refused >= 2)
        until(lambda: mine.ListWebhooks().webhooks[0].problem == "the mail server did not take it")
        mailbox.refusal = ""
        news = until(lambda: len(mailbox.got) == 3 and mailbox.got[2])
        assert news["subject"] == "„autumn cup“ ist entschieden."
        assert f"{PAGE}/contests/autumn%20cup" in news.get_content()
        assert news["x-maumau-event"] == "msg_0002"  # what happened before is not sent later
        end = links(news)["stop"]
        assert news["list-unsubscribe"] == f"<{PAGE}/mail/stop/{end['id']}/{end['key']}>"
        assert news["list-unsubscribe-post"] == "List-Unsubscribe=One-Click"
        with refused(errors.UnknownWebhook):
            page.StopMail(id=end["id"], key=first["key"])
        assert page.StopMail(**end).url == made.url
        assert not mine.ListWebhooks().webhooks


def test_nobody_is_flooded_with_mails_that_ask(run, post, until):
    _, url = post
    with run(mail_url=url, mail_from="arena@arena.example") as registry:
        mine = hooks(registry, registry.author().token)
        for number in range(5):
            made = mine.CreateWebhook(url=f"mailto:{number}@example.org").webhook
            mine.DeleteWebhook(id=made.id)
        with refused(errors.QuotaReached, "5 confirmations"):
            mine.CreateWebhook(url="mailto:6@example.org")


def test_a_chat_is_told_in_its_language_and_its_secret_is_not_shown(run, until):
    with receiving() as receiver, run(**PERMITTED) as registry:
        author = registry.author()
        mine = hooks(registry, author.token)
        port = receiver.server.server_port
        made = mine.CreateWebhook(url=f"mmost://127.0.0.1:{port}/3ccdd113474722377935511fc85d3dd4")
        assert (made.secret, made.webhook.url) == ("", f"mmost://127.0.0.1:{port}/3...4/")
        receiver.answer = 503
        tell(registry, decided(1, author.name))
        until(lambda: mine.ListWebhooks().webhooks[0].problem == "it answers 503")
        receiver.answer = 200
        until(lambda: not mine.ListWebhooks().webhooks[0].waiting)
        told = receiver.told[-1].event
        assert told["text"] == f"“autumn cup” is decided.\n{PAGE}/contests/autumn%20cup"
        shown = mine.GetWebhook(id=made.webhook.id)
        assert "3ccdd113" not in str(shown)
        assert [(one.status, bool(one.delivered_at.seconds)) for one in shown.deliveries] == [(0, True)]


REFUSED = (
    ("3ccdd113474722377935511fc85d3dd4", "An address begins with"),
    ("syslog://localhost", "begin with 'syslog'"),
    ("file:///etc/passwd", "begin with 'file'"),
    ("dbus://", "begin with 'dbus'"),
    ("json://127.0.0.1/x", "begin with 'json'"),
    ("mailto:ana", "has the form mailto:"),
    ("mailto:a@b.example,c@d.example", "has the form mailto:"),
    ("mailto:a@b.example?smtp=127.0.0.1", "has the form mailto:"),
    ("mailto:ana@example.org", "this arena sends no mail"),
    ("matrixs://user:secret@127.0.0.1/!room:x", "not a public address"),
    ("matrixs://user:secret@[::1]/!room:x", "not a public address"),
    ("mmosts://matrix.example:22/3ccdd113474722377935511fc85d3dd4", "port 22"),
    ("mmost://169.254.169.254:443/3ccdd113474722377935511fc85d3dd4", "not a public address"),
    ("discord://x", "cannot be read"),
    (f"discord://1/{'a' * 30}?template=/etc/passwd", "cannot be read"),
    (f"slack://T1JJ3T3L2/A1BRTD4JD/{'a' * 24}?template=/etc/passwd", "cannot be read"),
    ("tgram://123456789:abcdefg_hijklmnop/12315544/?Template=file:///etc/passwd", "cannot be read"),
)


def test_addresses_that_are_refused_in_words(run):
    with run() as registry:
        mine = hooks(registry, registry.author().token)
        for url, words in REFUSED:
            with refused(errors.BadRequest, words):
                mine.CreateWebhook(url=url)


CHAT_ADDRESSES = (
    f"discord://1/{'a' * 30}",
    f"slack://T1JJ3T3L2/A1BRTD4JD/{'a' * 24}",
    "matrixs://user:secret@matrix.example/!room:x",
    "mmosts://mm.example/3ccdd113474722377935511fc85d3dd4",
    "ntfys://ntfy.example/topic",
    "rockets://user:secret@chat.example/#room",
    "tgram://123456789:abcdefg_hijklmnop/12315544",
    "zulip://bot@org/a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0/room",
)


@pytest.mark.parametrize("url", CHAT_ADDRESSES)
def test_no_plugin_loads_a_file_that_its_address_names(url):
    """Discord, Slack and Telegram send a template from a path or address; no other plugin loads anything."""
    plugin = make_plugin(url)
    assert plugin is not None
    loads = "AppriseAttachment(" in inspect.getsource(inspect.getmodule(type(plugin)))
    assert loads == ("template" in plugin.template_args)
    for name in ("template", "TEMPLATE"):
        assert not loads or make_plugin(f"{url}?{name}=/etc/passwd") is None


def test_a_name_that_means_a_private_address_is_refused_as_it_is_connected_to(run, until):
    with receiving() as receiver, run(webhook_ports="1-65535") as registry:
        mine = hooks(registry, registry.author().token)
        port = receiver.server.server_port
        made = mine.CreateWebhook(url=f"mmosts://localhost:{port}/3ccdd113474722377935511fc85d3dd4").webhook
        mine.TestWebhook(id=made.id)
        until(lambda: "not a public address" in mine.ListWebhooks().webhooks[0].problem)
        assert not receiver.told
