"""Every error has its status, and comes out at the client as it went in at the service."""

import grpc
import pytest

from maumau import errors
from maumau.errors import MaumauError
from services.shared.status import CODES, LONGEST, code, status


def _kinds(base=MaumauError):
    """The tree of errors.py; a client makes classes of its own for reasons that it does not know."""
    for kind in base.__subclasses__():
        if getattr(errors, kind.__name__, None) is kind:
            yield kind
            yield from _kinds(kind)


@pytest.mark.parametrize("kind", sorted(set(_kinds()), key=lambda kind: kind.__name__))
def test_every_error_is_placed_in_the_table(kind):
    assert any(base in CODES for base in kind.__mro__), f"{kind.__name__} has no line in CODES"
    assert code(kind) is not grpc.StatusCode.OK


def test_no_two_errors_have_the_same_reason():
    reasons = [kind.reason for kind in set(_kinds())]
    assert len(reasons) == len(set(reasons))
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
