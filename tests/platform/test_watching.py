"""A real Prometheus watches an arena that plays: every rule and every dashboard has something to say."""

from __future__ import annotations

import shutil
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.embedded import Embedded, running, until
from bench.patience import patient
from deploy.dashboards import files
from maumau.errors import UnknownTournament
from maumau.matchmaking import Matchmaking
from maumau.seek import Seeks, Wish
from maumau.v1 import engine_pb2, engine_pb2_grpc
from tests.engine.arena import Calls
from tests.engine.seat import Player
from tests.platform.prometheus import Prometheus, configuration, targets, watching, without_threshold
from tests.shared import promql
from tests.supervisor.ready import admit

pytestmark = pytest.mark.long

SPEC = """
name = "watched"
rules = "mau_mau"

[[stage]]
format = "round_robin"

[match]
block = 10
cap = 2000
"""
LADDER, BOTS = "watched", ("greedy", "first", "random")
MANIFEST = 'name = "quitter"\nrun = ["python3", "bot.py"]\nruntime = "python"\n'
QUITTER = """
from maumau.bot import Bot, run


class Quitter(Bot):
    name = "quitter"

    def act(self, view):
        raise SystemExit("not today")


run(Quitter)
"""


@pytest.fixture(scope="module")
def data(house_data: Path, valkey: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of an arena in which a bot may play that loses every deal by a fault: it was taken on trust."""
    folder = tmp_path_factory.mktemp("watched")
    (folder / "quitter").mkdir()
    (folder / "quitter/bot.toml").write_text(MANIFEST)
    (folder / "quitter/bot.py").write_text(QUITTER)
    shutil.copytree(house_data, folder / "data")
    admit(folder / "data", f"{valkey}/4", "author", [folder / "quitter"])
    return folder / "data"


@pytest.fixture(scope="module")
def arena(data: Path, not_tested: Callable[[str, str], None]) -> Iterator[Embedded]:
    if not shutil.which("prometheus"):
        not_tested("what Prometheus sees", "it is not installed (Debian: prometheus)")
    with running(data) as arena:
        yield arena


@pytest.fixture(scope="module")
def prometheus(
    arena: Embedded, tmp_path_factory: pytest.TempPathFactory, free_port: Callable[[], int]
) -> Iterator[Prometheus]:
    """It watches a contest and a ladder from their beginning; they go on for longer than the tests."""
    told = configuration(list(targets(arena)))
    with watching(told, tmp_path_factory.mktemp("prometheus"), free_port()) as server:
        arena.begin(SPEC, (*BOTS, "quitter"))
        with Matchmaking(arena.card()["matchmaking"], arena.card()["token"]) as link:
            link.create(LADDER, "mau_mau")
            for bot in BOTS:
                link.join(LADDER, bot)
        yield server


def use(arena: Embedded) -> None:
    """What people do while bots play: look at a page and a leaderboard, mistype a name, play at tables."""
    card = arena.card()
    with urllib.request.urlopen(f"http://{card['web']}/", timeout=patient(10)) as page:
        assert page.status == 200
    with Matchmaking(card["matchmaking"], card["token"]) as link:
        link.leaderboard(LADDER)
    with arena.client() as client, pytest.raises(UnknownTournament):
        client.tournament("wacthed")
    engine = Calls(card["engine"], card["token"], engine_pb2, engine_pb2_grpc.EngineServiceStub)
    made = engine.CreateTable(rules={"name": "prsi"}, seats=2, time={"bank_ms": 60_000, "window_ms": 1000})
    seats = [*made.seat_tokens, seek_a_house_bot(card)]
    players = [Player([engine], token) for token in seats]
    assert all(player.ended() for player in players)
    engine.channel.close()


def seek_a_house_bot(card: dict[str, str]) -> str:
    """The token of a seat opposite one."""
    with Seeks(card["matchmaking"], card["token"]) as seeks:
        return next(told.token for told in seeks.seek(Wish(rules="mau_mau", house_after=1)) if told.token)


def rules() -> list[str]:
    every = list(promql.all_rules())
    recorded = [rule["record"] for rule in every if "record" in rule]
    return recorded + [without_threshold(rule["expr"]) for rule in every]


def panels() -> list[str]:
    return [query.expression.replace("$__rate_interval", "1m") for query in files.queries()]


def assert_all_have_data(expressions: list[str], prometheus: Prometheus, arena: Embedded) -> None:
    silent = list(expressions)

    def none_is_silent() -> bool:
        use(arena)
        silent[:] = [each for each in silent if not prometheus.has_data(each)]
        return not silent

    try:
        until("every expression has data", none_is_silent)
    except AssertionError:
        raise AssertionError(f"these had no data: {silent}") from None


def test_every_rule_finds_what_it_asks_for(prometheus: Prometheus, arena: Embedded) -> None:
    expressions = rules()
    assert len(expressions) > 20
    assert_all_have_data(expressions, prometheus, arena)


def test_every_panel_of_the_dashboards_shows_something(prometheus: Prometheus, arena: Embedded) -> None:
    expressions = panels()
    assert len(expressions) > 70
    assert_all_have_data(expressions, prometheus, arena)


@pytest.mark.parametrize("panel", ["Faults in an hour", "Suspended in a day"])
def test_a_bot_that_faults_and_is_suspended_is_counted(prometheus: Prometheus, panel: str) -> None:
    (expression,) = [query.expression for query in files.queries() if query.panel == panel]
    until("it is counted", lambda: prometheus.has_data(f"{expression} > 0"))


def test_a_metric_that_there_is_not_has_no_data(prometheus: Prometheus) -> None:
    assert not prometheus.has_data("maumau_tournament_blokcs_total")
    assert not prometheus.has_data("0 * maumau_tournament_active / 0")
    with pytest.raises(AssertionError, match="parse error"):
        prometheus.ask("sum(")


def test_an_alert_without_its_threshold_is_what_it_looks_at() -> None:
    assert without_threshold('up{job="maumau"} == 0') == 'up{job="maumau"}'
    assert without_threshold("a > 120 and on () sum(b) == 0") == "a and on () sum(b)"
    assert without_threshold("sum(rate(c[15m])) >= 0.5") == "sum(rate(c[15m]))"
