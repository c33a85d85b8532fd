"""A change whose answer was lost is asked for again by the client, and was made once."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from bench.support.patience import patient
from maumau.client import action
from maumau.client.arena import Arena as Client
from maumau.errors import AnswerLost, DatabaseUnavailable, NameTaken, NotActive
from services.shared.store.change import Changing
from services.shared.store.connect import Database
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN, DEFAULTS, SPEC
from tests.support.host.cut import Proxy
from tests.support.twins import Twins
from tests.support.waiting import until


def made(arena):
    """Return the number of changes marked as made."""
    count = 0
    for service in ("registry", "tournament"):
        database = Database(arena.settings.database(service), service)
        with database.read() as session:
            count += session.execute(text("SELECT count(*) FROM change")).scalar_one()
        database.close()
    return count


@contextmanager
def losing(arena, token=ADMIN):
    """Yield `lose(change)`: the client's result of a change whose first answer is lost after it was made."""
    proxy = Proxy(arena.address)

    def lose(change):
        with Client(proxy.address, proxy.address, token, patience=patient(20)) as client:
            client.info()
            if token:
                client.queue()  # both channels are connected
            before = made(arena)
            proxy.hold()
            with ThreadPoolExecutor(1) as pool:
                asked = pool.submit(change, client)
                until(lambda: made(arena) > before)
                proxy.cut()
                return asked.result(patient(30))

    yield lose
    proxy.close()


def spec(name):
    return SPEC.format(**{**DEFAULTS, "name": name})


@pytest.mark.long
def test_every_change_of_a_tournament_is_made_once_though_its_answer_is_lost(arena):
    name, (one, two) = f"cup-{uuid.uuid4().hex[:8]}", arena.field("first", "random")
    with losing(arena) as lose:
        cup = lose(lambda client: client.create(spec(name)))
        assert lose(lambda client: client.edit(name, spec(name))).id == cup.id
        assert lose(lambda client: client.open(name)).state == "open"
        assert lose(lambda client: client.enter(name, one)).number == 1
        assert lose(lambda client: client.withdraw(name, one)).withdrawn
        entered = [lose(lambda client, bot=bot: client.enter(name, bot)).number for bot in (one, two)]
        assert entered == [1, 2]
        states = [
            lose(lambda client, verb=verb: getattr(client, verb)(name)).state
            for verb in ("start", "pause", "resume", "cancel")
        ]
    assert states == ["running", "paused", "running", "cancelled"]
    assert [one.name for one in arena.admin.tournaments()].count(name) == 1


@pytest.mark.long
def test_every_change_of_an_account_is_made_once_though_its_answer_is_lost(arena):
    name = f"author-{uuid.uuid4().hex[:8]}"
    with losing(arena, "") as lose:
        token = lose(lambda client: client.create_account(name)).token
    with losing(arena, token) as lose:
        further = lose(lambda client: client.create_token(label="further")).token
        rotated = lose(lambda client: client.rotate_token()).token
    with Client(arena.address, arena.address, rotated) as client:
        assert client.who().account_name == name
        labels = {one.label: one.id for one in client.tokens()}
        assert sorted(labels) == ["", "further"]
    with losing(arena, rotated) as lose:
        assert lose(lambda client: client.revoke_token(labels["further"])) == 1
        bot = f"{name}-bot"
        with Client(arena.address, arena.address, rotated) as client:
            version = client.submit(bot, arena.program("first")).version  # made once by its bytes
        arena.pass_validation(version.id)
        assert lose(lambda client: client.activate(version.id)).state == "active"
        lose(lambda client: client.delete_bot(bot))
    assert further not in (token, rotated)


def ask(arena, request_id, name, token=ADMIN):
    """Return the id of the tournament of that name, created under that request id."""
    calls = arena.tournament(token)
    calls.metadata = (*calls.metadata, ("x-request-id", request_id))
    return calls.CreateTournament(spec_toml=spec(name)).tournament.id


def test_the_same_request_at_the_same_time_is_made_once(arena):
    request_id, name = uuid.uuid4().hex, f"cup-{uuid.uuid4().hex[:8]}"
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(ask, arena, request_id, name) for _ in range(4)]
        assert len({one.result() for one in asked}) == 1


def test_another_replica_and_a_service_that_began_anew_know_what_was_made(arena):
    request_id, name = uuid.uuid4().hex, f"cup-{uuid.uuid4().hex[:8]}"
    cup = ask(arena, request_id, name)
    other = arena.replica()
    try:
        assert ask(other, request_id, name) == cup
        assert other.server.around.changing is not arena.server.around.changing
    finally:
        other.stop()


def test_a_repetition_that_overtakes_its_first_answer_at_another_replica_gets_that_answer(arena, monkeypatch):
    """Each would be refused: the name is taken, the bot has entered, the contest is in another state."""
    name, bots, other = f"cup-{uuid.uuid4().hex[:8]}", arena.field("first", "random"), arena.replica()
    twins = Twins(other.server, monkeypatch)

    def make(method, **fields):
        metadata = ("x-request-id", uuid.uuid4().hex)

        def ask(replica):
            calls = replica.tournament(ADMIN)
            calls.metadata = (*calls.metadata, metadata)
            return getattr(calls, method)(**fields)

        twins.make(ask, arena, other)

    try:
        make("CreateTournament", spec_toml=spec(name))
        make("EditTournament", tournament=name, spec_toml=spec(name).replace("cap = ", "cap = 1"))
        make("OpenEntries", tournament=name)
        for bot in bots:
            make("Enter", tournament=name, bot_name=bot)
        make("Withdraw", tournament=name, bot_name=bots[1])
        make("Enter", tournament=name, bot_name=bots[1])
        for method in ("Start", "Pause", "Resume"):
            make(method, tournament=name)
        make("Disqualify", tournament=name, bot_name=bots[1], reason="it sends words")
        make("Cancel", tournament=name)
    finally:
        other.stop()
    assert twins.made == 12
    noted = action.read_newest_actions({"tournament": arena.address}, ADMIN, 50)
    assert [one.outcome for one in noted if name in one.asked] == 11 * ["OK"]  # no spec is kept


def test_another_request_or_caller_or_a_short_id_is_another_change(arena):
    request_id, name = uuid.uuid4().hex, f"cup-{uuid.uuid4().hex[:8]}"
    cup = ask(arena, request_id, name)
    assert ask(arena, request_id, f"{name}-b") != cup
    organiser = arena.admin.create_token(scopes=("organiser",), account=arena.author()[1]).token
    with refused(NameTaken):
        ask(arena, request_id, name, organiser)
    ask(arena, "short", f"{name}-c")
    with refused(NameTaken):
        ask(arena, "short", f"{name}-c")


def test_who_asks_again_is_noted_once(arena):
    request_id, name = uuid.uuid4().hex, f"cup-{uuid.uuid4().hex[:8]}"
    for _ in range(2):
        ask(arena, request_id, name)
    kept = [
        one
        for one in action.read_newest_actions({"tournament": arena.address}, ADMIN, 50)
        if one.request_id == request_id
    ]
    assert [(one.method, one.outcome) for one in kept] == [("CreateTournament", "OK")]


def test_a_token_is_in_no_table_and_is_told_again_while_the_service_runs(arena, monkeypatch):
    request_id, name = uuid.uuid4().hex, f"author-{uuid.uuid4().hex[:8]}"
    calls = arena.registry("")
    calls.metadata = (("x-request-id", request_id),)
    token = calls.CreateAccount(name=name).token
    assert calls.CreateAccount(name=name).token == token
    monkeypatch.setattr(arena.server.around, "changing", Changing())  # as if it had begun anew
    with refused(AnswerLost, "look at what has changed before you repeat it"):
        calls.CreateAccount(name=name)


def test_what_was_refused_may_be_asked_again(arena):
    request_id, name = uuid.uuid4().hex, f"cup-{uuid.uuid4().hex[:8]}"
    calls = arena.tournament(ADMIN)
    calls.metadata = (*calls.metadata, ("x-request-id", request_id))
    arena.admin.create(spec(name))
    arena.admin.open(name)
    bot = arena.bot("first", arena.author()[0])
    arena.admin.delete_bot(bot)
    for _ in range(2):
        with pytest.raises(NotActive, match=bot):
            calls.Enter(tournament=name, bot_name=bot)


def test_what_was_begun_is_done_though_its_caller_has_gone(arena):
    name = f"cup-{uuid.uuid4().hex[:8]}"
    calls = arena.tournament(ADMIN)
    under_way = arena.server.around.changing._under_way
    request = calls.messages.CreateTournamentRequest(spec_toml=spec(name))
    asked = calls.stub.CreateTournament.future(
        request, metadata=(*calls.metadata, ("x-request-id", uuid.uuid4().hex))
    )
    until(lambda: under_way or asked.done())
    asked.cancel()
    until(lambda: name in [one.name for one in arena.admin.tournaments()])


def test_a_service_whose_database_was_away_is_asked_again(arena, monkeypatch):
    name, calls = f"cup-{uuid.uuid4().hex[:8]}", []
    organiser = arena.server.around  # the client asks again for any reason

    async def fails_first(kept, change, *more, answer=organiser.changing.answer):
        calls.append(change.id)
        if len(calls) == 1:
            raise DatabaseUnavailable
        return await answer(kept, change, *more)

    monkeypatch.setattr(organiser.changing, "answer", fails_first)
    assert arena.admin.create(spec(name)).name == name
    assert len(calls) == 2
    assert len(set(calls)) == 1  # under one request id
