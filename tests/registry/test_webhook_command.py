"""`maumau webhook` against a real registry and a real receiver."""

import msgspec
import pytest

from tests.support.host.receiver import receiving
from tests.support.terminal import Terminal


@pytest.fixture
def maumau(registry, tmp_path):
    """Runs a command as an author with a home of its own; what it printed, as JSON or as text."""
    author = registry.author()
    arena = f"{registry.address},{registry.address.rpartition(':')[2]}"

    def run(*words, code=0, as_text=False):
        answer = Terminal(tmp_path, MAUMAU_ARENA=arena).run(
            *words, *([] if as_text else ["--json"]), code=code
        )
        return answer.out if as_text else msgspec.json.decode(answer.err if code else answer.out)

    run("login", "--token", author.token)
    return run


def test_an_author_adds_tries_shows_and_removes_a_webhook(maumau):
    with receiving() as receiver:
        made = maumau("webhook", "add", receiver.url, "--on", "bot")
        hook = made["webhook"]
        assert made["secret"].startswith("whsec_")
        assert (hook["url"], hook["contests"]) == (receiver.url, [])
        assert {kind.partition(".")[0] for kind in hook["kinds"]} == {"bot"}
        tried = maumau("webhook", "test", hook["id"])
        assert (tried["delivery"]["status"], tried["problem"]) == (204, "")
        assert receiver.told[0].event["type"] == "test"
        assert "active" in maumau("webhook", "list", as_text=True)
        shown = maumau("webhook", "show", hook["id"], as_text=True)
        assert "204" in shown
        receiver.answer = 500
        refused = maumau("webhook", "test", hook["id"], code=1)
        assert refused["error"]["reason"] == "NOT_DELIVERED"
        assert "it answers 500" in refused["error"]["message"]
        assert maumau("webhook", "remove", hook["id"]) == {"removed": hook["id"]}
        assert maumau("webhook", "list") == {"webhooks": []}


def test_what_cannot_be_told_is_an_error_in_one_line(maumau):
    refused = maumau("webhook", "add", "https://169.254.169.254/latest", code=1)
    assert "not a public address" in refused["error"]["message"]
    refused = maumau("webhook", "show", "hook_none", code=1)
    assert refused["error"]["reason"] == "UNKNOWN_WEBHOOK"
