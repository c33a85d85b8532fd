"""PostgreSQL, Redis and S3 as containers of their own, by testcontainers, on images that are built here."""

from __future__ import annotations

import subprocess
import urllib.request
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest
from redis.exceptions import ConnectionError  # noqa: A004
from testcontainers.community.postgres import PostgresContainer
from testcontainers.community.redis import RedisContainer
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import PortWaitStrategy

from bench.patience import Deadline, patient
from services.backup.app import migrations
from services.backup.place import Place
from services.backup.restore import restore
from services.backup.save import save
from services.shared import redis
from services.shared.storage import Storage
from services.tournament.store.stream import Stream, Writer
from tests.backup.tables import contents, databases, filled
from tests.s3 import KEY

pytestmark = pytest.mark.long
BASE, S3_IMAGE = "maumau-containers-base", "maumau-containers-s3"
S3 = f"FROM {BASE}\nRUN pip install --quiet --root-user-action ignore 'moto[server]=={version('moto')}'\n"


@pytest.fixture(autouse=True)
def _engine(docker_env, monkeypatch) -> None:
    """The one of these tests; each container is removed by the test that starts it."""
    monkeypatch.setattr(testcontainers_config, "ryuk_disabled", True)
    monkeypatch.setattr(testcontainers_config, "max_tries", int(patient(60)))  # a second each
    for name, value in docker_env.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def postgresql_at() -> Iterator[str]:
    """The address of an empty database."""
    server = PostgresContainer(BASE, driver=None).with_tmpfs_mount("/var/lib/postgresql/data")
    with server.with_command("/usr/local/bin/postgres.sh") as container:
        yield container.get_connection_url()


@pytest.fixture
def bucket(docker_env, monkeypatch) -> str:
    """A bucket of a server that speaks S3, which this process knows."""
    build = ["docker", "build", "--network", "host", "--tag", S3_IMAGE, "-"]
    told = {"DOCKER_BUILDKIT": "0", **docker_env}
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    subprocess.run(build, input=S3, text=True, check=True, capture_output=True)
    server = DockerContainer(S3_IMAGE).with_exposed_ports(5000).waiting_for(PortWaitStrategy(5000))
    with server.with_command("moto_server --host 0.0.0.0 --port 5000") as container:
        address = f"http://{container.get_container_host_ip()}:{container.get_exposed_port(5000)}"
        urllib.request.urlopen(urllib.request.Request(f"{address}/arena", method="PUT"), timeout=60).close()
        for name, value in {**KEY, "AWS_ENDPOINT_URL": address}.items():
            monkeypatch.setenv(name, value)
        yield "s3://arena"


def test_a_backup_of_postgresql_in_a_bucket_is_restored(postgresql_at, bucket, tmp_path):
    programs = Storage(f"{bucket}/programs", "artifacts")
    programs.put("ab/abab.zip", [b"a program"])
    source, place = filled(tmp_path, postgresql_at), Place(f"{bucket}/backups")
    save(source, {"artifacts": programs}, place)
    target, new = databases(tmp_path / "new"), Storage(str(tmp_path / "programs"), "artifacts")
    restore(place.choose(""), place, target, {"artifacts": new}, migrations)
    assert b"".join(new.read("ab/abab.zip")) == b"a program"
    for name, database in source.items():
        assert contents(target[name]).keys() == contents(database).keys()
        database.close()
    assert contents(target["registry"]) == contents(databases(tmp_path, postgresql_at)["registry"])


def test_a_stream_goes_on_after_a_crash_of_redis(tmp_path):
    stream = Stream("test", "one", "events", 10_000, 600)
    command = "redis-server --protected-mode no --appendonly yes --appendfsync always --dir /data"
    with RedisContainer(BASE).with_command(command) as container:
        Writer(client_of(container)).append_once(stream, {1: b"one", 2: b"two"})
        container.get_wrapped_container().kill()
        container.get_wrapped_container().start()
        client = client_of(container)
        Writer(client).append_once(stream, {2: b"two", 3: b"three"})
        told = [fields["entry"] for _, fields in client.xrange(stream.key(stream.name))]
        assert told == ["one", "two", "three"]


def client_of(container: RedisContainer) -> Any:
    """As services have one, as soon as it answers; the container's port is another one after each start."""
    deadline = Deadline(60)
    while True:
        address = f"{container.get_container_host_ip()}:{container.get_exposed_port(6379)}"
        client = redis.connect(f"redis://{address}")
        try:
            client.ping()
        except ConnectionError:
            assert not deadline.has_passed(), address
            deadline.pause()
        else:
            return client
