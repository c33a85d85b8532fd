"""Clients of the services for a worker. Channels are opened at the first call, never before a fork."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from maumau import wire
from maumau.client.call import retry_call, rpc_errors
from maumau.game import load_text
from maumau.protocol.live import LiveDeal
from maumau.protocol.use import Use
from maumau.referee.block import BlockOrder, BlockOutcome
from maumau.submission.build import platform_tag
from maumau.submission.package import Package
from maumau.submission.validate import TrialOrder, ValidationReport
from maumau.v1 import (
    matchmaking_pb2_grpc,
    registry_pb2,
    registry_pb2_grpc,
    seek_pb2,
    tournament_pb2,
    tournament_pb2_grpc,
)
from services.shared.rpc.client import connect
from services.shared.rpc.tls import Own

REGISTRY: Any = registry_pb2_grpc.RegistryServiceStub
TOURNAMENT: Any = tournament_pb2_grpc.TournamentServiceStub
MATCHMAKING: Any = matchmaking_pb2_grpc.MatchmakingServiceStub
LEASE_CALL = 5.0  # seconds for a call about a lease
LIVE_CALL = 2.0  # seconds for a call for watchers
FETCH_CALL = 60.0  # seconds for the download of a program
FETCH_PATIENCE = 10.0  # seconds for which a download is tried again while the registry does not answer
UPLOAD = 300.0  # seconds for the upload of a build
CHUNK = 64 * 1024


class ClaimedEntrant(NamedTuple):
    """A program that plays: the bot's name, the submission's content hash; hash and platform of its build."""

    name: str
    sha256: str
    built_sha256: str = ""
    built_platform: str = ""


class BlockClaim(NamedTuple):
    """A claimed block. entrants: in the order of the match."""

    message: Any
    order: BlockOrder
    entrants: list[ClaimedEntrant]
    lease: float
    watched: bool

    @property
    def block_id(self) -> str:
        return str(self.message.block_id)

    @property
    def ids(self) -> dict[str, str]:
        """The ids attached to log lines about it."""
        order = self.message
        return {"contest": order.contest_id, "match": order.match_id, "block": order.block_id}


class Validation(NamedTuple):
    """A claimed validation. trial: what is played in place of what the program names, None for its own."""

    version_id: str
    fence: int
    sha256: str
    bot_name: str
    lease: float
    built_sha256: str = ""
    trial: TrialOrder | None = None


class WorkerMeasurements(NamedTuple):
    """Measurements of a block in addition to those of its table; times in ms."""

    worker: str
    sandbox: str
    wall_ms: float
    fetch_ms: float


class TournamentClient:
    """A client of the tournament service, safe for threads."""

    def __init__(self, address: str, token: str, roots: bytes = b"", own: Own | None = None) -> None:
        self.address, self.credentials = address, (token, roots, own)

    @cached_property
    def stub(self) -> Any:
        return TOURNAMENT(connect(self.address, *self.credentials))

    def claim(self, worker: str, block_id: str = "", wait: float = 0.0, memory: int = 0) -> BlockClaim | None:
        """Claim the next block, or this one, waiting up to `wait` seconds. memory: MiB."""
        request = tournament_pb2.ClaimNextRequest(
            block_id=block_id, worker=worker, wait_ms=round(1000 * wait), memory_mib=memory
        )
        with rpc_errors(self.address):
            answer = self.stub.ClaimNext(request)
        if not answer.claimed:
            return None
        message = answer.order
        entrants = [
            ClaimedEntrant(one.name, one.sha256, one.built_sha256, one.built_platform)
            for one in message.entrants
        ]
        lease = float(message.lease_seconds)
        return BlockClaim(message, wire.block_order(message), entrants, lease, answer.watched)

    def renew(self, claim: BlockClaim, deals: int) -> tuple[bool, bool]:
        """Renew a lease; return whether the block is still needed, and whether its match is watched."""
        request = tournament_pb2.RenewLeaseRequest(
            block_id=claim.block_id, fence=claim.message.fence, deals_done=deals
        )
        with rpc_errors(self.address):
            answer = self.stub.RenewLease(request, timeout=LEASE_CALL)
        return not answer.dropped, answer.watched

    def tell(self, claim: BlockClaim, deals: Sequence[LiveDeal]) -> bool:
        """Send parts of deals for watchers; return True if there are any watchers."""
        request = tournament_pb2.ReportDealsRequest(
            block_id=claim.block_id, fence=claim.message.fence, deals=map(wire.live_message, deals)
        )
        with rpc_errors(self.address):
            return bool(self.stub.ReportDeals(request, timeout=LIVE_CALL).watched)

    def give_back(self, claim: BlockClaim, words: str, lacks: str = "") -> None:
        request = tournament_pb2.RenewLeaseRequest(
            block_id=claim.block_id,
            fence=claim.message.fence,
            give_back=True,
            words=words[:1000],
            lacks=lacks,
        )
        with rpc_errors(self.address):
            self.stub.RenewLease(request, timeout=LEASE_CALL)

    def submit(self, claim: BlockClaim, outcome: BlockOutcome, measured: WorkerMeasurements) -> bool:
        """Submit a block; return True if this call stored it."""
        message = _measured_message(outcome, measured)
        with rpc_errors(self.address):
            return bool(self.stub.SubmitBlock(wire.submission(claim.message, outcome, message)).stored)

    def report_test(self, worker: str, unfit: str) -> None:
        """Report a worker's self-test. unfit: its finding, empty if the worker is fit."""
        request = tournament_pb2.ReportTestRequest(worker=worker, unfit=unfit[:1000])
        with rpc_errors(self.address):
            self.stub.ReportTest(request, timeout=LEASE_CALL)

    def report_presence(self, worker: str) -> None:
        """Report that a worker is present, though it has no block."""
        with rpc_errors(self.address):
            request = tournament_pb2.ReportPresenceRequest(worker=worker)
            self.stub.ReportPresence(request, timeout=LEASE_CALL)

    def report_end(self, worker: str) -> None:
        """Report that a worker ends."""
        with rpc_errors(self.address):
            request = tournament_pb2.ReportPresenceRequest(worker=worker, ended=True)
            self.stub.ReportPresence(request, timeout=LEASE_CALL)

    def advance(self, tournament_id: str) -> None:
        with rpc_errors(self.address):
            self.stub.Advance(tournament_pb2.AdvanceRequest(tournament_id=tournament_id))


class Registry:
    """A client of the registry, safe for threads."""

    def __init__(self, address: str, token: str, roots: bytes = b"", own: Own | None = None) -> None:
        self.address, self.credentials = address, (token, roots, own)

    @cached_property
    def stub(self) -> Any:
        return REGISTRY(connect(self.address, *self.credentials))

    def fetch(self, sha256: str) -> bytes:
        """Return a stored archive; retry, as the first call after a lost connection only detects it."""
        return retry_call(lambda: self._fetch_once(sha256), FETCH_PATIENCE)

    def _fetch_once(self, sha256: str) -> bytes:
        request = registry_pb2.GetArtifactRequest(sha256=sha256)
        with rpc_errors(self.address):
            parts: Iterator[Any] = self.stub.GetArtifact(request, timeout=FETCH_CALL)
            return b"".join(part.chunk for part in parts)

    def claim(self, version_id: str, worker: str) -> Validation | None:
        """Claim the next validation; a registry of an earlier release gives the one of this id."""
        request = registry_pb2.ClaimValidationRequest(
            version_id=version_id, worker=worker, platform=platform_tag(), by_turn=True, trials=True
        )
        with rpc_errors(self.address):
            answer = self.stub.ClaimValidation(request)
        if not answer.claimed:
            return None
        lease = float(answer.lease_seconds)
        claimed = answer.version_id or version_id
        program = answer.sha256, answer.bot_name
        return Validation(claimed, answer.fence, *program, lease, answer.built_sha256, _read_trial(answer))

    def renew(self, claim: Validation, progress: str) -> None:
        request = registry_pb2.RenewValidationRequest(
            version_id=claim.version_id, fence=claim.fence, progress=progress
        )
        with rpc_errors(self.address):
            self.stub.RenewValidation(request, timeout=LEASE_CALL)

    def give_back(self, claim: Validation) -> None:
        """Leave a validation to another worker, because this one stops."""
        request = registry_pb2.RenewValidationRequest(
            version_id=claim.version_id, fence=claim.fence, give_back=True
        )
        with rpc_errors(self.address):
            self.stub.RenewValidation(request, timeout=LEASE_CALL)

    def upload(self, claim: Validation, built: Package) -> None:
        """Upload the output of the build step."""
        with rpc_errors(self.address):
            self.stub.UploadBuild(_build_parts(claim, built.archive), timeout=UPLOAD)

    def submit(self, claim: Validation, report: ValidationReport) -> None:
        request = registry_pb2.SubmitValidationRequest(
            version_id=claim.version_id,
            fence=claim.fence,
            ok=report.ok,
            reason="" if report.ok else report.words,
            log=f"{report.words}\n{report.log}",
            rules=report.rules,
            seats=report.seats,
        )
        with rpc_errors(self.address):
            self.stub.SubmitValidation(request)


class SeatKey(NamedTuple):
    """A seat of a live table."""

    table_id: str
    seat: int


class ClaimedSeat(NamedTuple):
    """A seat that this worker plays, with its program. think: seconds before each answer."""

    token: str
    bot_name: str
    sha256: str
    built_sha256: str
    think: float


class Seats:
    """A client of the matchmaking service for seats of house bots, safe for threads."""

    def __init__(self, address: str, token: str, roots: bytes = b"", own: Own | None = None) -> None:
        self.address, self.credentials = address, (token, roots, own)

    @cached_property
    def stub(self) -> Any:
        return MATCHMAKING(connect(self.address, *self.credentials))

    def claim(self, worker: str, key: SeatKey) -> ClaimedSeat | None:
        """Claim a seat; None if another worker plays it, or it is no longer open."""
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
        """Renew the seats held; return those that this worker has lost."""
        seats, gone = ([seek_pb2.HeldSeat(**key._asdict()) for key in part] for part in (held, left))
        request = seek_pb2.RenewSeatsRequest(worker=worker, room=room, seats=seats, left=gone)
        with rpc_errors(self.address):
            said = self.stub.RenewSeats(request, timeout=LEASE_CALL)
        return [SeatKey(one.table_id, one.seat) for one in said.lost]


def _read_trial(answer: Any) -> TrialOrder | None:
    if not answer.HasField("trial"):
        return None
    found = answer.trial
    rules = [load_text(one.name, one.variant_toml) for one in found.rules]
    return TrialOrder(rules, list(found.seats), found.deal_ms, found.memory_mib)


def _build_parts(claim: Validation, archive: bytes) -> Iterator[Any]:
    yield registry_pb2.UploadBuildRequest(
        header=registry_pb2.UploadBuildHeader(
            version_id=claim.version_id,
            fence=claim.fence,
            size=len(archive),
            upload_sha256=hashlib.sha256(archive).hexdigest(),
            platform=platform_tag(),
        )
    )
    for at in range(0, len(archive), CHUNK):
        yield registry_pb2.UploadBuildRequest(chunk=archive[at : at + CHUNK])


def _measured_message(outcome: BlockOutcome, measured: WorkerMeasurements) -> Any:
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
        uses=[_use_message(use) for use in table.uses],
    )


def _use_message(use: Use) -> Any:
    return tournament_pb2.Use(
        bank_ms=round(use.bank_ms, 3),
        start_ms=round(use.start_ms, 3),
        deals_ms=[round(each, 3) for each in use.deals_ms],
    )
