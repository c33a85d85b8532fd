"""Bots and who owns them."""

import uuid

import pytest
from sqlalchemy import Engine, event

from maumau import errors
from maumau.client import arena as author_client
from maumau.client import link
from maumau.v1 import registry_pb2 as pb
from services.registry.models import Bot
from services.registry.store.bots import bot as store
from services.shared.base import page
from services.shared.store.connect import Database


def _name():
    return f"bot-{uuid.uuid4().hex[:8]}"


def test_a_bot_made_twice_by_its_owner_is_the_same_bot(registry):
    author, name = registry.author(), _name()
    assert author.CreateBot(name=name).bot.id == author.CreateBot(name=name).bot.id


@pytest.mark.parametrize("name", ["", "a", "Greedy", "-a", "a" * 41, "a/b", "..", "a b", "ü2", "x\n"])
def test_a_name_that_no_bot_may_have_is_refused_in_words(registry, name):
    author = registry.author()
    with pytest.raises(errors.BadName, match="2 to 40 of a-z"):
        author.CreateBot(name=name)


def test_a_bot_keeps_a_name_that_is_refused_by_now(registry, program):
    author, old = registry.author(), f"-{_name()}"
    bot = author.CreateBot(name=old[1:]).bot
    database = Database(registry.settings.database("registry"), "registry")
    with database.write() as session:
        session.get_one(Bot, bot.id).name = old
    database.close()
    assert author.submit(old, program()).version.number == 1
    assert author.CreateBot(name=old).bot.id == bot.id


@pytest.mark.stores
def test_a_bot_s_name_is_given_once_in_the_arena(registry):
    first, second, name = registry.author(), registry.author(), _name()
    first.CreateBot(name=name)
    with pytest.raises(errors.NotYours, match=f"{name} belongs to {first.name}, and you are {second.name}"):
        second.CreateBot(name=name)


def test_bots_are_listed_by_name_and_one_s_own_alone_if_asked(registry):
    author, other = registry.author(), registry.author()
    names = sorted(_name() for _ in range(3))
    for name in reversed(names):
        author.CreateBot(name=name)
    other.CreateBot(name=_name())
    mine = [bot.name for bot in author.ListBots(mine=True).bots]
    everyone = [bot.name for bot in author.ListBots().bots]
    assert mine == names
    assert set(names) < set(everyone)
    assert everyone == sorted(everyone)


def test_an_unknown_bot_is_named_with_those_near_it(registry):
    author, name = registry.author(), _name()
    author.CreateBot(name=name)
    with pytest.raises(errors.UnknownBot, match=f"near it: .*{name}"):
        author.DeleteBot(name=name + "s")
    with pytest.raises(errors.UnknownVersion, match=name):
        author.GetVersion(version_id=name[:-1])


def test_a_retired_bot_enters_nothing_and_keeps_its_name(registry, submitted):
    author, name, version = submitted()
    registry.worker.validate(version.id)
    author.ActivateVersion(version_id=version.id)
    author.DeleteBot(name=name)
    assert author.GetVersion(version_id=version.id).version.state == pb.VERSION_STATE_RETIRED
    assert name not in [bot.name for bot in author.ListBots().bots]
    for refused in (
        lambda: author.ActivateVersion(version_id=version.id),
        lambda: author.LetPlayPeople(version_id=version.id, plays_people=True),
        lambda: author.CreateBot(name=name),
    ):
        with pytest.raises(errors.WrongState, match="retired"):
            refused()
    with pytest.raises(errors.NotYours):
        registry.author().CreateBot(name=name)
    author.DeleteBot(name=name)  # a second time changes nothing


def test_the_validation_of_a_retired_bot_is_over(registry, submitted):
    author, name, version = submitted()
    claim = registry.worker.ClaimValidation(version_id=version.id, worker="w")
    author.DeleteBot(name=name)
    with pytest.raises(errors.StaleFence):
        registry.worker.SubmitValidation(version_id=version.id, fence=claim.fence, ok=True)
    assert "retired" in author.GetVersion(version_id=version.id).version.reason


def test_someone_else_s_bot_is_left_alone(registry, submitted):
    author, name, version = submitted()
    stranger = registry.author()
    for refused in (
        lambda: stranger.DeleteBot(name=name),
        lambda: stranger.ActivateVersion(version_id=version.id),
        lambda: stranger.LetPlayPeople(version_id=version.id, plays_people=True),
        lambda: stranger.GetLog(version_id=version.id),
        lambda: stranger.fetch(version.sha256),
    ):
        with pytest.raises(errors.NotYours):
            refused()
    assert stranger.GetVersion(version_id=version.id).version.account_name == author.name


def test_an_author_lets_people_play_a_version_whatever_its_manifest_says(registry, submitted):
    author, name, version = submitted()
    assert not version.plays_people
    registry.worker.validate(version.id)
    author.ActivateVersion(version_id=version.id)
    for plays in (True, True, False):
        assert author.LetPlayPeople(version_id=version.id, plays_people=plays).version.plays_people == plays
        assert author.GetVersion(version_id=name).version.plays_people == plays


def test_an_admin_may_do_what_the_owner_may(registry, submitted):
    _, name, version = submitted()
    registry.worker.validate(version.id, log="all went well")
    assert registry.admin.GetLog(version_id=version.id).log == "all went well"
    registry.admin.ActivateVersion(version_id=version.id)
    assert registry.admin.fetch(version.sha256)
    registry.admin.DeleteBot(name=name)


def pages(call, entries, **request):
    """Yield the entries of each page of a list."""
    token = ""
    while True:
        found = call(page_token=token, **request)
        yield list(getattr(found, entries))
        if not (token := found.next_page_token):
            return


def test_lists_have_pages_and_the_client_reads_them_all(registry, monkeypatch):
    author, names = registry.author(), sorted(_name() for _ in range(5))
    for name in names:
        author.CreateBot(name=name)
    found = [[bot.name for bot in part] for part in pages(author.ListBots, "bots", mine=True, page_size=2)]
    assert found == [names[:2], names[2:4], names[4:]]
    monkeypatch.setattr(link, "PAGE", 2)
    with author_client.Arena(registry.address, registry.address, author.token) as arena:
        assert [bot.name for bot in arena.bots(mine=True)] == names
    for _ in range(4):
        author.CreateToken()
    ids = [token.id for part in pages(author.ListTokens, "tokens", page_size=2) for token in part]
    assert ids == [token.id for token in author.ListTokens().tokens]
    assert len(set(ids)) == 5


def test_a_bot_is_listed_with_its_newest_versions_and_the_active_one(registry, program, monkeypatch):
    monkeypatch.setattr(store, "SHOWN", 2)
    author, name = registry.author(), _name()
    versions = [author.submit(name, program(str(salt))).version for salt in range(5)]
    registry.worker.validate(versions[0].id)
    author.ActivateVersion(version_id=versions[0].id)
    (bot,) = author.ListBots(mine=True).bots
    assert [one.number for one in bot.versions] == [5, 4, 1]
    assert [one.number for one in author.CreateBot(name=name).bot.versions] == [5, 4, 1]
    parts = pages(author.ListVersions, "versions", bot_name=name, page_size=2)
    assert [[one.number for one in part] for part in parts] == [[5, 4], [3, 2], [1]]
    with pytest.raises(errors.BadRequest, match="not the token of a page"):
        author.ListVersions(bot_name=name, page_token="last")
    with pytest.raises(errors.UnknownBot):
        author.ListVersions(bot_name=name + "s")


def test_a_list_reads_no_logs(registry, submitted):
    author, _, version = submitted()
    registry.worker.validate(version.id, log="x" * 1000)
    read = []

    def note(_connection, _cursor, statement, *_):
        read.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    author.ListBots(mine=True)
    author.GetVersion(version_id=version.id)
    event.remove(Engine, "before_cursor_execute", note)
    assert any("version" in text for text in read)
    assert not [text for text in read if "version.log" in text]
    assert len(author.GetLog(version_id=version.id).log) == 1000


def test_a_list_that_no_message_holds_is_read_in_pages(registry, monkeypatch):
    monkeypatch.setattr(page, "BYTES", 200)
    author = registry.author()
    names = sorted(_name() for _ in range(6))
    for name in names:
        author.CreateBot(name=name)
    parts = [[bot.name for bot in part] for part in pages(author.ListBots, "bots", mine=True)]
    assert len(parts) > 1
    assert [name for part in parts for name in part] == names
