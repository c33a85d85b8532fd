"""The matchmaking service's RPCs: ladders and practice; no message of the contract leaves this file.

```python
with Matchmaking("127.0.0.1:7104", token="mm_…") as link:
    link.join("prsi", "my-bot")
    for line in link.leaderboard("prsi").lines:
        print(line.place, line.bot_name, line.elo)
```
Errors are those of `maumau.errors`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Self

from maumau.client import answer, call
from maumau.client.link import PAGE, Link
from maumau.errors import ArenaUnreachable
from maumau.v1 import game_pb2, matchmaking_pb2_grpc
from maumau.v1 import matchmaking_pb2 as pb

STUB: Any = matchmaking_pb2_grpc.MatchmakingServiceStub


class Matchmaking:
    """The service at an address (host:port), with a token.

    patience: seconds that it may be silent. hint: added to errors of calls that it does not answer.
    """

    def __init__(
        self, address: str, token: str = "", *, tls: bool = False, patience: float = 3.0, hint: str = ""
    ) -> None:
        self._channel = call.open_channel(address, tls=tls)
        described = call.describe_address(address, "matchmaking service", hint)
        self._link = Link(STUB(self._channel), described, token, patience)

    def with_token(self, token: str) -> Self:
        """Return a client with another token that shares this one's connection, and ends with it."""
        other = copy(self)
        vars(other)["_link"] = self._link.with_token(token)
        return other

    def with_request_id(self, request_id: str) -> Self:
        """Return a client for one change: calls repeated with this id change something only once."""
        other = copy(self)
        vars(other)["_link"] = self._link.with_request_id(request_id)
        return other

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, which ends all calls."""
        self._channel.close()

    def create(
        self,
        name: str,
        rules: str,
        options_json: str = "",
        variant_toml: str = "",
        seats: int = 2,
        author_bots: int = 0,
    ) -> answer.Ladder:
        """Return the ladder of this name, new or known.

        author_bots: how many bots an author may have on it; 0: the default of two, or no change.
        """
        what = game_pb2.RuleSet(name=rules, options_json=options_json, variant_toml=variant_toml)
        ladder = pb.Ladder(name=name, rules=what, seats=seats, author_bots=author_bots)
        request = pb.CreateLadderRequest(ladder=ladder)
        return call.to_struct(answer.Ladder, self._link.call("CreateLadder", request).ladder)

    def ladders(self) -> tuple[answer.Ladder, ...]:
        """Return all ladders, by name."""
        pages = self._link.pages("ListLadders", pb.ListLaddersRequest())
        return tuple(call.to_struct(answer.Ladder, one) for found in pages for one in found.ladders)

    def join(self, ladder: str, bot: str, *, pinned: bool = False) -> int:
        """Add a bot to the ladder; return its version's number there, from 1."""
        request = pb.JoinLadderRequest(ladder=ladder, bot_name=bot, pinned=pinned)
        return int(self._link.call("JoinLadder", request).number)

    def leave(self, ladder: str, bot: str) -> None:
        """Remove a bot from the ladder's pairings."""
        self._link.call("LeaveLadder", pb.LeaveLadderRequest(ladder=ladder, bot_name=bot))

    def leaderboard(self, ladder: str) -> answer.GetLeaderboardResponse:
        """Return the ladder's table."""
        found = self._link.call("GetLeaderboard", pb.GetLeaderboardRequest(ladder=ladder))
        return call.to_struct(answer.GetLeaderboardResponse, found)

    def head_to_head(self, ladder: str, bot: str) -> tuple[answer.HeadToHead, ...]:
        """Return the bot's results against each of the others."""
        found = self._link.call("GetHeadToHead", pb.GetHeadToHeadRequest(ladder=ladder, bot_name=bot))
        return tuple(call.to_struct(answer.HeadToHead, one) for one in found.opponents)

    def ladder_helps(self, ladder: str) -> answer.GetLadderHelpsResponse:
        """Return the pairs in which one version seems to help the other; for admins."""
        found = self._link.call("GetLadderHelps", pb.GetLadderHelpsRequest(ladder=ladder))
        return call.to_struct(answer.GetLadderHelpsResponse, found)

    def history(self, ladder: str, bot: str) -> tuple[answer.VersionHistory, ...]:
        """Return the ratings of the bot's versions over time, the first version first."""
        found = self._link.call("GetRatingHistory", pb.GetRatingHistoryRequest(ladder=ladder, bot_name=bot))
        return tuple(call.to_struct(answer.VersionHistory, one) for one in found.versions)

    def pairings(
        self, ladder: str, bot: str = "", most: int = 0, *, over: bool = False
    ) -> tuple[answer.Pairing, ...]:
        """Return pairings, newest first, of a bot or of all. most: 0 for all. over: only finished ones."""
        found: list[answer.Pairing] = []
        request = pb.ListPairingsRequest(ladder=ladder, bot_name=bot, over=over)
        for page in self._link.pages("ListPairings", request, min(most or PAGE, PAGE)):
            found += [call.to_struct(answer.Pairing, one) for one in page.pairings]
            if most and len(found) >= most:
                break
        return tuple(found[: most or None])

    def explain(self, ladder: str, pairing: str) -> answer.ExplainPairingResponse:
        """Return the reason for a pairing."""
        found = self._link.call("ExplainPairing", pb.ExplainPairingRequest(ladder=ladder, id=pairing))
        return call.to_struct(answer.ExplainPairingResponse, found)

    def sets(self, ladder: str, pairing: str) -> tuple[answer.SetSummary, ...]:
        """Return the booked deal sets of a pairing, in order."""
        pages = self._link.pages("ListPairingSets", pb.ListPairingSetsRequest(ladder=ladder, id=pairing))
        return tuple(call.to_struct(answer.SetSummary, one) for found in pages for one in found.sets)

    def deal_set(self, ladder: str, pairing: str, number: int) -> answer.GetPairingSetResponse:
        """Return a deal set of a pairing as it was played, with the notes of one's own bot."""
        request = pb.GetPairingSetRequest(ladder=ladder, id=pairing, set=number)
        return call.to_struct(answer.GetPairingSetResponse, self._link.call("GetPairingSet", request))

    def watch_pairing(self, ladder: str, pairing: str) -> Iterator[answer.Pairing | answer.LiveDeal]:
        """Yield the pairing, again after each change, and live deals of it, until it is over.

        Only as many deals are sent as a person can follow. After a lost connection it resumes at the cursor.
        """
        cursor = ""

        def open_stream() -> Iterator[answer.Pairing | answer.LiveDeal]:
            nonlocal cursor
            request, is_over = pb.WatchPairingRequest(ladder=ladder, id=pairing, after=cursor), False
            for part in self._link.stream("WatchPairing", request):
                for deal in part.deals:
                    yield call.to_struct(answer.LiveDeal, deal)
                cursor = part.cursor or cursor
                if part.HasField("pairing"):
                    now = call.to_struct(answer.Pairing, part.pairing)
                    is_over = now.state == "over"
                    yield now
            if not is_over:
                raise ArenaUnreachable("the arena ended the watch before the pairing was over")

        return self._link.resume(open_stream)

    def epochs(self, ladder: str) -> tuple[answer.Epoch, ...]:
        """Return all epochs, newest first, with commitments, and with the secrets of past epochs."""
        pages = self._link.pages("ListEpochs", pb.ListEpochsRequest(ladder=ladder))
        return tuple(call.to_struct(answer.Epoch, one) for found in pages for one in found.epochs)

    def export(self, ladder: str, epoch: int) -> Iterator[bytes]:
        """Yield the export of an epoch that is over, in pieces; resumes after a lost connection."""
        offset, sha256 = 0, ""

        def open_stream() -> Iterator[bytes]:
            nonlocal offset, sha256
            request = pb.ExportLadderRequest(ladder=ladder, epoch=epoch, offset=offset, sha256=sha256)
            for part in self._link.stream("ExportLadder", request):
                sha256 = sha256 or part.sha256
                offset += len(part.chunk)
                yield part.chunk

        return self._link.resume(open_stream)

    def watch(self, ladder: str) -> Iterator[answer.GetLeaderboardResponse]:
        """Yield the table now, and again after each change."""

        def open_stream() -> Iterator[answer.GetLeaderboardResponse]:
            for part in self._link.stream("WatchLadder", pb.WatchLadderRequest(ladder=ladder)):
                yield call.to_struct(answer.GetLeaderboardResponse, part.leaderboard)
            raise ArenaUnreachable("the arena ended the watch")

        return self._link.resume(open_stream)

    def practise(
        self, bot: str, against: str, rules: answer.RuleSet, sets: int = 0, more_against: Sequence[str] = ()
    ) -> answer.PracticeMatch:
        """Request a practice match, and return it. more_against: further opponents, at a larger table."""
        what = game_pb2.RuleSet(
            name=rules.name, options_json=rules.options_json, variant_toml=rules.variant_toml
        )
        request = pb.PracticeRequest(
            bot=bot, against=against, rules=what, sets=sets, more_against=more_against
        )
        return call.to_struct(answer.PracticeMatch, self._link.call("Practice", request).practice)

    def practice_matches(self, bot: str = "", most: int = 0) -> tuple[answer.PracticeMatch, ...]:
        """Return one's own practice matches, newest first, of a bot or of all. most: 0 for all."""
        found: list[answer.PracticeMatch] = []
        request = pb.ListPracticeRequest(bot_name=bot)
        for page in self._link.pages("ListPractice", request, min(most or PAGE, PAGE)):
            found += [call.to_struct(answer.PracticeMatch, one) for one in page.practice]
            if most and len(found) >= most:
                break
        return tuple(found[: most or None])

    def practice_page(self, size: int, token: str = "") -> answer.ListPracticeResponse:
        """Return a page of one's own practice matches, newest first. token: from the previous page."""
        request = pb.ListPracticeRequest(page_size=size, page_token=token)
        return call.to_struct(answer.ListPracticeResponse, self._link.call("ListPractice", request))

    def watch_practice(self, practice_id: str) -> Iterator[answer.PracticeMatch]:
        """Yield the match now, and again after each change, until it is over."""
        over = False

        def open_stream() -> Iterator[answer.PracticeMatch]:
            nonlocal over
            for part in self._link.stream("WatchPractice", pb.WatchPracticeRequest(id=practice_id)):
                now = call.to_struct(answer.PracticeMatch, part.practice)
                over = now.state == "over"
                yield now
            if not over:
                raise ArenaUnreachable("the arena ended the watch before the match was over")

        return self._link.resume(open_stream)

    def practice_sets(self, practice_id: str, first: int = 0, most: int = 0) -> tuple[answer.SetSummary, ...]:
        """Return up to `most` booked deal sets of a practice match, from number `first` on; 0: all."""
        request = pb.ListPracticeSetsRequest(id=practice_id, first_set=first)
        found: list[answer.SetSummary] = []
        for page in self._link.pages("ListPracticeSets", request, most):
            found += [call.to_struct(answer.SetSummary, one) for one in page.sets]
            if most and len(found) >= most:
                break
        return tuple(found[: most or None])

    def practice_set(self, practice_id: str, number: int) -> answer.GetPracticeSetResponse:
        """Return a deal set of a practice match as it was played, with the notes of one's own bot."""
        request = pb.GetPracticeSetRequest(id=practice_id, set=number)
        return call.to_struct(answer.GetPracticeSetResponse, self._link.call("GetPracticeSet", request))
