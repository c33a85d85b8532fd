"""Handlers of workers' calls: validations and trials, from their claim to the verdict."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Any

from maumau.errors import StaleFence
from maumau.v1 import game_pb2
from maumau.v1 import registry_pb2 as pb
from services.registry.domain.trial import TrialTerms, TrialVariant
from services.registry.domain.verdict import check_verdict
from services.registry.intake.build import Builds
from services.registry.intake.upload import Promise
from services.registry.metrics import RegistryMetrics
from services.registry.news import News
from services.registry.queue import Waker
from services.registry.store import Trials, Validations
from services.registry.store.bots.trial import is_trial
from services.registry.store.bots.validation import VersionClaim
from services.registry.wire import read_chunks, read_header
from services.shared.base.auth import identity
from services.shared.base.worker_name import check_holder, name_worker


@dataclass(kw_only=True)
class WorkServicer:
    """The calls of workers, and of the services that ask for trials."""

    validations: Validations
    trials: Trials
    builds: Builds
    waker: Waker
    metrics: RegistryMetrics
    news: News

    async def ReleaseValidations(
        self, request: pb.ReleaseValidationsRequest, context: Any
    ) -> pb.ReleaseValidationsResponse:
        released = await asyncio.to_thread(self.validations.release_leases, list(request.workers))
        if released:
            await self.waker.sweep_messages()
        return pb.ReleaseValidationsResponse(released=released)

    async def ClaimValidation(
        self, request: pb.ClaimValidationRequest, context: Any
    ) -> pb.ClaimValidationResponse:
        worker = name_worker(identity(), request.worker), request.platform
        if request.trials and (trial := await asyncio.to_thread(self.trials.claim_next, *worker)):
            return self._build_claim(trial.version, trial.terms)
        if request.by_turn:
            claim = await asyncio.to_thread(self.validations.claim_next, *worker)
        else:
            claim = await asyncio.to_thread(self.validations.claim_version, request.version_id, *worker)
        if claim is None:
            self.metrics.duplicates.inc()
            return pb.ClaimValidationResponse(claimed=False)
        self.note_change()
        return self._build_claim(claim)

    def _build_claim(
        self, claim: VersionClaim, trial: TrialTerms | None = None
    ) -> pb.ClaimValidationResponse:
        """Return a claim as a message, and count it."""
        self.metrics.claims.inc()
        return pb.ClaimValidationResponse(
            claimed=True,
            fence=claim.fence,
            sha256=claim.sha256,
            bot_name=claim.bot_name,
            lease_seconds=self._lease_seconds(),
            built_sha256=claim.built_sha256,
            version_id=claim.version_id,
            trial=_trial_message(trial) if trial else None,
        )

    async def RequestTrial(self, request: pb.RequestTrialRequest, context: Any) -> pb.RequestTrialResponse:
        trial = request.version_id, request.key, _read_terms(request.terms)
        call = partial(self.trials.request_trial, *trial, begin=request.begin)
        found = await asyncio.to_thread(call)
        if found is None:
            return pb.RequestTrialResponse(state="none")
        if request.begin and found.state == "waiting":
            self.waker.committed.set()
        return pb.RequestTrialResponse(state=found.state, reason=found.reason, log=found.log)

    async def RenewValidation(
        self, request: pb.RenewValidationRequest, context: Any
    ) -> pb.RenewValidationResponse:
        await self._check_holder(request)
        if request.give_back:
            await self._call_fenced(self._find_queue(request).give_back, request.version_id, request.fence)
            self.note_change()
            self.waker.committed.set()
            return pb.RenewValidationResponse()
        renew = self._find_queue(request).renew_lease
        await self._call_fenced(renew, request.version_id, request.fence, request.progress)
        self.note_change()
        return pb.RenewValidationResponse(lease_seconds=self._lease_seconds())

    async def UploadBuild(self, requests: Any, context: Any) -> pb.UploadBuildResponse:
        header = await read_header(requests)
        await self._check_holder(header)
        promise = Promise(header.size, header.upload_sha256)
        claimed = header.version_id, header.fence, header.platform
        try:
            sha256 = await self.builds.take_build(*claimed, promise, read_chunks(requests))
        except StaleFence:
            self.metrics.stale.inc()
            raise
        return pb.UploadBuildResponse(built_sha256=sha256)

    async def SubmitValidation(
        self, request: pb.SubmitValidationRequest, context: Any
    ) -> pb.SubmitValidationResponse:
        await self._check_holder(request)
        verdict = check_verdict(request.ok, request.reason, request.log, request.rules, request.seats)
        decide = self._find_queue(request).decide_version
        is_new = await self._call_fenced(decide, request.version_id, request.fence, verdict)
        if is_new:
            self.metrics.validations.labels("valid" if verdict.ok else "refused").inc()
            self.note_change()
        return pb.SubmitValidationResponse()

    def _find_queue(self, request: Any) -> Validations | Trials:
        """Return the queue that a worker's call is about."""
        return self.trials if is_trial(request.version_id) else self.validations

    async def _check_holder(self, request: Any) -> None:
        """Raise StaleFence if a worker with another token holds the version: fences are easily guessed."""
        find = self._find_queue(request).find_worker
        check_holder(identity(), await self._call_fenced(find, request.version_id, request.fence))

    async def _call_fenced(self, call: Any, *args: Any) -> Any:
        try:
            return await asyncio.to_thread(call, *args)
        except StaleFence:
            self.metrics.stale.inc()
            raise

    def note_change(self) -> None:
        """Wake the watchers of versions."""
        self.news.notify_listeners()

    def _lease_seconds(self) -> int:
        """Return the lease in whole seconds, as in the contract, rounded up."""
        return -(-self.validations.terms.lease // 1000)


def _trial_message(terms: TrialTerms) -> pb.TrialTerms:
    rules = [game_pb2.RuleSet(name=one.name, variant_toml=one.text) for one in terms.variants]
    return pb.TrialTerms(rules=rules, seats=terms.seats, deal_ms=terms.deal_ms, memory_mib=terms.memory)


def _read_terms(message: pb.TrialTerms) -> TrialTerms:
    variants = [TrialVariant(one.name, one.variant_toml) for one in message.rules]
    return TrialTerms(variants, list(message.seats), message.deal_ms, message.memory_mib)
