"""Permission and time of entries."""

import pytest

from maumau.contest.export.verify import verify
from maumau.errors import (
    AlreadyEntered,
    EntriesClosed,
    NotActive,
    NotEntered,
    NotInvited,
    NotValidated,
    NotYours,
    QuotaReached,
    SecretKnown,
    TooFewEntrants,
    TournamentFull,
    UnknownBot,
    UnknownTournament,
    UploadsClosed,
)  # fmt: skip
from maumau.screen.contest.report import twins
from services.tournament.store.contests.tournament import Tournaments
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import DEFAULTS, SPEC
from tests.support.meanwhile import do_after
from tests.support.waiting import until


def opened(arena, **spec):
    name = arena.create(**spec)
    arena.admin.open(name)
    return name


def test_a_bot_enters_once(arena):
    name, (bot,) = opened(arena), arena.field("first")
    entry = arena.admin.enter(name, bot)
    assert (entry.number, entry.account_name) == (1, "admin")
    with refused(AlreadyEntered, bot):
        arena.admin.enter(name, bot)
    assert len(arena.admin.tournament(name).entries) == 1


@pytest.mark.long
def test_an_organiser_enters_bots_of_the_house_in_a_contest_of_their_own(arena):
    """As a yardstick for a field; nobody else does, and an organiser nowhere else."""
    _, account = arena.author()
    teacher = arena.admin.with_token(arena.admin.create_token(account, ("organiser",)).token)
    greedy = arena.bot("first", arena.house)
    own, other = f"own-{account}", arena.create()
    teacher.create(SPEC.format(**DEFAULTS | {"name": own}))
    teacher.open(own)
    arena.admin.open(other)
    assert teacher.enter(own, greedy).account_name == "house"
    with refused(NotYours, "Bots of the house are entered by the contest's organiser"):
        teacher.enter(other, greedy)
    pupil, _ = arena.author()
    with refused(NotYours):
        pupil.enter(own, greedy)
    with refused(NotYours):
        teacher.enter(own, arena.bot("random", pupil))
    teacher.withdraw(own, greedy)
    teacher.cancel(own)


@pytest.mark.long
def test_nobody_enters_before_the_entries_open_or_after_they_closed(arena):
    (bot,) = arena.field("first")
    name = arena.create()
    with refused(EntriesClosed, "its organiser has to open it"):
        arena.admin.enter(name, bot)
    started = arena.begin("random", "crash")
    with refused(EntriesClosed, "is running"):
        arena.admin.enter(started, bot)
    late = opened(arena, top="[entries]\ncloses = 2001-01-01T00:00:00Z")
    with refused(EntriesClosed, "2001-01-01"):
        arena.admin.enter(late, bot)


@pytest.mark.long
def test_a_secret_that_was_published_is_for_the_arenas_own_bots_alone(arena):
    author, _ = arena.author()
    bot, *own = arena.bot("first", author), *arena.field("first", "random")
    given = 'secret = "published-once-and-known-since"'
    before, early, name = arena.create(top=given), opened(arena, top=given), opened(arena, top=given)
    author.enter(early, bot)
    arena.admin.cancel(before)
    with refused(SecretKnown, "published with another contest"):
        author.enter(name, bot)
    for each in own:
        arena.admin.enter(early, each)
        arena.admin.enter(name, each)
    with refused(SecretKnown, early):
        arena.admin.start(early)
    assert arena.admin.tournament(early).state == "open"
    assert arena.admin.start(name).state == "running"
    arena.admin.cancel(name)


@pytest.mark.long
def test_in_an_arena_for_its_house_alone_strangers_wait_and_the_others_play(arena):
    """Strangers that entered before lose nothing, and continue once there is a sandbox or trust."""
    author, _ = arena.author()
    stranger = arena.bot("random", author)
    name = opened(arena, block=5, cap=5)
    author.enter(name, stranger)
    for bot in arena.field("first", "random"):
        arena.admin.enter(name, bot)
    arena.admin.start(name)
    blocks = until(lambda: len(found := arena.blocks(name, "queued")) == 3 and found)
    wary = arena.replica(uploads="house")
    try:
        played = [wary.worker.play(block.id) for block in blocks]
        assert len([answer for answer in played if answer]) == 1
        assert f"{stranger} may not play without a sandbox" in wary.admin.tournament(name).words
        with refused(UploadsClosed, stranger):
            wary.admin.enter(opened(arena), stranger)
    finally:
        wary.stop()
    arena.finish(name)
    assert arena.admin.tournament(name).words == ""


def test_unknown_bots_and_tournaments_are_named(arena):
    with refused(UnknownBot, "nobody"):
        arena.admin.enter(opened(arena), "nobody")
    with refused(UnknownTournament, "nowhere"):
        arena.admin.enter("nowhere", arena.field("first")[0])


@pytest.mark.long
def test_someone_elses_bot_is_refused_but_to_an_admin(arena):
    author, account = arena.author()
    stranger, _ = arena.author()
    bot, name = arena.bot("first", author), opened(arena)
    with refused(NotYours, account):
        stranger.enter(name, bot)
    assert author.enter(name, bot).account_name == account
    with refused(NotYours, account):
        stranger.withdraw(name, bot)
    author.withdraw(name, bot)
    assert arena.admin.enter(name, bot).account_name == account


def test_a_bot_without_an_active_version_is_refused(arena):
    author, _ = arena.author()
    author.submit("idle-" + author.who().account_name, arena.program("idle"))
    with refused(NotActive):
        author.enter(opened(arena), "idle-" + author.who().account_name)


def test_a_bot_enters_what_it_was_validated_for(arena):
    author, _ = arena.author()
    bot = arena.bot("first", author, rules=["prsi"])
    with refused(NotValidated, "only for prsi"):
        author.enter(opened(arena), bot)


def test_a_tournament_takes_as_many_as_it_says(arena):
    name = opened(arena, top="[entries]\nmost = 2")
    first, random, third = arena.field("first", "random", "first")
    arena.admin.enter(name, first)
    arena.admin.enter(name, random)
    with refused(TournamentFull, "takes 2"):
        arena.admin.enter(name, third)


@pytest.mark.long
def test_an_account_enters_so_many_bots(arena):
    name, (author, _) = opened(arena, top="[entries]\nper_account = 2"), arena.author()
    for policy in ("first", "random"):
        author.enter(name, arena.bot(policy, author))
    with refused(QuotaReached, "takes 2 bots of an account; you have entered first-"):
        author.enter(name, arena.bot("crash", author))
    author.withdraw(name, author.tournament(name).entries[0].bot_name)
    assert author.enter(name, arena.bot("gone", author)).number == 2
    other, _ = arena.author()
    assert other.enter(name, arena.bot("first", other)).number == 3


@pytest.mark.long
def test_an_account_enters_a_program_once(arena):
    name, (author, _) = opened(arena), arena.author()
    first, twin = arena.bot("first", author), arena.bot("first", author)
    author.enter(name, first)
    with refused(AlreadyEntered, f"{twin} is the same program as {first}"):
        author.enter(name, twin)
    other, _ = arena.author()
    assert other.enter(name, arena.bot("first", other)).number == 2  # the author of the idea is left open


def test_where_accounts_are_named_nobody_else_enters(arena):
    (ada, name), (eve, _) = arena.author(), arena.author()
    cup = opened(arena, top=f'[entries]\naccounts = ["{name}"]')
    with refused(NotInvited, "accounts that its spec names"):
        eve.enter(cup, arena.bot("first", eve))
    assert ada.enter(cup, arena.bot("first", ada)).account_name == name
    with refused(NotInvited):
        arena.admin.enter(cup, arena.field("first")[0])


def test_the_same_program_of_two_accounts_is_said_to_everybody(arena):
    cup, (ada, _), (eve, _) = opened(arena), arena.author(), arena.author()
    one, two = arena.bot("first", ada), arena.bot("first", eve)
    ada.enter(cup, one)
    assert not list(twins(arena.admin.tournament(cup)))
    eve.enter(cup, two)
    (words,) = twins(arena.admin.tournament(cup))
    assert one in words
    assert two in words
    eve.withdraw(cup, two)
    assert not list(twins(arena.admin.tournament(cup)))


def test_one_entrant_is_no_tournament(arena):
    name = opened(arena)
    arena.admin.enter(name, arena.field("first")[0])
    with refused(TooFewEntrants):
        arena.admin.start(name)
    assert arena.admin.tournament(name).state == "open"


def test_who_withdraws_before_the_start_leaves_no_gap(arena):
    name = opened(arena)
    first, random, third = arena.field("first", "random", "first")
    for bot in (first, random, third):
        arena.admin.enter(name, bot)
    assert arena.admin.withdraw(name, first).withdrawn
    entries = arena.admin.tournament(name).entries
    assert [(one.number, one.bot_name) for one in entries] == [(1, random), (2, third)]
    with refused(NotEntered):
        arena.admin.withdraw(name, first)
    assert arena.admin.enter(name, first).number == 3


def test_nobody_withdraws_a_bot_of_others_that_enters_just_then(arena, monkeypatch):
    cup, (ada, _), (eve, _) = opened(arena), arena.author(), arena.author()
    bot = arena.bot("first", ada)
    do_after(monkeypatch, Tournaments, "list_entries", lambda: ada.enter(cup, bot))
    with refused(NotEntered, bot):
        eve.withdraw(cup, bot)
    assert [one.bot_name for one in arena.admin.tournament(cup).entries] == [bot]


@pytest.mark.long
def test_who_withdraws_during_play_loses_what_is_not_decided(arena, tmp_path):
    name = arena.begin("first", "random", "crash")
    gone = arena.field("random")[0]
    arena.admin.withdraw(name, gone)
    lost = lambda: [one for one in arena.admin.matches(name) if one.rule == "withdrawn"]  # noqa: E731
    until(lambda: len(lost()) == 2)
    assert all(one.winner != 2 and one.sets == 0 for one in lost())
    arena.finish(name)
    assert arena.admin.standings(name).standings[-1].bot_name == gone
    (tmp_path / "cup.jsonl").write_bytes(arena.export(name))
    assert verify(tmp_path / "cup.jsonl").ok
