"""PettingZoo's and Gymnasium's own checks, records, opponents, and many tables at once."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from maumau.bot import Bot
from maumau.env import SeatEnv, TableEnv, env, raw_env, seat_env, vector_env
from maumau.errors import BadOption, BadOrder, BadRecord, IllegalAction, MaumauError
from maumau.game import load, record, replay, variants
from tests.support.kinds import one_of


@pytest.fixture(autouse=True)
def _quiet():
    """The checks warn of dictionaries, which masks make necessary."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def play(table, rng: np.random.Generator, steps: int = 10_000) -> None:
    """Play at random until the deal is over, or for at most this number of steps."""
    for agent in table.agent_iter(steps):
        seen, _, over, _, _ = table.last()
        table.step(None if over else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
        assert agent.startswith("player_")


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", one_of(5, variants()))
def test_pettingzoo_accepts_the_environment(name):
    seats = min(3, load(name).seats[1])
    api_test(env(name, seats=seats), num_cycles=60)
    api_test(env(name, seats=seats, observation="dict", calls="own"), num_cycles=20)
    seed_test(lambda: env(name, seats=seats), num_cycles=20)


@pytest.mark.parametrize("name", one_of(5, variants()))
def test_gymnasium_accepts_the_environment(name):
    opponents = ["greedy"] * (min(3, load(name).seats[1]) - 1)
    check_env(SeatEnv(name, opponents, illegal="lose"))
    check_env(SeatEnv(name, opponents, illegal="lose", observation="dict", seat=0, render_mode="ansi"))


def test_the_parallel_form_asks_one_agent_in_each_step():
    parallel = turn_based_aec_to_parallel(env("prsi", seats=3))
    seen, _ = parallel.reset(seed=4)
    rng, ended = np.random.default_rng(1), False
    while parallel.agents:
        asked = [agent for agent in parallel.agents if seen[agent]["action_mask"].any()]
        assert len(asked) == 1
        actions = dict.fromkeys(parallel.agents, 0)
        actions[asked[0]] = int(rng.choice(np.flatnonzero(seen[asked[0]]["action_mask"])))
        seen, rewards, over, _, _ = parallel.step(actions)
        ended = all(over.values())
    assert ended
    assert sum(rewards.values()) == pytest.approx(0)
    assert not env("prsi").unwrapped.metadata["is_parallelizable"]


def test_ten_lines_play_a_deal_whose_rewards_follow_its_places():
    table = env("prsi", seats=3)
    table.reset(seed=1)
    play(table, np.random.default_rng(1))
    deal = table.unwrapped.table.deal
    assert deal.over
    table = raw_env("prsi", seats=3)
    table.reset(seed=1)
    rng = np.random.default_rng(1)
    while not table.terminations[table.agent_selection]:
        table.step(int(rng.choice(np.flatnonzero(table.observe(table.agent_selection)["action_mask"]))))
    assert sorted(table.rewards.values()) == [-0.5, -0.5, 1.0]  # one goes out, the others share the rest
    places = {agent: info["place"] for agent, info in table.infos.items()}
    assert all((places[agent] == 1) == (reward == 1) for agent, reward in table.rewards.items())
    assert record(table.table.deal) == record(deal)


def test_a_deal_goes_on_from_a_record():
    table = raw_env("mau_mau", seats=2)
    table.reset(seed=7)
    rng = np.random.default_rng(7)
    while not table.terminations[table.agent_selection]:
        table.step(int(rng.choice(np.flatnonzero(table.observe(table.agent_selection)["action_mask"]))))
    text = record(table.table.deal)
    again = raw_env("mau_mau", seats=2)
    again.reset(options={"record": text})
    assert again.table.deal.made.dealt == replay(text).made.dealt
    again.reset(options={"record": text, "after": 9})
    assert text.startswith(record(again.table.deal))
    assert len(again.table.deal.events) > 8
    with pytest.raises(BadOrder, match="after 5000"):
        again.reset(options={"record": text, "after": 5000})
    with pytest.raises(BadOrder, match="a number of its actions"):
        again.reset(options={"record": text, "after": -1})
    with pytest.raises(BadRecord, match="not of load"):
        raw_env("prsi", seats=2).reset(options={"record": text})
    with pytest.raises(BadRecord, match="line 1"):
        again.reset(options={"record": "nonsense\n"})


def test_the_table_is_drawn_as_text(capsys):
    table = raw_env("prsi", seats=2, render_mode="ansi")
    table.reset(seed=1)
    lines = table.render().splitlines()
    assert lines[0].startswith("prsi: top ")
    assert lines[1 + table.table.seat].startswith("*")
    aloud = raw_env("prsi", seats=2, render_mode="human")
    aloud.reset(seed=1)
    aloud.step(int(np.flatnonzero(aloud.observe(aloud.agent_selection)["action_mask"])[0]))
    assert "prsi: top" in capsys.readouterr().out
    with pytest.raises(BadOption, match="human, ansi"):
        raw_env("prsi", render_mode="rgb_array")


def test_bad_input_is_refused_in_words():
    table = raw_env("prsi", seats=2)
    with pytest.raises(IllegalAction, match="reset"):
        table.observe("player_0")
    table.reset(seed=1)
    with pytest.raises(IllegalAction, match="outside the mask of player_"):
        table.step(int(np.flatnonzero(table.observe(table.agent_selection)["action_mask"] == 0)[0]))
    with pytest.raises(IllegalAction, match="a whole number, not 'draw'"):
        table.step("draw")
    with pytest.raises(BadOption, match="flat, dict"):
        raw_env("prsi", observation="pixels")
    with pytest.raises(BadOption, match="no house bot 'deep'; known: first, random"):
        seat_env("prsi", ["deep"])
    with pytest.raises(BadOption, match="seat = 2"):
        seat_env("prsi", ["greedy"], seat=2)
    alone = seat_env("prsi", ["greedy"])
    seen, _ = alone.reset(seed=1)
    with pytest.raises(IllegalAction, match="outside the mask"):
        alone.step(int(np.flatnonzero(seen["action_mask"] == 0)[0]))


class Last(Bot):
    """Plays the last listed action."""

    def act(self, view):
        return view.legal[-1]


def test_opponents_are_house_bots_classes_and_functions():
    asked = []

    def first(seen):
        asked.append(seen["observation"]["hand"].sum())
        return int(np.flatnonzero(seen["action_mask"])[0])

    table = seat_env("prsi", ["greedy", Last, first], seat=1, observation="dict")
    for seed in range(5):
        seen, info = table.reset(seed=seed)
        over = False
        while not over:
            assert info["seat"] == 1
            seen, reward, over, _, info = table.step(np.flatnonzero(seen["action_mask"])[0])
        assert info["place"] == table.table.deal.places[1]
        assert (reward == 1) == (info["place"] == 1)
    assert len(asked) > 5


def test_an_illegal_action_loses_where_that_is_wanted():
    table = seat_env("prsi", ["greedy"], illegal="lose")
    seen, _ = table.reset(seed=1)
    _, reward, over, _, info = table.step(int(np.flatnonzero(seen["action_mask"] == 0)[0]))
    assert (reward, over) == (-1.0, True)
    assert "outside the mask" in info["illegal"]


@pytest.mark.parametrize("bad", [-1, 10_000, "draw", 1.5, None])
def test_a_deal_that_an_illegal_action_lost_is_not_played_on(bad):
    table = seat_env("prsi", ["greedy"], illegal="lose")
    seen, _ = table.reset(seed=1)
    good = int(np.flatnonzero(seen["action_mask"])[0])
    seen, reward, over, _, _ = table.step(bad)
    assert (reward, over) == (-1.0, True)
    assert not seen["action_mask"].any()
    events = table.table.deal.events
    for action in (good, bad):
        with pytest.raises(IllegalAction, match=r"reset the environment|a whole number"):
            table.step(action)
    assert table.table.deal.events == events
    seen, _ = table.reset()
    assert seen["action_mask"].any()
    assert table.step(int(np.flatnonzero(seen["action_mask"])[0]))[1] >= 0


@pytest.mark.parametrize("name", ["mau_mau", "schweizer"])
def test_many_tables_are_played_as_each_alone(name):
    many = vector_env(name, 3, num_envs=4)
    state = many.reset(seed=5)
    alone = [TableEnv(name, 3) for _ in range(4)]
    for one, deal in zip(alone, many.deals, strict=True):
        one.reset(options={"record": record(deal)})
    rng, ended = np.random.default_rng(2), np.zeros(4, dtype=bool)
    for _ in range(150):
        actions = (state.masks * rng.random(state.masks.shape)).argmax(axis=1)
        for at in np.flatnonzero(~ended):  # afterwards the next deal is played there
            agent = alone[at].agent_selection
            seen = alone[at].observe(agent)
            assert agent == f"player_{state.seats[at]}"
            assert np.array_equal(seen["observation"], state.observations[at])
            assert np.array_equal(seen["action_mask"], state.masks[at])
            alone[at].step(actions[at])
        state = many.step(actions)
        for at in np.flatnonzero(state.ended & ~ended):
            assert list(alone[at].rewards.values()) == pytest.approx(state.rewards[at])
        ended |= state.ended
    assert ended.any() or name == "schweizer"  # whose players accuse each other for long


def test_many_tables_refuse_bad_actions():
    many = vector_env("prsi", num_envs=2)
    with pytest.raises(BadOrder, match="reset"):
        many.step([0, 0])
    state = many.reset(seed=1)
    good = state.masks.argmax(axis=1)
    with pytest.raises(IllegalAction, match=r"table 1: action 10000 is outside"):
        many.step([good[0], 10_000])
    with pytest.raises(BadOrder, match="num_envs is 0"):
        vector_env("prsi", num_envs=0)
    assert many.num_actions == len(many.choices)


@pytest.mark.parametrize("bad", [10**6, -1, "draw", 1.5, None, [1]])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_one_bad_action_moves_no_table(bad, at):
    many = vector_env("prsi", num_envs=3)
    state = many.reset(seed=1)
    actions = state.masks.argmax(axis=1).tolist()
    before = [record(deal) for deal in many.deals]
    with pytest.raises(IllegalAction, match=f"table {at}: "):
        many.step([*actions[:at], bad, *actions[at + 1 :]])
    assert [record(deal) for deal in many.deals] == before
    many.step(actions)
    assert all(record(deal) != old for deal, old in zip(many.deals, before, strict=True))


@pytest.mark.parametrize("bad", [None, 5, "abc", [1, 2], np.zeros((3, 1), dtype=int), np.array(1)])
def test_what_is_no_list_of_actions_is_refused(bad):
    many = vector_env("prsi", num_envs=3)
    many.reset(seed=1)
    with pytest.raises((BadOrder, IllegalAction)):
        many.step(bad)


ODD = [None, "2", 2.0, 1.5, "A", [1], object()]


@pytest.mark.parametrize("odd", ODD, ids=[*map(repr, ODD[:-1]), "object"])
@pytest.mark.parametrize(
    "make",
    [
        lambda odd: raw_env("prsi", seats=odd),
        lambda odd: env("prsi", seats=odd),
        lambda odd: vector_env("prsi", odd),
        lambda odd: vector_env("prsi", num_envs=odd),
        lambda odd: seat_env("prsi", seat=odd if odd is not None else "B"),
        lambda odd: seat_env("prsi", odd if odd != [1] else 3),
        lambda odd: seat_env("prsi", [odd]),
        raw_env,
        vector_env,
        seat_env,
        lambda odd: raw_env("prsi").reset(options=odd if odd is not None else 1),
        lambda odd: seat_env("prsi").reset(options=odd if odd is not None else 1),
        lambda odd: raw_env("prsi", observation=odd),
        lambda odd: raw_env("prsi", calls=odd),
        lambda odd: raw_env("prsi", render_mode=odd if odd is not None else 1),
        lambda odd: seat_env("prsi", illegal=odd),
    ],
)
def test_an_argument_of_another_kind_is_refused_in_words(make, odd):
    with pytest.raises(MaumauError, match=r"\w+ \w+"):
        make(odd)


@pytest.mark.parametrize(
    "use",
    [
        lambda table: table.step(0),
        lambda table: table.last(),
        lambda table: table.last(observe=False),
        lambda table: table.observe("player_0"),
        lambda table: table.view("player_0"),
        lambda table: table.table,
    ],
)
def test_before_a_reset_all_else_is_refused(use):
    with pytest.raises(IllegalAction, match="reset the environment before anything else"):
        use(raw_env("prsi"))
    ready = raw_env("prsi")
    ready.reset(seed=1)
    with pytest.raises(BadOption, match="no agent 'player_9'; known: player_0, player_1"):
        ready.observe("player_9")


def test_whole_numbers_of_numpy_are_whole_numbers():
    table = seat_env("prsi", seat=np.int64(1))
    table.reset(seed=1)
    assert table.seat == 1
    assert raw_env("prsi", seats=np.int32(3)).num_agents == 0
    assert vector_env("prsi", num_envs=np.int64(2)).num_envs == 2


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_without_the_extra_the_import_says_what_to_install():
    done = run_python("import sys; sys.modules['pettingzoo'] = None; import maumau.env")
    assert done.returncode == 1
    said = done.stderr.strip().splitlines()[-1]
    assert said.startswith("ImportError: maumau.env needs the extra `train`")
    assert "[train]' (every arena offers the wheel" in said


@pytest.mark.long
def test_the_library_needs_nothing_of_learners():
    code = (
        "import sys, maumau, maumau.game, maumau.bot, maumau.cli.command; "
        "print({'gymnasium', 'pettingzoo', 'maumau.env'} & set(sys.modules))"
    )
    assert run_python(code).stdout == "set()\n"
