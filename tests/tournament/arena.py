"""A registry and a tournament service on one real server, and a small worker that speaks their RPCs."""

import copy
import hashlib
import io
import socket
import uuid
import zipfile
from contextlib import contextmanager
from dataclasses import replace

import grpc
import pytest
from sqlalchemy import text

from bench.patience import Deadline, patient
from maumau.call import rpc_errors
from maumau.client import Arena as Client
from maumau.errors import NotActive
from maumau.v1 import registry_pb2, registry_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from services.registry.app import bind as bind_registry
from services.shared.connect import Database
from services.shared.server import Server
from services.shared.settings import Settings
from services.tournament.app import bind as bind_tournament
from tests import tables
from tests.tournament.play import parts, played

ADMIN = "mm_the-admin-of-these-tests"
WORKER = "mm_a-worker-of-these-tests"

SPEC = """
name = "{name}"
rules = "mau_mau"
{top}
[[stage]]
format = "{format}"
seeds = "{seeds}"
third_place = {third}

[match]
block = {block}
cap = {cap}
delta = {delta}
"""

# with this delta even twenty sets that one bot wins decide nothing: all blocks of a match are played
DEFAULTS = {
    "format": "round_robin", "seeds": "entry", "third": "false", "block": 10, "cap": 20, "delta": 0.001,
    "top": "",
}  # fmt: skip


WAITING = """
SELECT id FROM tournament WHERE (name = :name OR id = :name) AND (
  state <> 'running' OR EXISTS (SELECT 1 FROM block WHERE contest_id = tournament.id AND state = 'queued')
)
"""

# four bots in a bracket whose secret is given: two semi-finals, a final, a third place
SEMI, FINAL = "1.1.2", "1.2.1"
SECRET = 'secret = "the-secret-that-all-runs-share"'
CUP = {"format": "single_elimination", "third": "true", "block": 5, "cap": 10, "top": SECRET}


def until(ready, seconds=15.0):
    """The first true answer; polled, with a deadline."""
    last = Deadline(seconds)
    while not (answer := ready()):
        assert not last.has_passed(), f"not so within {seconds} s"
        last.pause()
    return answer


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def play_until(arena, name, label):
    """Plays what waits until a match is scheduled."""

    def scheduled():
        return label in [match.label for match in arena.admin.matches(name)]

    def play():
        for block in arena.blocks(name, "queued"):
            if not scheduled():
                arena.worker.play(block.id)

    until(lambda: scheduled() or (arena.is_waiting(name) and play()))


class Calls:
    """A service's calls with one token: `calls.ClaimNext(worker=…)`; refusals are MaumauErrors."""

    def __init__(self, address, token, messages, stub):
        self.channel = grpc.insecure_channel(address)
        self.messages, self.stub = messages, stub(self.channel)
        self.metadata = (("authorization", f"Bearer {token}"),)

    def __getattr__(self, method):
        request = getattr(self.messages, f"{method}Request")

        def call(**fields):
            with rpc_errors():
                return getattr(self.stub, method)(
                    request(**fields), timeout=patient(20), metadata=self.metadata
                )

        return call

    def stream(self, method, messages):
        with rpc_errors():
            return getattr(self.stub, method)(iter(messages), timeout=patient(20), metadata=self.metadata)


class Worker(Calls):
    """Claims blocks, plays them in this process, reports them. Bots play by their names' first word."""

    def __init__(self, address, name="test", token=WORKER):
        super().__init__(address, token, tournament_pb2, tournament_pb2_grpc.TournamentServiceStub)
        self.name = name

    def claim(self, block_id="", wait=0.0):
        """The order to play this block, or the one whose turn it is; None if there is nothing to do."""
        answer = self.ClaimNext(block_id=block_id, worker=self.name, wait_ms=round(1000 * wait))
        return answer.order if answer.claimed else None

    def report(self, order, given=None, **header):
        """Stores the sets of a claimed block; fields of the header may be told otherwise."""
        given = played(order) if given is None else given
        return self.stream("SubmitBlock", parts(order, given, **header))

    def play(self, block_id):
        order = self.claim(block_id)
        return order and self.report(order)


class SeatingWorker(Worker):
    """Plays the seatings that it is told to, as real workers do."""

    def report(self, order, given=None, **header):
        given = played(order) if given is None else given
        if order.seatings:
            for one in given:
                kept = [one.deals[seating] for seating in order.seatings]
                del one.deals[:]
                one.deals.extend(kept)
        return super().report(order, given, **header)


def _program(name, more="", made=""):
    """more: lines of the manifest. made: what a build step left behind."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("bot.toml", f'name = "{name}"\nrun = ["python3", "bot.py"]\n{more}')
        archive.writestr("bot.py", f"# {hashlib.sha256(name.encode()).hexdigest()}\n")
        if made:
            archive.writestr("made", made)
    return buffer.getvalue()


def pass_validation(workers, version_id, rules=(), seats=()):
    """A worker's report of a program without fault, by the registry's calls."""
    claim = workers.ClaimValidation(version_id=version_id, worker="test")
    workers.SubmitValidation(version_id=version_id, fence=claim.fence, ok=True, rules=rules, seats=seats)


class Arena:
    """Both services on one address, with clients of all kinds."""

    def __init__(self, loop, folder, database_url, redis_url, **settings):
        self.loop, self.redis_url = loop, redis_url
        self.address = f"127.0.0.1:{free_port()}"
        fields = {
            "sweep": 0.3,
            "replay": 0,
            "audit": 0,
            "data": folder,
            "database_url": database_url,
        } | settings
        self.settings = Settings(
            listen=self.address, registry_address=self.address, tournament_address=self.address,
            redis_url=f"{redis_url}/0", broker_url=f"{redis_url}/1",
            admin_token=ADMIN, worker_token=WORKER, **fields,
        )  # fmt: skip
        self.bots = {}

    def start(self, *binds):
        if not self.settings.database_url:
            tables.copy_into(self.settings.data)
        self.server = self.loop.run(self._bound(binds or (bind_registry, bind_tournament)))
        self.admin = Client(self.address, self.address, ADMIN)
        self.worker = Worker(self.address)
        self.database = Database(self.settings.database("tournament"), "tournament")

    def stop(self):
        self.database.close()
        self.admin.close()
        self.loop.run(self.server.stop(0.5))

    def replica(self, **settings):
        """A second tournament service on the same database, with the first one's registry."""
        other = copy.copy(self)
        other.address = f"127.0.0.1:{free_port()}"
        url = self.settings.database("tournament")
        other.settings = replace(self.settings, listen=other.address, database_url=url, **settings)
        other.start(bind_tournament)
        return other

    async def _bound(self, binds):
        server = Server("test", self.settings)
        for bind in binds:
            await bind(server, self.settings)
        await server.start()
        return server

    def registry(self, token):
        return Calls(self.address, token, registry_pb2, registry_pb2_grpc.RegistryServiceStub)

    def author(self):
        """A new account: its client and its name."""
        name = f"author-{uuid.uuid4().hex[:8]}"
        token = self.registry("").CreateAccount(name=name).token
        client = Client(self.address, self.address, token)
        client.token = token
        return client, name

    def tournament(self, token):
        """Bare calls with that token."""
        return Calls(self.address, token, tournament_pb2, tournament_pb2_grpc.TournamentServiceStub)

    def bot(self, policy, client=None, rules=("mau_mau",), name="", seats=()):
        """A new bot with an active version, named after its policy."""
        name = name or f"{policy}-{uuid.uuid4().hex[:8]}"
        client = client or self.admin
        version = client.submit(name, _program(policy)).version
        self.pass_validation(version.id, rules, seats)
        client.activate(version.id)
        return name

    def pass_validation(self, version_id, rules=(), seats=()):
        """What a worker reports of a program without fault."""
        pass_validation(self.registry(WORKER), version_id, rules, seats)

    def built(self, policy):
        """A new bot whose active version was built on another platform: its name, the hash of the build."""
        name = f"{policy}-{uuid.uuid4().hex[:8]}"
        build = 'build = ["./make"]\n'
        version = self.admin.submit(name, _program(policy, build)).version
        workers, archive = self.registry(WORKER), _program(policy, build, made="by hand")
        fence = workers.ClaimValidation(version_id=version.id, worker="test", platform="pdp-11").fence
        header = registry_pb2.UploadBuildHeader(
            version_id=version.id, fence=fence, size=len(archive), platform="pdp-11",
            upload_sha256=hashlib.sha256(archive).hexdigest(),
        )  # fmt: skip
        part = registry_pb2.UploadBuildRequest
        sha256 = workers.stream("UploadBuild", [part(header=header), part(chunk=archive)]).built_sha256
        workers.SubmitValidation(version_id=version.id, fence=fence, ok=True, rules=["mau_mau"])
        self.admin.activate(version.id)
        return name, sha256

    program = staticmethod(_program)

    def lease_until(self, block_id, value=None):
        """When the lease of a block runs out, in the database; it is set to a value first."""
        database = Database(self.settings.database("tournament"), "tournament")
        with database.write() as session:
            if value is not None:
                told = {"value": value, "id": block_id}
                session.execute(text("UPDATE block SET lease_until = :value WHERE id = :id"), told)
            question = text("SELECT lease_until FROM block WHERE id = :id")
            found = session.execute(question, {"id": block_id}).scalar_one()
        database.close()
        return found

    def end_lease(self, block_id):
        """Its time is over, as if the worker had been silent for so long."""
        self.lease_until(block_id, 1)

    def end_rest(self, block_id):
        """It is to be had at once, as if it had rested for so long."""
        database = Database(self.settings.database("tournament"), "tournament")
        with database.write() as session:
            session.execute(text("UPDATE block SET rests_until = 0 WHERE id = :id"), {"id": block_id})
        database.close()

    def end_validation_lease(self, version_id):
        """The same of the worker that validates this version."""
        database = Database(self.settings.database("registry"), "registry")
        with database.write() as session:
            question = text("UPDATE version SET lease_until = 1 WHERE id = :id")
            session.execute(question, {"id": version_id})
        database.close()

    def field(self, *policies):
        """Bots of the arena's owner, made once and used by many tournaments; alike in every arena."""
        made = []
        for policy in policies:
            number = (policy, made.count(policy))
            if number not in self.bots:
                self.bots[number] = self.bot(policy, name=f"{policy}-{number[1]}")
            made.append(policy)
        return [self.bots[(policy, made[:i].count(policy))] for i, policy in enumerate(made)]

    def create(self, **spec):
        """A tournament; its name."""
        fields = {**DEFAULTS, "name": f"cup-{uuid.uuid4().hex[:8]}", **spec}
        return self.admin.create(SPEC.format(**fields)).name

    def begin(self, *policies, **spec):
        """A tournament of these policies, started."""
        name = self.create(**spec)
        self.admin.open(name)
        for bot in self.field(*policies):
            self.enter(name, bot)
        self.admin.start(name)
        return name

    def enter(self, name, bot):
        """A bot that was suspended by then passes its validation first; each earlier cup may do so once."""

        def entered():
            try:
                return self.admin.enter(name, bot)
            except NotActive:
                self.pass_validation(self.version(bot).id, ["mau_mau"])

        until(entered)

    def version(self, bot):
        """The newest one."""
        return next(one for one in self.admin.bots() if one.name == bot).versions[0]

    def blocks(self, name, *states):
        """Blocks of all matches that count, first blocks first."""
        found = [
            block
            for match in self.admin.matches(name)
            if states != ("queued",) or match.state == "playing"
            for block in self.admin.match(name, match.label).blocks
            if not states or block.state in states
        ]
        return sorted(found, key=lambda block: block.number)

    def queued(self, name):
        """Waits for blocks to play, or for the end; the blocks."""

        def found():
            return self.blocks(name, "queued") or self.admin.tournament(name).over

        return until(lambda: self.is_waiting(name) and found())

    def is_waiting(self, name):
        """Whether a tournament may have a block to play, or none any more: a look that costs no calls."""
        with self.database.read() as session:
            return session.execute(text(WAITING), {"name": name}).first() is not None

    def finish(self, name, order=lambda blocks: blocks):
        """Plays until it is over, in any order of the blocks that wait."""
        while isinstance(blocks := self.queued(name), list):
            for block in order(blocks):
                self.worker.play(block.id)

    def export(self, name):
        return b"".join(self.admin.export(name))

    def metric(self, name, **labels):
        return self.server.registry.get_sample_value(f"maumau_tournament_{name}", labels) or 0.0

    def exemplars(self, histogram):
        """The labels of those that stand beside its buckets now."""
        families = {family.name: family for family in self.server.registry.collect()}
        samples = families[f"maumau_tournament_{histogram}"].samples
        return [one.exemplar.labels for one in samples if one.exemplar]


@contextmanager
def refused(kind, words=""):
    """The call inside is refused with this error, and its sentence says these words."""
    with pytest.raises(kind) as caught:
        yield
    assert words in str(caught.value)
