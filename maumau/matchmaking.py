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

from maumau import answer, call
from maumau.errors import ArenaUnreachable
from maumau.link import PAGE, Link
from maumau.v1 import game_pb2, matchmaking_pb2_grpc
from maumau.v1 import matchmaking_pb2 as pb

STUB: Any = matchmaking_pb2_grpc.MatchmakingServiceStub


class Matchmaking:
    """The service at an address (host:port), with one's token. patience: seconds that it may be silent."""

    def __init__(self, address: str, token: str = "", *, tls: bool = False, patience: float = 3.0) -> None:
        self._channel = call.channel(address, tls=tls)
        self._link = Link(STUB(self._channel), f"{address} (matchmaking service)", token, patience)

    def with_token(self, token: str) -> Self:
        """The same service for somebody else, over the connection of this client, which ends with it."""
        other = copy(self)
        vars(other)["_link"] = self._link.with_token(token)
        return other

    def with_request_id(self, request_id: str) -> Self:
        """The same service, for one change: asked for again with this id, it is made once."""
        other = copy(self)
        vars(other)["_link"] = self._link.with_request_id(request_id)
        return other

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all calls."""
        self._channel.close()

    def create(
        self, name: str, rules: str, options_json: str = "", variant_toml: str = "", seats: int = 2
    ) -> answer.Ladder:
        """The ladder of this name, new or known."""
        what = game_pb2.RuleSet(name=rules, options_json=options_json, variant_toml=variant_toml)
        request = pb.CreateLadderRequest(ladder=pb.Ladder(name=name, rules=what, seats=seats))
        return call.plain(answer.Ladder, self._link.call("CreateLadder", request).ladder)

    def ladders(self) -> tuple[answer.Ladder, ...]:
        """All of them, by name."""
        pages = self._link.pages("ListLadders", pb.ListLaddersRequest())
        return tuple(call.plain(answer.Ladder, one) for found in pages for one in found.ladders)

    def join(self, ladder: str, bot: str, *, pinned: bool = False) -> int:
        """The number of the bot's version on the ladder, from 1."""
        request = pb.JoinLadderRequest(ladder=ladder, bot_name=bot, pinned=pinned)
        return int(self._link.call("JoinLadder", request).number)

    def leave(self, ladder: str, bot: str) -> None:
        """It is paired no more."""
        self._link.call("LeaveLadder", pb.LeaveLadderRequest(ladder=ladder, bot_name=bot))

    def leaderboard(self, ladder: str) -> answer.GetLeaderboardResponse:
        """The table."""
        found = self._link.call("GetLeaderboard", pb.GetLeaderboardRequest(ladder=ladder))
        return call.plain(answer.GetLeaderboardResponse, found)

    def head_to_head(self, ladder: str, bot: str) -> tuple[answer.HeadToHead, ...]:
        """What the bot has played against each of the others."""
        found = self._link.call("GetHeadToHead", pb.GetHeadToHeadRequest(ladder=ladder, bot_name=bot))
        return tuple(call.plain(answer.HeadToHead, one) for one in found.opponents)

    def history(self, ladder: str, bot: str) -> tuple[answer.VersionHistory, ...]:
        """How the bot's versions were rated over time, the first version first."""
        found = self._link.call("GetRatingHistory", pb.GetRatingHistoryRequest(ladder=ladder, bot_name=bot))
        return tuple(call.plain(answer.VersionHistory, one) for one in found.versions)

    def pairings(self, ladder: str, bot: str = "", most: int = 0) -> tuple[answer.Pairing, ...]:
        """Newest first, of a bot or of all. most: 0 for every one."""
        found: list[answer.Pairing] = []
        request = pb.ListPairingsRequest(ladder=ladder, bot_name=bot)
        for page in self._link.pages("ListPairings", request, min(most or PAGE, PAGE)):
            found += [call.plain(answer.Pairing, one) for one in page.pairings]
            if most and len(found) >= most:
                break
        return tuple(found[: most or None])

    def explain(self, ladder: str, pairing: str) -> answer.ExplainPairingResponse:
        """Why a pair was made."""
        found = self._link.call("ExplainPairing", pb.ExplainPairingRequest(ladder=ladder, id=pairing))
        return call.plain(answer.ExplainPairingResponse, found)

    def epochs(self, ladder: str) -> tuple[answer.Epoch, ...]:
        """Newest first, with commitments, and the secrets of those that are over."""
        pages = self._link.pages("ListEpochs", pb.ListEpochsRequest(ladder=ladder))
        return tuple(call.plain(answer.Epoch, one) for found in pages for one in found.epochs)

    def export(self, ladder: str, epoch: int) -> Iterator[bytes]:
        """The export of an epoch that is over, in pieces; after a lost connection it goes on."""
        offset, sha256 = 0, ""

        def stream() -> Iterator[bytes]:
            nonlocal offset, sha256
            request = pb.ExportLadderRequest(ladder=ladder, epoch=epoch, offset=offset, sha256=sha256)
            for part in self._link.stream("ExportLadder", request):
                sha256 = sha256 or part.sha256
                offset += len(part.chunk)
                yield part.chunk

        return self._link.resume(stream)

    def watch(self, ladder: str) -> Iterator[answer.GetLeaderboardResponse]:
        """The table now, and again whenever it changed."""

        def stream() -> Iterator[answer.GetLeaderboardResponse]:
            for part in self._link.stream("WatchLadder", pb.WatchLadderRequest(ladder=ladder)):
                yield call.plain(answer.GetLeaderboardResponse, part.leaderboard)
            raise ArenaUnreachable("the arena ended the watch")

        return self._link.resume(stream)

    def practise(
        self, bot: str, against: str, rules: answer.RuleSet, sets: int = 0, more_against: Sequence[str] = ()
    ) -> answer.PracticeMatch:
        """A practice match that was asked for; more_against: at a table of more than two."""
        what = game_pb2.RuleSet(
            name=rules.name, options_json=rules.options_json, variant_toml=rules.variant_toml
        )
        request = pb.PracticeRequest(
            bot=bot, against=against, rules=what, sets=sets, more_against=more_against
        )
        return call.plain(answer.PracticeMatch, self._link.call("Practice", request).practice)

    def watch_practice(self, practice_id: str) -> Iterator[answer.PracticeMatch]:
        """The match now, and again whenever it changed, until it is over."""
        over = False

        def stream() -> Iterator[answer.PracticeMatch]:
            nonlocal over
            for part in self._link.stream("WatchPractice", pb.WatchPracticeRequest(id=practice_id)):
                now = call.plain(answer.PracticeMatch, part.practice)
                over = now.state == "over"
                yield now
            if not over:
                raise ArenaUnreachable("the arena ended the watch before the match was over")

        return self._link.resume(stream)
