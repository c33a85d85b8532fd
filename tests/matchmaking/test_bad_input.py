"""Invalid requests are refused in one sentence, and nothing is lost."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from maumau.client.call import rpc_errors
from maumau.errors import (
    BadRecord,
    BadRequest,
    BadSeatToken,
    IllegalAction,
    MessageTooLarge,
    TooManyStreams,
)
from maumau.v1 import engine_pb2, engine_pb2_grpc, seek_pb2
from tests.matchmaking.test_seek import Author, open_seeks
from tests.support.arenas.engine import Calls
from tests.support.arenas.seat import Seat
from tests.support.terminal import home_of
from tests.support.waiting import until

pytestmark = pytest.mark.long

PRSI = ("seek", "prsi", "--bot", "greedy", "--sandbox", "process")
RULES = (
    "app, crocodile, czech_fool, faraon, haft_khabis, mau_mau, neuner, one_oh_one, pesten, pharaoh_ru, prsi"
)
UNKNOWN = f"there is no variant 'bridge'; known: {RULES}"
OPTION = "there is no option ace; known: ace_stack, after_penalty"
LEAST, MOST = "expected a number of at least", "expected a number of at most"
TAKEN = (
    "{ada} seeks a rated game of these rules and clocks already: no account is rated against itself,"
    " nor do two bots of one author sit at one rated table."
)


@pytest.fixture
def ada(arena):
    return Author(arena)


@pytest.fixture
def home(arena, ada, tmp_path):
    return home_of(arena, tmp_path, ada.client.token)


def engine_of(arena, author):
    return Calls(arena.address, author.client.token, engine_pb2, engine_pb2_grpc.EngineServiceStub)


# --- as a user types it ---


@pytest.mark.parametrize(
    ("code", "words", "said"),
    [
        (1, ("seek", "bridge", "--bot", "greedy"), UNKNOWN),
        (1, ("seat", "bridge"), UNKNOWN),
        (1, ("ladder", "live", "bridge"), UNKNOWN),
        (1, ("practice", "mine", "greedy", "--rules", "bridge"), UNKNOWN),
        (1, (*PRSI, "-o", "ace=9"), OPTION),
        (1, ("seat", "prsi", "-o", "ace=9"), OPTION),
        (1, ("practice", "mine", "greedy", "--rules", "prsi", "-o", "ace=9"), OPTION),
        (1, (*PRSI, "--seats", "99"), "prsi is played by 2 to 5, not by 99."),
        (1, (*PRSI, "--seats", "99999999999"), "prsi is played by 2 to 5, not by 99999999999."),
        (2, (*PRSI, "--seats", "1"), f"Invalid value for '--seats': {LEAST} 2, not 1"),
        (2, (*PRSI, "--seats", "-1"), f"Invalid value for '--seats': {LEAST} 2, not -1"),
        (1, ("seat", "prsi", "--seats", "99"), "prsi is played by 2 to 5, not by 99."),
        (1, ("ladder", "live", "prsi", "--seats", "99"), "prsi is played by 2 to 5, not by 99."),
        (
            2, ("practice", "mine", "greedy", "--seats", "99"),
            f"Invalid value for '--seats': {MOST} 10, not 99",
        ),
        (
            1, ("seat", "prsi", "--seats", "2", "--bot", "greedy", "--bot", "counter"),
            "A table of 2 has room for 1 bot besides you, not 2.",
        ),
        (2, (*PRSI, "--bank", "-1"), f"Invalid value for '--bank': {LEAST} 0.1, not -1"),
        (2, (*PRSI, "--bank", "nan"), f"Invalid value for '--bank': {LEAST} 0.1, not nan"),
        (1, (*PRSI, "--bank", "inf"), "bank is inf; it is 0.1 to 86,400 seconds."),
        (1, (*PRSI, "--bank", "90000"), "bank is 90,000; it is 0.1 to 86,400 seconds."),
        (1, (*PRSI, "--bank", "1e300"), "bank is 1e+300; it is 0.1 to 86,400 seconds."),
        (1, (*PRSI, "--increment", "601"), "increment is 601; it is 0 to 600 seconds."),
        (2, (*PRSI, "--window", "0"), f"Invalid value for '--window': {LEAST} 0.1, not 0"),
        (1, (*PRSI, "--window", "1e7"), "window is 1e+07; it is 0.1 to 600 seconds."),
        (2, ("seat", "prsi", "--bank", "-3"), f"Invalid value for '--bank': {LEAST} 0.1, not -3"),
        (1, ("seat", "prsi", "--bank", "1e12"), "bank is 1e+12; it is 0.1 to 86,400 seconds."),
        (1, ("seat", "prsi", "--increment", "1e12"), "increment is 1e+12; it is 0 to 600 seconds."),
        (2, (*PRSI, "--range", "99999999999"), f"Invalid value for '--range': {MOST} 3000, not 99999999999"),
        (2, (*PRSI, "--house-after", "5000"), f"Invalid value for '--house-after': {MOST} 3600, not 5000"),
        (
            1, (*PRSI, "--name", "A b"),
            "'A b' cannot be a bot's name: it is 2 to 40 of a-z, 0-9, - and _, with a letter or digit first.",
        ),
        (
            1, ("seat", "--table", "x"),
            "This is not the token of a seat at any table. The arena asked is at ADDRESS.",
        ),
        (
            1, ("watch", "x"),
            "There is no table of that id, or the arena has lost it. `maumau tables` lists the tables.",
        ),
        (1, ("replay", "big.txt"), "line 2: the record breaks off, its last line has no end"),
        (1, ("verify", "big.txt"), "big.txt is not an export of a contest."),
    ],
)  # fmt: skip
def test_what_is_typed_and_cannot_be_is_refused_in_one_sentence(arena, home, ada, code, words, said):
    if "big.txt" in words:
        (home.home / "big.txt").write_text("[maumau 1]\n" + "x" * (10 << 20))
    answer, said = home.run(*words, code=code), said.replace("ADDRESS", arena.address)
    assert answer.err.startswith(f"error: {said}")
    assert answer.err.count("\n") == 1
    if said not in (UNKNOWN, OPTION):  # the rest of those is what else is known
        assert answer.err == f"error: {said}\n"
    assert answer.out == ""
    assert not [one for one in open_seeks(arena) if one.account_name == ada.name]
    assert not [one for one in engine_of(arena, ada).ListTables().tables if one.account_name == ada.name]


def test_a_ladder_is_joined_by_bots_that_were_validated_for_its_rules_and_seats(arena, home, ada):
    prsi = arena.bot("first", rules=("prsi",), client=ada.client)
    two = arena.bot("first", seats=(2,), client=ada.client)
    plain, four = arena.ladder(), arena.ladder(seats=4)
    for name, bot, said in (
        (plain, prsi, f"{prsi} was not validated for mau_mau, only for prsi."),
        (four, two, f"{two} was not validated for 4 seats, only for 2."),
    ):
        assert home.run("ladder", "join", name, bot, code=1).err == f"error: {said}\n"
        assert not arena.lines(name)


@pytest.mark.parametrize("seats", [2, 4])
def test_nobody_has_two_programs_at_a_rated_table(arena, ada, home, seats):
    asked = ("seek", "schweizer", "--bot", "greedy", "--sandbox", "process", "--rated", "--seats", str(seats))
    stream = ada.calls.Seek(rules={"name": "schweizer"}, rated=True, bot_name="mine", seats=seats)
    next(stream)
    for name in ("mine", "other"):
        said = TAKEN.format(ada=ada.name)
        assert home.run(*asked, "--name", name, code=1).err == f"error: {said}\n"
    assert len([one for one in open_seeks(arena) if one.account_name == ada.name]) == 1
    stream.cancel()


# --- as a program calls it ---


def test_a_record_of_ten_megabytes_and_a_fold_that_never_ends_are_refused(arena, ada):
    engine = engine_of(arena, ada)
    with pytest.raises(MessageTooLarge) as caught:
        engine.Verify(record="x" * (10 << 20))
    assert str(caught.value) == (
        "the message is larger than the arena takes"
        " (SERVER: Received message larger than max (10485765 vs. 4194304))"
    )
    with pytest.raises(BadRecord) as caught:
        engine.Fold(record="x" * (300 << 10))
    assert str(caught.value) == "The record has 307,200 characters; 262,144 are the most."
    start = {"rules": {"name": "mau_mau"}, "seats": 2, "seed": "x"}
    with pytest.raises(BadRequest) as caught:
        engine.Fold(deal=start, actions=[{"seat": 0, "action": "draw"}] * 10_001)
    assert str(caught.value) == "There are 10,001 actions; 10,000 are the most."


def test_what_is_said_at_one_table_counts_at_no_other(arena, ada):
    engine = engine_of(arena, ada)
    made = [engine.CreateTable(rules={"name": "prsi"}, seats=2) for _ in range(2)]
    tables = [[Seat(engine, token) for token in one.seat_tokens] for one in made]
    (table, _), (other, _) = tables
    asked, theirs = table.question(), other.question()
    before = engine.GetTable(table_id=made[1].table.id).table.cursor
    card = next(card for card in theirs["hand"] if card not in asked["hand"])
    table.answer(card)
    said = table.wait("refused").refusal
    assert (said.reason, said.message) == (IllegalAction.reason, f"{card}: A does not hold {card}")
    mixed = "/".join((made[0].table.id, *made[1].seat_tokens[0].split("/")[1:]))
    with pytest.raises(BadSeatToken) as caught:
        Seat(engine, mixed).wait("seated")
    assert str(caught.value) == "This is not the token of a seat at any table."
    assert engine.GetTable(table_id=made[1].table.id).table.cursor == before
    for seat in (*tables[0], *tables[1]):
        seat.leave()


def test_ten_thousand_seeks_of_one_account_are_twenty(arena, ada):
    """The rest is refused as it comes; others find each other meanwhile."""
    streams = []

    def seek(number):
        wish = seek_pb2.SeekRequest(
            rules={"name": "pesten"}, seats=4, time={"bank_ms": 60_000 + number}, bot_name="mine"
        )
        stream = ada.calls.stub.Seek(wish, metadata=ada.calls.metadata)  # open until the last was refused
        try:
            with rpc_errors():
                next(stream)
        except TooManyStreams as error:
            return str(error)
        streams.append(stream)
        return ""

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(seek, range(10_000)))
    assert len(streams) == 20
    assert said.count("") == 20
    assert set(said) - {""} == {str(TooManyStreams())}
    assert len([one for one in open_seeks(arena) if one.account_name == ada.name]) == 20
    bob = Author(arena)
    assert any(told.waiting.words for told in bob.calls.Seek(rules={"name": "pesten"}, seats=4))
    for stream in streams:
        stream.cancel()
    until(lambda: not [one for one in open_seeks(arena) if one.account_name == ada.name], 40)
