"""A block: claimed, played, reported. An error here is the platform's fault and never a result."""

import time
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import NamedTuple

import msgspec

from maumau.client.call import yield_pauses
from maumau.contest.length import bound_stalled
from maumau.errors import BlockDropped, BlockStopped, BuildFailed, MaumauError, MissingRuntime, StaleFence
from maumau.game import Rules, load_any
from maumau.game.game import hash_game
from maumau.process import trace
from maumau.referee import block
from maumau.referee.block import BlockOrder, BlockOutcome
from maumau.referee.place import Program
from maumau.submission import build
from services.shared.base import log
from services.worker.bench import Bench
from services.worker.client import BlockClaim, ClaimedEntrant, TournamentClient, WorkerMeasurements
from services.worker.fitness import keep_fit
from services.worker.lease import NOT_LET_IN, SILENT, Lease
from services.worker.live import LiveSender

logger = log.get(__name__)


TURN = 10.0  # seconds for which a worker plays blocks before it checks for other messages
WAIT = 0.5  # seconds that it waits for another block


class Unable(Exception):
    """The worker cannot play these rules or this program at all. lacks: their hash."""

    def __init__(self, words: str, lacks: str) -> None:
        super().__init__(words)
        self.lacks = lacks


class PlayedBlock(NamedTuple):
    """A block's outcome; times in seconds."""

    outcome: BlockOutcome
    began: float
    fetch: float


def play_blocks(bench: Bench) -> None:
    """Play available blocks for a turn, after which the worker checks for other messages."""
    until, wait = time.monotonic() + TURN, 0.0
    while play_block(bench, wait=wait) not in {"refused", "unreachable"} and not bench.stopping():
        keep_fit(bench)
        if time.monotonic() > until:
            return
        wait = WAIT


def play_block(bench: Bench, block_id: str = "", wait: float = 0.0) -> str:
    """Play the next block, or this one, if it can be claimed; return a word for the outcome."""
    word = _play_block(bench, bench.tournament, block_id, wait)
    bench.note("blocks", word)
    return word


def advance_contest(bench: Bench, tournament_id: str) -> None:
    """Let a tournament's schedule catch up; if this fails, the service's own sweep does it."""
    try:
        bench.tournament.advance(tournament_id)
    except MaumauError as err:
        logger.warning("not advanced", tournament=tournament_id, words=str(err))


def _play_block(bench: Bench, tournament: TournamentClient, block_id: str, wait: float) -> str:
    if bench.stopping():
        return "given back"
    try:
        claim = tournament.claim(bench.name, block_id, wait, bench.memory)
    except SILENT as err:
        logger.warning("no claim", words=str(err))
        return "unreachable"
    except NOT_LET_IN as err:
        logger.warning("this worker is not let in", words=str(err))
        bench.end(err)
        return "unreachable"
    if claim is None:
        return "refused"
    key = trace.key_of_match(claim.message.contest_id, claim.message.label)
    with log.about(**claim.ids), trace.open_span("play block", key, worker=bench.name, **claim.ids):
        word = _hold_block(bench, tournament, claim)
        trace.annotate_span(outcome=word)
        logger.info("block", outcome=word)
    return word


def _hold_block(bench: Bench, tournament: TournamentClient, claim: BlockClaim) -> str:
    progress = Progress()
    live = LiveSender(partial(tournament.tell, claim), watched=claim.watched)

    def renew_lease() -> bool:
        needed, live.watched = tournament.renew(claim, progress.deals)
        return needed

    with Lease(claim.lease, renew_lease, bench.stopping) as lease:
        try:
            with live:
                played = _play_claimed(bench, claim, lease, progress, live)
            with trace.open_span("report block"):
                return _submit_result(bench, tournament, claim, lease, played)
        except (BlockStopped, BlockDropped, StaleFence):
            return _give_up_block(tournament, claim, lease)
        except Unable as err:
            logger.warning("the block cannot be played here", words=str(err))
            return _give_back(tournament, claim, str(err), "unable", err.lacks)
        except Exception as err:
            logger.exception("the block could not be played")
            return _give_back_block(tournament, claim, err)


class Progress:
    """The count of finished deals; written by the table, read by the lease's thread."""

    def __init__(self) -> None:
        self.deals = 0

    def deal(self, *_: object) -> None:
        self.deals += 1


def _play_claimed(
    bench: Bench, claim: BlockClaim, lease: Lease, progress: Progress, live: LiveSender
) -> PlayedBlock:
    began = time.perf_counter()
    rules = _check_rules(claim.order)
    with ExitStack() as held:
        with trace.open_span("fetch programs"):
            stored = [held.enter_context(_hold_program(bench, entrant)) for entrant in claim.entrants]
            programs = [_make_ready(bench, program, lease) for program in stored]
        fetch = time.perf_counter() - began
        most = bound_stalled(rules, claim.order.seats, len(claim.order.seeds))
        order = msgspec.structs.replace(claim.order, cpu=bench.core, most_stalled=most)
        with trace.open_span("play deals"):
            outcome = block.play_block(
                order, programs, bench.sandbox, progress.deal, lease.over, live.record_events, bench.pace
            )
    return PlayedBlock(outcome, began, fetch)


def _check_rules(order: BlockOrder) -> Rules:
    """Return the rules; raise Unable if this worker would play by others, as another version may."""
    try:
        own = load_any(order.rules, order.variant_toml, **order.options)
    except MaumauError as error:
        raise Unable(f"{order.rules}: {error}", order.rules_hash) from error
    if (hash_game(own.hash) if order.game else own.hash) != order.rules_hash:
        raise Unable(f"The rules {order.rules} ordered are not those of this worker.", order.rules_hash)
    return own


def _hold_program(bench: Bench, entrant: ClaimedEntrant) -> AbstractContextManager[Program]:
    here = build.platform_tag()
    if entrant.built_sha256 and entrant.built_platform != here:
        words = f"{entrant.name} was built for {entrant.built_platform}, and this worker is {here}."
        raise Unable(words, entrant.sha256)
    return bench.artifacts.hold(entrant.sha256, entrant.name, entrant.built_sha256)


def _make_ready(bench: Bench, program: Program, lease: Lease) -> Program:
    """Return a program ready to play.

    It is built here only if an earlier arena validated it and kept no build: if that fails it plays broken,
    so that every start is its own fault, and is not built again.
    """
    if refusal := bench.refuse_runtime(program.manifest.runtime):
        raise Unable(f"{program.name}: {refusal}", program.sha256)
    try:
        if program.built or program.sha256 not in bench.unbuilt:
            return build.prepare_program(program, bench.sandbox, lease.over)
    except MissingRuntime as error:
        raise Unable(f"{program.name}: {error}", program.sha256) from error
    except BuildFailed as error:
        bench.unbuilt[program.sha256] = str(error)
        logger.warning("a build failed that was validated", bot=program.name, words=str(error))
    return msgspec.structs.replace(program, broken=bench.unbuilt[program.sha256])


def _submit_result(
    bench: Bench, tournament: TournamentClient, claim: BlockClaim, lease: Lease, played: PlayedBlock
) -> str:
    """Submit the result, repeatedly while the service is silent and the lease holds: repeats are harmless."""
    wall = time.perf_counter() - played.began
    measured = WorkerMeasurements(bench.name, bench.sandbox.name, 1000 * wall, 1000 * played.fetch)
    for pause in yield_pauses():
        try:
            tournament.submit(claim, played.outcome, measured)
            break
        except SILENT:
            if lease.over():
                raise
        time.sleep(pause)
    _count_played(bench, played)
    return "done"


def _count_played(bench: Bench, played: PlayedBlock) -> None:
    tally, measured = bench.tally, played.outcome.measured
    tally.add("decisions", sum(use.replies for use in measured.uses))
    tally.add("play_seconds", (measured.wall_ms - measured.start_ms) / 1000)
    tally.add("start_seconds", measured.start_ms / 1000)
    tally.add("fetch_seconds", played.fetch)
    for one in played.outcome.sets:
        for deal in one.deals:
            for fault in deal.faults:
                tally.add("bot_faults", label=fault.kind)


def _give_up_block(tournament: TournamentClient, claim: BlockClaim, lease: Lease) -> str:
    if lease.dropped:
        return "dropped"
    if lease.lost or not lease.stopping():
        return "lost"
    return _give_back(tournament, claim, "", "given back")


def _give_back_block(tournament: TournamentClient, claim: BlockClaim, err: Exception) -> str:
    """Give the block back with the error, for the operators of the arena."""
    words = str(err) if isinstance(err, MaumauError) else f"{type(err).__name__}: {err}"
    return _give_back(tournament, claim, words or type(err).__name__, "failed")


def _give_back(
    tournament: TournamentClient, claim: BlockClaim, words: str, outcome: str, lacks: str = ""
) -> str:
    try:
        tournament.give_back(claim, words, lacks)
    except MaumauError as err:
        logger.warning("not given back; its lease runs out", words=str(err))
    return outcome
