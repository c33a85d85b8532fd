"""Nobody can choose the deals, and anybody can check them."""

import subprocess
from pathlib import Path

import pytest

from maumau.contest.chain import Booking, links
from maumau.contest.entrant import Entrant, check_entrants
from maumau.contest.seed import commitment, contest_root, deal_seed, deal_seeds, new_secret
from maumau.errors import BadResult, TooFewEntrants

SECRET = "0123456789abcdef0123456789abcdef"
PLAYERS = [Entrant(1, "a", "11" * 32), Entrant(2, "b", "22" * 32), Entrant(3, "c", "33" * 32)]

# made with printf, sha256sum and openssl, as docs/verify.md shows
COMMITMENT = "3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9"
ROOT = "0fb7c0bc143a28b07c80c9d20feba4fc4a49f26b26ff3166fc6cabcfed77b311"
NONCE, NONCE_COMMITMENT = "77" * 32, "c0b6304bd6ce9b3e65150392c91a3aa76803a59c29e46f9fb2b9aac235e58386"
NONCE_ROOT = "039c340504be780f80eea7fa967626e1cbc832a4b6e9636d0a3f6974116cd190"
DRAWN = [
    Entrant(1, "a", "11" * 32, False, NONCE_COMMITMENT, NONCE),
    PLAYERS[1],
    Entrant(3, "c", "33" * 32, False, commitment("88" * 32)),
]
SPEC = {"name": "cup", "rules": "prsi", "match": {"delta": 0.025}}
RULES = "44" * 32
SEEDS = {
    ("1.1.1", 0): "933a7587f428c65a3aa38005a730702e87c6bc51623e09895c0802b0bce2d299",
    ("1.1.1", 1): "be2a66c8dd5d6f47a7eaa04d083093314d43ce7253e6c735b672d36487616ada",
    ("2.3.2", 1999): "af1f0405ebed97d7248277da3f76668afde4fd6916ea103681692af9a8920c3d",
    ("1.1.1", 0, 2): "0425357dc2262eee2773cd5c06479495744793283937a8870e57075a8c44845e",
    ("2.3.2", 1999, 3): "2073ec389f855e21c4eb1214523e987856e4c8e17aea03e4d6cdb35013c47971",
}


def test_the_commitment_is_the_sha256_of_the_secret():
    assert commitment(SECRET) == COMMITMENT


LINKS = (
    "02209951e067d0cb4d809f130646845995189c2081572d5b6edbe4fa07aaeb9d",
    "e38f4013a3e90494bd1c0fd626e929f3378a44e3e2d30bd7fbf2363415e9fb95",
)


def test_the_root_is_over_spec_rules_numbers_hashes_and_names():
    assert contest_root(SPEC, RULES, PLAYERS) == ROOT


def test_nonces_are_in_the_root_and_so_are_those_that_were_never_opened():
    assert contest_root(SPEC, RULES, DRAWN) == NONCE_ROOT
    assert contest_root(SPEC, RULES, [DRAWN[0], DRAWN[1], PLAYERS[2]]) != NONCE_ROOT


def test_a_link_is_made_of_the_one_before_and_a_booking():
    bookings = [Booking("1.1.2", 1, 0, "55" * 32), Booking("1.1.1", 2, 3, "66" * 32)]
    assert tuple(link.chain for link in links(ROOT, bookings)) == LINKS


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
    text = f'{{"entries":[{entries}],"rules_hash":"{RULES}","spec":{spec},"version":3}}'
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
    text = (Path(__file__).parents[2] / "docs" / "verify.md").read_text()
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
