"""Refusals when a tournament is made, and the view of an existing one."""

import pytest
from sqlalchemy import update
from sqlmodel import col

from maumau.contest.seed import compute_commitment
from maumau.errors import (
    BadSpec,
    NameTaken,
    NotAllowed,
    UnknownMatch,
    UnknownStage,
    UnknownTournament,
    UnknownVariant,
    WrongState,
)  # fmt: skip
from services.shared.store.connect import Database
from services.tournament.models import Tournament
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import Terminal

GOOD = 'name = "x"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"\n'


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("spec", "kind", "words"),
    [
        ("name = ", BadSpec, "not TOML"),
        (GOOD.replace("mau_mau", "mao_mao"), UnknownVariant, "mao_mao"),
        (GOOD.replace("round_robin", "mcmahon"), BadSpec, "round_robin"),
        (GOOD.replace("rules", "rulez"), BadSpec, "rulez"),
        (GOOD + "[options]\nno_such = 1\n", Exception, "no_such"),
        (GOOD + f"# {'x' * 70_000}", BadSpec, "64 KiB"),
        ('secret = "short"\n' + GOOD, BadSpec, "16 to 256"),
    ],
)
def test_a_spec_that_cannot_be_played_is_refused_in_words(arena, spec, kind, words):
    before = len(arena.admin.tournaments())
    with refused(kind, words):
        arena.admin.create(spec)
    assert len(arena.admin.tournaments()) == before


def test_names_of_tournaments_are_unique(arena):
    name = arena.create()
    with refused(NameTaken, name):
        arena.admin.create(GOOD.replace('"x"', f'"{name}"'))


def test_one_that_was_cancelled_before_it_began_gives_its_name_back(arena):
    name = arena.create()
    arena.admin.open(name)
    gone = arena.admin.cancel(name)
    arena.create(name=name)
    assert arena.admin.tournament(name).state == "created"
    assert arena.admin.tournament(gone.id).name == f"{name}~{gone.id[-6:]}"
    other = arena.create()
    arena.admin.cancel(name)
    arena.admin.edit(other, GOOD.replace('"x"', f'"{name}"'))
    assert arena.admin.tournament(name).state == "created"


def test_one_that_was_played_keeps_its_name(arena):
    name = arena.begin("first", "random", block=2, cap=2)
    arena.admin.cancel(name)
    with refused(NameTaken, name):
        arena.create(name=name)


def test_a_tournament_may_be_called_like_anothers_id(arena):
    name = arena.create()
    other = arena.admin.tournament(name).id
    arena.create(name=other)
    assert arena.admin.tournament(other).name == name
    assert arena.admin.tournament(name).id == other


def test_the_secret_is_nowhere_before_the_end(arena):
    secret = "a-secret-that-must-not-be-seen"
    name = arena.create(top=f'secret = "{secret}"')
    arena.admin.open(name)
    tournament = arena.admin.tournament(name)
    assert tournament.secret == ""
    assert secret not in str(arena.admin.tournaments())
    assert secret not in tournament.spec_toml
    assert tournament.commitment == compute_commitment(secret)
    assert arena.admin.cancel(name).secret == secret


def test_a_drawn_secret_says_so(arena):
    assert not arena.admin.tournament(arena.create()).secret_given


def test_one_spec_that_cannot_be_read_any_more_hides_no_other_tournament(arena, tmp_path):
    sound, broken = arena.create(), arena.create()
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.write() as session:
        session.execute(
            update(Tournament)
            .where(col(Tournament.name) == broken)
            .values(spec=GOOD.replace("mau_mau", "mao_mao"), version=Tournament.version + 1)
        )
    database.close()
    listed = {one.name: one for one in arena.admin.tournaments()}
    assert listed[sound].words == ""
    assert listed[broken].words.startswith("this version of the arena cannot read its spec: ")
    assert "mao_mao" in listed[broken].words
    port = arena.address.rpartition(":")[2]
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=f"http://127.0.0.1:{port},{port}")
    assert f"{broken}: this version of the arena cannot read its spec" in terminal.run(
        "tournament", "list"
    ).out.replace("\n", " ")
    with refused(UnknownVariant, "mao_mao"):
        arena.admin.bracket(broken)
    assert arena.admin.cancel(broken).state == "cancelled"


def test_an_author_runs_no_tournaments(arena):
    author, _ = arena.author()
    with refused(NotAllowed, "Only organisers of the arena or of a group may do this"):
        author.create(GOOD)
    name = arena.create()
    for change in (author.open, author.start, author.pause, author.resume, author.cancel):
        with refused(NotAllowed):
            change(name)
    with refused(NotAllowed):
        author.retake(name, "1.1.1", "a test")


def test_what_is_not_there_is_named(arena):
    for ask in (arena.admin.tournament, arena.admin.standings, arena.admin.start, arena.admin.matches):
        with refused(UnknownTournament, "nowhere"):
            ask("nowhere")
    name = arena.create()
    with refused(UnknownMatch, "9.9.9"):
        arena.admin.match(name, "9.9.9")
    with refused(UnknownStage, "1 (round_robin)"):
        arena.admin.bracket(name)
    with refused(UnknownStage, "stage 7"):
        arena.admin.bracket(name, 7)


def test_a_change_that_the_state_does_not_allow_names_the_state(arena):
    name = arena.create()
    for change in (arena.admin.pause, arena.admin.resume, arena.admin.start):
        with refused(WrongState, "is created"):
            change(name)
    arena.admin.cancel(name)
    for change in (arena.admin.open, arena.admin.cancel, arena.admin.resume):
        with refused(WrongState, "is cancelled"):
            change(name)
