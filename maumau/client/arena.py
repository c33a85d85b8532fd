"""The arena's RPCs for authors and the command line; none of their messages leaves it.

```python
with Arena("127.0.0.1:7101", "127.0.0.1:7102", token="mm_…") as arena:
    version = arena.submit("my-bot", archive).version
    for version in arena.watch_version(version.id):
        print(version.state)
```
Every call has a deadline and a request id, under which it is made again while the arena does not answer, for
at most `patience` seconds: a change whose answer was lost is made once all the same. Watches go on from their
last cursor. Errors are those of `maumau.errors`, with the id of their request.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, Self

from maumau.client import answer, call
from maumau.client.group import GroupCalls
from maumau.client.link import LONG, Link
from maumau.client.login import LoginCalls
from maumau.client.registry import RegistryCalls
from maumau.client.team import TeamCalls
from maumau.client.webhook import WebhookCalls
from maumau.errors import ArenaUnreachable
from maumau.v1 import (
    login_pb2_grpc,
    registry_pb2_grpc,
    team_pb2_grpc,
    tournament_pb2_grpc,
    webhook_pb2_grpc,
)
from maumau.v1 import registry_pb2 as r
from maumau.v1 import tournament_pb2 as t


class Arena(RegistryCalls, GroupCalls, LoginCalls, TeamCalls, WebhookCalls):
    """One arena: the addresses of its registry and its tournament service (host:port), and a token.

    tls: speak TLS, with the system's certificates. patience: seconds that the arena may be silent. name: what
    the caller calls it. hint: added to errors of calls that the tournament service does not answer.
    """

    def __init__(
        self,
        registry: str,
        tournament: str,
        token: str = "",
        *,
        tls: bool = False,
        patience: float = 3.0,
        name: str = "",
        hint: str = "",
    ) -> None:
        self.name = name or tournament
        self._channels = [call.open_channel(address, tls=tls) for address in (registry, tournament)]
        stubs: list[Any] = [registry_pb2_grpc.RegistryServiceStub, tournament_pb2_grpc.TournamentServiceStub]
        self._closed = threading.Event()
        self._registry = Link(
            stubs[0](self._channels[0]), f"{registry} (registry service)", token, patience, self._closed
        )
        hooks: Any = webhook_pb2_grpc.WebhookServiceStub
        self._webhooks = Link(
            hooks(self._channels[0]), f"{registry} (registry service)", token, patience, self._closed
        )
        logins: Any = login_pb2_grpc.LoginServiceStub
        self._logins = Link(
            logins(self._channels[0]), f"{registry} (registry service)", token, patience, self._closed
        )
        teams: Any = team_pb2_grpc.TeamServiceStub
        self._teams = Link(
            teams(self._channels[0]), f"{registry} (registry service)", token, patience, self._closed
        )
        described = call.describe_address(tournament, "tournament service", hint)
        self._tournament = Link(stubs[1](self._channels[1]), described, token, patience, self._closed)

    def with_token(self, token: str) -> Self:
        """Return the arena with another token, over the connections of this client, which end with it."""
        return self._copy_with(lambda link: link.with_token(token))

    def with_request_id(self, request_id: str) -> Self:
        """Return a client for one change: calls repeated with this id change something only once."""
        return self._copy_with(lambda link: link.with_request_id(request_id))

    def _copy_with(self, change: Callable[[Link], Link]) -> Self:
        other = copy(self)
        links = ("_registry", "_teams", "_webhooks", "_logins", "_tournament")
        vars(other).update({name: change(getattr(self, name)) for name in links})
        return other

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all calls; those of other threads end with `ClosedClient`."""
        self._closed.set()
        for channel in self._channels:
            channel.close()

    # --- tournaments; each is named by its id or its name ---

    def create(self, spec_toml: str) -> answer.Tournament:
        """Create a tournament, which publishes the commitment to its secret."""
        return self._change_tournament("CreateTournament", t.CreateTournamentRequest(spec_toml=spec_toml))

    def edit(self, tournament: str, spec_toml: str) -> answer.Tournament:
        """Replace the spec of a tournament whose entries have not closed."""
        request = t.EditTournamentRequest(tournament=tournament, spec_toml=spec_toml)
        return self._change_tournament("EditTournament", request)

    def open(self, tournament: str) -> answer.Tournament:
        """Open the entries."""
        return self._change_tournament("OpenEntries", t.OpenEntriesRequest(tournament=tournament))

    def start(self, tournament: str, *, now: bool = False) -> answer.Tournament:
        """Close the entries and begin to play, as soon as all authors have confirmed or at once if `now`."""
        return self._change_tournament("Start", t.StartRequest(tournament=tournament, now=now))

    def pause(self, tournament: str) -> answer.Tournament:
        """Pause: hand out no more blocks."""
        return self._change_tournament("Pause", t.PauseRequest(tournament=tournament))

    def resume(self, tournament: str) -> answer.Tournament:
        """Resume a paused tournament."""
        return self._change_tournament("Resume", t.ResumeRequest(tournament=tournament))

    def cancel(self, tournament: str, state: str = "") -> answer.Tournament:
        """Cancel a tournament without a winner.

        state: in which it was looked at; if given, a tournament in another state is not cancelled.
        """
        seen = call.find_number(t.TournamentState, state)
        return self._change_tournament("Cancel", t.CancelRequest(tournament=tournament, state=seen))

    def confirm(self, tournament: str, chain: str = "") -> answer.Tournament:
        """End the time for protests: the result is final.

        chain: of the tournament as it was looked at; if given, a result that has changed since is refused.
        """
        return self._change_tournament("Confirm", t.ConfirmRequest(tournament=tournament, chain=chain))

    def enter(self, tournament: str, bot: str, commitment: str = "") -> answer.Entry:
        """Enter a bot's active version; commitment: SHA-256 of a nonce that is revealed later."""
        request = t.EnterRequest(tournament=tournament, bot_name=bot, commitment=commitment)
        return call.to_struct(answer.Entry, self._tournament.call("Enter", request).entry)

    def trial(self, tournament: str, bot: str) -> answer.GetTrialResponse:
        """Return a bot's validation in the variants made for a tournament with mystery rules."""
        request = t.GetTrialRequest(tournament=tournament, bot_name=bot)
        return call.to_struct(answer.GetTrialResponse, self._tournament.call("GetTrial", request))

    def open_nonce(self, tournament: str, bot: str, nonce: str) -> answer.Entry:
        """Reveal the nonce of an entry, after the entries have closed."""
        request = t.OpenNonceRequest(tournament=tournament, bot_name=bot, nonce=nonce)
        return call.to_struct(answer.Entry, self._tournament.call("OpenNonce", request).entry)

    def confirm_entries(self) -> tuple[str, ...]:
        """Let starts wait for the caller no longer; return the ids of the tournaments that did."""
        return tuple(self._tournament.call("ConfirmEntries", t.ConfirmEntriesRequest()).tournaments)

    def withdraw(self, tournament: str, bot: str) -> answer.Entry:
        """Withdraw an entry; after the start its open matches are lost."""
        request = t.WithdrawRequest(tournament=tournament, bot_name=bot)
        return call.to_struct(answer.Entry, self._tournament.call("Withdraw", request).entry)

    def disqualify(self, tournament: str, bot: str, reason: str) -> answer.Entry:
        """Disqualify a bot: it forfeits all its matches, decided ones too; dependent matches are replayed."""
        request = t.DisqualifyRequest(tournament=tournament, bot_name=bot, reason=reason)
        return call.to_struct(answer.Entry, self._tournament.call("Disqualify", request).entry)

    def file_protest(self, tournament: str, bot: str, text: str) -> answer.Protest:
        """File a protest for a bot of the caller against the result of a decided tournament."""
        request = t.FileProtestRequest(tournament=tournament, bot_name=bot, text=text)
        return call.to_struct(answer.Protest, self._tournament.call("FileProtest", request).protest)

    def answer_protest(self, tournament: str, number: int, text: str, *, accepted: bool) -> answer.Protest:
        """Accept or reject a protest, for its tournament's organiser."""
        request = t.AnswerProtestRequest(tournament=tournament, number=number, answer=text, accepted=accepted)
        return call.to_struct(answer.Protest, self._tournament.call("AnswerProtest", request).protest)

    def preview(self, change: str, **asked: Any) -> answer.Preview:
        """Return the effects of a change without making it.

        change: Start, Cancel, Enter, Withdraw, Disqualify, RetakeMatch or EditTournament. asked: as in its
        request.
        """
        request = getattr(t, f"{change}Request")(preview=True, **asked)
        return call.to_struct(answer.Preview, self._tournament.call(change, request).preview)

    def tournament(self, tournament: str) -> answer.Tournament:
        """Return the tournament's present state."""
        request = t.GetTournamentRequest(tournament=tournament)
        return call.to_struct(answer.Tournament, self._tournament.call("GetTournament", request).tournament)

    def tournaments(self, *, active: bool = False) -> tuple[answer.Tournament, ...]:
        """Return all tournaments, newest first, or only the running and paused ones."""
        pages = self._tournament.pages("ListTournaments", t.ListTournamentsRequest(active=active))
        return tuple(call.to_struct(answer.Tournament, each) for found in pages for each in found.tournaments)

    def standings(self, tournament: str, stage: int = 0) -> answer.GetStandingsResponse:
        """Return the present table, best first, or that after a stage."""
        request = t.GetStandingsRequest(tournament=tournament, stage=stage)
        return call.to_struct(answer.GetStandingsResponse, self._tournament.call("GetStandings", request))

    def fairness(self, tournament: str) -> answer.GetFairnessResponse:
        """Return who seems to help whom, and who decides like whom; for its organiser."""
        request = t.GetFairnessRequest(tournament=tournament)
        return call.to_struct(answer.GetFairnessResponse, self._tournament.call("GetFairness", request))

    def bracket(self, tournament: str, stage: int = 0) -> tuple[answer.Round, ...]:
        """Return the rounds of a stage's bracket; stage 0 is the last stage that has one."""
        request = t.GetBracketRequest(tournament=tournament, stage=stage)
        pages = self._tournament.pages("GetBracket", request)
        return tuple(call.to_struct(answer.Round, each) for found in pages for each in found.rounds)

    def matches(self, tournament: str) -> tuple[answer.Match, ...]:
        """Return all matches in the order of their labels."""
        request = t.ListMatchesRequest(tournament=tournament)
        pages = self._tournament.pages("ListMatches", request)
        return tuple(call.to_struct(answer.Match, each) for found in pages for each in found.matches)

    def takes(self, tournament: str, label: str) -> tuple[answer.Match, ...]:
        """Return all takes of a match, the first one first."""
        request = t.ListTakesRequest(tournament=tournament, label=label)
        pages = self._tournament.pages("ListTakes", request)
        return tuple(call.to_struct(answer.Match, each) for found in pages for each in found.takes)

    def match(self, tournament: str, label: str, take: int = 0) -> answer.GetMatchResponse:
        """Return one match with its blocks and faults; take: 0 is the last one."""
        request = t.GetMatchRequest(tournament=tournament, label=label, take=take)
        return call.to_struct(answer.GetMatchResponse, self._tournament.call("GetMatch", request))

    def faults(
        self, tournament: str, label: str, bot: str = "", kind: str = "", take: int = 0
    ) -> tuple[answer.FaultSummary, ...]:
        """Return all faults of a match, or those of a bot, of a kind."""
        request = t.ListFaultsRequest(tournament=tournament, label=label, bot_name=bot, kind=kind, take=take)
        pages = self._tournament.pages("ListFaults", request)
        return tuple(call.to_struct(answer.FaultSummary, each) for found in pages for each in found.faults)

    def sets(self, tournament: str, label: str, take: int = 0) -> tuple[answer.SetSummary, ...]:
        """Return the booked deal sets of a match, with their scores."""
        request = t.ListSetsRequest(tournament=tournament, label=label, take=take)
        pages = self._tournament.pages("ListSets", request)
        return tuple(call.to_struct(answer.SetSummary, each) for found in pages for each in found.sets)

    def fault(self, fault: str) -> answer.GetFaultResponse:
        """Return everything about one fault; for the bot's author and admins."""
        found = self._tournament.call("GetFault", t.GetFaultRequest(fault_id=fault))
        return call.to_struct(answer.GetFaultResponse, found)

    def deal_set(self, tournament: str, label: str, number: int, take: int = 0) -> answer.GetSetResponse:
        """Return a deal set as played; for its bots' authors and admins, at the end for everybody."""
        request = t.GetSetRequest(tournament=tournament, label=label, set=number, take=take)
        return call.to_struct(answer.GetSetResponse, self._tournament.call("GetSet", request))

    def retake(
        self,
        tournament: str,
        label: str,
        reason: str,
        *,
        fresh_seeds: bool = False,
        take: int = 0,
        state: str = "",
    ) -> answer.RetakeMatchResponse:
        """Replay a match, or resume a paused one; with fresh seeds it starts from scratch.

        The reason is public. take, state: of the match as it was looked at; if given, one that has changed
        since is left as it is.
        """
        request = t.RetakeMatchRequest(
            tournament=tournament,
            label=label,
            fresh_seeds=fresh_seeds,
            reason=reason,
            take=take,
            state=call.find_number(t.MatchState, state),
        )
        return call.to_struct(answer.RetakeMatchResponse, self._tournament.call("RetakeMatch", request))

    def release(self, workers: Sequence[str]) -> None:
        """Release the work of these workers, which have certainly ended, to others; for admins."""
        self._registry.call("ReleaseValidations", r.ReleaseValidationsRequest(workers=workers))
        self._tournament.call("ReleaseBlocks", t.ReleaseBlocksRequest(workers=workers))

    def queue(self) -> answer.GetQueueResponse:
        """Return the queue of the workers, in order of service."""
        found = self._tournament.call("GetQueue", t.GetQueueRequest())
        return call.to_struct(answer.GetQueueResponse, found)

    def workers(self) -> tuple[answer.Worker, ...]:
        """Return the workers seen within a day, the latest first; for admins."""
        pages = self._tournament.pages("ListWorkers", t.ListWorkersRequest())
        return tuple(call.to_struct(answer.Worker, each) for found in pages for each in found.workers)

    def watch(self, tournament: str, after: str = "") -> Iterator[answer.Tournament | answer.TournamentEvent]:
        """Yield the tournament's state, then its events after the cursor, until it is over.

        After a lost connection it resumes at the cursor, with the tournament's present state first.
        """
        cursor = after

        def open_stream() -> Iterator[answer.Tournament | answer.TournamentEvent]:
            nonlocal cursor
            request = t.WatchTournamentRequest(tournament=tournament, after=cursor)
            for part in self._tournament.stream("WatchTournament", request):
                if part.HasField("tournament"):
                    yield call.to_struct(answer.Tournament, part.tournament)
                for event in part.events:
                    cursor = event.cursor
                    yield call.to_struct(answer.TournamentEvent, event)
            if not self.tournament(tournament).over:
                raise ArenaUnreachable("the arena ended the watch before the tournament was over")

        return self._tournament.resume(open_stream)

    def watch_match(
        self, tournament: str, label: str, after: str = "", *, idle: int = 0
    ) -> Iterator[answer.Match | answer.LiveDeal]:
        """Yield the match, again after each change, and live deals of it, to its end.

        Deals are limited to a number that one can follow; with `idle` it ends after this many seconds without
        any. After a lost connection it resumes at the cursor.
        """
        cursor, over = after, False

        def open_stream() -> Iterator[answer.Match | answer.LiveDeal]:
            nonlocal cursor, over
            request = t.WatchMatchRequest(tournament=tournament, label=label, after=cursor, idle_seconds=idle)
            for part in self._tournament.stream("WatchMatch", request):
                for deal in part.deals:
                    yield call.to_struct(answer.LiveDeal, deal)
                cursor = part.cursor or cursor
                if part.HasField("match"):
                    now = call.to_struct(answer.Match, part.match)
                    over = now.state in {"decided", "withdrawn"}
                    yield now
            if not over and not idle and not self.tournament(tournament).over:
                raise ArenaUnreachable("the arena ended the watch before the match was over")

        return self._tournament.resume(open_stream)

    def export(self, tournament: str) -> Iterator[bytes]:
        """Yield the export file of a tournament that is over, in pieces; resumes after a lost connection."""
        offset, sha256 = 0, ""

        def open_stream() -> Iterator[bytes]:
            nonlocal offset, sha256
            request = t.ExportTournamentRequest(tournament=tournament, offset=offset, sha256=sha256)
            for part in self._tournament.stream("ExportTournament", request, LONG):
                sha256 = sha256 or part.sha256
                offset += len(part.chunk)
                yield part.chunk

        return self._tournament.resume(open_stream)

    def _change_tournament(self, method: str, request: Any) -> answer.Tournament:
        """Make a change; return the resulting tournament."""
        return call.to_struct(answer.Tournament, self._tournament.call(method, request).tournament)
