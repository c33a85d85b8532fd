"""The services as a worker asks them. Channels are opened at the first call: never before a fork."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from maumau import wire
from maumau.bot.build import platform_tag
from maumau.bot.live import LiveDeal
from maumau.bot.package import Package
from maumau.bot.referee import BlockOrder, BlockOutcome
from maumau.bot.use import Use
from maumau.bot.validate import Report
from maumau.call import rpc_errors
from maumau.v1 import (
    matchmaking_pb2_grpc,
    registry_pb2,
    registry_pb2_grpc,
    seek_pb2,
    tournament_pb2,
    tournament_pb2_grpc,
)
from services.shared.client import connect
from services.shared.tls import Own

REGISTRY: Any = registry_pb2_grpc.RegistryServiceStub
TOURNAMENT: Any = tournament_pb2_grpc.TournamentServiceStub
MATCHMAKING: Any = matchmaking_pb2_grpc.MatchmakingServiceStub
LEASE_CALL = 5.0  # seconds that a call about a lease may take
LIVE_CALL = 2.0  # and one for watchers
UPLOAD = 300.0  # and one that sends a build
CHUNK = 64 * 1024


class Entrant(NamedTuple):
    """Who plays: the bot's name, the submission's content hash; that of its build, and where it was built."""

    name: str
    sha256: str
    built_sha256: str = ""
    built_platform: str = ""


class Claim(NamedTuple):
    """A claimed block. entrants: in the order of the match."""

    message: Any
    order: BlockOrder
    entrants: list[Entrant]
    lease: float
    watched: bool

    @property
    def block_id(self) -> str:
        return str(self.message.block_id)

    @property
    def ids(self) -> dict[str, str]:
        """What lines of a log about it say that it belongs to."""
        order = self.message
        return {"contest": order.contest_id, "match": order.match_id, "block": order.block_id}


class Validation(NamedTuple):
    """A claimed validation."""

    version_id: str
    fence: int
    sha256: str
    bot_name: str
    lease: float
    built_sha256: str = ""


class Measured(NamedTuple):
    """What is measured about a block besides what its table measured; times in ms."""

    worker: str
    sandbox: str
    wall_ms: float
    fetch_ms: float


class Tournament:
    """The tournament service. Threads may share it."""

    def __init__(self, address: str, token: str, roots: bytes = b"", own: Own | None = None) -> None:
        self.address, self.credentials = address, (token, roots, own)

    @cached_property
    def stub(self) -> Any:
        return TOURNAMENT(connect(self.address, *self.credentials))

    def claim(self, worker: str, block_id: str = "", wait: float = 0.0, memory: int = 0) -> Claim | None:
        """The block whose turn it is, or this one; waits so many seconds for it. memory: MiB."""
        request = tournament_pb2.ClaimNextRequest(
            block_id=block_id, worker=worker, wait_ms=round(1000 * wait), memory_mib=memory
        )
        with rpc_errors(self.address):
            answer = self.stub.ClaimNext(request)
        if not answer.claimed:
            return None
        message = answer.order
        entrants = [
            Entrant(one.name, one.sha256, one.built_sha256, one.built_platform) for one in message.entrants
        ]
        lease = float(message.lease_seconds)
        return Claim(message, wire.block_order(message), entrants, lease, answer.watched)

    def renew(self, claim: Claim, deals: int) -> tuple[bool, bool]:
        """Whether the block is still needed, and whether somebody watches its match."""
        request = tournament_pb2.RenewLeaseRequest(
            block_id=claim.block_id, fence=claim.message.fence, deals_done=deals
        )
        with rpc_errors(self.address):
            answer = self.stub.RenewLease(request, timeout=LEASE_CALL)
        return not answer.dropped, answer.watched

    def tell(self, claim: Claim, deals: Sequence[LiveDeal]) -> bool:
        """Shows pieces of deals to watchers, if there are any; whether there are."""
        request = tournament_pb2.ReportDealsRequest(
            block_id=claim.block_id, fence=claim.message.fence, deals=map(wire.live_message, deals)
        )
        with rpc_errors(self.address):
            return bool(self.stub.ReportDeals(request, timeout=LIVE_CALL).watched)

    def give_back(self, claim: Claim, words: str, lacks: str = "") -> None:
        request = tournament_pb2.RenewLeaseRequest(
            block_id=claim.block_id,
            fence=claim.message.fence,
            give_back=True,
            words=words[:1000],
            lacks=lacks,
        )
        with rpc_errors(self.address):
            self.stub.RenewLease(request, timeout=LEASE_CALL)

    def submit(self, claim: Claim, outcome: BlockOutcome, measured: Measured) -> bool:
        """Whether this call stored it."""
        message = _measured(outcome, measured)
        with rpc_errors(self.address):
            return bool(self.stub.SubmitBlock(wire.submission(claim.message, outcome, message)).stored)

    def report_test(self, worker: str, unfit: str) -> None:
        """What a worker found when it tested itself; nothing if it is fit."""
        request = tournament_pb2.ReportTestRequest(worker=worker, unfit=unfit[:1000])
        with rpc_errors(self.address):
            self.stub.ReportTest(request, timeout=LEASE_CALL)

    def advance(self, tournament_id: str) -> None:
        with rpc_errors(self.address):
            self.stub.Advance(tournament_pb2.AdvanceRequest(tournament_id=tournament_id))


class Registry:
    """The registry. Threads may share it."""

    def __init__(self, address: str, token: str, roots: bytes = b"", own: Own | None = None) -> None:
        self.address, self.credentials = address, (token, roots, own)

    @cached_property
    def stub(self) -> Any:
        return REGISTRY(connect(self.address, *self.credentials))

    def fetch(self, sha256: str) -> bytes:
        with rpc_errors(self.address):
            parts: Iterator[Any] = self.stub.GetArtifact(
                registry_pb2.GetArtifactRequest(sha256=sha256), timeout=60
            )
            return b"".join(part.chunk for part in parts)

    def claim(self, version_id: str, worker: str) -> Validation | None:
        request = registry_pb2.ClaimValidationRequest(
            version_id=version_id, worker=worker, platform=platform_tag()
        )
        with rpc_errors(self.address):
            answer = self.stub.ClaimValidation(request)
        if not answer.claimed:
            return None
        lease = float(answer.lease_seconds)
        return Validation(
            version_id, answer.fence, answer.sha256, answer.bot_name, lease, answer.built_sha256
        )

    def renew(self, claim: Validation, progress: str) -> None:
        request = registry_pb2.RenewValidationRequest(
            version_id=claim.version_id, fence=claim.fence, progress=progress
        )
        with rpc_errors(self.address):
            self.stub.RenewValidation(request, timeout=LEASE_CALL)

    def give_back(self, claim: Validation) -> None:
        """Another worker is to validate it, since this one stops."""
        request = registry_pb2.RenewValidationRequest(
            version_id=claim.version_id, fence=claim.fence, give_back=True
        )
        with rpc_errors(self.address):
            self.stub.RenewValidation(request, timeout=LEASE_CALL)

    def upload(self, claim: Validation, built: Package) -> None:
        """What the build step left behind."""
        with rpc_errors(self.address):
            self.stub.UploadBuild(_build_parts(claim, built.archive), timeout=UPLOAD)

    def submit(self, claim: Validation, report: Report) -> None:
        request = registry_pb2.SubmitValidationRequest(
            version_id=claim.version_id, fence=claim.fence, ok=report.ok,
            reason="" if report.ok else report.words, log=f"{report.words}\n{report.log}",
            rules=report.rules, seats=report.seats,
        )  # fmt: skip
        with rpc_errors(self.address):
            self.stub.SubmitValidation(request)


class SeatKey(NamedTuple):
    """A seat of a live table."""

    table_id: str
    seat: int


class ClaimedSeat(NamedTuple):
    """A seat that this worker plays, and with which program. think: seconds before each answer."""

    token: str
    bot_name: str
    sha256: str
    built_sha256: str
    think: float


class Seats:
    """The matchmaking service, of which seats for house bots are claimed. Threads may share it."""

    def __init__(self, address: str, token: str, roots: bytes = b"", own: Own | None = None) -> None:
        self.address, self.credentials = address, (token, roots, own)

    @cached_property
    def stub(self) -> Any:
        return MATCHMAKING(connect(self.address, *self.credentials))

    def claim(self, worker: str, key: SeatKey) -> ClaimedSeat | None:
        """The seat with its token; None if another worker plays it, or nobody has to."""
        request = seek_pb2.ClaimSeatRequest(table_id=key.table_id, seat=key.seat, worker=worker)
        with rpc_errors(self.address):
            said = self.stub.ClaimSeat(request, timeout=LEASE_CALL)
        if not said.claimed:
            return None
        think = said.think_ms / 1000
        return ClaimedSeat(said.seat_token, said.bot_name, said.sha256, said.built_sha256, think)

    def renew(
        self, worker: str, room: int, held: Sequence[SeatKey], left: Sequence[SeatKey]
    ) -> list[SeatKey]:
        """Those of the seats held that are this worker's no more."""
        seats, gone = ([seek_pb2.HeldSeat(**key._asdict()) for key in part] for part in (held, left))
        request = seek_pb2.RenewSeatsRequest(worker=worker, room=room, seats=seats, left=gone)
        with rpc_errors(self.address):
            said = self.stub.RenewSeats(request, timeout=LEASE_CALL)
        return [SeatKey(one.table_id, one.seat) for one in said.lost]


def _build_parts(claim: Validation, archive: bytes) -> Iterator[Any]:
    yield registry_pb2.UploadBuildRequest(
        header=registry_pb2.UploadBuildHeader(
            version_id=claim.version_id, fence=claim.fence, size=len(archive),
            upload_sha256=hashlib.sha256(archive).hexdigest(), platform=platform_tag(),
        )
    )  # fmt: skip
    for at in range(0, len(archive), CHUNK):
        yield registry_pb2.UploadBuildRequest(chunk=archive[at : at + CHUNK])


def _measured(outcome: BlockOutcome, measured: Measured) -> Any:
    table = outcome.measured
    return tournament_pb2.Measured(
        worker=measured.worker,
        sandbox=measured.sandbox,
        wall_ms=round(measured.wall_ms),
        start_ms=round(table.start_ms),
        fetch_ms=round(measured.fetch_ms),
        play_ms=round(table.wall_ms - table.start_ms),
        decisions=sum(use.replies for use in table.uses),
        cpu_ms=[round(use.cpu_ms) for use in table.uses],
        memory_mib=[round(use.memory_mib) for use in table.uses],
        deal_ms=table.deal_ms,
        probe_ms=round(table.probe_ms, 3),
        pace=tournament_pb2.Pace(**msgspec.structs.asdict(table.pace)),
        uses=[_use(use) for use in table.uses],
    )


def _use(use: Use) -> Any:
    return tournament_pb2.Use(
        bank_ms=round(use.bank_ms, 3),
        start_ms=round(use.start_ms, 3),
        deals_ms=[round(each, 3) for each in use.deals_ms],
    )
