"""Sentences of other services are German to the last word on German pages, or English as they came."""

from itertools import product
from types import SimpleNamespace
from typing import get_args

import pytest

from maumau.contest.ladder.pairing import Kind, Pair, explain_pair
from maumau.contest.ladder.rest import Rest, describe_rest
from maumau.contest.spec.part import Mystery
from maumau.contest.spec.spec import Spec
from maumau.errors import NotValidated, RulesSealed, WrongState
from services.engine.folded import find_overdue
from services.engine.replica import LOST
from services.matchmaking.servicer import _explain_idleness
from services.matchmaking.upkeep.take_back import GONE, MADE_ROOM
from services.registry.domain.state import State, list_before
from services.registry.store.bots.bot import _why_not_active
from services.registry.store.bots.trial import say_waiting
from services.shared.rpc.registry import PlayableVersion, TrialOutcome
from services.tournament.organising.boards import ContestView
from services.tournament.organising.mystery import DEEDS, check_played, check_trial
from services.tournament.play.active import describe_inactive
from services.tournament.store.blocks.reaper import void_words
from services.tournament.store.contests.nonce import waiting_words
from services.web.delivery.render import tell_reason
from services.web.play.lobby import NO_BOT_CAME, PLAYER_LEFT
from services.web.words import TONGUES
from services.web.words.services.told import translate_words

NAMES = {0: "ada-1", 1: "bob", 2: "cyd", 3: "dan"}
VERSIONS = {0: "ada-1 v3", 1: "ada-1 v12", 2: "cyd", 3: "dan v1"}
NUMBERS = {"seconds": 700.0, "first": 0.31, "second": 0.22, "sets": 12.0, "gap": 8.0}
GERMAN_TOO = {
    "arena",
    "block",
    "bot",
    "bots",
    "elo",
    "manifest",
    "s",
    "sandbox",
    "version",
    "worker",
    "workers",
}
COMMANDS = {"maumau", "submit", "folder", "logs", "activate"}


def read_words(text):
    return {word.strip("`.,:;()").lower() for word in text.split()}


def read_english(told, words):
    """Return the words of a translation that stand in the English too, but for names and numbers."""
    alike = read_words(told) & read_words(words)
    names = {*NAMES.values(), "a", "b", "c", "prsi"}
    return sorted(word for word in alike - names - GERMAN_TOO - COMMANDS if word.isalpha())


def pairings():
    for kind in get_args(Kind):
        for others in ((), (2,), (2, 3)):
            yield explain_pair(Pair(0, 1, kind, NUMBERS, others), NAMES)
    yield explain_pair(Pair(0, 1, "new", {"sets": 3.0, "parent": 1.0}), NAMES)
    for kind in get_args(Kind):
        yield explain_pair(Pair(0, 1, kind, {**NUMBERS, "parent": 1.0}, (2, 3)), VERSIONS)


def member(name, account):
    return SimpleNamespace(bot_name=name, account_name=account, party="", here=True, number=1, words="")


def ladders():
    row = SimpleNamespace(seats=2, rests="", rests_for="")
    yield _explain_idleness(row, [member("a", "ada")])
    yield _explain_idleness(row, [member("a", "ada"), member("b", "ada")])
    for apart, close in ((2, 0), (0, 2), (1, 0), (0, 1), (1, 2), (3, 2)):
        yield describe_rest(Rest(apart, close))
    yield from (GONE, MADE_ROOM, describe_inactive("first-1"))


def members():
    """Yield why a bot has no active version, and why it may not play, in every state of a version."""
    yield why_not_active()
    may_play = list_before(State.ACTIVE)
    for state, suspended, retired, usable in product(State, ("", "too slow"), (None, 1), (None, 7, 8)):
        if state is not State.ACTIVE and (state in may_play) == (usable == 8):
            yield why_not_active(state, suspended, retired, usable)
    yield why_not_active(State.UPLOADED, activates=True)
    version = PlayableVersion(
        "v_9", "bob", "ada", "", frozenset({"prsi", "czech_classic"}), frozenset({2, 3})
    )
    for rules, seats in (("mau_mau", 2), ("prsi", 4)):
        with pytest.raises(NotValidated) as refused:
            version.check(rules, seats)
        yield str(refused.value)


def why_not_active(state=None, suspended="", retired=None, usable=None, *, activates=False):
    newest = SimpleNamespace(id="v_9", number=8, state=state, suspended=suspended, activates=activates)
    older = SimpleNamespace(id="v_9", number=7)
    found = [newest if state else None, {None: None, 7: older, 8: newest}[usable]]
    session = SimpleNamespace(exec=lambda query: SimpleNamespace(first=lambda: found.pop(0)))
    return _why_not_active(session, SimpleNamespace(id="x", name="bob", retired_at=retired))


def tables():
    standing = SimpleNamespace(state="waiting", joined={1})
    yield find_overdue(SimpleNamespace(standing=standing, head=SimpleNamespace(seats=3))).words
    yield LOST
    yield "it was closed"
    yield NO_BOT_CAME
    yield PLAYER_LEFT


def entry(bot, account, nonce):
    return SimpleNamespace(
        bot_name=bot,
        account_name=account,
        commitment="c",
        nonce=nonce,
        confirmed_at=0,
        withdrawn=False,
        sha256="s",
    )


def a_view(state, words="", *, lacking=None, entries=()):
    tournament = SimpleNamespace(state=state, closed_at=0, rules_hash="r")
    board = SimpleNamespace(tournament=tournament, words=words, entries=entries, spec=None)
    return ContestView(board, None, lambda: lacking or {}, (0, 0), lambda: 0, house_only=bool(entries))


def contests():
    yield void_words("1.2.3", 4, 3, "")
    entered = [entry("bob", "ada", ""), entry("cyd", "dan", "")]
    yield waiting_words([])
    yield waiting_words(entered[:1])
    yield waiting_words(entered)
    paused = f"{void_words('1.2.3', 4, 3, '')}; {void_words('1.2.4', 1, 3, '')}"
    lacking = {
        "r": "The rules prsi ordered are not those of this worker.",
        "s": "bob was built for x86_64-cpython-311, and this worker is aarch64-cpython-311.",
    }
    yield a_view("running", paused, lacking=lacking, entries=entered).words
    yield a_view("running", entries=entered[:1]).words


def trials():
    """Yield what is said to authors of bots for a contest with mystery rules."""
    reasons = [f"in trial_2 at 4 seats: {kind}: it laid 7H" for kind in DEEDS]
    states = [TrialOutcome(one) for one in ("none", "waiting", "playing")]
    for found in (*states, *(TrialOutcome("refused", one) for one in (*reasons, "no python"))):
        with pytest.raises(WrongState) as told:
            check_trial("fox-1", "cup-1", found)
        yield str(told.value)
    version = PlayableVersion("v", "fox-1", "ada-1", "", frozenset({"prsi", "mau_mau"}), frozenset())
    with pytest.raises(NotValidated) as told:
        check_played(version, Spec(name="cup-1", rules="mystery", stages=(), mystery=Mystery()))
    yield str(told.value)
    sealed = Spec(name="cup-1", rules="mystery", stages=(), mystery=Mystery(commitment="a" * 64))
    with pytest.raises(RulesSealed) as told:
        sealed.load_rules()
    yield str(told.value)
    yield say_waiting(8, "ada-1", "fox-1")


@pytest.mark.parametrize("words", [*pairings(), *ladders(), *members(), *tables(), *contests(), *trials()])
def test_a_sentence_is_german_throughout(words):
    told, is_own = translate_words(words, "de")
    assert is_own
    assert read_english(words, words)
    assert read_english(told, words) == []
    assert translate_words(words, "en") == (words, True)


def partly_known():
    """Yield sentences of services that have the words of a worker, an engine or a caller in them."""
    yield void_words("1.2.3", 4, 3, "the worker's disk was full")
    lacking = {"r": "bob: it needs the runtime java; Debian has it."}
    yield a_view("running", lacking=lacking).words
    yield a_view("running", void_words("1.2.3", 4, 3, ""), lacking=lacking).words
    yield "it was closed by the operator"
    yield "a worker's log: it was closed"
    yield f"{describe_rest(Rest(2, 0))} The worker's fan is broken."


@pytest.mark.parametrize("words", [*partly_known(), "The worker's fan is broken."])
def test_what_is_not_wholly_known_stays_english_and_says_so(words):
    assert translate_words(words, "de") == (words, False)


def test_nothing_said_is_nothing_in_german():
    assert translate_words("", "de") == ("", True)


def test_names_and_numbers_stay():
    told, _ = translate_words(explain_pair(Pair(0, 1, "top two", NUMBERS, (2, 3)), NAMES), "de")
    assert told == (
        "ada-1 und bob können beide der Beste sein: ihre Chancen sind 31 % und 22 %."
        " cyd und dan saßen am seltensten mit ihnen zusammen und füllen den Tisch auf."
    )


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (
            State.VALIDATING,
            "in Prüfung. Sobald sie bestanden hat, lässt `maumau activate bob` sie spielen.",
        ),
        (State.STALLED, "ungeprüft. `maumau submit FOLDER` mit denselben Dateien versucht es erneut."),
    ],
)
def test_the_state_of_a_version_is_said_in_german(state, told):
    words = f"Der Bot bob hat keine aktive Version; seine neueste, 8, ist {told}"
    assert translate_words(why_not_active(state), "de") == (words, True)


def test_a_long_reason_is_translated_before_it_is_cut():
    words = why_not_active(State.UPLOADED, activates=True).replace("bob", "b" * 64)
    assert len(words) > 200
    told = str(tell_reason(TONGUES["de"], words, 200))
    assert told.startswith(
        f"Der Bot {'b' * 64} hat keine aktive Version; seine neueste, 8, ist hochgeladen. Sie"
    )
    assert (len(told), told[-1]) == (200, "…")
    assert tell_reason(TONGUES["en"], words, 200) == f"{words[:199]}…"
    assert tell_reason(TONGUES["en"], "short", 200) == "short"
