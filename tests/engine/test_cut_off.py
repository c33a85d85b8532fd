"""A seat at an engine service that stops: it says hello again by itself, however long nobody has moved."""

import threading
import time

import pytest

from bench.support.patience import patient
from maumau.client.live import Tables
from maumau.errors import ArenaUnreachable, DatabaseUnavailable
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import engine_pb2_grpc
from services.shared.rpc.status import status
from tests.support.grpc_server import serve_servicer

ADD_SERVICER = engine_pb2_grpc.add_EngineServiceServicer_to_server
PATIENCE = patient(2)
TURN = '{"ask":"turn","legal":["draw"],"call":{}}'
ERRORS = (
    ArenaUnreachable("The engine service stops; say hello again."),
    DatabaseUnavailable("Redis does not answer just now."),
)


class Engine(engine_pb2_grpc.EngineServiceServicer):
    """Asks, ends the first stream with an error after a while, and says goodbye in the second."""

    def __init__(self, error, quiet):
        self.error, self.quiet, self.hellos = error, quiet, []

    def Play(self, requests, context):  # noqa: N802
        self.hellos.append(next(requests).hello)
        yield pb.PlayResponse(seated=pb.Seated(seat=0))
        if len(self.hellos) == 1:
            yield pb.PlayResponse(line=pb.PlayLine(cursor=4, line=TURN))
            threading.Event().wait(self.quiet)
            context.abort_with_status(status(self.error, "request_1"))
        yield pb.PlayResponse(line=pb.PlayLine(cursor=4, line='{"bye":true}'))


@pytest.mark.sample
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.reason)
@pytest.mark.parametrize("quiet", [0.0, PATIENCE + 0.2], ids=["at_once", "after_a_long_thought"])
def test_a_seat_comes_back_after_an_orderly_stop(error, quiet):
    engine = Engine(error, quiet)
    with (
        serve_servicer(ADD_SERVICER, engine) as address,
        Tables(address, patience=PATIENCE) as tables,
    ):
        kinds = [told.kind for told in tables.sit("table_1/0/x")]
    assert kinds == ["seated", "line", "away", "seated", "line"]
    assert [hello.after for hello in engine.hellos] == [0, 4]


@pytest.mark.long
def test_a_seat_gives_up_when_the_arena_has_been_silent_for_its_patience():
    engine = Engine(ERRORS[0], 0.0)
    with serve_servicer(ADD_SERVICER, engine) as address:
        seat = iter(Tables(address, patience=PATIENCE).sit("table_1/0/x"))
        assert [next(seat).kind for _ in range(2)] == ["seated", "line"]
    begun = time.monotonic()
    with pytest.raises(ArenaUnreachable):
        list(seat)
    assert time.monotonic() - begun < patient(20)
