"""The commands of deploy/README.md, given to a Docker engine: `make containers`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from bench.support.patience import Deadline
from deploy import arena_env
from maumau.errors import ArenaUnreachable, NotAllowed
from tests.containers.arena import IMAGE, REPLICAS, Containers
from tests.containers.cup import BOTS, Cup
from tests.containers.engine import CannotBeHad

pytestmark = pytest.mark.long
PROFILES = ("backup", "nightly", "prometheus", "grafana")
WATCHING = ("prometheus", "grafana")
SECRETS = (
    "POSTGRES_PASSWORD", "STATE_PASSWORD", "BROKER_PASSWORD", "MAUMAU_ADMIN_TOKEN", "MAUMAU_WORKER_TOKEN",
    "MAUMAU_READER_TOKEN",
)  # fmt: skip
"""Secrets that workers do not get."""
PUBLISHED = {"registry": "7101", "engine": "7103", "web": "7100"}
ASK_BROKER = """
import json, os, redis
client, found = redis.Redis.from_url(os.environ["MAUMAU_BROKER_URL"]), {}
for words in ("FLUSHALL", "KEYS *", "CONFIG GET *", "ACL LIST", "LLEN maumau:blocks", "BRPOP maumau:seats 1"):
    try:
        answer = client.execute_command(*words.split())
    except redis.exceptions.RedisError as error:
        answer = error
    found[words if words.startswith("LLEN") else words.split()[0]] = type(answer).__name__
print(json.dumps(found))
"""
NEEDED = ("redis-broker", "tournament", "postgres", "registry")  # to play
KILLED = (*NEEDED, "worker", "redis-state", "engine", "matchmaking", "web", "sitter", "nightly")
LABELS = (
    "org.opencontainers.image.version", "org.opencontainers.image.revision", "arena.maumau.rules-hash",
)  # fmt: skip
STARTED = 2  # blocks that are played before the disturbance


@pytest.fixture(scope="module")
def containers(docker_env, tmp_path_factory, not_tested) -> Iterator[Containers]:
    """Yield all services, started as on the page, and healthy; remove everything afterwards."""
    with ExitStack() as stack:
        try:
            arena = Containers(tmp_path_factory.mktemp("containers"), docker_env)
        except CannotBeHad as error:
            not_tested("the compose file in containers", str(error))
        stack.callback(arena, "down", "--volumes", "--timeout", "20")
        arena.follow("On one host")
        set_variable = stack.enter_context(pytest.MonkeyPatch.context()).setenv
        set_variable("MAUMAU_TLS_CA", str(arena.folder / "deploy/tls/ca.pem"))
        yield arena


def test_the_commands_of_the_page_start_an_arena_with_tls(containers):
    with containers.connect() as admin:
        assert admin.who().scopes
        assert all(worker.name for worker in admin.workers())
        admin.info()
    with containers.connect(tls=False, patience=2) as plain, pytest.raises(ArenaUnreachable):
        plain.who()


def test_the_image_has_the_engine_compiled_says_what_it_is_and_runs_as_nobody_special(containers):
    said = json.loads(
        containers.docker("run", "--rm", IMAGE, "maumau", "--version", "--json").splitlines()[-1]
    )
    assert said["compiled"] is True
    (config,) = json.loads(containers.docker("image", "inspect", "--format", "[{{json .Config}}]", IMAGE))
    assert config["User"] == "10001:10001"
    labels = [config["Labels"][name] for name in LABELS]
    assert labels == list(containers.build.values()) == [said["version"], said["commit"], said["rules_hash"]]


def test_every_profile_of_the_compose_file_can_be_read(containers):
    services = {name: set(containers("--profile", name, "config", "--services").split()) for name in PROFILES}
    assert {name: sorted(each - set.intersection(*services.values())) for name, each in services.items()} == {
        "backup": ["backup"], "nightly": ["nightly"], "prometheus": ["prometheus"],
        "grafana": ["grafana", "prometheus"],
    }  # fmt: skip


def test_a_backup_is_whole_and_the_nightly_one_comes_by_itself(containers):
    def whole() -> list[bool]:
        said = containers(
            "run", "--rm", "backup", "maumau", "admin", "backups", "/backups", "--check", "--json"
        )
        found = json.loads(next(line for line in said.splitlines() if line.startswith('{"backups"')))[
            "backups"
        ]
        return [each["whole"] for each in found]

    assert "backup " in containers.follow("Backup and restore")
    assert whole() == [True]
    containers("up", "--detach", "nightly", BACKUP_AT="10 seconds")
    deadline = Deadline(120)
    while len(whole()) < 2:
        assert not deadline.has_passed(), containers("logs", "nightly")
    containers.up("nightly")
    assert set(whole()) == {True}


@pytest.mark.parametrize("name", WATCHING)
def test_what_watches_the_arena_starts(containers, name, not_tested):
    try:
        containers("--profile", "grafana", "pull", name)
    except CannotBeHad as error:
        not_tested(f"the container {name}", f"its image cannot be pulled ({str(error).splitlines()[-1]})")
    containers("--profile", "grafana", "up", "--detach", "--wait", name)


def kill_every_service(containers: Containers, cup: Cup) -> list[Cup]:
    """Kill each service in turn, and wait until it is back; return further cups, begun as the last one ended.

    On a fast host a cup is over before all that it needs have been killed.
    """
    cups = [cup]
    for name in KILLED:
        if name in NEEDED and not cups[-1].is_running():
            cups.append(Cup(containers, f"{cup.name}-{name}"))
            cups[-1].wait_for_blocks(STARTED)
        containers("kill", "--signal", "SIGKILL", name)
        containers.up()
    return cups[1:]


def scale_up_and_down(containers: Containers, cup: Cup) -> None:
    """Scale to two of each stateful service, and one worker more; then back."""
    more = [word for name in ("registry", "tournament") for word in ("--scale", f"{name}={REPLICAS}")]
    containers.up("--no-recreate", *more, "--scale", "worker=3")
    assert len(containers("ps", "--quiet", "tournament").split()) == REPLICAS
    cup.wait_for_blocks(2 * STARTED)
    containers.up()
    assert len(containers("ps", "--quiet", "tournament").split()) == 1


def lose_both_redis(containers: Containers, _cup: Cup) -> None:
    """Remove both Redis with all their data."""
    names = ("redis-state", "redis-broker")
    containers("rm", "--stop", "--force", *names)
    containers.docker("volume", "rm", *(f"{containers.project}_{name}" for name in names))
    containers.up()


def lose_the_database_and_restore(containers: Containers, cup: Cup) -> None:
    """Restore a backup from the middle after losing the volumes, with everything played since."""
    containers("run", "--rm", "backup")
    cup.wait_for_blocks(2 * STARTED)
    assert "restored " in containers.follow("After a disaster")


def cut_off_a_worker(containers: Containers, cup: Cup) -> None:
    """Cut off a worker until the other one has played its block; then it reconnects by itself."""
    name, network = f"{containers.project}-worker-1", f"{containers.project}_play"
    host = containers.docker("inspect", "--format", "{{.Config.Hostname}}", name).strip()
    deadline = Deadline(300)
    with containers.connect() as admin:
        while not deadline.has_passed():
            containers.docker("network", "disconnect", network, name)
            held = [
                block.id for block in cup.blocks(admin) if block.state == "claimed" and host in block.worker
            ]
            while held and not deadline.has_passed():
                block = next(block for block in cup.blocks(admin) if block.id == held[0])
                if block.state == "done":
                    break
                deadline.pause()
            containers.docker("network", "connect", network, name)
            if held and host not in block.worker:
                return  # else its report was under way when it was cut off
    pytest.fail("no block was taken over from the worker that was cut off")


@pytest.fixture(scope="module")
def undisturbed(containers, tmp_path_factory) -> list[bytes]:
    return Cup(containers, "undisturbed").compared(tmp_path_factory.mktemp("undisturbed"))


@pytest.mark.parametrize(
    "disturb",
    [cut_off_a_worker, kill_every_service, scale_up_and_down, lose_both_redis, lose_the_database_and_restore],
)
def test_a_cup_ends_as_if_nothing_had_happened_to_its_containers(disturb, containers, undisturbed, tmp_path):
    cup = Cup(containers, disturb.__name__.replace("_", "-"))
    cup.wait_for_blocks(STARTED)
    further = disturb(containers, cup) or []
    for each in (cup, *further):
        assert each.compared(tmp_path) == undisturbed


def test_workers_of_another_host_play_with_the_commands_of_the_page(containers):
    with containers.another_host():
        containers("stop", "worker")
        cup = Cup(containers, "of-host-2", BOTS[:2], 20)
        cup.wait_until_over()
        assert cup.hosts() == {"host-2"}


def test_the_arenas_own_workers_have_the_token_of_their_host_and_it_opens_nothing_else(containers):
    settings = containers.settings
    containers.up("worker")
    told = containers("exec", "-T", "worker", "env")
    assert not [name for name in SECRETS if settings[name] in told]
    assert settings["HOST_TOKEN"] in told
    with containers.connect() as admin, pytest.raises(NotAllowed, match="only with a certificate"):
        admin.with_token(settings["HOST_TOKEN"]).who()
    cup = Cup(containers, "of-this-host", BOTS[:2], 20)
    cup.wait_until_over()
    assert cup.hosts() == {arena_env.OWN_HOST}


def test_a_worker_reads_its_queues_of_the_broker_and_no_more(containers):
    containers.up("worker")
    told = containers("exec", "-T", "worker", "python", "-c", ASK_BROKER)
    assert json.loads(told.splitlines()[-1]) == {
        "FLUSHALL": "NoPermissionError", "KEYS": "NoPermissionError", "CONFIG": "NoPermissionError",
        "ACL": "NoPermissionError", "BRPOP": "NoPermissionError", "LLEN maumau:blocks": "int",
    }  # fmt: skip


def test_no_password_stands_in_the_words_of_a_command(containers):
    names = containers("ps", "--format", "{{.Name}}").split()
    words = "".join(containers.docker("top", name) for name in names)
    assert "valkey-server" in words
    secrets = {name: value for name, value in containers.settings.items() if arena_env.is_secret(name)}
    assert not [name for name, value in secrets.items() if value in words]


def test_services_are_published_where_the_settings_say_and_the_pages_on_this_host_alone(containers):
    published = {name: containers("port", name, port).rpartition(":")[0] for name, port in PUBLISHED.items()}
    assert published == {"registry": "0.0.0.0", "engine": "0.0.0.0", "web": "127.0.0.1"}
