"""Callers who guess tokens cost little, and do not lock out those who have one."""

import asyncio

import pytest

from maumau.errors import ExpiredToken, RevokedToken, TooManyCalls, UnknownToken
from services.shared.base.auth import Identity, Need
from services.shared.rpc import registry as shared_registry
from services.shared.rpc.gate import ASKER, Gate
from services.shared.rpc.guess import REMEMBERED, TRIES, Guesses
from services.shared.rpc.registry import TokenOwners
from tests.support.library import replace_functions

ADA = Identity("account_1", "ada", frozenset({"author"}))


class Asked:
    """Knows one token and counts how often it is asked."""

    def __init__(self):
        self.tokens = []

    async def __call__(self, token):
        self.tokens.append(token)
        if token != "good":
            raise UnknownToken
        return ADA


@pytest.fixture
def now():
    return [100.0]


@pytest.fixture
def asked():
    return Asked()


@pytest.fixture
def gate(now, asked):
    gate = Gate()
    gate._guesses = Guesses(lambda: now[0])
    gate.rules["/t/Do"] = (Need.ANY, asked)
    return gate


def call(gate, token, address="ipv4:10.0.0.1"):
    asyncio.run(gate.enter("/t/Do", {"authorization": f"Bearer {token}"}, address))


def test_a_refused_token_is_refused_again_without_asking_for_a_while(gate, asked, now):
    for _ in range(3):
        with pytest.raises(UnknownToken, match="login"):
            call(gate, "bad")
    assert asked.tokens == ["bad"]
    now[0] += REMEMBERED
    with pytest.raises(UnknownToken):
        call(gate, "bad")
    assert asked.tokens == ["bad", "bad"]


def test_an_address_has_so_many_tries_and_whoever_was_known_is_let_through(gate, asked, now):
    call(gate, "good")
    for number in range(TRIES):
        with pytest.raises(UnknownToken):
            call(gate, f"bad-{number}")
    with pytest.raises(TooManyCalls, match="from your address"):
        call(gate, "bad-and-more")
    assert len(asked.tokens) == 1 + TRIES
    call(gate, "good")
    call(gate, "good", "ipv4:10.0.0.2")
    with pytest.raises(UnknownToken):
        call(gate, "other", "ipv4:10.0.0.2")
    now[0] += 1
    with pytest.raises(UnknownToken):
        call(gate, "one-more")


def test_guesses_that_a_service_passes_on_count_for_nobody(asked, now):
    """Else whoever guesses at one service shuts its honest callers out of the registry."""
    gate = Gate(own_token="the-services-own-token")
    gate._guesses = Guesses(lambda: now[0])
    gate.rules["/t/Do"] = (Need.ANY, asked)

    def pass_on(token, asker):
        metadata = {"authorization": f"Bearer {token}", ASKER: asker}
        asyncio.run(gate.enter("/t/Do", metadata, "ipv4:10.0.0.1"))

    for number in range(3 * TRIES):
        with pytest.raises(UnknownToken):
            pass_on(f"bad-{number}", "the-services-own-token")
    pass_on("good", "the-services-own-token")
    for number in range(TRIES):
        with pytest.raises(UnknownToken):
            pass_on(f"worse-{number}", "somebody-else-s-word")
    with pytest.raises(TooManyCalls):
        pass_on("worse", "somebody-else-s-word")
    gate._guesses._good.clear()  # as after a restart
    pass_on("good", "the-services-own-token")


def test_no_token_is_kept_in_clear(gate):
    with pytest.raises(UnknownToken):
        call(gate, "a-secret-token")
    call(gate, "good")
    assert "a-secret-token" not in repr(vars(gate._guesses))
    assert "good" not in repr(gate._guesses._good)


def test_a_revoked_or_expired_token_is_refused_within_seconds(monkeypatch):
    """The registry is asked again after 5 s, and whenever a token's end has come."""
    answers = [Identity("account_1", "ada", frozenset({"author"}), expires_at=1_000_000)] * 2
    clock, wall = [0.0], [990_000]
    owners = TokenOwners.__new__(TokenOwners)
    owners.own, owners.known = {}, {}

    async def ask(_):
        if not answers:
            raise RevokedToken
        return answers.pop()

    owners._ask = ask
    replace_functions(monkeypatch, shared_registry, "time", monotonic=lambda: clock[0])
    monkeypatch.setattr(shared_registry.clock, "now", lambda: wall[0])

    def known():
        return asyncio.run(owners.authenticate("mm_token")).name

    assert (known(), len(answers)) == ("ada", 1)
    clock[0], wall[0] = 4.9, 994_900
    assert (known(), len(answers)) == ("ada", 1)
    clock[0], wall[0] = 5.1, 998_000
    assert (known(), len(answers)) == ("ada", 0)  # asked again; it ends in 2 s
    clock[0], wall[0] = 7.2, 1_000_100
    with pytest.raises(RevokedToken):
        known()


@pytest.mark.parametrize("error", [RevokedToken, ExpiredToken])
def test_tokens_that_have_ended_are_no_guesses(error, now):
    guesses = Guesses(lambda: now[0])
    for number in range(2 * TRIES):
        guesses.refused(f"ended {number}", "the page", error())
    guesses.check("another", "the page")
    with pytest.raises(error):
        guesses.check("ended 1", "the page")
