"""Mystery rules in the arena: nobody is told of them before the reveal, and everybody afterwards."""

import hashlib
import json

import pytest
from sqlalchemy import text

from maumau.contest.export.verify import verify
from maumau.contest.spec.spec import parse_spec
from maumau.errors import (
    BadSpec,
    EntriesClosed,
    NotValidated,
    NotYours,
    QuotaReached,
    RulesSealed,
    TrialNotPassed,
    TrialPending,
    WrongState,
)
from maumau.game import load_text
from services.registry.store.bots import trial
from services.shared.base.auth import Need
from services.tournament.domain.sealed import read_rules, unseal_spec
from services.tournament.organising import mystery
from services.tournament.organising.spec_row import check_spec
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import WORKER
from tests.support.waiting import until
from tests.tournament.test_visibility import FILLED, READER, SERVICES, ask, methods

MARKER = "zyxomma"
MINE = f"""\
title = "{MARKER}: a title"
source = "{MARKER} source"
extends = "prsi"
[options]
{MARKER}_n = {{ least = 1, most = 9, default = 3 }}
[[card]]
on = ["7"]
owe = "{MARKER}_n"
"""
SPEC = """\
name = "{name}"
rules = "zyxomma"
variant_toml = {variant}
{top}
[options]
zyxomma_n = 4
max_decisions = 471
[mystery]
{mystery}
[[stage]]
format = "round_robin"
[match]
block = 2
cap = 4
delta = 0.001
{more}
"""
SECRETS = (MARKER, "max_decisions", "extends")
"""Texts that are in the rules, and in nothing else of these contests."""
TIMES = """
[entries]
closes = 2030-01-01T18:00:00+00:00
[schedule]
starts = 2030-01-01T19:00:00+00:00
"""
REVEAL = "reveal = 2030-01-01T18:30:00+00:00"


def spec(name, reveal="", more="", top=""):
    return SPEC.format(name=name, variant=json.dumps(MINE), mystery=reveal, more=more, top=top)


@pytest.fixture(scope="module")
def house(start):
    with start(reader_token=READER, sweep=0.3) as arena:
        yield arena


def open_cup(arena, name, **more):
    """Return a new contest that takes entries, as its organiser sees it."""
    arena.admin.create(spec(name, **more))
    return arena.admin.open(name)


def report_trial(arena, *, ok=True, reason="", log=""):
    """Report the next trial as a worker does; return what it was to play."""
    workers = arena.registry(WORKER)
    claim = workers.ClaimValidation(worker="test", by_turn=True, trials=True)
    assert claim.version_id.startswith("trial_")
    told = {"version_id": claim.version_id, "fence": claim.fence}
    workers.RenewValidation(**told, progress="trial_1 at 2 seats, deal 1 of 60")
    workers.SubmitValidation(**told, ok=ok, reason=reason, log=log)
    workers.SubmitValidation(**told, ok=ok, reason=reason, log=log)  # once more, as after a lost answer
    return claim.trial


def enter(arena, name, bot, client=None):
    """Enter a bot that passes."""
    with refused(TrialPending):
        (client or arena.admin).enter(name, bot)
    report_trial(arena)
    return (client or arena.admin).enter(name, bot)


def list_told(arena, name, token, needs):
    """Yield all that the tournament service tells this token, by method."""
    for service, method, _ in methods():
        if service is SERVICES[0] and service[2][method] in needs and method not in ("Enter", "Withdraw"):
            yield method, ask(arena, service, method, token, {**FILLED, "tournament": name})


def check_nothing_told(arena, name, people):
    asked = 0
    for who, (token, needs) in people.items():
        for method, told in list_told(arena, name, token, needs):
            for secret in SECRETS:
                assert secret.encode() not in told, (who, method)
            asked += 1
    assert asked > 60


@pytest.mark.long
def test_nobody_but_an_organiser_is_told_of_the_rules_before_the_reveal(house, capfd) -> None:
    name = "cup-sealed"
    author, _ = house.author()
    stranger, _ = house.author()
    made = open_cup(house, name)
    bot = house.bot("first", author, rules=())
    enter(house, name, bot, author)
    calls = {Need.ANY, Need.AUTHOR, Need.PUBLIC, Need.LEADER}
    people = {
        "reader": (READER, {Need.ANY, Need.PUBLIC}),
        "stranger": (stranger.token, calls),
        "entrant": (author.token, calls),
    }
    check_nothing_told(house, name, people)
    assert next(iter(author.watch(name))).rules is None
    found = author.tournament(name)
    assert found.rules is None
    assert found.mystery.salt == found.mystery.sealed_toml == found.mystery.draft_toml == ""
    assert found.mystery.trials == ()
    assert parse_spec(found.spec_toml).is_sealed
    preview = author.preview("Withdraw", tournament=name, bot_name=bot)
    assert MARKER not in repr(preview)
    assert MARKER in made.mystery.sealed_toml
    assert parse_spec(made.mystery.draft_toml).options == {f"{MARKER}_n": 4, "max_decisions": 471}
    out = capfd.readouterr()
    assert MARKER not in out.out + out.err


@pytest.mark.long
def test_whoever_wrote_the_commitment_down_can_check_the_rules(house, tmp_path) -> None:
    name = "cup-revealed"
    commitment = open_cup(house, name, top='secret = "a-secret-that-is-known-to-all"').mystery.commitment
    for bot in (house.bot("first", rules=()), house.bot("random", rules=())):
        enter(house, name, bot)
    watch = house.author()[0].watch(name)
    assert next(watch).mystery.commitment == commitment
    house.admin.start(name)
    told = next(one for one in watch if getattr(one, "rules_revealed", None)).rules_revealed
    found = house.author()[0].tournament(name)
    assert (told.rules, told.salt, told.commitment) == (MARKER, found.mystery.salt, commitment)
    assert found.rules.name == MARKER
    assert found.rules.variant_toml == MINE
    sealed = f"{found.mystery.salt}\n{found.mystery.sealed_toml}"
    assert hashlib.sha256(sealed.encode()).hexdigest() == commitment
    play_until_over(house, name)
    file = tmp_path / "cup.jsonl"
    file.write_bytes(b"".join(house.admin.export(name)))
    assert verify(file, seen=[commitment, found.mystery.salt]).missed == (found.mystery.salt,)
    assert verify(file).ok


def play_until_over(arena, name):
    def play_next():
        for block in arena.blocks(name, "queued"):
            arena.worker.play(block.id)
        return arena.admin.tournament(name).over

    until(play_next)


@pytest.mark.long
def test_a_bot_enters_once_it_has_passed_three_variants_that_were_made_for_the_contest(house) -> None:
    name = "cup-trials"
    author, _ = house.author()
    open_cup(house, name)
    bot = house.bot("first", author, rules=())
    assert author.trial(name, bot).state == "none"
    with refused(TrialPending, "validated in 3 variants that were made for cup-trials. Entering begins it"):
        author.preview("Enter", tournament=name, bot_name=bot)
    assert author.trial(name, bot).state == "none"
    with refused(TrialPending, "It waits for a worker; enter it again when it has passed."):
        author.enter(name, bot)
    terms = report_trial(house)
    assert [one.name for one in terms.rules] == ["trial_1", "trial_2", "trial_3"]
    assert list(terms.seats) == [2]
    assert len({load_text(one.name, one.variant_toml).hash for one in terms.rules}) == 3
    assert all(MARKER not in one.variant_toml for one in terms.rules)
    assert author.trial(name, bot).state == "passed"
    assert author.enter(name, bot).number == 1
    better = author.submit(bot, house.program("random")).version
    house.pass_validation(better.id)
    author.activate(better.id)
    with refused(TrialPending):
        author.enter(name, bot)
    report_trial(house)
    assert author.enter(name, bot).version_id == better.id


def claim_trial(arena):
    """Return True if a trial waits, which is then this test's."""
    return arena.registry(WORKER).ClaimValidation(worker="test", by_turn=True, trials=True).claimed


@pytest.mark.long
def test_an_entry_that_is_refused_anyway_begins_no_validation(house) -> None:
    author, _ = house.author()
    bot = house.bot("first", author, rules=())
    house.admin.create(spec("cup-not-open"))
    with refused(EntriesClosed, "takes no entries yet"):
        author.enter("cup-not-open", bot)
    open_cup(house, "cup-over")
    house.admin.cancel("cup-over")
    with refused(EntriesClosed, "it is cancelled"):
        author.enter("cup-over", bot)
    open_cup(house, "cup-one-each", more="[entries]\nper_account = 1")
    enter(house, "cup-one-each", bot, author)
    with refused(QuotaReached, "takes 1 bots of an account"):
        author.enter("cup-one-each", house.bot("random", author, rules=()))
    assert not claim_trial(house)
    for name in ("cup-not-open", "cup-over"):
        assert author.trial(name, bot).state == "none"


@pytest.mark.long
def test_a_validation_is_for_the_limits_of_the_contest(house) -> None:
    name = "cup-limits"
    made = open_cup(house, name)
    bot = house.bot("first", rules=())
    with refused(TrialPending):
        house.admin.enter(name, bot)
    assert report_trial(house).deal_ms == 100
    later = house.admin.edit(name, made.mystery.draft_toml.replace("deal_ms = 100\n", "deal_ms = 90\n"))
    assert later.mystery.commitment == made.mystery.commitment
    with refused(TrialPending):
        house.admin.enter(name, bot)
    assert report_trial(house).deal_ms == 90
    assert house.admin.enter(name, bot).number == 1


@pytest.mark.long
def test_an_account_has_few_validations_at_a_time(house, monkeypatch) -> None:
    monkeypatch.setattr(trial, "MOST_WAITING", 1)
    author, _ = house.author()
    bot = house.bot("first", author, rules=())
    for name in ("cup-busy", "cup-later"):
        open_cup(house, name)
    with refused(TrialPending):
        author.enter("cup-busy", bot)
    with refused(QuotaReached, "for contests with mystery rules are not over"):
        author.enter("cup-later", bot)
    report_trial(house)
    enter(house, "cup-later", bot, author)


@pytest.mark.long
def test_a_refusal_says_what_the_bot_did_and_nothing_of_the_variant(house) -> None:
    name = "cup-refusal"
    author, _ = house.author()
    open_cup(house, name)
    bot = house.bot("crash", author, rules=())
    with refused(TrialPending):
        author.enter(name, bot)
    reason = "in trial_2 at 2 seats: illegal: it laid 7H: on KS"
    report_trial(house, ok=False, reason=reason, log="asked: owe 3 after 7H")
    with refused(TrialNotPassed, "an answer that is not allowed, in variant 2 of 3 at 2 seats"):
        author.enter(name, bot)
    told = author.trial(name, bot)
    assert (told.state, told.log) == ("refused", "")
    assert "7H" not in repr(told)
    with refused(NotYours):
        house.author()[0].trial(name, bot)
    version = house.registry(author.token).GetVersion(version_id=bot)
    assert "7H" not in str(version)
    others = [house.bot("first", rules=()), house.bot("random", rules=())]
    for one in others:
        enter(house, name, one)
    house.admin.start(name)
    assert author.trial(name, bot).log == "asked: owe 3 after 7H"
    assert len(author.tournament(name).mystery.trials) == 3
    house.admin.cancel(name)


@pytest.mark.long
def test_a_bot_that_names_its_rules_cannot_play_a_mystery(house) -> None:
    open_cup(house, "cup-any")
    with refused(NotValidated, "plays mau_mau alone. Where the rules are a mystery, bots play whose"):
        house.admin.enter("cup-any", house.bot("first"))


@pytest.mark.parametrize(
    ("reveal", "more", "words"),
    [
        ("reveal = 2030-01-01T20:00:00+00:00", TIMES, "is after the start"),
        (REVEAL, "", "a moment needs schedule.starts"),
        (f'commitment = "{"a" * 64}"', "", "the arena computes it"),
        ("", "[game]\nrounds = 3", "they are for single deals"),
    ],
)
def test_a_mystery_that_cannot_be_is_refused_when_it_is_made(house, reveal, more, words) -> None:
    with refused(BadSpec, words):
        house.admin.create(spec("cup-impossible", reveal, more))


@pytest.mark.parametrize("rules", ["mau_mau", "app", "one_oh_one", "faraon"])
@pytest.mark.parametrize("stage", ["round_robin", "tables"])
def test_every_variant_is_revealed_as_it_was_sealed(monkeypatch, rules, stage) -> None:
    monkeypatch.setattr(mystery, "make_trials", lambda salt, seats: [])
    seats = "seats = 3\n" if stage == "tables" else ""
    given = f'name = "cup"\nrules = "{rules}"\n[mystery]\n[[stage]]\nformat = "{stage}"\n{seats}'
    sealed, stored = mystery.seal_rules(check_spec(given))
    opened = unseal_spec(parse_spec(sealed.to_toml()), read_rules(stored))
    assert parse_spec(opened.to_toml()) == opened
    assert opened.mystery.commitment == sealed.mystery.commitment
    assert rules not in sealed.to_toml()


def test_a_sealed_spec_is_no_draft(house) -> None:
    open_cup(house, "cup-sealed-text")
    sealed = house.author()[0].tournament("cup-sealed-text").spec_toml
    with refused(BadSpec, "the arena computes it"):
        house.admin.create(sealed.replace("cup-sealed-text", "cup-again"))
    with pytest.raises(RulesSealed):
        parse_spec(sealed).load_rules()


@pytest.mark.long
def test_rules_that_do_not_change_keep_their_commitment(house) -> None:
    made = house.admin.create(spec("cup-edited"))
    later = house.admin.edit("cup-edited", made.mystery.draft_toml.replace("cap = 4", "cap = 8"))
    assert later.mystery.commitment == made.mystery.commitment
    other = house.admin.edit("cup-edited", later.mystery.draft_toml.replace("zyxomma_n = 4", "zyxomma_n = 5"))
    assert other.mystery.commitment != made.mystery.commitment
    keys = [one.key for change in other.spec_changes for one in change.keys]
    assert keys == ["match.cap", "mystery.commitment"]
    house.admin.open("cup-edited")
    enter(house, "cup-edited", house.bot("first", rules=()))
    with refused(WrongState, "mystery.commitment cannot be changed any more"):
        house.admin.edit("cup-edited", spec("cup-edited"))
    freely = other.mystery.draft_toml.replace("protest_minutes = 0", "protest_minutes = 5")
    assert house.admin.edit("cup-edited", freely).mystery.commitment == other.mystery.commitment


@pytest.mark.long
def test_the_clock_reveals_once_over_a_restart_and_with_replicas(start) -> None:
    with start(sweep=0.3) as arena:
        open_cup(arena, "cup-clock", reveal=REVEAL, more=TIMES)
        for bot in (arena.bot("first", rules=()), arena.bot("random", rules=())):
            enter(arena, "cup-clock", bot)
        before = arena.admin.tournament("cup-clock")
        assert before.rules is None
        assert before.mystery.reveal_at is not None
        arena.stop()
        arena.start()
        other = arena.replica()
        try:
            assert arena.admin.tournament("cup-clock").rules is None
            with arena.database.write() as session:  # its moment has come
                session.execute(text("UPDATE tournament SET reveal_at = 1 WHERE name = 'cup-clock'"))
            until(lambda: arena.admin.tournament("cup-clock").rules)
        finally:
            other.stop()
        found = arena.admin.tournament("cup-clock")
        assert found.state == "open"
        assert found.rules.name == MARKER
        arena.admin.start("cup-clock")
        events = [one for one in watched(arena, "cup-clock") if getattr(one, "rules_revealed", None)]
        assert len(events) == 1
        play_until_over(arena, "cup-clock")
        assert arena.admin.tournament("cup-clock").mystery.revealed_at == found.mystery.revealed_at


def watched(arena, name):
    """Yield what a watcher is told up to the start."""
    for one in arena.admin.watch(name):
        yield one
        if getattr(one, "state_change", None) and one.state_change.after == "running":
            return
