"""An error's details besides its reason reach the client unchanged."""

import grpc
import pytest

from maumau import errors
from maumau.client.call import from_rpc_error
from maumau.contest.spec.spec import parse_spec
from maumau.errors import MaumauError
from maumau.screen.output import details
from services.shared.rpc.status import LATER, LONGEST, code, resource_type, status
from tests.support.kinds import one_of

KINDS = [kind for kind in errors.by_reason().values() if kind is not MaumauError]
SPEC = 'name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"\n'


class Refusal(grpc.RpcError):
    """A client's error when a service ends a call with this status."""

    def __init__(self, said):
        self._said = said

    def code(self):
        return self._said.code

    def details(self):
        return self._said.details

    def trailing_metadata(self):
        return self._said.trailing_metadata


def sent(error):
    return from_rpc_error(Refusal(status(error, "request_1")))


@pytest.mark.parametrize(
    "words",
    [
        "[field:hostname lookup error:address lookup failed for nosuch.invalid:7101: Domain name not found]",
        "DNS resolution failed for nosuch.invalid:7101: C-ares status is not ARES_SUCCESS",
    ],
)
def test_a_host_that_cannot_be_found_is_said_in_plain_words(words):
    unavailable = status(errors.ArenaUnreachable(words), "request_1")
    error = from_rpc_error(Refusal(unavailable._replace(trailing_metadata=None)), "nosuch.invalid:7101")
    assert str(error) == (
        "the arena at nosuch.invalid:7101 does not answer (no host of this name can be found)"
    )


@pytest.mark.parametrize("kind", one_of(4, KINDS))
def test_every_error_arrives_with_all_that_is_known_of_it(kind):
    error = kind("it cannot be")
    error.violations = (errors.Violation("match.cap", "it is too small"),)
    error.quota, error.thing, error.retry_after = "bots of ada", "some-bot", 1.25
    found = sent(error)
    assert (type(found), str(found), found.request_id) == (kind, "it cannot be", "request_1")
    assert (found.violations, found.quota) == (error.violations, "bots of ada")
    assert found.thing == ("some-bot" if code(kind) is grpc.StatusCode.NOT_FOUND else "")
    if code(kind) in LATER:
        assert found.retry_after == 1.25


@pytest.mark.parametrize("kind", [kind for kind in KINDS if code(kind) is grpc.StatusCode.NOT_FOUND])
def test_whatever_is_not_there_says_what_it_would_be(kind):
    assert resource_type(kind) == {
        "NOT_FOUND": "not_found", "NOT_JOINED": "bot", "UNKNOWN_TOKEN_ID": "token",
    }.get(kind.reason, kind.reason.partition("_")[2].lower())  # fmt: skip


def test_what_passes_by_itself_says_when():
    passing = {kind.reason for kind in KINDS if kind.retry_after}
    assert passing >= {
        "DATABASE_UNAVAILABLE", "REQUEST_UNDER_WAY", "TOO_MANY_CALLS", "TOO_MANY_STREAMS", "DISK_FULL",
        "BROKER_UNAVAILABLE", "ARENA_UNREACHABLE",
    }  # fmt: skip
    assert sent(errors.TooManyCalls()).retry_after == 0.5
    assert sent(errors.BadSpec("no")).retry_after is None


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("[", "spec_toml"),
        (SPEC + "[match]\ncap = 7\nblock = 5\n", "match.cap"),
        (SPEC + "[match]\nblock = 0\n", "match.block"),
        (SPEC + '[[stage]]\nformat = "ladder"\n', "stage[2].format"),
        (SPEC + '[[stage]]\nformat = "round_robin"\nthird_place = true\n', "stage[2].third_place"),
        (SPEC + "[entries]\nmany = 3\n", "entries.many"),
        (SPEC.replace('rules = "mau_mau"\n', ""), "rules"),
        (SPEC.replace("mau_mau", "mau"), "rules"),
        (SPEC + "[options]\nspeed = 3\n", "options.speed"),
        ("seats = 3\n" + SPEC, "seats"),
    ],
)
def test_a_spec_that_cannot_be_names_the_key(text, field):
    with pytest.raises(MaumauError) as caught:
        parse_spec(text)
    (violation,) = sent(caught.value).violations
    assert violation.field == field
    assert str(caught.value).startswith(violation.sentence.removesuffix("…"))


def test_a_command_that_fails_says_it_all_as_json():
    error = errors.QuotaReached("no more", quota="bots of ada", retry_after=60)
    error.request_id = "request_1"
    assert details(error) == {"request_id": "request_1", "retry_after": 60, "quota": "bots of ada"}
    assert details(errors.BadRequest("no", field="days"))["violations"] == [
        {"field": "days", "message": "no"}
    ]


def test_the_longest_error_fits_into_the_headers():
    words = "ü" * 10_000
    error = errors.UnknownBot(words, field=words, thing=words, quota=words, retry_after=1)
    error.violations *= 50
    said = status(error, "request_1" * 50)
    size = sum(len(key) + len(value) + 32 for key, value in said.trailing_metadata)
    assert size < 8192
    assert len(said.details) == LONGEST
