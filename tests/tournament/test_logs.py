"""`maumau logs`: an author finds the faults of a bot, and each with all that belongs to it."""

import re

import msgspec
import pytest
from sqlalchemy import select, update
from sqlmodel import col

from maumau.home.moment import Bundle
from services.shared.store.connect import Database
from services.tournament.models import BlockFault
from tests.support.terminal import Terminal

DATABASES = ["sqlite"]


@pytest.fixture
def author(arena, tmp_path):
    """Return an author's terminal, their crashing bot, and a tournament that it has played."""
    client, _ = arena.author()
    crash = arena.bot("crash", client)
    name = arena.create(block=5, cap=5)
    arena.admin.open(name)
    for bot in (crash, *arena.field("first")):
        arena.admin.enter(name, bot)
    arena.admin.start(name)
    arena.finish(name)
    port = arena.address.rpartition(":")[2]
    url = f"http://127.0.0.1:{port},{port}"
    return Terminal(tmp_path, MAUMAU_TOKEN=client.token, MAUMAU_ARENA=url), crash, name


@pytest.mark.long
def test_an_author_lists_the_faults_of_a_bot_and_keeps_one(author):
    terminal, crash, name = author
    lines = terminal.run("logs", crash, "--tournament", name).out.splitlines()
    assert len(lines) == 10
    assert lines[0].endswith("match 1.1.1, set 0, seating 0: crash, it died: ValueError: no idea")
    assert len({line.partition("  ")[2] for line in lines}) == 10  # each deal once, told apart by its seating
    fault = lines[0].split()[0]
    said = terminal.run("logs", fault, "--out", "fault.json").out.splitlines()
    assert said[0] == f"fault.json: {crash} in set 0, seating 0: crash, it died"
    assert said[1:] == ["`maumau reproduce fault.json BOT` asks a bot the same questions again"]
    whole = terminal.run("logs", fault).out
    assert "record:\n[maumau 1]" in whole
    kept = terminal.run("logs", fault, "--out", "fault.json", "--json").json()
    assert kept == {"fault": fault, "file": "fault.json"}
    bundle = msgspec.json.decode((terminal.home / "fault.json").read_bytes(), type=Bundle)
    assert (bundle.fault.kind, bundle.fault.exit) == ("crash", "exit code 1")
    assert "forfeit" in bundle.record
    assert len(terminal.run("logs", crash, "--tournament", name, "--json").json()) == 10


@pytest.mark.long
def test_a_fault_has_a_page_that_opens_where_it_happened(author):
    terminal, crash, name = author
    fault = terminal.run("logs", crash, "--tournament", name).out.split()[0]
    said = terminal.run("logs", fault, "--out", "fault.html").out
    assert said.startswith("fault.html: ")
    assert "record" not in said
    text = (terminal.home / "fault.html").read_text()
    (data,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    (deal,) = msgspec.json.decode(data)["deals"]
    blame = deal["blame"]
    assert deal["title"] == fault
    assert deal["names"][blame["seat"]] == crash
    assert all(deal["names"])
    assert deal["stages"][blame["stage"]]["open"] == [f"forfeit {'AB'[blame['seat']]} crash"]
    assert deal["stages"][blame["stage"]]["to_act"] == [blame["seat"]]
    assert blame["words"] == "crash, it died"
    assert [title for title, _ in blame["parts"]] == ["used", "stderr", "asked"]
    assert "exit code 1" in blame["parts"][0][1]
    assert "cannot be written" in terminal.run("logs", fault, "--out", "no/fault.html", code=1).err
    assert "is for a fault" in terminal.run("logs", crash, "--out", "fault.html", code=2).err


@pytest.mark.long
def test_a_list_of_faults_has_one_line_for_all_the_deals_forfeited(arena, tmp_path):
    """Five crashes in the first block, then five deals forfeited; in the second block the same."""
    client, _ = arena.author()
    gone = arena.bot("gone", client)
    name = arena.create(block=5, cap=10)
    arena.admin.open(name)
    for bot in (gone, *arena.field("first")):
        arena.admin.enter(name, bot)
    arena.admin.start(name)
    arena.finish(name)
    port = arena.address.rpartition(":")[2]
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=client.token, MAUMAU_ARENA=f"http://127.0.0.1:{port},{port}")
    said = terminal.run("match", "show", name, "1.1.1").out.splitlines()
    faults = [line for line in said if line.startswith("fault_")]
    assert [line.partition("  ")[2] for line in faults[:6]] == [
        *(f"{gone}, set {number}, seating 0: crash, it died: ValueError: no idea" for number in range(5)),
        f"{gone}, 5 more deals forfeited after the fifth fault",
    ]
    assert len(faults) % 6 == 0
    assert "forfeit, 5 faults in this block" in terminal.run("logs", faults[5].split()[0]).out


@pytest.mark.long
def test_faults_are_listed_in_the_order_of_play_whatever_their_ids(arena):
    """Ids drawn within one millisecond have no order: here they are turned round."""
    name = arena.begin("gone", "crash", block=5, cap=5)
    arena.finish(name)
    before = [fault.id for fault in arena.admin.match(name, "1.1.1").faults]
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.write() as session:
        renamed = {fault.id: f"fault_{at:03d}" for at, fault in enumerate(_faults(session))}
        for old, fresh in renamed.items():
            session.execute(update(BlockFault).where(col(BlockFault.id) == old).values(id=fresh))
    database.close()
    after = arena.admin.match(name, "1.1.1").faults
    assert [fault.id for fault in after] == [renamed[old] for old in before]
    assert [(fault.kind, fault.set, fault.entrant) for fault in after if fault.kind == "forfeit"] == [
        ("forfeit", 0, 1)
    ]


def _faults(session):
    """Return the faults, those played last first."""
    order = col(BlockFault.seating).desc(), col(BlockFault.set_number).desc(), col(BlockFault.entrant).desc()
    return session.scalars(select(BlockFault).order_by(*order)).all()


def test_a_fault_whose_details_cannot_be_read_hides_no_other(arena):
    name = arena.begin("crash", "first", block=5, cap=5)
    arena.finish(name)
    broken, *others = arena.admin.match(name, "1.1.1").faults
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.write() as session:
        session.execute(update(BlockFault).where(col(BlockFault.id) == broken.id).values(bundle=b"torn"))
    database.close()
    first, *rest = arena.admin.match(name, "1.1.1").faults
    assert first.error == "its details cannot be read"
    assert rest == others


def test_a_bot_without_a_fault_has_none_to_show(author, arena):
    terminal, _, name = author
    first = arena.field("first")[0]
    assert terminal.run("logs", first, "--tournament", name).out == f"{first} has no faults in {name}\n"
