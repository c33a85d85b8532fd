"""Submitted means playing: what a passed validation makes of a bot's versions."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from maumau import errors
from maumau.v1 import registry_pb2 as pb

VALID, ACTIVE, RETIRED = (getattr(pb, f"VERSION_STATE_{name}") for name in ("VALID", "ACTIVE", "RETIRED"))


def states(author):
    """The states of an author's only bot, by version number."""
    return {one.number: one.state for one in author.ListBots(mine=True).bots[0].versions}


@pytest.mark.long
def test_a_version_that_passes_plays_without_another_call(registry, submitted):
    author, name, version = submitted()
    assert version.activates
    registry.worker.validate(version.id)
    playing = author.GetVersion(version_id=name).version
    assert (playing.id, playing.state, playing.activates) == (version.id, ACTIVE, False)


def test_a_version_says_in_which_runtime_it_is_written(registry, submitted):
    author, _name, version = submitted()
    assert author.GetVersion(version_id=version.id).version.runtime == "python"


def test_the_version_before_is_retired_and_comes_back_when_its_author_wants(registry, submitted, program):
    author, name, first = submitted()
    second = author.submit(name, program()).version
    for version in (first, second):
        registry.worker.validate(version.id)
    assert states(author) == {1: RETIRED, 2: ACTIVE}
    author.ActivateVersion(version_id=first.id)
    assert states(author) == {1: ACTIVE, 2: RETIRED}


def test_a_refused_version_leaves_the_one_before_in_play(registry, submitted, program):
    author, name, first = submitted()
    registry.worker.validate(first.id)
    second = author.submit(name, program()).version
    registry.worker.validate(second.id, ok=False, reason="deal 3 of prsi: 9C is not allowed")
    assert states(author) == {1: ACTIVE, 2: pb.VERSION_STATE_REFUSED}


def test_an_earlier_version_that_passes_later_replaces_nothing(registry, submitted, program):
    author, name, first = submitted()
    second = author.submit(name, program()).version
    for version in (second, first):
        registry.worker.validate(version.id)
    assert states(author) == {1: VALID, 2: ACTIVE}


@pytest.mark.long
def test_an_earlier_version_that_passes_later_leaves_a_choice_as_it_is(registry, submitted, program):
    """Version 3 played, its author went back to 1, then 2 passes: 1 plays on."""
    author, name, first = submitted()
    registry.worker.validate(first.id)
    second, third = (author.submit(name, program()).version for _ in range(2))
    registry.worker.validate(third.id)
    author.ActivateVersion(version_id=first.id)
    registry.worker.validate(second.id)
    assert states(author) == {1: ACTIVE, 2: VALID, 3: RETIRED}


def test_a_suspended_version_is_not_replaced_by_an_earlier_one(registry, submitted, program):
    author, name, first = submitted()
    second = author.submit(name, program()).version
    registry.worker.validate(second.id)
    registry.worker.SuspendVersion(version_id=second.id, words="faults in 3 matches in a row")
    assert author.GetVersion(version_id=second.id).version.activates
    registry.worker.validate(first.id)
    assert states(author) == {1: VALID, 2: pb.VERSION_STATE_SUSPENDED}
    registry.worker.validate(second.id)
    assert states(author) == {1: VALID, 2: ACTIVE}


def test_who_asks_for_it_is_not_activated_by_passing(registry, submitted, program):
    author, name, first = submitted()
    registry.worker.validate(first.id)
    second = author.submit(name, program(), no_activate=True).version
    assert not second.activates
    registry.worker.validate(second.id)
    assert states(author) == {1: ACTIVE, 2: VALID}


def test_the_same_bytes_again_change_what_passing_means(registry, submitted, program):
    archive = program()
    author, name, version = submitted(archive)
    assert not author.submit(name, archive, no_activate=True).version.activates
    registry.worker.validate(version.id)
    assert states(author) == {1: VALID}
    again = author.submit(name, archive)
    assert (again.known, again.version.state) == (True, ACTIVE)


def test_bytes_that_played_before_play_again_when_they_are_submitted_again(registry, submitted, program):
    archive = program()
    author, name, first = submitted(archive)
    second = author.submit(name, program()).version
    for version in (first, second):
        registry.worker.validate(version.id)
    assert author.submit(name, archive, no_activate=True).version.state == RETIRED
    assert author.submit(name, archive).version.state == ACTIVE
    assert states(author) == {1: ACTIVE, 2: RETIRED}


@pytest.mark.long
@pytest.mark.stores
def test_of_versions_that_pass_at_once_the_newest_plays(registry, submitted, program):
    author, name, first = submitted()
    versions = [first, *(author.submit(name, program()).version for _ in range(3))]
    claims = [registry.worker.ClaimValidation(version_id=one.id, worker="w") for one in versions]

    def pass_it(number):
        fence = claims[number].fence
        registry.worker.SubmitValidation(version_id=versions[number].id, fence=fence, ok=True)

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(pass_it, range(4)))
    assert author.GetVersion(version_id=name).version.number == 4
    assert list(states(author).values()).count(ACTIVE) == 1


def test_services_hear_which_versions_are_not_active(registry, submitted, program):
    author, name, first = submitted()
    second = author.submit(name, program()).version
    for version in (first, second):
        registry.worker.validate(version.id)

    def list_inactive(*asked):
        return list(registry.worker.ListInactiveVersions(version_ids=asked).version_ids)

    assert list_inactive(second.id, first.id, "version_none", name) == [first.id, "version_none", name]
    assert list_inactive(second.id) == list_inactive() == []
    registry.worker.SuspendVersion(version_id=second.id, words="faults in 3 matches in a row")
    assert list_inactive(first.id, second.id) == [first.id, second.id]
    with pytest.raises(errors.BadRequest, match="At most 100 versions"):
        list_inactive(*["version_none"] * 101)
    with pytest.raises(errors.NotAllowed, match="Only the arena's own services"):
        author.ListInactiveVersions(version_ids=[first.id])


def test_every_refusal_for_want_of_an_active_version_names_the_next_command(registry, submitted, program):
    author, name, first = submitted(no_activate=True)

    def refused(words):
        with pytest.raises(errors.NotActive, match=words):
            author.GetVersion(version_id=name)

    refused(f"is uploaded. Once it has passed, `maumau activate {name}` lets it play")
    registry.worker.validate(first.id)
    refused(f"its newest, 1, is valid. `maumau activate {name}` lets it play")
    second = author.submit(name, program(), no_activate=True).version
    registry.worker.validate(second.id, ok=False, reason="it never answered")
    refused(f"its newest, 2, is refused. `maumau activate {first.id}` lets version 1 play")
    author.CreateBot(name=f"empty-{name}")
    with pytest.raises(errors.NotActive, match="no version yet; `maumau submit FOLDER` uploads one"):
        author.GetVersion(version_id=f"empty-{name}")


def test_a_bot_with_nothing_to_activate_is_told_how_to_get_there(registry, submitted):
    author, name, version = submitted()
    with pytest.raises(errors.NotActive, match=r"It becomes active when it passes .* `maumau bots` shows"):
        author.GetVersion(version_id=name)
    registry.worker.validate(version.id, ok=False, reason="it never answered")
    with pytest.raises(errors.NotActive, match=f"`maumau logs {version.id}` says why; `maumau submit"):
        author.GetVersion(version_id=name)
    author.DeleteBot(name=name)
    with pytest.raises(errors.NotActive, match="is refused, and the bot is retired"):
        author.GetVersion(version_id=name)
