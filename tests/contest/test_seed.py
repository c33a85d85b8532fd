"""Nobody can choose the deals, and anybody can check them."""

import subprocess
from pathlib import Path

import pytest

from maumau.contest.entrant import Entrant, check_entrants
from maumau.contest.seed import commitment, deal_seed, entries_root, new_secret
from maumau.errors import BadResult, TooFewEntrants

SECRET = "0123456789abcdef0123456789abcdef"
PLAYERS = [Entrant(1, "a", "11" * 32), Entrant(2, "b", "22" * 32), Entrant(3, "c", "33" * 32)]

# made with printf, sha256sum and openssl, as docs/verify.md shows
COMMITMENT = "3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9"
ROOT = "3c6f578908204a2bd82383a911739fe0e654969d73d1bcd5f95729bf0ea43a36"
SEEDS = {
    ("1.1.1", 0): "842d2b22a8c5e08a8437c229e8f057837fcd511278e2a8777315a64c6326c59c",
    ("1.1.1", 1): "d9e90c171df00857072666bcd2dcf7e4641835b8bd7c3c7b62fc43cdd099d064",
    ("2.3.2", 1999): "fe194399e0b27b978f6d9d0827716c195f7a9f1ff17ac7a78ddcc037764cbbfc",
}


def test_the_commitment_is_the_sha256_of_the_secret():
    assert commitment(SECRET) == COMMITMENT


def test_the_entries_root_is_over_numbers_and_hashes_in_the_order_of_entry():
    assert entries_root(PLAYERS) == ROOT


@pytest.mark.parametrize(("deal", "seed"), SEEDS.items())
def test_a_deal_seed_is_a_function_of_secret_root_label_and_number(deal, seed):
    assert deal_seed(SECRET, ROOT, *deal) == seed


def shell(command):
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout.split()


def test_standard_tools_give_the_same_commitment_and_root():
    lines = "".join(f"{player.number} {player.sha256}\\n" for player in PLAYERS)
    assert shell(f"printf %s {SECRET} | sha256sum")[0] == COMMITMENT
    assert shell(f"printf '{lines}' | sha256sum")[0] == ROOT


def test_the_docs_show_the_same_vectors():
    text = (Path(__file__).parents[2] / "docs" / "verify.md").read_text()
    assert all(value in text for value in (SECRET, COMMITMENT, ROOT, *SEEDS.values()))


def test_names_and_withdrawals_change_no_deal():
    other = [Entrant(player.number, "x", player.sha256, withdrawn=True) for player in PLAYERS]
    assert entries_root(other) == ROOT


def test_a_drawn_secret_is_new_each_time():
    secrets = {new_secret() for _ in range(100)}
    assert len(secrets) == 100
    assert all(len(secret) == 64 and int(secret, 16) >= 0 for secret in secrets)


def test_one_entrant_is_no_tournament():
    with pytest.raises(TooFewEntrants) as raised:
        check_entrants(PLAYERS[:1])
    assert str(raised.value) == "A tournament needs two entrants or more, it has 1."


def test_entrants_are_numbered_in_a_row():
    with pytest.raises(BadResult, match="numbered 1, 2, 3"):
        check_entrants(PLAYERS[1:])
