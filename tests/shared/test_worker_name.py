"""A worker's name belongs to its token."""

import pytest

from maumau.errors import BadRequest, NotAllowed, StaleFence
from services.shared.base.auth import Identity
from services.shared.base.worker_name import check_holder, choose_host, name_worker

OWN = Identity("account_1", "worker", frozenset({"worker"}))
HOST = Identity("account_1", "worker", frozenset({"worker"}), expires_at=1, host="host-1")
OLD = Identity("account_1", "worker", frozenset({"worker"}), expires_at=1)
ADMIN = Identity("account_2", "admin", frozenset({"admin"}), expires_at=1)


@pytest.mark.parametrize(
    ("label", "host"),
    [
        ("host-1", "host-1"), ("rack.3_b", "rack.3_b"), ("", "token_1"), ("a/b", "token_1"),
        ("two words", "token_1"), ("host-1\n", "token_1"), ("-x", "token_1"), ("größe", "token_1"),
    ],
)  # fmt: skip
def test_the_host_of_a_token_is_its_label_or_its_id(label, host):
    assert choose_host(label, "token_1") == host


@pytest.mark.parametrize(
    ("who", "given", "name"),
    [
        (OWN, "4f1c-12", "4f1c-12"), (ADMIN, "4f1c-12", "4f1c-12"), (HOST, "4f1c-12", "host-1/4f1c-12"),
        (HOST, "host-1/4f1c-12", "host-1/4f1c-12"), (HOST, "host-2", "host-1/host-2"), (HOST, "", "host-1/"),
    ],
)  # fmt: skip
def test_the_name_of_a_worker_begins_with_its_host(who, given, name):
    assert name_worker(who, given) == name


@pytest.mark.parametrize(
    ("who", "given", "error", "words"),
    [
        (HOST, "host-2/4f1c-12", NotAllowed, "'host-2/4f1c-12' is not a worker of this token"),
        (HOST, "host-2/4f1c-12", NotAllowed, "its workers' names begin with host-1/"),
        (HOST, "host-11/4f1c-12", NotAllowed, "its workers' names begin with host-1/"),
        (HOST, "/4f1c-12", NotAllowed, "its workers' names begin with host-1/"),
        (OWN, "host-1/4f1c-12", NotAllowed, "its workers' names have no slash"),
        (OLD, "4f1c-12", NotAllowed, "does not say of which host this token is"),
        (HOST, "a\nhost-2/b", BadRequest, "letters, digits, dots"),
        (HOST, "host-1/'; DROP TABLE", BadRequest, "letters, digits, dots"),
        (HOST, "a b", BadRequest, "letters, digits, dots"),
        (OWN, "<b>4f1c</b>", BadRequest, "letters, digits, dots"),
        (OWN, "[red]4f1c-12", BadRequest, "letters, digits, dots"),
        (HOST, "host-1/-x", BadRequest, "letters, digits, dots"),
        (HOST, "host-1/a/b", BadRequest, "letters, digits, dots"),
        (HOST, "gr\u00f6\u00dfe-12", BadRequest, "letters, digits, dots"),
        (ADMIN, "\u202e4f1c-12", BadRequest, "letters, digits, dots"),
        (HOST, "a" * 201, BadRequest, "at most 200"),
    ],
)
def test_a_worker_of_another_token_is_refused(who, given, error, words):
    with pytest.raises(error, match=words):
        name_worker(who, given)


@pytest.mark.parametrize("worker", ["host-2/4f1c-12", "host-11/4f1c-12", "4f1c-12", "host-1", ""])
def test_what_a_worker_of_another_token_has_claimed_is_not_for_this_one(worker):
    check_holder(OWN, worker)
    check_holder(ADMIN, worker)
    for who in (HOST, OLD):
        with pytest.raises(StaleFence, match="another token"):
            check_holder(who, worker)
    check_holder(HOST, "host-1/4f1c-12")
