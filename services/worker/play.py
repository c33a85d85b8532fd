"""One block: claimed, played, reported. What goes wrong here is the platform's fault and never a result."""

import time
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import NamedTuple

import msgspec

from maumau import trace
from maumau.bot import build, referee
from maumau.bot.player import Program
from maumau.bot.referee import BlockOrder, BlockOutcome
from maumau.call import pauses
from maumau.errors import BlockDropped, BlockStopped, BuildFailed, MaumauError, MissingRuntime, StaleFence
from maumau.game import load_any
from services.shared import log
from services.worker.bench import Bench
from services.worker.client import Claim, Entrant, Measured, Tournament
from services.worker.fitness import keep_fit
from services.worker.lease import NOT_LET_IN, SILENT, Lease
from services.worker.live import Live

logger = log.get(__name__)


TURN = 10.0  # seconds that a worker plays blocks before it looks for other messages
WAIT = 0.5  # seconds that it waits for another block


class Unable(Exception):
    """This worker cannot play these rules or this program at all. lacks: their hash."""

    def __init__(self, words: str, lacks: str) -> None:
        super().__init__(words)
        self.lacks = lacks


class Played(NamedTuple):
    """A block's outcome; times in seconds."""

    outcome: BlockOutcome
    began: float
    fetch: float


def play_blocks(bench: Bench) -> None:
    """Plays what there is to play for a turn; then the worker looks what other messages there are."""
    until, wait = time.monotonic() + TURN, 0.0
    while play_block(bench, wait=wait) not in {"refused", "unreachable"} and not bench.stopping():
        keep_fit(bench)
        if time.monotonic() > until:
            return
        wait = WAIT


def play_block(bench: Bench, block_id: str = "", wait: float = 0.0) -> str:
    """Plays the block whose turn it is, or this one, if it is to be had; a word about what became of it."""
    word = _play_block(bench, bench.tournament, block_id, wait)
    bench.note("blocks", word)
    return word


def advance(bench: Bench, tournament_id: str) -> None:
    """Lets a tournament's schedule catch up; the service's own sweep does it too, if this fails."""
    try:
        bench.tournament.advance(tournament_id)
    except MaumauError as err:
        logger.warning("not advanced", tournament=tournament_id, words=str(err))


def _play_block(bench: Bench, tournament: Tournament, block_id: str, wait: float) -> str:
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
        word = _hold(bench, tournament, claim)
        trace.annotate_span(outcome=word)
        logger.info("block", outcome=word)
    return word


def _hold(bench: Bench, tournament: Tournament, claim: Claim) -> str:
    progress = Progress()
    live = Live(partial(tournament.tell, claim), watched=claim.watched)

    def renew() -> bool:
        needed, live.watched = tournament.renew(claim, progress.deals)
        return needed

    with Lease(claim.lease, renew, bench.stopping) as lease:
        try:
            with live:
                played = _play(bench, claim, lease, progress, live)
            with trace.open_span("report block"):
                return _report(bench, tournament, claim, lease, played)
        except (BlockStopped, BlockDropped, StaleFence):
            return _stopped(tournament, claim, lease)
        except Unable as err:
            logger.warning("the block cannot be played here", words=str(err))
            return _give_back(tournament, claim, str(err), "unable", err.lacks)
        except Exception as err:
            logger.exception("the block could not be played")
            return _failed(tournament, claim, err)


class Progress:
    """Deals finished; written by the table, read by the lease's thread."""

    def __init__(self) -> None:
        self.deals = 0

    def deal(self, *_: object) -> None:
        self.deals += 1


def _play(bench: Bench, claim: Claim, lease: Lease, progress: Progress, live: Live) -> Played:
    began = time.perf_counter()
    _check_rules(claim.order)
    with ExitStack() as held:
        with trace.open_span("fetch programs"):
            stored = [held.enter_context(_hold_program(bench, entrant)) for entrant in claim.entrants]
            programs = [_ready(bench, program, lease) for program in stored]
        fetch = time.perf_counter() - began
        order = msgspec.structs.replace(claim.order, cpu=bench.core)
        with trace.open_span("play deals"):
            outcome = referee.play_block(
                order, programs, bench.sandbox, progress.deal, lease.over, live.look, bench.pace
            )
    return Played(outcome, began, fetch)


def _check_rules(order: BlockOrder) -> None:
    """Unable if this worker would play by other rules, as one of another version may."""
    try:
        own = load_any(order.rules, order.variant_toml, **order.options).hash
    except MaumauError as error:
        raise Unable(f"{order.rules}: {error}", order.rules_hash) from error
    if own != order.rules_hash:
        raise Unable(f"The rules {order.rules} ordered are not those of this worker.", order.rules_hash)


def _hold_program(bench: Bench, entrant: Entrant) -> AbstractContextManager[Program]:
    here = build.platform_tag()
    if entrant.built_sha256 and entrant.built_platform != here:
        words = f"{entrant.name} was built for {entrant.built_platform}, and this worker is {here}."
        raise Unable(words, entrant.sha256)
    return bench.artifacts.hold(entrant.sha256, entrant.name, entrant.built_sha256)


def _ready(bench: Bench, program: Program, lease: Lease) -> Program:
    """The program as it is played. It is built here only if an earlier arena validated it and kept no build:
    if that fails it plays broken, so that every start of it is its own fault, and is not built again.
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


def _report(bench: Bench, tournament: Tournament, claim: Claim, lease: Lease, played: Played) -> str:
    """Again and again while the service is silent and the lease holds: the same report twice does no harm."""
    wall = time.perf_counter() - played.began
    measured = Measured(bench.name, bench.sandbox.name, 1000 * wall, 1000 * played.fetch)
    for pause in pauses():
        try:
            tournament.submit(claim, played.outcome, measured)
            break
        except SILENT:
            if lease.over():
                raise
        time.sleep(pause)
    _count(bench, played)
    return "done"


def _count(bench: Bench, played: Played) -> None:
    tally, measured = bench.tally, played.outcome.measured
    tally.add("decisions", sum(use.replies for use in measured.uses))
    tally.add("play_seconds", (measured.wall_ms - measured.start_ms) / 1000)
    tally.add("start_seconds", measured.start_ms / 1000)
    tally.add("fetch_seconds", played.fetch)
    for one in played.outcome.sets:
        for deal in one.deals:
            for fault in deal.faults:
                tally.add("bot_faults", label=fault.kind)


def _stopped(tournament: Tournament, claim: Claim, lease: Lease) -> str:
    if lease.dropped:
        return "dropped"
    if lease.lost or not lease.stopping():
        return "lost"
    return _give_back(tournament, claim, "", "given back")


def _failed(tournament: Tournament, claim: Claim, err: Exception) -> str:
    """The block goes back with words for who looks after the arena."""
    words = str(err) if isinstance(err, MaumauError) else f"{type(err).__name__}: {err}"
    return _give_back(tournament, claim, words or type(err).__name__, "failed")


def _give_back(tournament: Tournament, claim: Claim, words: str, outcome: str, lacks: str = "") -> str:
    try:
        tournament.give_back(claim, words, lacks)
    except MaumauError as err:
        logger.warning("not given back; its lease runs out", words=str(err))
    return outcome
