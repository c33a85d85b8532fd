"""Deals cannot be chosen by anybody, and can be checked by everybody."""

import subprocess
from pathlib import Path

import pytest

from maumau.contest.entrant import Entrant, check_entrants
from maumau.contest.export.chain import (
    Booking,
    Decision,
    Disqualification,
    End,
    Retaking,
    Withdrawal,
    link_events,
    list_departures,
)
from maumau.contest.seed import compute_commitment, contest_root, deal_seed, deal_seeds, new_secret
from maumau.errors import BadResult, TooFewEntrants

SECRET = "0123456789abcdef0123456789abcdef"
PLAYERS = [Entrant(1, "a", "11" * 32), Entrant(2, "b", "22" * 32), Entrant(3, "c", "33" * 32)]

REASON = "a82639b6f8c3a6e536d8cc562c3b86ff4b012c84ab230c1e5be649aa9ad26d21"  # SHA-256 of "a test"

# made with printf, sha256sum and openssl, as docs/reference/verify.md shows
COMMITMENT = "3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9"
ROOT = "c66359da4a199d3454da299b880d97a6e2d2660507be963a7069136deb3c49b2"
NONCE, NONCE_COMMITMENT = "77" * 32, "c0b6304bd6ce9b3e65150392c91a3aa76803a59c29e46f9fb2b9aac235e58386"
NONCE_ROOT = "4b4d9ccb358861fe2bcb0f981d3709e1a95ed69a1a56f4cccad7f9f78a78c1a7"
DRAWN = [
    Entrant(1, "a", "11" * 32, False, NONCE_COMMITMENT, NONCE),
    PLAYERS[1],
    Entrant(3, "c", "33" * 32, False, compute_commitment("88" * 32)),
]
SPEC = {"name": "cup", "rules": "prsi", "match": {"delta": 0.025}}
RULES = "44" * 32
SEEDS = {
    ("1.1.1", 0): "19f3bd60b528acda413e54012e94411c82fdd247f2293b77a0f600f4d6462763",
    ("1.1.1", 1): "7f0033aaf34426f47b9a340ea3876d783ac74cddb1e1e089f249ac176ee8c758",
    ("2.3.2", 1999): "5577496a7d7f09dc4d49ef0e9910a544056aaf05899e6aa54baefcfc10650b6a",
    ("1.1.1", 0, 2): "692fb55a75332304c98c3e29719363a7b5e83be4f1897c29031eedd94449fe44",
    ("2.3.2", 1999, 3): "fb6184790681b48863610f508fb8071f47b246fc5b89d4bc1f20269cf74dbed0",
}


ROOT_OF_VERSION_3 = "0fb7c0bc143a28b07c80c9d20feba4fc4a49f26b26ff3166fc6cabcfed77b311"


def test_the_commitment_is_the_sha256_of_the_secret():
    assert compute_commitment(SECRET) == COMMITMENT


EVENTS = {
    Booking("1.1.2", 1, 0, "55" * 32): "b76d0eb032ce0ebeb23bb455e37ceb7696c7979a048dcf1aff87bd429a615eda",
    Retaking("1.1.2", 1): "0397ec9898b8a1091b34220d1d9013e1afc14fcf3b079848aa4c5df18e2c3636",
    Booking("1.1.2", 2, 3, "66" * 32): "f43161f50d47a8a91d59518d1467512c33d33a6e292342449cfd0b1cbbfd67eb",
    Withdrawal(2): "e43e13be643de61cafb1200c269d64b12a94b80be24446c98b51397fb2fce425",
    Disqualification(3, REASON): "426510304d21e6f0907ad422eec4799c53521f98410f2f4ae0454d2fa12bea3c",
    Decision("1.1.2", 2, "77" * 32): "792949c37083ad8c0f022da0140b12d09630b8dd58cf3de4690cb9664ec054c5",
    End("99" * 32): "c701f00d631822268e5c7ac0f09326e9889dc4f207ed7e7bdf6f51d427ad4aac",
}
LINKS = tuple(EVENTS.values())


def test_the_root_is_over_spec_rules_numbers_hashes_and_names():
    assert contest_root(SPEC, RULES, PLAYERS) == ROOT
    assert contest_root(SPEC, RULES, PLAYERS, 3) == ROOT_OF_VERSION_3


def test_nonces_are_in_the_root_and_so_are_those_that_were_never_opened():
    assert contest_root(SPEC, RULES, DRAWN) == NONCE_ROOT
    assert contest_root(SPEC, RULES, [DRAWN[0], DRAWN[1], PLAYERS[2]]) != NONCE_ROOT


def test_a_link_is_made_of_the_one_before_and_an_event():
    assert tuple(link for _, link in link_events(ROOT, EVENTS)) == LINKS
    gone = [Entrant(2, "b", "22" * 32, True), Entrant(3, "c", "33" * 32, disqualified="a test")]
    assert list(list_departures(gone)) == [Withdrawal(2), Disqualification(3, REASON)]


@pytest.mark.parametrize(("deal", "seed"), SEEDS.items())
def test_a_deal_seed_is_a_function_of_secret_root_label_number_and_the_take_of_fresh_seeds(deal, seed):
    assert deal_seed(SECRET, ROOT, *deal) == seed
    label, number, *take = deal
    assert deal_seeds(SECRET, ROOT, label, [number, number], *take) == [seed, seed]


def shell(command):
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout.split()


def test_standard_tools_give_the_same_commitment_and_root():
    entries = ",".join(f'[{player.number},"{player.sha256}","{player.name}"]' for player in PLAYERS)
    spec = '{"match":{"delta":0.025},"rules":"prsi"}'
    text = f'{{"entries":[{entries}],"rules_hash":"{RULES}","spec":{spec},"version":4}}'
    assert shell(f"printf %s {SECRET} | sha256sum")[0] == COMMITMENT
    assert shell(f"printf %s '{text}' | sha256sum")[0] == ROOT
    unopened = shell(f"printf %s {'88' * 32} | sha256sum")[0]
    assert shell(f"printf %s {NONCE} | sha256sum")[0] == NONCE_COMMITMENT
    nonces = f'"nonces":[[1,"{NONCE_COMMITMENT}","{NONCE}"],[3,"{unopened}",""]]'
    drawn = text.replace(',"rules_hash"', f',{nonces},"rules_hash"')
    assert shell(f"printf %s '{drawn}' | sha256sum")[0] == NONCE_ROOT
    assert shell(f"printf '{ROOT}\\n1.1.2 1 0 {'55' * 32}\\n' | sha256sum")[0] == LINKS[0]


VECTORS = (SECRET, COMMITMENT, ROOT, NONCE_COMMITMENT, NONCE_ROOT, *LINKS, *SEEDS.values())


def test_the_docs_show_the_same_vectors():
    text = (Path(__file__).parents[2] / "docs/reference/verify.md").read_text()
    assert all(value in text for value in VECTORS)


def test_withdrawals_change_no_deal_and_names_change_all():
    gone = [Entrant(player.number, player.name, player.sha256, withdrawn=True) for player in PLAYERS]
    assert contest_root(SPEC, RULES, gone) == ROOT
    assert contest_root(SPEC, RULES, [*PLAYERS[:2], Entrant(3, "x", PLAYERS[2].sha256)]) != ROOT


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
