"""A real registry on a free port, with clients as authors and workers have them."""

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
import uuid
import zipfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import make_url

from bench.support.patience import Deadline, patient
from maumau.client.call import rpc_errors
from maumau.v1 import registry_pb2 as pb
from maumau.v1.registry_pb2_grpc import RegistryServiceStub
from services.registry.app import bind
from services.shared.base.settings import Settings
from services.shared.process.server import Server
from services.shared.rpc import client
from tests.support.host.receiver import PERMITTED
from tests.support.kinds import both_kinds
from tests.support.stores import tables

ADMIN = "mm_the-admin-of-these-tests"
WORKER = "mm_a-worker-of-these-tests"
CHUNK = 64 * 1024
MANY = 100_000  # accounts: all tests have one address
CHECKOUT = Path(__file__).parents[2]


class Client:
    """The registry's calls with one token; refusals are MaumauErrors."""

    def __init__(self, address, token=""):
        self.token = token
        self.channel = client.connect(address, token)
        self.stub = RegistryServiceStub(self.channel)

    def __getattr__(self, method):
        """`client.GetVersion(version_id=…)`."""
        request = getattr(pb, f"{method}Request")

        def call(**fields):
            with rpc_errors():
                return getattr(self.stub, method)(request(**fields), timeout=patient(20))

        return call

    def submit(self, name, archive, **header):
        """Uploads as the CLI does; fields of the header may be told otherwise."""
        return self.send(_parts(name, archive, **header))

    def send(self, messages):
        with rpc_errors():
            return self.stub.SubmitVersion(iter(messages), timeout=patient(20))

    def fetch(self, sha256):
        with rpc_errors():
            return b"".join(
                part.chunk for part in self.stub.GetArtifact(pb.GetArtifactRequest(sha256=sha256))
            )

    def watch(self, version_id):
        with rpc_errors():
            for answer in self.stub.WatchVersion(
                pb.WatchVersionRequest(version_id=version_id), timeout=patient(20)
            ):
                yield answer.version

    def validate(self, version_id, *, ok=True, reason="", log="20 deals of mau_mau: ok"):
        """Act as a worker, without the deals."""
        claim = self.ClaimValidation(version_id=version_id, worker="test")
        assert claim.claimed
        self.SubmitValidation(
            version_id=version_id, fence=claim.fence, ok=ok, reason=reason, log=log, rules=["mau_mau"]
        )


class Registry:
    """One running registry."""

    def __init__(self, server, settings):
        self.server, self.settings = server, settings
        self.address = server.address
        self.admin, self.worker, self.stranger = (
            Client(self.address, token) for token in (ADMIN, WORKER, "")
        )

    def client(self, token):
        return Client(self.address, token)

    def author(self, name=""):
        """Return a new account and its client."""
        name = name or f"author-{uuid.uuid4().hex[:8]}"
        author = self.client(self.stranger.CreateAccount(name=name).token)
        author.name = name
        return author

    def files(self):
        """Everything that uploads could leave behind."""
        folders = (self.settings.data / "uploads", self.settings.data / "artifacts")
        return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())

    def metric(self, name, **labels):
        return self.server.registry.get_sample_value(f"maumau_registry_{name}", labels) or 0.0


def _parts(name, archive, **header):
    digest = hashlib.sha256(archive).hexdigest()
    fields = {"bot_name": name, "size": len(archive), "upload_sha256": digest} | header
    yield pb.SubmitVersionRequest(header=pb.SubmitVersionHeader(**fields))
    for start in range(0, len(archive), CHUNK):
        yield pb.SubmitVersionRequest(chunk=archive[start : start + CHUNK])


def _program(salt="", files=None, manifest='name = "bot"\nrun = ["python3", "bot.py"]\n'):
    """Return a submission's zip; another salt is another program."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        if manifest is not None:
            archive.writestr("bot.toml", manifest)
        archive.writestr("bot.py", f"# {salt or uuid.uuid4().hex}\n")
        for name, content in (files or {}).items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _until(ready, seconds=10.0):
    """Return the first true answer; polled, with a deadline."""
    last = Deadline(seconds)
    while not (answer := ready()):
        assert not last.has_passed(), f"not so within {seconds} s"
        time.sleep(0.01)
    return answer


def _settings(folder: Path, database_url: str, broker_url: str, **more) -> Settings:
    given = {"data": folder, "database_url": database_url, "broker_url": broker_url, "sweep": 0.1}
    given |= {"quota_accounts_hour": MANY, "quota_accounts_day": MANY}
    return Settings(**{"admin_token": ADMIN, "worker_token": WORKER} | given | more)


@pytest.fixture(scope="session")
def start(loop):
    """`with start(settings) as registry`."""

    @contextmanager
    def started(given):
        server = loop.run(_bound(given))
        try:
            yield Registry(server, given)
        finally:
            loop.run(server.stop(0.5))

    return started


async def _bound(given):
    url = make_url(given.database("registry"))
    if url.get_backend_name() == "sqlite":
        tables.copy_to(Path(url.database), "registry")
    server = Server("registry", given)
    await bind(server, given)
    await server.start()
    return server


def pytest_generate_tests(metafunc):
    if "registry" in metafunc.fixturenames:
        metafunc.parametrize(
            "registry", both_kinds(metafunc, "sqlite", "postgresql"), indirect=True, scope="session"
        )


@pytest.fixture(scope="session")
def registry(request, start, valkey, tmp_path_factory):
    """Yield one registry for many tests, with each kind of database; every test makes accounts of its own.

    It sends to a numbered database of its own: what is in the first belongs to the test that runs.
    """
    folder = tmp_path_factory.mktemp(f"registry-{request.param}")
    url = f"sqlite:///{folder / 'registry.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("new_postgresql")()
    with start(_settings(folder, url, f"{valkey}/5", **PERMITTED)) as registry:
        yield registry


@pytest.fixture
def postgresql_url(new_postgresql):
    return new_postgresql()


@pytest.fixture
def submitted(registry):
    """Submits a new program of a new author: `author, name, version = submitted()`."""

    def submit(archive=None, **header):
        author, name = registry.author(), f"bot-{uuid.uuid4().hex[:8]}"
        return author, name, author.submit(name, archive or _program(), **header).version

    return submit


@pytest.fixture
def parts():
    """Return the messages of an upload: `parts(bot_name, archive, **header)`."""
    return _parts


@pytest.fixture
def program():
    """Makes a submission's zip: `program(salt, files, manifest)`."""
    return _program


@pytest.fixture
def until():
    return _until


@pytest.fixture
def settings():
    """`settings(folder, database_url, broker_url, **more)`."""
    return _settings


class Process:
    """`python -m services.registry` in its own process, perhaps inside another command."""

    def __init__(self, folder, environment, around=()):
        folder.mkdir(exist_ok=True)
        self.ready = folder / "ready.json"
        self.ready.unlink(missing_ok=True)
        given = {
            "MAUMAU_DATA": str(folder / "data"), "MAUMAU_READY_FILE": str(self.ready),
            "MAUMAU_ADMIN_TOKEN": ADMIN, "MAUMAU_WORKER_TOKEN": WORKER, "PYTHONPATH": str(CHECKOUT),
        }  # fmt: skip
        self.popen = subprocess.Popen(
            [*around, sys.executable, "-m", "services.registry"],
            env=os.environ | given | environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def said(self):
        """Return the line that says it is ready."""
        _until(lambda: self.ready.exists() or self.popen.poll() is not None, 30)
        assert self.ready.exists(), self.popen.stderr.read()
        return json.loads(self.ready.read_text())

    def client(self, token=""):
        return Client(self.said()["address"], token)

    def end(self, number=signal.SIGTERM):
        """End the process; return its exit code and its stderr."""
        self.popen.send_signal(number)
        return self.popen.wait(patient(10)), self.popen.stderr.read()

    def close(self):
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.communicate()


@pytest.fixture
def spawn_at(valkey_url):
    """Starts the registry as a process of its own: `spawn_at(folder, around=(), **environment)`."""
    running = []

    def start_one(folder, around=(), **environment):
        running.append(Process(folder, {"MAUMAU_BROKER_URL": valkey_url, **environment}, around))
        return running[-1]

    yield start_one
    for process in running:
        process.close()


@pytest.fixture
def spawn(tmp_path, spawn_at):
    """Return `spawn_at` for the test's folder."""
    return partial(spawn_at, tmp_path)
