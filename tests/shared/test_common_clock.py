"""Replicas agree on a time within a beat, whatever their database's clock did before each of them started."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maumau.errors import DatabaseUnavailable
from services.matchmaking.models import MatchmakingBeat
from services.registry.models import RegistryBeat
from services.shared.store.common_clock import SET_BACK, CommonClock
from services.shared.store.connect import Database
from services.tournament.models import TournamentBeat
from tests.support.stores import tables

EPOCH, MINUTE = 1_800_000_000_000, 60_000
MODELS = {"registry": RegistryBeat, "tournament": TournamentBeat, "matchmaking": MatchmakingBeat}


class Host:
    """Replicas of a service on one database; `passed` ms, and what the database's clock was set by."""

    def __init__(self, database: Database, name: str) -> None:
        self.database, self.model = database, MODELS[name]
        self.passed = self.set_by = 0
        database.now = lambda: EPOCH + self.passed + self.set_by  # type: ignore[method-assign]

    def start(self) -> CommonClock:
        clock = CommonClock(self.database, self.model, lambda: self.passed)
        clock.agree()
        return clock


@pytest.fixture(params=MODELS)
def host(database_url: str, request: pytest.FixtureRequest) -> Iterator[Host]:
    database = Database(database_url, request.param)
    tables.migrate_one(database, request.param)
    yield Host(database, request.param)
    database.close()


def test_a_replica_that_starts_after_the_clock_was_set_forward_brings_the_new_time(host: Host) -> None:
    old = host.start()
    host.set_by = 10 * MINUTE
    new = host.start()
    assert (old(), new()) == (EPOCH, EPOCH + 10 * MINUTE)
    host.passed = 5_000
    old.agree()
    assert 0 <= new() - old() <= 5_000  # the time between their beats, which drifts away
    for host.passed in range(5_000, 11 * MINUTE, 5_000):
        old.agree()
    assert old() == new()


def test_the_time_is_right_again_a_beat_after_the_host_has_slept(host: Host) -> None:
    """The counter stands still during sleep; without it the arena would be late for a month."""
    clock = host.start()
    host.set_by = 8 * SET_BACK
    clock.agree()
    assert clock() == EPOCH + 8 * SET_BACK


def test_a_time_that_nobody_could_store_is_not_told(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, host.set_by = host.start(), 8 * SET_BACK
    with pytest.raises(DatabaseUnavailable):
        clock.beat(_fail)
    assert clock() == EPOCH
    clock.agree()
    assert clock() == EPOCH + 8 * SET_BACK


def _fail(_session: object, _beat: object) -> None:
    raise DatabaseUnavailable


@pytest.mark.parametrize(("back", "told"), [(SET_BACK, 0), (SET_BACK + 1, -SET_BACK - 1)])
def test_a_clock_set_back_is_waited_for_up_to_an_hour_and_beyond_it_is_followed(
    host: Host, back: int, told: int
) -> None:
    old = host.start()
    host.set_by = -back
    new = host.start()
    old.agree()
    assert (new() - EPOCH, old() - EPOCH) == (told, told)


@given(seed=st.integers(0, 10**6))
def test_whatever_clocks_and_replicas_do_all_agree_after_a_beat_of_each(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """A second round tells the first ones of what the last ones knew; no time passes between the two."""
    rng, file = random.Random(seed), tmp_path_factory.mktemp("clock") / "registry.db"
    tables.copy_to(file, "registry")
    host = Host(Database(f"sqlite:///{file}", "registry"), "registry")
    clocks = [host.start()]
    for _ in range(30):
        host.passed += rng.choice([0, 3, 5_000, 20 * MINUTE])
        match rng.choice(["beat", "beat", "start", "end", "step"]):
            case "beat":
                rng.choice(clocks).agree()
            case "start":
                clocks.append(host.start())
            case "end" if len(clocks) > 1:
                clocks.remove(rng.choice(clocks))
            case "step":
                host.set_by += rng.choice([-1, 1]) * rng.choice([50, MINUTE, 2 * SET_BACK])
    for clock in 2 * clocks:
        clock.agree()
    assert len({clock() for clock in clocks}) == 1
    host.database.close()
