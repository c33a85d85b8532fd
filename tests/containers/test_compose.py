"""The commands of deploy/README.md, given to a Docker engine: `make containers`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from bench.patience import Deadline
from deploy import arena_env
from deploy.certificates import issue_certificate
from maumau.errors import ArenaUnreachable, NotAllowed
from tests.containers.arena import IMAGE, REPLICAS, Containers
from tests.containers.cup import BOTS, Cup
from tests.containers.engine import CannotBeHad

pytestmark = pytest.mark.long
PROFILES = ("backup", "nightly", "prometheus", "grafana")
WATCHING = ("prometheus", "grafana")
NEEDED = ("redis-broker", "tournament", "postgres", "registry")  # to play
KILLED = (*NEEDED, "worker", "redis-state", "engine", "matchmaking", "web", "sitter", "nightly")
LABELS = (
    "org.opencontainers.image.version", "org.opencontainers.image.revision", "arena.maumau.rules-hash",
)  # fmt: skip
STARTED = 2  # blocks that are played before the disturbance


@pytest.fixture(scope="module")
def containers(docker_env, tmp_path_factory, not_tested) -> Iterator[Containers]:
    """All services, started as the page says, and healthy; nothing of them is left behind."""
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


def kill_every_service(containers: Containers, cup: Cup) -> None:
    """Each in turn, until it is back."""
    running = []
    for name in KILLED:
        running.append(cup.is_running())
        containers("kill", "--signal", "SIGKILL", name)
        containers.up()
    assert running[: len(NEEDED)] == [True] * len(NEEDED)


def scale_up_and_down(containers: Containers, cup: Cup) -> None:
    """Two of each service that keeps something, and one worker more; then as before."""
    more = [word for name in ("registry", "tournament") for word in ("--scale", f"{name}={REPLICAS}")]
    containers.up("--no-recreate", *more, "--scale", "worker=3")
    assert len(containers("ps", "--quiet", "tournament").split()) == REPLICAS
    cup.wait_for_blocks(2 * STARTED)
    containers.up()
    assert len(containers("ps", "--quiet", "tournament").split()) == 1


def lose_both_redis(containers: Containers, _cup: Cup) -> None:
    """With all that they have written."""
    names = ("redis-state", "redis-broker")
    containers("rm", "--stop", "--force", *names)
    containers.docker("volume", "rm", *(f"{containers.project}_{name}" for name in names))
    containers.up()


def lose_the_database_and_restore(containers: Containers, cup: Cup) -> None:
    """A backup of the middle; what was played after it is lost with the volumes."""
    containers("run", "--rm", "backup")
    cup.wait_for_blocks(2 * STARTED)
    assert "restored " in containers.follow("After a disaster")


def cut_off_a_worker(containers: Containers, cup: Cup) -> None:
    """Until the other one has played what it held; then it finds back by itself."""
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
    disturb(containers, cup)
    assert cup.compared(tmp_path) == undisturbed


def test_workers_of_another_host_play_with_the_commands_of_the_page(containers):
    with containers.another_host():
        containers("stop", "worker")
        cup = Cup(containers, "of-host-2", BOTS[:2], 20)
        cup.wait_until_over()
        assert cup.hosts() == {"host-2"}


def test_the_arenas_own_workers_may_have_a_hosts_token_too(containers):
    deploy = containers.folder / "deploy"
    issue_certificate("host-1", (deploy / "tls/workers.pem", deploy / "authority/hosts.key"), deploy / "host")
    with containers.connect() as admin:
        token = admin.create_token(scopes=("worker",), label="host-1").token
        with pytest.raises(NotAllowed, match="only with a certificate"):
            admin.with_token(token).who()
    containers.env["HOST_TOKEN"] = token
    containers.use(*arena_env.COMPOSE_FILES, arena_env.OWN_WORKERS)
    containers.up()
    cup = Cup(containers, "of-host-1", BOTS[:2], 20)
    cup.wait_until_over()
    assert cup.hosts() == {"host-1"}
