"""Bots and who owns them."""

import uuid

import pytest

from maumau import errors
from maumau.v1 import registry_pb2 as pb


def _name():
    return f"bot-{uuid.uuid4().hex[:8]}"


def test_a_bot_made_twice_by_its_owner_is_the_same_bot(registry):
    author, name = registry.author(), _name()
    assert author.CreateBot(name=name).bot.id == author.CreateBot(name=name).bot.id


@pytest.mark.parametrize("name", ["", "a", "Greedy", "a" * 41, "a/b", "..", "a b", "ü2", "x\n"])
def test_a_name_that_no_bot_may_have_is_refused_in_words(registry, name):
    author = registry.author()
    with pytest.raises(errors.BadName, match="2 to 40 of a-z"):
        author.CreateBot(name=name)


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
        lambda: stranger.GetLog(version_id=version.id),
        lambda: stranger.fetch(version.sha256),
    ):
        with pytest.raises(errors.NotYours):
            refused()
    assert stranger.GetVersion(version_id=version.id).version.account_name == author.name


def test_an_admin_may_do_what_the_owner_may(registry, submitted):
    _, name, version = submitted()
    registry.worker.validate(version.id, log="all went well")
    assert registry.admin.GetLog(version_id=version.id).log == "all went well"
    registry.admin.ActivateVersion(version_id=version.id)
    assert registry.admin.fetch(version.sha256)
    registry.admin.DeleteBot(name=name)
