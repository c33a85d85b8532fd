"""Accounts that lose on purpose move no live rating beyond its interval."""

from pathlib import Path

import pytest
from sqlalchemy import make_url

from maumau.contest.statistics.rating import Centre, Duel, compute_posterior
from maumau.contest.statistics.robust import weigh_duels
from maumau.contest.statistics.sequential import Sums
from services.matchmaking.live.ratings import (
    HOUSE,
    KNOWN,
    Ratings,
    count_house_games,
    leave_out_unknown,
)
from services.matchmaking.models import LiveGame, LivePlayer
from services.matchmaking.store import LiveGames
from services.matchmaking.store.live_tables.live import GAMES_A_DAY
from services.shared.base.clock import DAY
from services.shared.store.connect import Database
from tests.support.stores import tables

NOON = 20_000 * DAY + DAY // 2


@pytest.fixture
def games(new_database, tmp_path):
    url = new_database() or f"sqlite:///{tmp_path}/matchmaking.db"
    if url.startswith("sqlite"):
        tables.copy_to(Path(make_url(url).database), "matchmaking")
    database = Database(url, "matchmaking")
    yield LiveGames(database)
    database.close()


def book(games, first, second, places, at=NOON, count=1):
    """Book this many games of two names, one a minute."""
    for number in range(count):
        made = at + 60_000 * number
        key = f"table_{first}_{second}_{made}"
        row = LiveGame(
            id=key, rules="prsi", options="{}", rules_hash="h", seats=2, pool="h:2", rated=True, secret="",
            record="", made_at=made,
        )  # fmt: skip
        players = [
            LivePlayer(
                game_id=key, seat=seat, account_id=who, account_name=who, bot_name="b", place=place, points=0
            )
            for seat, (who, place) in enumerate(zip((first, second), places, strict=True))
        ]  # fmt: skip
        assert games.store_game(row, players)


def play_house(games, who, count, at=NOON):
    """Book as many games won as lost."""
    for number in range(count // 2):
        book(games, HOUSE, who, (1, 2), at + DAY * number)
        book(games, HOUSE, who, (2, 1), at + DAY * number + 60_000)


def rate(games):
    return {line.name.account_id: line for line in Ratings(games).compute_table("h:2").lines}


def test_only_the_first_games_of_two_names_on_a_day_count(games):
    """Fourteen on one day, won by ada, and one at the next midnight, won by bob."""
    book(games, "ada", "bob", (1, 2), count=14)
    book(games, "ada", "bob", (2, 1), at=NOON + DAY // 2)
    (duel,) = games.sum_field("h:2").duels
    assert duel.sums == Sums(2, GAMES_A_DAY + 1, 2 * GAMES_A_DAY, 4 * GAMES_A_DAY)
    assert games.sum_field("h:2").games == [15, 15]


def test_a_name_is_known_by_its_games_with_house_bots():
    """0 is a house bot; 1 has ten games with it, 2 and 3 nine."""
    house = [Duel(0, name, Sums(2, KNOWN - (name > 1))) for name in (1, 2, 3)]
    others = [Duel(1, 2, Sums(2, 5)), Duel(2, 3, Sums(2, 5))]
    assert count_house_games([*house, *others], [0]) == {0: 0, 1: 10, 2: 9, 3: 9}
    assert leave_out_unknown([*house, *others], [0]) == house
    known = [Duel(0, 2, Sums(2, KNOWN)), *house, *others]
    assert leave_out_unknown(known, [0]) == [known[0], *house, others[0]]
    assert leave_out_unknown(others, []) == others


def test_three_accounts_that_nobody_knows_lose_150_games_to_one_and_move_it_by_nothing(games):
    play_house(games, "ada", 12)
    before = rate(games)["ada"]
    for day in range(5):
        for loser in ("x", "y", "z"):
            book(games, "ada", loser, (1, 2), NOON + DAY * day + 3_600_000, 10)
    after = rate(games)["ada"]
    assert (after.elo, after.low, after.high) == (before.elo, before.low, before.high)
    assert after.games == 162
    assert not after.provisional


@pytest.mark.sample
@pytest.mark.parametrize(("house_games", "provisional"), [(8, True), (10, False)])
def test_a_rating_is_provisional_until_ten_games_with_the_house(games, house_games, provisional):
    play_house(games, "ada", house_games)
    for day in range(5):
        book(games, "ada", "bob", (1, 2), NOON + DAY * day + 3_600_000, 10)
    assert rate(games)["ada"].provisional is provisional


@pytest.mark.parametrize("losses", [10, 50])
def test_accounts_that_played_the_house_honestly_and_then_lose_carry_within_the_interval(losses):
    """House bots are 0 to 5; 6 has 48 games with them, 7 to 9 have 24 each, half of all won."""
    duels = [Duel(h, name, Sums(2, n, n, 2 * n)) for h in range(6) for name, n in
             [(6, 8), (7, 4), (8, 4), (9, 4)]]  # fmt: skip
    alone = compute_posterior(10, duels, range(6)).ratings[6]
    lost = [Duel(6, loser, Sums(2, losses, 2 * losses, 4 * losses)) for loser in (7, 8, 9)]
    moved = weigh_duels(10, [*duels, *lost], Centre(range(6))).posterior.ratings[6]
    assert alone.low < moved.elo < alone.high
    assert compute_posterior(10, [*duels, *lost], range(6)).ratings[6].elo > alone.high
