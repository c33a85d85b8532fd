"""Protests against a result: who files them and when, what they hold, who sees them, what binds them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from maumau.contest.export.line import check_sum
from maumau.contest.export.verify import verify
from maumau.errors import (
    BadRequest,
    MissingText,
    NotAllowed,
    NotEntered,
    NotYours,
    QuotaReached,
    UnknownProtest,
    WrongState,
)
from services.tournament.store.contests import protest_filing
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN, WORKER, play_all
from tests.support.terminal import Terminal, home_of
from tests.support.waiting import until
from tests.tournament.test_links import make_it_of_version_3
from tests.tournament.test_watch import Watch

PROTEST = "[schedule]\nprotest_minutes = 60"
WHY = "1.1.1 was played while the host was down"


@pytest.fixture
def decided(arena):
    """Return a tournament that is decided, the author of one of its bots, and that bot."""
    author, _ = arena.author()
    name, bot = arena.create(top=PROTEST, cap=10), arena.bot("first", author)
    arena.admin.open(name)
    author.enter(name, bot)
    arena.enter(name, arena.field("random")[0])
    arena.admin.start(name)
    with refused(WrongState, "is running: a protest can be filed when it is decided"):
        author.file_protest(name, bot, WHY)
    play_all(arena, name)
    return name, author, bot


def move_due(arena, name, by):
    """Put the time of the next step off by so many ms, and let the service look at it."""
    with arena.database.write() as session:
        told = {"name": name, "by": by}
        session.execute(text("UPDATE tournament SET due_at = due_at + :by WHERE name = :name"), told)
    arena.tournament(WORKER).Sweep()


@pytest.mark.long
def test_a_result_is_confirmed_only_as_its_organiser_has_looked_at_it(arena, decided, tmp_path):
    name, _, _ = decided
    looked_at = arena.admin.tournament(name).chain
    arena.admin.retake(name, "1.1.1", "the host was down")
    play_all(arena, name)
    until(lambda: arena.admin.tournament(name).state == "decided")
    with refused(WrongState, f"The result of {name} has changed since you looked at it"):
        arena.admin.confirm(name, looked_at)
    assert arena.admin.tournament(name).state == "decided"
    told = home_of(arena, tmp_path, ADMIN).run("tournament", "confirm", name, "--chain", looked_at, code=None)
    assert "has changed since you looked at it" in told.err
    assert arena.admin.confirm(name, arena.admin.tournament(name).chain).state == "finished"


@pytest.mark.long
def test_a_protest_is_filed_read_by_everybody_and_rejected(arena, decided):
    name, author, bot = decided
    watch = Watch(arena, name)
    made = author.file_protest(name, bot, f"  {WHY}\n")
    assert (made.number, made.entrant, made.bot_name, made.state, made.text) == (1, 1, bot, "open", WHY)
    stranger, _ = arena.author()
    assert stranger.tournament(name).protests == (made,)
    with refused(WrongState, f"Protest 1 of {bot} is still open; file"):
        author.file_protest(name, bot, "and besides")
    with refused(WrongState, f"`maumau tournament answer {name} NUMBER`"):
        arena.admin.confirm(name)
    given = arena.admin.answer_protest(name, 1, "the host was up", accepted=False)
    assert (given.state, given.answer, given.answered_by) == ("rejected", "the host was up", "admin")
    assert (datetime.now(UTC) - given.answered_at).total_seconds() < 600
    with refused(WrongState, "is rejected already, by admin"):
        arena.admin.answer_protest(name, 1, "no", accepted=True)
    assert author.file_protest(name, bot, "once more").number == 2
    arena.admin.answer_protest(name, 2, "still not", accepted=False)
    assert arena.admin.confirm(name).state == "finished"
    assert watch.saw_the_end()
    said = {event.words: event for event in watch.events}
    assert said[f"{name}: {bot} protests (1): {WHY}"].protest_filed.text == WHY
    answered = said[f"{name}: protest 1 of {bot} is rejected: the host was up"]
    assert (answered.protest_answered.accepted, answered.chain != "") == (False, True)
    for change in (
        lambda: author.file_protest(name, bot, "too late"),
        lambda: arena.admin.answer_protest(name, 1, "too late", accepted=True),
    ):
        with refused(WrongState, "is finished"):
            change()


@pytest.mark.long
def test_only_an_entrants_author_protests_and_only_the_organiser_answers(arena, decided):
    name, author, bot = decided
    stranger, _ = arena.author()
    with refused(NotYours, bot):
        stranger.file_protest(name, bot, WHY)
    with refused(NotEntered, "nobody"):
        author.file_protest(name, "nobody", WHY)
    for nothing in ("", " \n"):
        with refused(MissingText, "A protest, or the answer to one, needs a text"):
            author.file_protest(name, bot, nothing)
    with refused(BadRequest, "text: at most 500 characters are allowed; these are 501"):
        author.file_protest(name, bot, "x" * 501)
    assert len(author.file_protest(name, bot, "x" * 500).text) == 500
    with refused(NotAllowed):
        author.answer_protest(name, 1, "of course", accepted=True)
    with refused(UnknownProtest, "has no protest 7; it has 1"):
        arena.admin.answer_protest(name, 7, "which?", accepted=True)
    with refused(MissingText):
        arena.admin.answer_protest(name, 1, "", accepted=True)
    with refused(BadRequest, "answer: at most 500 characters are allowed; these are 600"):
        arena.admin.answer_protest(name, 1, "x" * 600, accepted=True)
    arena.admin.cancel(name)
    assert arena.admin.tournament(name).protests[0].state == "open"


@pytest.mark.long
def test_an_entrant_protests_so_often_and_no_more(arena, decided, monkeypatch):
    name, author, bot = decided
    monkeypatch.setattr(protest_filing, "MOST_PROTESTS", 2)
    for number in (1, 2):
        author.file_protest(name, bot, WHY)
        arena.admin.answer_protest(name, number, "no", accepted=False)
    with refused(QuotaReached, "has filed 2 protests"):
        author.file_protest(name, bot, WHY)
    arena.admin.cancel(name)


@pytest.mark.long
def test_a_bot_that_was_disqualified_protests_and_what_was_accepted_leaves_time_to_act(arena, decided):
    name, author, bot = decided
    first = arena.admin.tournament(name).due_at
    arena.admin.disqualify(name, bot, "it is a copy")
    play_all(arena, name)
    until(lambda: arena.admin.tournament(name).due_at not in {first, None})  # decided once more
    author.file_protest(name, bot, "it is the original")
    move_due(arena, name, -59 * 60_000)
    before = arena.admin.tournament(name).due_at
    arena.admin.answer_protest(name, 1, "so it is", accepted=True)
    after = arena.admin.tournament(name)
    assert after.state == "decided"
    assert 58 * 60 < (after.due_at - before).total_seconds() < 60 * 60
    arena.admin.cancel(name)


@pytest.mark.long
def test_an_open_protest_holds_the_result_for_a_week(arena, decided):
    name, author, bot = decided
    author.file_protest(name, bot, WHY)
    day = 24 * 60 * 60 * 1000
    with arena.database.write() as session:
        now = session.execute(text("SELECT max(at) FROM protest")).scalar_one()
        told = {"due": now - 6 * day, "name": name}
        session.execute(text("UPDATE tournament SET due_at = :due WHERE name = :name"), told)
    for _ in range(3):
        arena.tournament(WORKER).Sweep()
    assert arena.admin.tournament(name).state == "decided"
    with refused(WrongState, "The time for protests"):
        author.file_protest(name, bot, "another")
    move_due(arena, name, -2 * day)
    until(lambda: arena.admin.tournament(name).over)
    over = arena.admin.tournament(name)
    assert (over.state, over.protests[0].state) == ("finished", "open")


@pytest.fixture
def exported(arena, decided, tmp_path):
    """Return an export with one protest that was accepted and one that was rejected, and its last link."""
    name, author, bot = decided
    author.file_protest(name, bot, WHY)
    arena.admin.answer_protest(name, 1, "true: it is played again", accepted=True)
    arena.admin.retake(name, "1.1.1", "protest 1")
    with refused(WrongState, "is running"):
        author.file_protest(name, bot, "again")
    play_all(arena, name)
    author.file_protest(name, bot, "still unhappy")
    arena.admin.answer_protest(name, 2, "sorry", accepted=False)
    arena.admin.confirm(name)
    (path := tmp_path / "cup.export.jsonl").write_bytes(arena.export(name))
    return path, arena.admin.tournament(name)


@pytest.mark.long
def test_protests_are_in_the_export_and_its_chain(arena, exported, tmp_path):
    path, over = exported
    seen = (over.chain.split()[1], over.compared)
    report = verify(path, seen=seen)
    assert report.ok, report.differences
    said = [(one.number, one.state, one.text, one.answer) for one in report.protests]
    assert said == [
        (1, "accepted", WHY, "true: it is played again"), (2, "rejected", "still unhappy", "sorry"),
    ]  # fmt: skip
    terminal = Terminal(tmp_path)
    told = terminal.run("verify", str(path)).out.replace("\n", " ")
    assert f"{WHY}; accepted: true: it is played again" in told


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"still unhappy", b"happy"), (b'"answer":"sorry"', b'"answer":"true"'),
        (b'"state":"rejected"', b'"state":"accepted"'), (b'"entrant":1,"account"', b'"entrant":2,"account"'),
        (b'"of":"protest 2"', b'"of":"protest 3"'), (b'"state":"accepted"', b'"state":"open"'),
        (b'"state":"accepted"', b'"state":"maybe"'), (b'"entrant":1,"account"', b'"entrant":9,"account"'),
        (b'{"kind":"measured","of":"protest 2"', None), (b'"answered_by":"admin"', b'"answered_by":"x"'),
        (b'"account":"', b'"account":"x'), (b'"filed_at":1', b'"filed_at":2'),
        (b'"answered_at":1', b'"answered_at":9'),
    ],
)  # fmt: skip
def test_a_protest_that_was_changed_or_left_out_afterwards_differs(exported, old, new):
    path, _ = exported
    lines = path.read_bytes().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if old in line and b'"protest ' in line)
    body = lines[place][: lines[place].rindex(b',"sum"')]
    changed = b"" if new is None else re.sub(re.escape(old), new, body)
    lines[place] = changed and changed + b',"sum":"' + check_sum(changed) + b'"}\n'
    path.write_bytes(b"".join(lines))
    fields = {one.field.partition("[")[0] for one in verify(path).differences}
    assert fields - {"sections"}


@pytest.mark.long
def test_an_export_of_version_3_has_no_protest_since_no_link_binds_it(arena, tmp_path):
    author, _ = arena.author()
    name, bot = arena.create(top=PROTEST, cap=10), arena.bot("first", author)
    arena.admin.open(name)
    author.enter(name, bot)
    arena.enter(name, arena.field("random")[0])
    arena.admin.start(name)
    make_it_of_version_3(arena, name)
    play_all(arena, name)
    author.file_protest(name, bot, WHY)
    arena.admin.answer_protest(name, 1, "no", accepted=False)
    arena.admin.confirm(name)
    (path := tmp_path / "cup.export.jsonl").write_bytes(arena.export(name))
    report = verify(path)
    assert (report.ok, report.protests) == (True, ())


@pytest.mark.long
def test_the_command_line_files_answers_and_shows(arena, decided, tmp_path):
    name, author, bot = decided
    port = arena.address.rpartition(":")[2]
    where = f"http://127.0.0.1:{port},{port}"
    own = Terminal(tmp_path, MAUMAU_TOKEN=author.token, MAUMAU_ARENA=where)
    admin = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=where)
    assert f"tournament protest {name} BOT" in own.run("tournament", "show", name).out.replace("\n", " ")
    assert "protest 1" in own.run("tournament", "protest", name, bot, "--text", WHY).out
    shown = admin.run("tournament", "show", name).out
    assert WHY in shown
    assert f"tournament answer {name} 1 --accept` or `--reject`" in shown.replace("\n", " ")
    said = admin.run("tournament", "answer", name, "1", "--accept", "--text", "true").out
    assert f"match retake {name} LABEL" in said.replace("\n", " ")
    assert "accepted by admin" in own.run("tournament", "show", name).out
    for flags in ((), ("--accept", "--reject")):
        wrong = own.run("tournament", "answer", name, "1", *flags, "--text", "x", code=2)
        assert "one of --accept and --reject" in wrong.err
    arena.admin.cancel(name)
