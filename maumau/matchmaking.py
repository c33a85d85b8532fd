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

from collections.abc import Iterator
from typing import Any, Self

from maumau import answer, call
from maumau.errors import ArenaUnreachable, ClosedClient
from maumau.v1 import game_pb2, matchmaking_pb2_grpc
from maumau.v1 import matchmaking_pb2 as pb

SECONDS = 60.0  # that an ordinary call may take
PAGE = 1000  # entries of a list that are asked for at once
STUB: Any = matchmaking_pb2_grpc.MatchmakingServiceStub


class Matchmaking:
    """The service at an address (host:port), with one's token. patience: seconds that it may be silent."""

    def __init__(self, address: str, token: str = "", *, tls: bool = False, patience: float = 3.0) -> None:
        self.address, self.patience = address, patience
        self._channel = call.channel(address, tls=tls)
        self._stub = STUB(self._channel)
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all calls."""
        self._channel.close()

    def create(self, name: str, rules: str, options_json: str = "", variant_toml: str = "") -> answer.Ladder:
        """The ladder of this name, new or known."""
        what = game_pb2.RuleSet(name=rules, options_json=options_json, variant_toml=variant_toml)
        request = pb.CreateLadderRequest(ladder=pb.Ladder(name=name, rules=what))
        return call.plain(answer.Ladder, self._call("CreateLadder", request).ladder)

    def ladders(self) -> tuple[answer.Ladder, ...]:
        """All of them, by name."""
        pages = self._pages("ListLadders", pb.ListLaddersRequest())
        return tuple(call.plain(answer.Ladder, one) for found in pages for one in found.ladders)

    def join(self, ladder: str, bot: str, *, pinned: bool = False) -> int:
        """The number of the bot's version on the ladder, from 1."""
        request = pb.JoinLadderRequest(ladder=ladder, bot_name=bot, pinned=pinned)
        return int(self._again("JoinLadder", request).number)

    def leave(self, ladder: str, bot: str) -> None:
        """It is paired no more."""
        self._call("LeaveLadder", pb.LeaveLadderRequest(ladder=ladder, bot_name=bot))

    def leaderboard(self, ladder: str) -> answer.GetLeaderboardResponse:
        """The table."""
        found = self._again("GetLeaderboard", pb.GetLeaderboardRequest(ladder=ladder))
        return call.plain(answer.GetLeaderboardResponse, found)

    def head_to_head(self, ladder: str, bot: str) -> tuple[answer.HeadToHead, ...]:
        """What the bot has played against each of the others."""
        found = self._again("GetHeadToHead", pb.GetHeadToHeadRequest(ladder=ladder, bot_name=bot))
        return tuple(call.plain(answer.HeadToHead, one) for one in found.opponents)

    def history(self, ladder: str, bot: str) -> tuple[answer.VersionHistory, ...]:
        """How the bot's versions were rated over time, the first version first."""
        found = self._again("GetRatingHistory", pb.GetRatingHistoryRequest(ladder=ladder, bot_name=bot))
        return tuple(call.plain(answer.VersionHistory, one) for one in found.versions)

    def pairings(self, ladder: str, bot: str = "", most: int = 0) -> tuple[answer.Pairing, ...]:
        """Newest first, of a bot or of all. most: 0 for every one."""
        found: list[answer.Pairing] = []
        request = pb.ListPairingsRequest(ladder=ladder, bot_name=bot)
        for page in self._pages("ListPairings", request, min(most or PAGE, PAGE)):
            found += [call.plain(answer.Pairing, one) for one in page.pairings]
            if most and len(found) >= most:
                break
        return tuple(found[: most or None])

    def explain(self, ladder: str, pairing: str) -> answer.ExplainPairingResponse:
        """Why a pair was made."""
        found = self._again("ExplainPairing", pb.ExplainPairingRequest(ladder=ladder, id=pairing))
        return call.plain(answer.ExplainPairingResponse, found)

    def epochs(self, ladder: str) -> tuple[answer.Epoch, ...]:
        """Newest first, with commitments, and the secrets of those that are over."""
        pages = self._pages("ListEpochs", pb.ListEpochsRequest(ladder=ladder))
        return tuple(call.plain(answer.Epoch, one) for found in pages for one in found.epochs)

    def export(self, ladder: str, epoch: int) -> Iterator[bytes]:
        """The export of an epoch that is over, in pieces; after a lost connection it goes on."""
        offset, sha256 = 0, ""

        def stream() -> Iterator[bytes]:
            nonlocal offset, sha256
            request = pb.ExportLadderRequest(ladder=ladder, epoch=epoch, offset=offset, sha256=sha256)
            for part in self._stream("ExportLadder", request):
                sha256 = sha256 or part.sha256
                offset += len(part.chunk)
                yield part.chunk

        return call.resume(stream, self.patience)

    def watch(self, ladder: str) -> Iterator[answer.GetLeaderboardResponse]:
        """The table now, and again whenever it changed."""

        def stream() -> Iterator[answer.GetLeaderboardResponse]:
            for part in self._stream("WatchLadder", pb.WatchLadderRequest(ladder=ladder)):
                yield call.plain(answer.GetLeaderboardResponse, part.leaderboard)
            raise ArenaUnreachable("the arena ended the watch")

        return call.resume(stream, self.patience)

    def practise(self, bot: str, against: str, rules: answer.RuleSet, sets: int = 0) -> answer.PracticeMatch:
        """A practice match that was asked for."""
        what = game_pb2.RuleSet(
            name=rules.name, options_json=rules.options_json, variant_toml=rules.variant_toml
        )
        request = pb.PracticeRequest(bot=bot, against=against, rules=what, sets=sets)
        return call.plain(answer.PracticeMatch, self._call("Practice", request).practice)

    def watch_practice(self, practice_id: str) -> Iterator[answer.PracticeMatch]:
        """The match now, and again whenever it changed, until it is over."""
        over = False

        def stream() -> Iterator[answer.PracticeMatch]:
            nonlocal over
            for part in self._stream("WatchPractice", pb.WatchPracticeRequest(id=practice_id)):
                now = call.plain(answer.PracticeMatch, part.practice)
                over = now.state == "over"
                yield now
            if not over:
                raise ArenaUnreachable("the arena ended the watch before the match was over")

        return call.resume(stream, self.patience)

    def _call(self, method: str, request: Any) -> Any:
        try:
            with call.rpc_errors(self.address):
                return getattr(self._stub, method)(request, timeout=SECONDS, metadata=self._metadata)
        except ValueError as error:  # grpc's word for a closed channel
            raise ClosedClient from error

    def _again(self, method: str, request: Any) -> Any:
        """A call that may be made again while the arena is silent."""
        return call.retry(lambda: self._call(method, request), self.patience)

    def _stream(self, method: str, request: Any) -> Iterator[Any]:
        with call.rpc_errors(self.address):
            yield from getattr(self._stub, method)(request, metadata=self._metadata)

    def _pages(self, method: str, request: Any, size: int = PAGE) -> Iterator[Any]:
        """All pages of a list, one call for each."""
        request.page_size = size
        while True:
            found = self._again(method, request)
            yield found
            if not found.next_page_token:
                return
            request.page_token = found.next_page_token
