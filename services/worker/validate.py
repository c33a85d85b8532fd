"""A validation: a program plays its deals in the sandbox, and the registry gets the report."""

from collections.abc import Callable

import msgspec

from maumau.errors import BadSubmission, BlockStopped, MaumauError, StaleFence
from maumau.referee.place import Program
from maumau.submission import build
from maumau.submission.validate import TrialOrder, ValidationReport, validate_program
from services.shared.base import log
from services.worker.bench import Bench
from services.worker.client import Registry, Validation
from services.worker.lease import NOT_LET_IN, SILENT, Lease

EVERY = 2.0
"""Seconds between reports of a validation's progress."""

logger = log.get(__name__)


def validate_version(bench: Bench, version_id: str) -> str:
    """Validate the next version, whichever woke this worker; return a word for the outcome."""
    word = _validate_version(bench, bench.registry, version_id)
    bench.note("validations", word)
    return word


def _validate_version(bench: Bench, registry: Registry, version_id: str) -> str:
    if bench.stopping():
        return "given back"
    try:
        claim = registry.claim(version_id, bench.name)
    except SILENT as err:
        logger.warning("no claim", version=version_id, words=str(err))
        return "unreachable"
    except NOT_LET_IN as err:
        logger.warning("this worker is not let in", words=str(err))
        bench.end(err)
        return "unreachable"
    word = _hold_validation(bench, registry, claim) if claim else "refused"
    logger.info("validation", version=claim.version_id if claim else version_id, outcome=word)
    return word


def _judge_program(
    bench: Bench,
    program: Program,
    lease: Lease,
    hear: Callable[[str], None],
    trial: TrialOrder | None = None,
) -> ValidationReport:
    if refusal := bench.refuse_runtime(program.manifest.runtime):
        said = program.manifest
        return ValidationReport(
            ok=False, words=refusal, log="", rules=said.rules or [], seats=said.seats or []
        )
    return validate_program(program, bench.sandbox, lease.over, bench.pace, hear, trial=trial)


def _judge_trial(
    bench: Bench, program: Program, lease: Lease, hear: Callable[[str], None], trial: TrialOrder
) -> ValidationReport:
    """Validate a program in given variants, and remove the build made for it: the version has its own."""
    if program.built:
        return _judge_program(bench, program, lease, hear, trial)
    try:
        return _judge_program(bench, program, lease, hear, trial)
    finally:
        build.remove_built(program)


def _build_and_judge(
    bench: Bench, claim: Validation, program: Program, lease: Lease, hear: Callable[[str], None]
) -> ValidationReport:
    """Validate and upload the build that will play from now on; remove the local copy, of up to 128 MiB."""
    try:
        report = _judge_program(bench, program, lease, hear)
        return _keep_build(bench.registry, claim, program, report) if report.ok else report
    finally:
        build.remove_built(program)


def _keep_build(
    registry: Registry, claim: Validation, program: Program, report: ValidationReport
) -> ValidationReport:
    try:
        registry.upload(claim, build.pack_built(program))
    except BadSubmission as err:
        words = f"what the build step left behind is refused: {err}"
        return msgspec.structs.replace(report, ok=False, words=words)
    return report


def _hold_validation(bench: Bench, registry: Registry, claim: Validation) -> str:
    """Validate under a lease. A platform fault says nothing about the program, which is retried later."""
    heard = [""]

    def note_progress(words: str) -> None:
        heard[0] = words

    def renew_lease() -> bool:
        registry.renew(claim, heard[0])
        return True

    with Lease(claim.lease, renew_lease, bench.stopping, EVERY) as lease:
        try:
            with bench.artifacts.hold(claim.sha256, claim.bot_name, claim.built_sha256) as program:
                if claim.trial:
                    report = _judge_trial(bench, program, lease, note_progress, claim.trial)
                elif program.manifest.build and not program.built:
                    report = _build_and_judge(bench, claim, program, lease, note_progress)
                else:
                    report = _judge_program(bench, program, lease, note_progress)
                registry.submit(claim, report)
        except (BlockStopped, StaleFence):
            return "lost" if lease.lost else _give_back(registry, claim)
        except (MaumauError, OSError):
            logger.exception("the version could not be validated", version=claim.version_id)
            return "failed"
    return "done"


def _give_back(registry: Registry, claim: Validation) -> str:
    """Give a validation back for another worker at once; if that fails, its lease runs out."""
    try:
        registry.give_back(claim)
    except MaumauError as err:
        logger.warning("not given back", version=claim.version_id, words=str(err))
    return "given back"
