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

from maumau import answer, call
from maumau.errors import ArenaUnreachable
from maumau.link import LONG, Link
from maumau.registry_calls import RegistryCalls
from maumau.v1 import registry_pb2 as r
from maumau.v1 import registry_pb2_grpc, tournament_pb2_grpc
from maumau.v1 import tournament_pb2 as t


class Arena(RegistryCalls):
    """One arena: the addresses of its registry and its tournament service (host:port), and one's token.

    tls: speak TLS, with the system's certificates. patience: seconds that the arena may be silent. name: what
    the caller calls it.
    """

    def __init__(
        self, registry: str, tournament: str, token: str = "", *, tls: bool = False, patience: float = 3.0,
        name: str = "",
    ) -> None:  # fmt: skip
        self.name = name or tournament
        self._channels = [call.channel(address, tls=tls) for address in (registry, tournament)]
        stubs: list[Any] = [registry_pb2_grpc.RegistryServiceStub, tournament_pb2_grpc.TournamentServiceStub]
        self._closed = threading.Event()
        self._registry = Link(
            stubs[0](self._channels[0]), f"{registry} (registry service)", token, patience, self._closed
        )
        self._tournament = Link(
            stubs[1](self._channels[1]), f"{tournament} (tournament service)", token, patience, self._closed
        )

    def with_token(self, token: str) -> Self:
        """The same arena for somebody else, over the connections of this client, which end with it."""
        return self._with(lambda link: link.with_token(token))

    def with_request_id(self, request_id: str) -> Self:
        """The same arena, for one change: asked for again with this id, it is made once."""
        return self._with(lambda link: link.with_request_id(request_id))

    def _with(self, change: Callable[[Link], Link]) -> Self:
        other = copy(self)
        links = {"_registry": self._registry, "_tournament": self._tournament}
        vars(other).update({name: change(link) for name, link in links.items()})
        return other

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all calls; those of other threads end with `ClosedClient`."""
        self._closed.set()
        for channel in self._channels:
            channel.close()

    # --- tournaments; each is named by its id or its name ---

    def create(self, spec_toml: str) -> answer.Tournament:
        """Makes a tournament; it publishes the commitment to its secret."""
        return self._become("CreateTournament", t.CreateTournamentRequest(spec_toml=spec_toml))

    def edit(self, tournament: str, spec_toml: str) -> answer.Tournament:
        """Replaces the spec of a tournament whose entries are not yet open."""
        request = t.EditTournamentRequest(tournament=tournament, spec_toml=spec_toml)
        return self._become("EditTournament", request)

    def open(self, tournament: str) -> answer.Tournament:
        """From now on bots may enter."""
        return self._become("OpenEntries", t.OpenEntriesRequest(tournament=tournament))

    def start(self, tournament: str) -> answer.Tournament:
        """Closes the entries and begins to play."""
        return self._become("Start", t.StartRequest(tournament=tournament))

    def pause(self, tournament: str) -> answer.Tournament:
        """Hands out no more blocks."""
        return self._become("Pause", t.PauseRequest(tournament=tournament))

    def resume(self, tournament: str) -> answer.Tournament:
        """Goes on."""
        return self._become("Resume", t.ResumeRequest(tournament=tournament))

    def cancel(self, tournament: str) -> answer.Tournament:
        """Ends it without a winner."""
        return self._become("Cancel", t.CancelRequest(tournament=tournament))

    def confirm(self, tournament: str) -> answer.Tournament:
        """Ends the time for protests: the result is final."""
        return self._become("Confirm", t.ConfirmRequest(tournament=tournament))

    def enter(self, tournament: str, bot: str, commitment: str = "") -> answer.Entry:
        """Enters a bot's active version; commitment: SHA-256 of a nonce that is opened later."""
        request = t.EnterRequest(tournament=tournament, bot_name=bot, commitment=commitment)
        return call.plain(answer.Entry, self._tournament.call("Enter", request).entry)

    def open_nonce(self, tournament: str, bot: str, nonce: str) -> answer.Entry:
        """Opens the nonce of an entry, after the entries have closed."""
        request = t.OpenNonceRequest(tournament=tournament, bot_name=bot, nonce=nonce)
        return call.plain(answer.Entry, self._tournament.call("OpenNonce", request).entry)

    def withdraw(self, tournament: str, bot: str) -> answer.Entry:
        """Takes an entry back; after the start its open matches are lost."""
        request = t.WithdrawRequest(tournament=tournament, bot_name=bot)
        return call.plain(answer.Entry, self._tournament.call("Withdraw", request).entry)

    def disqualify(self, tournament: str, bot: str, reason: str) -> answer.Entry:
        """Takes all its matches from a bot, those decided too; what hung on them is played again."""
        request = t.DisqualifyRequest(tournament=tournament, bot_name=bot, reason=reason)
        return call.plain(answer.Entry, self._tournament.call("Disqualify", request).entry)

    def preview(self, change: str, **asked: Any) -> answer.Preview:
        """What a change would come to; nothing of it is made.

        change: Start, Cancel, Enter, Withdraw, Disqualify, RetakeMatch or EditTournament. asked: as in its
        request.
        """
        request = getattr(t, f"{change}Request")(preview=True, **asked)
        return call.plain(answer.Preview, self._tournament.call(change, request).preview)

    def tournament(self, tournament: str) -> answer.Tournament:
        """One tournament as it stands."""
        request = t.GetTournamentRequest(tournament=tournament)
        return call.plain(answer.Tournament, self._tournament.call("GetTournament", request).tournament)

    def tournaments(self, *, active: bool = False) -> tuple[answer.Tournament, ...]:
        """All tournaments, newest first, or only those that run or are paused."""
        pages = self._tournament.pages("ListTournaments", t.ListTournamentsRequest(active=active))
        return tuple(call.plain(answer.Tournament, each) for found in pages for each in found.tournaments)

    def standings(self, tournament: str) -> answer.GetStandingsResponse:
        """The table as it stands, best first."""
        request = t.GetStandingsRequest(tournament=tournament)
        return call.plain(answer.GetStandingsResponse, self._tournament.call("GetStandings", request))

    def bracket(self, tournament: str, stage: int = 0) -> tuple[answer.Round, ...]:
        """The rounds of a stage's bracket; stage 0 is the last stage that has one."""
        request = t.GetBracketRequest(tournament=tournament, stage=stage)
        pages = self._tournament.pages("GetBracket", request)
        return tuple(call.plain(answer.Round, each) for found in pages for each in found.rounds)

    def matches(self, tournament: str) -> tuple[answer.Match, ...]:
        """All matches in the order of their labels."""
        request = t.ListMatchesRequest(tournament=tournament)
        pages = self._tournament.pages("ListMatches", request)
        return tuple(call.plain(answer.Match, each) for found in pages for each in found.matches)

    def takes(self, tournament: str, label: str) -> tuple[answer.Match, ...]:
        """How often a match was begun, the first take first."""
        request = t.ListTakesRequest(tournament=tournament, label=label)
        pages = self._tournament.pages("ListTakes", request)
        return tuple(call.plain(answer.Match, each) for found in pages for each in found.takes)

    def match(self, tournament: str, label: str, take: int = 0) -> answer.GetMatchResponse:
        """One match with its blocks and faults; take: 0 is the last one."""
        request = t.GetMatchRequest(tournament=tournament, label=label, take=take)
        return call.plain(answer.GetMatchResponse, self._tournament.call("GetMatch", request))

    def faults(
        self, tournament: str, label: str, bot: str = "", kind: str = "", take: int = 0
    ) -> tuple[answer.FaultSummary, ...]:
        """All faults of a match, or those of a bot, of a kind."""
        request = t.ListFaultsRequest(tournament=tournament, label=label, bot_name=bot, kind=kind, take=take)
        pages = self._tournament.pages("ListFaults", request)
        return tuple(call.plain(answer.FaultSummary, each) for found in pages for each in found.faults)

    def sets(self, tournament: str, label: str, take: int = 0) -> tuple[answer.SetSummary, ...]:
        """The deal sets of a match that are booked, with their scores."""
        request = t.ListSetsRequest(tournament=tournament, label=label, take=take)
        pages = self._tournament.pages("ListSets", request)
        return tuple(call.plain(answer.SetSummary, each) for found in pages for each in found.sets)

    def fault(self, fault: str) -> answer.GetFaultResponse:
        """Everything about one fault; for the bot's author and admins."""
        found = self._tournament.call("GetFault", t.GetFaultRequest(fault_id=fault))
        return call.plain(answer.GetFaultResponse, found)

    def deal_set(self, tournament: str, label: str, number: int, take: int = 0) -> answer.GetSetResponse:
        """A deal set as it was played; for its bots' authors and admins, at the end for everybody."""
        request = t.GetSetRequest(tournament=tournament, label=label, set=number, take=take)
        return call.plain(answer.GetSetResponse, self._tournament.call("GetSet", request))

    def retake(
        self, tournament: str, label: str, reason: str, *, fresh_seeds: bool = False
    ) -> answer.RetakeMatchResponse:
        """Plays a match again, or lets a paused one go on; with fresh seeds it begins anew.

        Everybody is told the reason.
        """
        request = t.RetakeMatchRequest(
            tournament=tournament, label=label, fresh_seeds=fresh_seeds, reason=reason
        )
        return call.plain(answer.RetakeMatchResponse, self._tournament.call("RetakeMatch", request))

    def release(self, workers: Sequence[str]) -> None:
        """For admins: these workers have certainly ended, and what they had goes to others at once."""
        self._registry.call("ReleaseValidations", r.ReleaseValidationsRequest(workers=workers))
        self._tournament.call("ReleaseBlocks", t.ReleaseBlocksRequest(workers=workers))

    def queue(self) -> answer.GetQueueResponse:
        """What waits for workers, and whose turn it is."""
        found = self._tournament.call("GetQueue", t.GetQueueRequest())
        return call.plain(answer.GetQueueResponse, found)

    def workers(self) -> tuple[answer.Worker, ...]:
        """For admins: the workers heard of within a day, the latest first."""
        pages = self._tournament.pages("ListWorkers", t.ListWorkersRequest())
        return tuple(call.plain(answer.Worker, each) for found in pages for each in found.workers)

    def watch(self, tournament: str, after: str = "") -> Iterator[answer.Tournament | answer.TournamentEvent]:
        """The tournament as it stands, then what happens after the cursor, until it is over.

        After a lost connection it goes on where it was; the tournament as it stands then comes once more.
        """
        cursor = after

        def stream() -> Iterator[answer.Tournament | answer.TournamentEvent]:
            nonlocal cursor
            request = t.WatchTournamentRequest(tournament=tournament, after=cursor)
            for part in self._tournament.stream("WatchTournament", request):
                if part.HasField("tournament"):
                    yield call.plain(answer.Tournament, part.tournament)
                for event in part.events:
                    cursor = event.cursor
                    yield call.plain(answer.TournamentEvent, event)
            if not self.tournament(tournament).over:
                raise ArenaUnreachable("the arena ended the watch before the tournament was over")

        return self._tournament.resume(stream)

    def watch_match(
        self, tournament: str, label: str, after: str = "", *, idle: int = 0
    ) -> Iterator[answer.Match | answer.LiveDeal]:
        """The match as it stands and whenever it changed, and deals of it as they are played, to its end.

        Of the deals it tells as many as one may follow; with `idle` it ends after so many seconds without
        any. After a lost connection it goes on where it was.
        """
        cursor, over = after, False

        def stream() -> Iterator[answer.Match | answer.LiveDeal]:
            nonlocal cursor, over
            request = t.WatchMatchRequest(tournament=tournament, label=label, after=cursor, idle_seconds=idle)
            for part in self._tournament.stream("WatchMatch", request):
                for deal in part.deals:
                    yield call.plain(answer.LiveDeal, deal)
                cursor = part.cursor or cursor
                if part.HasField("match"):
                    now = call.plain(answer.Match, part.match)
                    over = now.state in {"decided", "withdrawn"}
                    yield now
            if not over and not idle and not self.tournament(tournament).over:
                raise ArenaUnreachable("the arena ended the watch before the match was over")

        return self._tournament.resume(stream)

    def export(self, tournament: str) -> Iterator[bytes]:
        """The export file of a tournament that is over, in pieces; after a lost connection it goes on."""
        offset, sha256 = 0, ""

        def stream() -> Iterator[bytes]:
            nonlocal offset, sha256
            request = t.ExportTournamentRequest(tournament=tournament, offset=offset, sha256=sha256)
            for part in self._tournament.stream("ExportTournament", request, LONG):
                sha256 = sha256 or part.sha256
                offset += len(part.chunk)
                yield part.chunk

        return self._tournament.resume(stream)

    def _become(self, method: str, request: Any) -> answer.Tournament:
        """A change that answers with the tournament as it is then."""
        return call.plain(answer.Tournament, self._tournament.call(method, request).tournament)
