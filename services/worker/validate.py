"""One validation: a program plays its deals behind the wall, and the registry is told what came of it."""

from collections.abc import Callable

import msgspec

from maumau.bot import build
from maumau.bot.player import Program
from maumau.bot.validate import Report, validate_program
from maumau.errors import BadSubmission, BlockStopped, MaumauError, StaleFence
from services.shared import log
from services.worker.bench import Bench
from services.worker.client import Registry, Validation
from services.worker.lease import NOT_LET_IN, SILENT, Lease

EVERY = 2.0
"""Seconds after which the registry is told how far a validation is."""

logger = log.get(__name__)


def validate_version(bench: Bench, version_id: str) -> str:
    """Validates the version if it is to be had; one word about what became of it."""
    word = _validate(bench, bench.registry, version_id)
    bench.note("validations", word)
    logger.info("validation", version=version_id, outcome=word)
    return word


def _validate(bench: Bench, registry: Registry, version_id: str) -> str:
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
    return _hold(bench, registry, claim) if claim else "refused"


def _judge(bench: Bench, program: Program, lease: Lease, hear: Callable[[str], None]) -> Report:
    if refusal := bench.refuse_runtime(program.manifest.runtime):
        said = program.manifest
        return Report(ok=False, words=refusal, log="", rules=said.rules or [], seats=said.seats or [])
    return validate_program(program, bench.sandbox, lease.over, bench.pace, hear)


def _build_and_judge(
    bench: Bench, claim: Validation, program: Program, lease: Lease, hear: Callable[[str], None]
) -> Report:
    """What was built and played is what plays from now on; the copy here, of up to 128 MiB, is removed."""
    try:
        report = _judge(bench, program, lease, hear)
        return _keep_build(bench.registry, claim, program, report) if report.ok else report
    finally:
        build.remove_built(program)


def _keep_build(registry: Registry, claim: Validation, program: Program, report: Report) -> Report:
    try:
        registry.upload(claim, build.pack_built(program))
    except BadSubmission as err:
        words = f"what the build step left behind is refused: {err}"
        return msgspec.structs.replace(report, ok=False, words=words)
    return report


def _hold(bench: Bench, registry: Registry, claim: Validation) -> str:
    """The platform's faults say nothing of the program: the lease runs out, and it is tried again."""

    heard = [""]

    def hear(words: str) -> None:
        heard[0] = words

    def renew() -> bool:
        registry.renew(claim, heard[0])
        return True

    with Lease(claim.lease, renew, bench.stopping, EVERY) as lease:
        try:
            with bench.artifacts.hold(claim.sha256, claim.bot_name, claim.built_sha256) as program:
                if program.manifest.build and not program.built:
                    report = _build_and_judge(bench, claim, program, lease, hear)
                else:
                    report = _judge(bench, program, lease, hear)
                registry.submit(claim, report)
        except (BlockStopped, StaleFence):
            return "lost" if lease.lost else _give_back(registry, claim)
        except (MaumauError, OSError):
            logger.exception("the version could not be validated", version=claim.version_id)
            return "failed"
    return "done"


def _give_back(registry: Registry, claim: Validation) -> str:
    """What this worker does not end it leaves to another one at once; else its lease runs out."""
    try:
        registry.give_back(claim)
    except MaumauError as err:
        logger.warning("not given back", version=claim.version_id, words=str(err))
    return "given back"
