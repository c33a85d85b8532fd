"""The contract's calls: message to domain to message."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from maumau.errors import BadDeal, BadRequest, MaumauError
from maumau.game import Deal
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import engine_pb2_grpc
from services.engine import fold, rulebook, wire
from services.engine.metrics import Metrics
from services.shared.auth import Need

NEEDS = dict.fromkeys(("ListVariants", "GetVariant", "Fold", "FoldMany", "Verify"), Need.PUBLIC)
FOLDS = 1000  # of one message


@dataclass(kw_only=True)
class Servicer(engine_pb2_grpc.EngineServiceServicer):
    """Each handler is a translation. A fold takes microseconds, so it is made where it is asked for."""

    metrics: Metrics

    async def ListVariants(self, request: Any, context: Any) -> Any:
        found = await asyncio.to_thread(rulebook.list_rules)
        return pb.ListVariantsResponse(variants=[wire.summary(rules) for rules in found])

    async def GetVariant(self, request: Any, context: Any) -> Any:
        rules = rulebook.find_rules(request.name, request.options_json)
        return wire.variant(rules, await asyncio.to_thread(rulebook.describe, rules))

    async def Fold(self, request: Any, context: Any) -> Any:
        return self._fold(request)

    async def FoldMany(self, requests: AsyncIterator[Any], context: Any) -> AsyncIterator[Any]:
        async for request in requests:
            if len(request.folds) > FOLDS:
                count = len(request.folds)
                raise BadRequest(f"There are {count:,} folds in a message; {FOLDS:,} are the most.")
            answer = pb.FoldManyResponse()
            for one in request.folds:
                answer.folded.append(self._folded(one))
                await asyncio.sleep(0)  # others wait for one fold, not for all of these
            yield answer

    async def Verify(self, request: Any, context: Any) -> Any:
        found = fold.verify(request.record)
        self.metrics.records.labels("wrong" if found.line else "ok").inc()
        return wire.verdict(found)

    def _folded(self, request: Any) -> Any:
        try:
            return pb.Folded(deal=self._fold(request))
        except MaumauError as error:
            return pb.Folded(refusal=wire.refusal(error))

    def _fold(self, request: Any) -> Any:
        try:
            d = _begin(request)
            eyes = wire.EYES.get(request.eyes)
            if eyes is None:
                raise BadRequest(f"{request.eyes} are nobody's eyes.")
            if eyes == "seat" and request.seat >= d.seats:
                raise BadDeal(f"Nobody sits at {request.seat}: the seats are 0 to {d.seats - 1}.")
            fold.carry_out(d, [(one.seat, one.action) for one in request.actions])
        except MaumauError:
            self.metrics.folds.labels("refused").inc()
            raise
        self.metrics.folds.labels("done").inc()
        self.metrics.decisions.inc(len(request.actions))
        return wire.folded(d, request.mark[:200], eyes, request.seat)


def _begin(request: Any) -> Deal:
    if request.WhichOneof("start") == "record":
        return fold.replay_record(request.record)
    if request.WhichOneof("start") != "deal":
        raise BadRequest("A fold begins with a record or with a deal; this one has neither.")
    asked = request.deal
    if asked.rules.variant_toml:
        raise BadRequest("Only the arena's own variants are folded; play yours with the library maumau.")
    rules = rulebook.find_rules(asked.rules.name, asked.rules.options_json, asked.rules.hash)
    rulebook.check_seats(rules, asked.seats)
    return fold.begin(rules, asked.seats, asked.seed, asked.first)
