"""A contest is `starting` from the close of its entries until it begins to play."""

import pytest

from maumau.client import action
from maumau.errors import EntriesClosed, NotAllowed, NotYours, WrongState
from maumau.v1 import tournament_pb2 as pb
from services.tournament.organising.organiser import Organiser
from tests.support.arenas.calls import refused
from tests.support.arenas.nonce import NONCE, OTHER, commit_nonce
from tests.support.arenas.tournament import ADMIN, DEFAULTS, SPEC, WORKER
from tests.support.terminal import Terminal
from tests.tournament.test_nonce import opened, terminal


def entered(arena, *nonces):
    """Return an open contest, and its authors: one for each nonce, with the bot entered with it."""
    name = opened(arena, top="")
    authors = []
    for nonce in nonces:
        author, _ = arena.author()
        bot = arena.bot("first", author)
        author.enter(name, bot, commit_nonce(nonce))
        authors.append((author, bot))
    return name, authors


@pytest.mark.long
def test_it_is_starting_from_the_close_of_its_entries_to_the_start(arena):
    name, [(ada, bot), (bob, other)] = entered(arena, NONCE, OTHER)
    assert arena.admin.tournament(name).state == "open"
    preview = arena.admin.preview("Start", tournament=name)
    assert preview.state == "starting"
    now = arena.admin.start(name)
    assert (now.state, now.confirming) == ("starting", 2)
    assert now.awaited == (ada.who().account_name, bob.who().account_name)
    with refused(EntriesClosed, "2 of 2 authors still have to confirm"):
        ada.enter(name, arena.bot("random", ada))
    with refused(WrongState, f"{name} is starting; that is possible only while it is running"):
        arena.admin.pause(name)
    ada.open_nonce(name, bot, NONCE)
    assert arena.admin.tournament(name).awaited == (bob.who().account_name,)
    bob.open_nonce(name, other, OTHER)
    now = arena.admin.tournament(name)
    assert (now.state, now.awaited) == ("running", ())
    arena.admin.cancel(name)


def test_clients_of_earlier_releases_see_it_as_open(arena):
    """They do not know the new state's number, and an unknown number would crash them."""
    name, _ = entered(arena, NONCE, OTHER)
    arena.admin.start(name)
    told = arena.tournament(ADMIN).GetTournament(tournament=name).tournament
    assert (told.state, told.starting) == (pb.TOURNAMENT_STATE_OPEN, True)
    arena.admin.cancel(name)


@pytest.mark.long
def test_an_author_who_is_seen_is_no_longer_awaited(arena):
    """A nonce not opened by then stays out of the seeds; the contest starts with the last author."""
    name, [(ada, _), (bob, other)] = entered(arena, NONCE, OTHER)
    assert ada.confirm_entries() == ()  # as long as entries are open there is nothing to confirm
    arena.admin.start(name)
    assert ada.confirm_entries() == (arena.admin.tournament(name).id,)
    assert ada.confirm_entries() == ()
    assert arena.admin.tournament(name).awaited == (bob.who().account_name,)
    assert bob.open_nonce(name, other, OTHER).confirmed
    now = arena.admin.tournament(name)
    assert now.state == "running"
    assert [one.nonce for one in now.entries] == ["", OTHER]


@pytest.mark.long
def test_a_nonce_is_still_taken_from_an_author_who_was_seen(arena):
    name, [(ada, bot), (bob, _)] = entered(arena, NONCE, OTHER)
    arena.admin.start(name)
    ada.confirm_entries()
    assert ada.open_nonce(name, bot, NONCE).nonce_opened
    bob.confirm_entries()
    assert [one.nonce for one in arena.admin.tournament(name).entries] == [NONCE, ""]


@pytest.mark.long
def test_an_organiser_confirms_for_the_house_bots_of_their_contest(arena):
    """Nobody else can: the house has no author who would type a command."""
    _, account = arena.author()
    teacher = arena.admin.with_token(arena.admin.create_token(account, ("organiser",)).token)
    greedy, second = arena.bot("first", arena.house), arena.bot("random", arena.house)
    pupil, _ = arena.author()
    for by_nonce in (True, False):
        cup = teacher.create(SPEC.format(**DEFAULTS | {"name": f"cup-{account}-{by_nonce}".lower()})).id
        teacher.open(cup)
        teacher.enter(cup, greedy, commit_nonce(NONCE))
        teacher.enter(cup, second)
        teacher.start(cup)
        with refused(NotYours):
            pupil.open_nonce(cup, greedy, NONCE)
        assert pupil.confirm_entries() == ()
        if by_nonce:
            assert teacher.open_nonce(cup, greedy, NONCE).nonce_opened
        else:
            assert teacher.confirm_entries() == (cup,)
        assert arena.admin.tournament(cup).state == "running"
        teacher.cancel(cup)


@pytest.mark.long
def test_its_organiser_starts_it_without_waiting(arena):
    name, [(ada, bot), _] = entered(arena, NONCE, OTHER)
    arena.admin.start(name)
    ada.open_nonce(name, bot, NONCE)
    with refused(NotAllowed):
        ada.start(name, now=True)
    assert arena.admin.preview("Start", tournament=name, now=True).state == "running"
    assert arena.admin.start(name, now=True).state == "running"
    assert [one.nonce for one in arena.admin.tournament(name).entries] == [NONCE, ""]
    at_once, _ = entered(arena, NONCE, OTHER)
    assert arena.admin.start(at_once, now=True).state == "running"


@pytest.mark.long
def test_the_last_one_awaited_may_also_withdraw(arena):
    name, [(ada, bot), (bob, other), (cleo, third)] = entered(arena, NONCE, OTHER, "33" * 32)
    arena.admin.start(name)
    ada.open_nonce(name, bot, NONCE)
    bob.open_nonce(name, other, OTHER)
    assert arena.admin.preview("Withdraw", tournament=name, bot_name=third).state == "starting"
    assert arena.admin.tournament(name).state == "starting"
    cleo.withdraw(name, third)
    assert arena.admin.tournament(name).state == "running"


@pytest.mark.long
def test_entries_that_closed_by_themselves_are_no_longer_open(arena):
    """They close at the time that the spec names, although nobody has started the contest."""
    name, [(ada, _), (bob, _)] = entered(arena, NONCE, OTHER)
    closed = "[entries]\ncloses = 2001-01-01T00:00:00Z"
    late = arena.create(block=2, cap=2, top=closed)
    arena.admin.open(late)
    now = arena.admin.tournament(late)
    assert (now.state, now.due_at, now.words) == ("starting", None, "its entries are closed")
    with refused(EntriesClosed, "closed at"):
        ada.enter(late, arena.bot("random", ada))
    arena.admin.cancel(late)
    arena.admin.cancel(name)
    assert bob.confirm_entries() == ()


def test_workers_confirm_nothing(arena):
    with pytest.raises(NotAllowed):
        arena.tournament(WORKER).ConfirmEntries()


COMMANDS = {
    "whoami": ["whoami"],
    "the login": ["login", "--token", "TOKEN"],
    "a code for the page": ["page"],
    "live tables": ["tables"],
    "ladders": ["ladder", "list"],
    "what waits": ["queue"],
}


@pytest.mark.sample
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_whatever_command_an_author_uses_opens_the_nonce(arena, tmp_path, command):
    author, _ = arena.author()
    name, bot = opened(arena, "", top=""), arena.bot("random", author)
    ada = terminal(arena, tmp_path / "ada", author.token)
    ada.run("tournament", "enter", name, bot)
    assert arena.admin.start(name).state == "starting"
    if "login" in command:
        ada = Terminal(ada.home, MAUMAU_ARENA=ada.variables["MAUMAU_ARENA"])
    ada.run(*(author.token if word == "TOKEN" else word for word in command), code=None)
    now = arena.admin.tournament(name)
    assert (now.state, [bool(one.nonce) for one in now.entries]) == ("running", [False, True])


def test_a_command_on_another_machine_confirms_without_the_nonce(arena, tmp_path):
    author, _ = arena.author()
    name, bot = opened(arena, "", top=""), arena.bot("random", author)
    terminal(arena, tmp_path / "here", author.token).run("tournament", "enter", name, bot)
    assert arena.admin.start(name).state == "starting"
    terminal(arena, tmp_path / "there", author.token).run("tournament", "show", name)
    now = arena.admin.tournament(name)
    assert (now.state, [bool(one.nonce) for one in now.entries]) == ("running", [False, False])


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError("a fault of the arena"), "warning: the arena could not note that you are there"),
        (NotAllowed("it enters no bots"), ""),
    ],
)
def test_an_author_is_told_if_the_arena_fails_to_confirm(arena, tmp_path, monkeypatch, error, words):
    def confirm_entries(*_):
        raise error

    monkeypatch.setattr(Organiser, "confirm_entries", confirm_entries)
    name = opened(arena, "", top="")
    said = terminal(arena, tmp_path / "ada", arena.author()[0].token).run("tournament", "show", name)
    assert name in said.out
    assert words in said.err.replace("\n", " ")
    assert bool(said.err) is bool(words)


def test_signs_of_presence_leave_no_trace_among_actions(arena):
    arena.admin.confirm_entries()
    kept = action.read_newest_actions({"tournament": arena.address}, ADMIN, 1000, tls=False)
    assert all(one.method != "ConfirmEntries" for one in kept)
