"""Every error has its status, and comes out at the client as it went in at the service."""

import grpc
import pytest

from maumau import errors
from maumau.errors import MaumauError
from services.shared.rpc.status import CODES, LONGEST, code, status
from tests.support.kinds import one_of

KINDS = [kind for kind in errors.by_reason().values() if kind is not MaumauError]


@pytest.mark.parametrize("kind", one_of(4, KINDS))
def test_every_error_is_placed_in_the_table(kind):
    assert any(base in CODES for base in kind.__mro__), f"{kind.__name__} has no line in CODES"
    assert code(kind) is not grpc.StatusCode.OK


def test_a_reason_is_the_name_of_its_class():
    assert errors.StaleFence.reason == "STALE_FENCE"


def test_a_subclass_takes_the_place_of_the_nearest_class_above():
    assert code(errors.NotYours) is grpc.StatusCode.PERMISSION_DENIED
    assert code(errors.UnknownBot) is grpc.StatusCode.NOT_FOUND


def test_a_class_that_nobody_placed_is_our_own_mistake():
    assert code(MaumauError) is grpc.StatusCode.INTERNAL


def test_a_very_long_message_still_fits_into_the_headers():
    said = status(errors.BadRequest("ü" * 100_000), "request_1")
    assert len(said.details) == LONGEST
    assert sum(len(value) for _, value in said.trailing_metadata) < 8000
