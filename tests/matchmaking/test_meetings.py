"""Results of a ladder are stored as sums, so that reading a ladder costs the same after years."""

from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import event, make_url, text

from maumau.contest.ladder.history import STEP
from maumau.contest.ladder.played import ALL_ALIKE, SEEN
from maumau.contest.statistics.pod import Pod
from maumau.contest.statistics.rating import Duel
from maumau.contest.statistics.sequential import Sums
from maumau.errors import WrongState
from services.matchmaking.app import MIGRATIONS
from services.matchmaking.models import Epoch, Ladder, MatchmakingTable, Pairing, Result
from services.matchmaking.store import LadderHistory, Ladders, meeting
from services.matchmaking.store.booking import Booked
from services.matchmaking.store.player import ActiveVersion
from services.shared.store import migrate
from services.shared.store.connect import Database
from tests.matchmaking.test_history import BEGIN, Shelf
from tests.support.stores import tables

UNITS = {"win": 4, "places": 0}


@pytest.fixture
def database(new_database, tmp_path):
    url = new_database() or f"sqlite:///{tmp_path}/matchmaking.db"
    if url.startswith("sqlite"):
        tables.copy_to(Path(make_url(url).database), "matchmaking")
    found = Database(url, "matchmaking")
    yield found
    found.close()


@pytest.fixture
def ladders(database):
    """`two`, with three bots at two seats, and `three`, with four bots at three."""
    found = Ladders(database, UNITS)
    for name, seats, bots, score in (("two", 2, "abc", "win"), ("three", 3, "abcd", "places")):
        found.create_ladder(
            Ladder(
                name=name, rules="mau_mau", options="{}", rules_hash="h", score=score, deal_ms=100,
                memory=512, seats=seats,
            )
        )  # fmt: skip
        for bot in bots:
            found.join_ladder(name, bot, ActiveVersion(f"version_{bot}", bot), 1, pinned=None)
        with database.write() as session:
            session.add(Epoch(id=name, ladder=name, number=1, rules_hash="h", state="running"))
    return found


def ask(database, ladder, label, first, second, others="", sets=20):
    with database.write() as session:
        session.add(
            Pairing(
                epoch_id=ladder, label=label, ladder=ladder, first=first, second=second, others=others,
                kind="new", numbers="{}", sets=sets, state="open",
            )
        )  # fmt: skip


def book_at_two(ladders):
    """a against b twice, 5 and 3 sets, b against a once, 2 sets; of a fourth pairing nothing."""
    for label, pair in enumerate(((0, 1), (0, 1), (1, 0), (1, 2)), start=1):
        ask(ladders.database, "two", label, *pair)
    ladders.book_result("two", Booked(1, "1", 5, 12, 40, (1, 0), 7))
    ladders.book_result("two", Booked(2, "2", 3, 4, 8, (0, 2), 8))
    ladders.book_result("two", Booked(3, "3", 2, 6, 20, (3, 0), 9))


DUELS = [Duel(0, 1, Sums(4, 8, 16, 48)), Duel(1, 0, Sums(4, 2, 6, 20))]


def test_results_are_added_up_by_who_played_first(ladders):
    book_at_two(ladders)
    pool = ladders.read_pool("two")
    assert pool.played.duels == DUELS
    assert pool.under_way == {(0, 1): 15 + 17 + 18, (1, 2): 20}
    assert ladders.count_faults("two") == {0: 1, 1: 2 + 3}
    assert ladders.summarize_ladder("two")[:3] == (3, 10, 1)
    assert ladders.read_outlook("two") == (3, 4, 10, (0, 1, 2))


def test_results_of_a_table_are_added_up_seat_by_seat(ladders):
    """Two sets of c, a and d, and one of them in another order; Σu, Σu·v by the numbers of the players."""
    for label, players in enumerate(((2, 0, ",3,"), (0, 3, ",2,")), start=1):
        ask(ladders.database, "three", label, *players, sets=14)
    ladders.book_result("three", Booked(1, "1", 2, 0, 0, (1, 0, 2), 7, "", ((4, 8, 6), (6, 6, 6))))
    ladders.book_result("three", Booked(2, "2", 1, 0, 0, (0, 5, 0), 8, "", ((9, 3, 6),)))
    played = ladders.read_pool("three").played
    products = 64 + 36 + 81, 32 + 36 + 54, 48 + 36 + 27, 16 + 36 + 36, 24 + 36 + 18, 36 + 36 + 9
    assert played.pods == [Pod((0, 2, 3), 3, (8 + 6 + 9, 4 + 6 + 6, 6 + 6 + 3), products)]
    assert ladders.count_faults("three") == {2: 1, 0: 0, 3: 2 + 5}
    under_way = ladders.read_pool("three").under_way
    assert under_way == dict.fromkeys(((0, 2), (0, 3), (2, 3)), 12 + 13)


def test_what_an_older_replica_books_is_counted_with_the_next_result(ladders):
    """It knows nothing of meetings, and leaves `counted` to the database."""
    book_at_two(ladders)
    ask(ladders.database, "two", 5, 0, 2)
    with ladders.database.write() as session:
        session.execute(
            text(
                "INSERT INTO result (epoch_id, booking, label, sets, total, squares, sums, first_faults,"
                " second_faults, at) VALUES ('two', 4, 5, 20, 30, 100, '', 1, 1, 10)"
            )
        )
    assert ladders.read_pool("two").played.duels == DUELS
    ladders.book_result("two", Booked(5, "4", 20, 40, 90, (0, 0), 11))
    more = [Duel(0, 2, Sums(4, 20, 30, 100)), Duel(1, 0, DUELS[1].sums), Duel(1, 2, Sums(4, 20, 40, 90))]
    assert ladders.read_pool("two").played.duels == [DUELS[0], *more]
    ladders.book_result("two", Booked(6, "4", 1, 4, 16, (0, 0), 12))
    assert ladders.read_pool("two").played.sets == 51


def test_what_an_older_replica_booked_last_is_counted_at_the_next_looks(ladders, monkeypatch):
    monkeypatch.setattr(meeting, "RESULTS_AT_ONCE", 2)
    book_at_two(ladders)
    with ladders.database.write() as session:
        session.execute(text("DELETE FROM meeting"))
        session.execute(text("UPDATE result SET counted = false"))
    sets = []
    for _ in range(4):
        ladders.count_left_over("two")
        sets.append(ladders.read_pool("two").played.sets)
    assert sets[1:] == [10, 10, 10]
    assert ladders.read_pool("two").played.duels == DUELS


def test_an_upgrade_adds_up_the_results_of_an_older_arena(ladders, database):
    book_at_two(ladders)
    ask(database, "three", 1, 2, 0, ",3,")
    ladders.book_result("three", Booked(1, "1", 2, 0, 0, (1, 0, 2), 7, "", ((4, 8, 6), (6, 6, 6))))
    with database.write() as session:
        session.execute(text("UPDATE member SET joins = 0, joins_from = 0"))  # it did not count them
    before = [(ladders.read_pool(name), ladders.count_faults(name)) for name in ("two", "three")]
    earlier = [(pool._replace(fit=ALL_ALIKE), faults) for pool, faults in before]  # as its epoch is rated
    with database.engine.execution_options(writes=True).begin() as connection:
        command.downgrade(migrate.configuration(MIGRATIONS, connection, MatchmakingTable.metadata), "0011")
    migrate.upgrade(database, MIGRATIONS, MatchmakingTable.metadata)
    assert [(ladders.read_pool(name), ladders.count_faults(name)) for name in ("two", "three")] == earlier
    ladders.book_result("two", Booked(4, "4", 20, 40, 90, (0, 0), 11))
    assert ladders.read_pool("two").played.duels == [*DUELS, Duel(1, 2, Sums(4, 20, 40, 90))]


def test_a_ladder_of_today_leaves_out_pairs_of_one_author_from_its_next_epoch_on(ladders, database):
    """Bots a and b are ada's now; the epoch so far has the earlier fit, and so have the points before it."""
    with database.write() as session:
        session.execute(text("UPDATE player SET account_name = 'ada' WHERE bot_name IN ('a', 'b')"))
        session.execute(text(f"UPDATE epoch SET fit = {ALL_ALIKE}"))
    book_at_two(ladders)
    ladders.book_result("two", Booked(4, "4", 20, 40, 90, (0, 0), 11))
    third, before = Duel(1, 2, Sums(4, 20, 40, 90)), ladders.count_changes("two")
    assert (ladders.read_pool("two").fit, ladders.read_pool("two").rated.duels) == (
        ALL_ALIKE,
        [*DUELS, third],
    )
    epoch = ladders.add_epoch("two", "h", 5 * STEP)
    assert epoch.fit == SEEN
    assert (ladders.read_pool("two").fit, ladders.read_pool("two").rated.duels) == (SEEN, [third])
    assert ladders.read_pool("two").played.duels == [*DUELS, third]
    assert ladders.count_changes("two") != before
    history = LadderHistory(database, UNITS)
    assert [history.read_past("two", point).fit for point in (1, 5, 6)] == [ALL_ALIKE, ALL_ALIKE, SEEN]
    assert [history.read_past("two", point).played.count_sets() for point in (5, 6)] == [
        {0: 10, 1: 30, 2: 20}, {1: 20, 2: 20},
    ]  # fmt: skip


def test_a_ladder_made_without_a_bound_of_deals_has_it_once_it_is_created_again(ladders):
    """`h` is the hash of its rules without the bound; a ladder of other rules is refused as before."""
    values = {"rules": "mau_mau", "score": "win", "deal_ms": 100, "memory": 512, "seats": 2}
    bounded = Ladder(name="two", options='{"max_decisions": 490}', rules_hash="bounded", **values)
    with pytest.raises(WrongState):
        ladders.create_ladder(bounded, "other")
    for _ in range(2):
        found = ladders.create_ladder(Ladder(**bounded.model_dump()), "h")
        assert (found.options, found.rules_hash) == ('{"max_decisions": 490}', "bounded")
    with pytest.raises(WrongState):
        ladders.create_ladder(Ladder(name="two", options="{}", rules_hash="h", **values), "h")


def test_decisions_of_a_set_are_known_by_table_where_they_were_told(ladders):
    """Pair 0, 1: 600 decisions in 5 sets; of 3 more nothing is known."""
    for label, pair in enumerate(((0, 1), (1, 0), (1, 2)), start=1):
        ask(ladders.database, "two", label, *pair)
    ladders.book_result("two", Booked(1, "1", 3, 12, 40, (0, 0), 7, decisions=360))
    ladders.book_result("two", Booked(2, "2", 2, 6, 20, (0, 0), 8, decisions=240))
    ladders.book_result("two", Booked(3, "1", 3, 4, 8, (0, 0), 9))
    assert ladders.read_pool("two").lengths == {(0, 1): 120.0}


def test_pairings_are_listed_newest_first_over_epochs_with_what_was_booked(ladders):
    book_at_two(ladders)
    with ladders.database.write() as session:
        session.add(Epoch(id="next", ladder="two", number=2, rules_hash="h", state="running"))
        session.flush()
        for label in (1, 2):
            session.add(
                Pairing(
                    epoch_id="next", label=label, ladder="two", first=1, second=2, kind="new", numbers="{}",
                    sets=20,
                )
            )  # fmt: skip
        session.flush()
        session.add(Result(epoch_id="next", booking=1, label=2, sets=20, total=33, squares=99, at=20))

    def shown(numbers=None, before=None, most=10):
        found = ladders.list_pairings("two", numbers, before, most)
        return [f"{epoch}.{one.label} {sets} {total}" for one, epoch, sets, total in found]

    assert shown() == ["2.2 20 33", "2.1 0 0", "1.4 0 0", "1.3 2 6", "1.2 3 4", "1.1 5 12"]
    assert shown(most=3) == ["2.2 20 33", "2.1 0 0", "1.4 0 0"]
    assert shown(before=(1, 4), most=2) == ["1.3 2 6", "1.2 3 4"]
    assert shown(numbers=[0], most=2) == ["1.3 2 6", "1.2 3 4"]
    assert shown(before=(2, 1), most=2) == ["1.4 0 0", "1.3 2 6"]
    assert shown(numbers=[]) == []


@pytest.fixture
def plans(database):
    """Return SQLite's plans of all later SELECTs, table by table."""
    if not database.sqlite:
        pytest.skip("SQLite tells the plan of a statement with its own parameters")
    found = []

    def note(connection, cursor, statement, parameters, context, many):
        if statement.startswith("SELECT"):
            rows = connection.connection.cursor().execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            found.extend(row[3] for row in rows)

    event.listen(database.engine, "before_cursor_execute", note)
    return found


def test_no_look_reads_what_is_over(ladders, plans):
    """Results are found by their pairing or as not yet counted, pairings as not yet over."""
    book_at_two(ladders)
    ladders.read_outlook("two")
    ladders.read_pool("two")
    ladders.new_pairings(ladders.last_epoch("two"))
    ladders.list_pairings("two", None, None, 10)
    about = {plan.replace("USING COVERING INDEX", "USING INDEX") for plan in plans}
    assert {plan for plan in about if plan.split()[1] in {"result", "pairing"}} == {
        "SEARCH result USING INDEX ix_result_pairing (epoch_id=? AND label=?)",
        "SEARCH result USING INDEX ix_result_uncounted (epoch_id=?)",
        "SEARCH pairing USING INDEX ix_pairing_unfinished (ladder=?)",
        "SEARCH pairing USING INDEX sqlite_autoindex_pairing_1 (epoch_id=? AND label=?)",
        "SEARCH pairing USING INDEX sqlite_autoindex_pairing_1 (epoch_id=?)",  # a page of a list
    }


def test_every_change_of_what_a_table_shows_or_weighs_makes_it_anew(database_url):
    """Also the owners, by whom ratings weigh bots, and members whose numbers have equal sums and squares."""
    shelf = Shelf(database_url)
    seen = [shelf.ladders.count_changes("x")]

    def is_new():
        seen.append(shelf.ladders.count_changes("x"))
        return seen[-1] not in seen[:-1]

    def join(bot, *version, at=BEGIN):
        shelf.ladders.join_ladder("x", bot, ActiveVersion(f"version_{bot}", *version), at, pinned=None)

    for bot in ("d", "e", "f", "g"):
        join(bot, bot)
        assert is_new()
    assert shelf.ladders.count_changes("x") == seen[-1]
    join("b", "b", "team")  # the players 0 to 6; b's account has joined a team
    assert is_new()
    join("b", "grace", "team")
    assert is_new()
    show_here(shelf, 1, 5, 6)
    assert is_new()
    show_here(shelf, 2, 3, 7)  # 12 and 62 altogether, as before
    assert is_new()
    for words in ("It is one.", "It is two."):
        shelf.ladders.note_version("x", "c", None, words, BEGIN)
        assert is_new()
        shelf.ladders.note_rest("x", words, "0")
        assert is_new()
    leave = "UPDATE member SET here = false WHERE bot_name = 'd'"
    with shelf.database.write() as session:
        session.execute(text(leave))
    seen.append(shelf.ladders.count_changes("x"))
    join("d", "ada", at=BEGIN + 1)  # and leaves again before anybody looks
    with shelf.database.write() as session:
        session.execute(text(leave))
    assert is_new()
    shelf.database.close()


def show_here(shelf, *numbers):
    """Have these players on the ladder, counted from 1, and no others."""
    here = ", ".join(str(number - 1) for number in numbers)
    with shelf.database.write() as session:
        session.execute(text(f"UPDATE member SET here = number IN ({here})"))
