"""A registry and a tournament service on one real server, and a small worker that speaks their RPCs."""

import copy
import hashlib
import io
import uuid
import zipfile
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from sqlalchemy import text

from maumau.client.arena import Arena as Client
from maumau.errors import BlockDropped, NotActive
from maumau.v1 import registry_pb2, registry_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from services.registry.app import bind as bind_registry
from services.shared.base.settings import Settings
from services.shared.process.server import Server
from services.shared.store.connect import Database
from services.tournament.app import bind as bind_tournament
from tests.support.arenas.calls import Calls
from tests.support.arenas.play import keep_ordered, play_order, report_parts
from tests.support.stores import tables
from tests.support.waiting import free_port, until

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


def play_until(arena, name, label):
    """Play waiting blocks until a match is scheduled."""

    def is_scheduled():
        return label in [match.label for match in arena.admin.matches(name)]

    def play_next():
        for block in arena.blocks(name, "queued"):
            if not is_scheduled():
                arena.worker.play(block.id)

    until(lambda: is_scheduled() or (arena.is_waiting(name) and play_next()))


def play_all(arena, name):
    """Play until the result may be protested."""

    def play_next():
        for block in arena.blocks(name, "queued"):
            arena.worker.play(block.id)
        return arena.admin.tournament(name).state == "decided"

    until(play_next)


class Worker(Calls):
    """Claims blocks, plays them in this process, reports them. Bots play by their names' first word."""

    def __init__(self, address, name="test", token=WORKER):
        super().__init__(address, token, tournament_pb2, tournament_pb2_grpc.TournamentServiceStub)
        self.name = name

    def claim(self, block_id="", wait=0.0):
        """Return the order to play this block, or the next one; None if there is nothing to do."""
        answer = self.ClaimNext(block_id=block_id, worker=self.name, wait_ms=round(1000 * wait))
        return answer.order if answer.claimed else None

    def report(self, order, given=None, **header):
        """Store the sets of a claimed block; fields of the header may be overridden."""
        given = play_order(order) if given is None else given
        return self.stream("SubmitBlock", report_parts(order, given, **header))

    def play(self, block_id):
        """Play this block as a worker does, or give up if the contest ends meanwhile."""
        order = self.claim(block_id)
        with suppress(BlockDropped):
            return order and self.report(order)
        return None


class SeatingWorker(Worker):
    """Plays the seatings that it is ordered to, as real workers do."""

    def report(self, order, given=None, **header):
        given = play_order(order) if given is None else given
        return super().report(order, keep_ordered(order, given), **header)


def make_program(name, more="", made=""):
    """Return a program's zip. more: lines of the manifest. made: the result of a build step."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("bot.toml", f'name = "{name}"\nrun = ["python3", "bot.py"]\n{more}')
        archive.writestr("bot.py", f"# {hashlib.sha256(name.encode()).hexdigest()}\n")
        if made:
            archive.writestr("made", made)
    return buffer.getvalue()


def pass_validation(workers, version_id, rules=(), seats=()):
    """Report a program without a fault as a worker, by the registry's calls."""
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
            "isolation": 0,
            "data": folder,
            "database_url": database_url,
        } | settings
        self.settings = Settings(
            listen=self.address, registry_address=self.address, tournament_address=self.address,
            redis_url=f"{redis_url}/0", broker_url=f"{redis_url}/1",
            admin_token=ADMIN, worker_token=WORKER,
            **{"quota_accounts_hour": 100_000, "quota_accounts_day": 100_000, **fields},  # of one address
        )  # fmt: skip
        self.bots = {}

    def start(self, *binds):
        if not self.settings.database_url:
            tables.copy_into(self.settings.data)
        self.server = self.loop.run(self._bind_services(binds or (bind_registry, bind_tournament)))
        self.admin = Client(self.address, self.address, ADMIN)
        self.worker = Worker(self.address)
        self.database = Database(self.settings.database("tournament"), "tournament")

    def stop(self):
        self.database.close()
        self.admin.close()
        self.loop.run(self.server.stop(0.5))

    def replica(self, **settings):
        """Yield a second tournament service on the same database, with the first one's registry."""
        other = copy.copy(self)
        other.address = f"127.0.0.1:{free_port()}"
        url = self.settings.database("tournament")
        other.settings = replace(self.settings, listen=other.address, database_url=url, **settings)
        other.start(bind_tournament)
        return other

    async def _bind_services(self, binds):
        server = Server("test", self.settings)
        for bind in binds:
            await bind(server, self.settings)
        await server.start()
        return server

    def registry(self, token):
        return Calls(self.address, token, registry_pb2, registry_pb2_grpc.RegistryServiceStub)

    def author(self):
        """Return a new account: its client and its name."""
        name = f"author-{uuid.uuid4().hex[:8]}"
        token = self.registry("").CreateAccount(name=name).token
        client = Client(self.address, self.address, token)
        client.token = token
        return client, name

    @cached_property
    def house(self):
        """The client of the house's account, of which an arena has one."""
        return self.admin.with_token(self.admin.create_account("house").token)

    def tournament(self, token):
        """Bare calls with that token."""
        return Calls(self.address, token, tournament_pb2, tournament_pb2_grpc.TournamentServiceStub)

    def bot(self, policy, client=None, rules=("mau_mau",), name="", seats=()):
        """Return a new bot with an active version, named after its policy."""
        name = name or f"{policy}-{uuid.uuid4().hex[:8]}"
        client = client or self.admin
        version = client.submit(name, make_program(policy)).version
        self.pass_validation(version.id, rules, seats)
        client.activate(version.id)
        return name

    def pass_validation(self, version_id, rules=(), seats=()):
        """Report a program without a fault as a worker."""
        pass_validation(self.registry(WORKER), version_id, rules, seats)

    def built(self, policy):
        """Return name and build hash of a new bot whose active version was built on another platform."""
        name = f"{policy}-{uuid.uuid4().hex[:8]}"
        build = 'build = ["./make"]\n'
        version = self.admin.submit(name, make_program(policy, build)).version
        workers, archive = self.registry(WORKER), make_program(policy, build, made="by hand")
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

    program = staticmethod(make_program)

    def lease_until(self, block_id, value=None):
        """Return the end of a block's lease in the database, after setting it to `value` if given."""
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
        """End its lease, as if the worker had been silent for that long."""
        self.lease_until(block_id, 1)

    def end_rest(self, block_id):
        """End a block's rest, so that it can be claimed at once."""
        database = Database(self.settings.database("tournament"), "tournament")
        with database.write() as session:
            session.execute(text("UPDATE block SET rests_until = 0 WHERE id = :id"), {"id": block_id})
        database.close()

    def end_validation_lease(self, version_id):
        """End the lease of the worker that validates this version."""
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
        """Create a tournament; return its name."""
        fields = {**DEFAULTS, "name": f"cup-{uuid.uuid4().hex[:8]}", **spec}
        return self.admin.create(SPEC.format(**fields)).name

    def begin(self, *policies, **spec):
        """Start a tournament of these policies; return its name."""
        name = self.create(**spec)
        self.admin.open(name)
        for bot in self.field(*policies):
            self.enter(name, bot)
        self.admin.start(name)
        return name

    def enter(self, name, bot):
        """Enter a bot, after a new validation if it is suspended; each earlier cup may suspend it once."""

        def has_entered():
            try:
                return self.admin.enter(name, bot)
            except NotActive:
                self.pass_validation(self.version(bot).id, ["mau_mau"])

        until(has_entered)

    def version(self, bot):
        """Return the newest version."""
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

        def find_blocks():
            return self.blocks(name, "queued") or self.admin.tournament(name).over

        return until(lambda: self.is_waiting(name) and find_blocks())

    def is_waiting(self, name):
        """Return True if a tournament may have a block to play, or is over: a look without calls."""
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
        """Return the labels of the exemplars at a histogram's buckets."""
        families = {family.name: family for family in self.server.registry.collect()}
        samples = families[f"maumau_tournament_{histogram}"].samples
        return [one.exemplar.labels for one in samples if one.exemplar]
