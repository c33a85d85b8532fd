"""Settings that contradict each other are said in a sentence, before a service has made anything."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.support.patience import patient
from maumau.errors import BadSetting
from services.shared.base import contradiction
from services.shared.base.settings import Settings
from tests.support.variables import without_settings

ROOT = Path(__file__).parents[2]
TOKENS = {"ADMIN_TOKEN": "mm_the-admin-of-this-test", "WORKER_TOKEN": "mm_a-worker-of-this-test"}
REDIS = "MAUMAU_REDIS_URL and MAUMAU_BROKER_URL name the same database.* Give the broker its own, such as"
PLACES = {"ARTIFACTS": "s3://arena/programs", "EXPORTS": "s3://arena/programs/exports/"}

CASES = {
    "weak sandbox": (
        "registry", {"SANDBOX": "process", "UPLOADS": "all"},
        "MAUMAU_SANDBOX=process does not hold them.* Set MAUMAU_SANDBOX=bwrap, or MAUMAU_UPLOADS=house",
    ),
    "weak sandbox of a worker": (
        "worker", {"SANDBOX": "process", "UPLOADS": "all"}, "MAUMAU_UPLOADS=all takes strangers' programs"
    ),
    "image": (
        "worker", {"SANDBOX": "process", "IMAGE": "required"},
        "MAUMAU_SANDBOX=process has none. Set MAUMAU_SANDBOX=bwrap, or MAUMAU_IMAGE=optional",
    ),
    "redis": ("tournament", {"REDIS_URL": "redis://r:6379/0", "BROKER_URL": "redis://:word@r"}, REDIS),
    "records": (
        "tournament", {"DATABASE_URL": "postgresql://db/maumau", "MOVE_RECORDS_DAYS": "30"},
        "MAUMAU_RECORDS, which says where to, is not set. Set it to a bucket",
    ),
    "places": (
        "tournament", PLACES,
        "MAUMAU_EXPORTS = 's3://arena/programs/exports' lies in MAUMAU_ARTIFACTS = 's3://arena/programs'",
    ),
    "tokens": (
        "registry", {"WORKER_TOKEN": TOKENS["ADMIN_TOKEN"]},
        "MAUMAU_ADMIN_TOKEN and MAUMAU_WORKER_TOKEN are the same; a worker must not be an admin",
    ),
    "the page's token": (
        "registry", {"READER_TOKEN": TOKENS["WORKER_TOKEN"]},
        "MAUMAU_READER_TOKEN is the admin's or the workers'; the page must only read",
    ),
    "the host's token": (
        "registry", {"HOST_TOKEN": TOKENS["WORKER_TOKEN"], "HOST_NAME": "host-1"},
        "MAUMAU_HOST_TOKEN is another token of the arena too",
    ),
    "a host without a name": (
        "registry", {"HOST_TOKEN": "mm_a-host-of-this-test"}, "MAUMAU_HOST_TOKEN and MAUMAU_HOST_NAME belong",
    ),
    "a token of the repository": (
        "registry", {"ADMIN_TOKEN": "mm_the-admin-is-not-a-secret"},
        "MAUMAU_ADMIN_TOKEN is a token from the project's repository.* Make one of your own",
    ),
    "a token of the repository for a worker": (
        "worker", {"WORKER_TOKEN": "mm_the-host-is-not-a-secret"},
        "MAUMAU_WORKER_TOKEN is a token from the project's repository",
    ),
    "a password of the repository": (
        "tournament", {"DATABASE_URL": "postgresql://maumau:not-a-secret@postgres/maumau"},
        "MAUMAU_DATABASE_URL has a password from the project's repository",
    ),
    "the name of a host": (
        "registry", {"HOST_NAME": "token_1"}, "MAUMAU_HOST_NAME = 'token_1' cannot be: it has at most 60",
    ),
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", CASES)
def test_settings_that_contradict_each_other_are_refused_before_anything_is_made(case, tmp_path):
    service, given, words = CASES[case]
    told = {"DATA": str(tmp_path / "data"), **TOKENS, **given}
    env = without_settings()
    done = subprocess.run(
        [sys.executable, "-m", f"services.{service}"],
        env=env | {f"MAUMAU_{name}": value for name, value in told.items()},
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=patient(60),
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert re.search(words, done.stderr), done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("state", "broker", "is_shared"),
    [
        ("redis://r:6379/0", "redis://r:6379/0/", True),
        ("redis://r", "redis://:word@r:6379/0", True),
        ("unix:///run/redis.sock?db=2", "redis+socket:///run/redis.sock?virtual_host=2", True),
        ("redis://r/0", "redis://r/1", False),
        ("redis://r:6379/0", "redis://r:6380/0", False),
        ("unix:///run/redis.sock", "redis+socket:///run/redis.sock?virtual_host=1", False),
    ],
)
def test_two_urls_of_one_database_are_known_for_one(state, broker, is_shared):
    assert bool(contradiction.find_shared_redis(Settings(redis_url=state, broker_url=broker))) is is_shared


def test_records_of_several_replicas_move_to_a_place_that_is_named():
    given = {"MAUMAU_DATABASE_URL": "postgresql://db/maumau", "MAUMAU_MOVE_RECORDS_DAYS": "30"}
    assert Settings.read(given | {"MAUMAU_RECORDS": "s3://arena/records"}).move_records_days == 30
    own = Settings.read({"MAUMAU_MOVE_RECORDS_DAYS": "30"}).stores()["records"]
    assert own.endswith("tournament/records")


@pytest.mark.parametrize(
    ("state", "broker"),
    [
        ("redis://h:6379?db=1", "redis://h:6379/0"),
        ("redis://h/0", "redis://h:6380/0"),
        ("redis://h", "redis://h/?db=2"),
        ("unix:///r.sock?db=1", "redis+socket:///r.sock?virtual_host=/2"),
    ],
)
def test_two_databases_of_redis_are_no_contradiction(state, broker):
    assert Settings.read({"MAUMAU_REDIS_URL": state, "MAUMAU_BROKER_URL": broker}).redis_url == state


@pytest.mark.parametrize(
    ("state", "broker"),
    [
        ("redis://H/0", "redis://:word@h:6379"),
        ("redis://h/00", "redis://h?db=0"),
        ("unix:///r?db=3", "unix:///r?db=3"),
    ],
)
def test_one_database_of_redis_is_found_however_it_is_written(state, broker):
    with pytest.raises(BadSetting, match="the same database"):
        Settings.read({"MAUMAU_REDIS_URL": state, "MAUMAU_BROKER_URL": broker})


def test_places_beside_each_other_are_no_contradiction():
    given = {"ARTIFACTS": "s3://arena/programs", "EXPORTS": "s3://arena/programs-exports"}
    assert Settings.read({f"MAUMAU_{name}": place for name, place in given.items()}).exports


@pytest.mark.parametrize("uploads", ["", "house", "trusted"])
def test_a_worker_without_a_wall_starts_where_nobody_s_programs_come_unread(uploads):
    given = Settings.read({"MAUMAU_SANDBOX": "process", "MAUMAU_UPLOADS": uploads})
    assert contradiction.find_weak_sandbox(given) == ""


def test_a_wall_that_is_missing_where_the_best_was_to_be_chosen_is_said_too():
    given = Settings.read({"MAUMAU_SANDBOX": "auto", "MAUMAU_UPLOADS": "all"})
    assert contradiction.find_weak_sandbox(given, "bwrap") == ""
    assert "MAUMAU_UPLOADS=trusted takes everybody's" in contradiction.find_weak_sandbox(given, "process")
