"""The Python SDK: a bot is one class with one method, and `run` speaks the arena's protocol for it.

from maumau.bot import Bot, run

class MyBot(Bot):
    def act(self, view):
        return view.legal[0]

run(MyBot)
"""

from __future__ import annotations

import gc
import os
import sys
import time
from typing import TYPE_CHECKING

import msgspec

from maumau.bot.view import Result, Rules, View
from maumau.errors import BadAnswer, UnreadableMessage

if TYPE_CHECKING:
    from random import Random

    from maumau.game import Action
    from maumau.game.guess import Belief

CHUNK = 65536
WAITED = 5
"""Total delay of replies as a multiple of the bank: half of what the arena waits for a program."""
SLACK = 0.005  # seconds by which a program's sleep may be longer behind the arena's wall


class Bot:
    """One seat of one deal: derive from it and write `act`; the arena makes one object for each deal.

    Set before `start`: `rules`, `seats` (how many), `seat` (this one's number), `deal` (a number),
    `seed` (the text `rng` starts from), and `history`, everything this seat has seen in this deal so far.
    """

    name = ""  # said to the arena; empty: the name of the class
    calls = "owed"  # "owed": the SDK adds the call an action owes; "own": the bot adds its calls itself
    answer_after_ms: float = 0
    """Milliseconds from a question until its reply, at least: the others' clocks do not tell how long `act`
    took, if it took less. Waiting costs no bank; when half of the time is used up for which the arena waits,
    replies are no longer delayed."""

    rules: Rules
    seats: int
    seat: int
    deal: int
    seed: str
    history: list[str]
    note = ""  # set it in `act`: a remark that is kept in the deal's record beside the action
    also: list[str] | None = None  # set it in `act`: late calls and accusations out of `view.also`
    _rng: Random | None = None
    _belief: Belief | None = None  # created when a view is first asked about hidden cards

    @classmethod
    def prepare(cls, rules: Rules, seats: int) -> None:
        """Prepare what all deals share: called once in a process, before hello, at no cost to the bank."""

    def act(self, view: View) -> str | Action:
        """Decide: return one of `view.legal`, as text or as an action of `maumau.game`."""
        raise NotImplementedError(f"{type(self).__name__} has no method act(self, view)")

    def start(self) -> None:
        """Start the deal: called once when its first decision has come, before `seen` and `act`."""

    def seen(self, events: list[str]) -> None:
        """Take in what this seat saw since the last decision: called before `act`, and before `end`."""

    def end(self, result: Result) -> None:
        """Take in the result: called when the deal is over; this object is not used again."""

    @property
    def rng(self) -> Random:
        """Chance that repeats whenever this deal is played from this seat: use no other, nor the clock."""
        if self._rng is None:
            from random import Random  # costs a bot that decides without chance nothing

            self._rng = Random(self.seed)  # noqa: S311  # a game, not a secret
        return self._rng


class _Hello(msgspec.Struct):
    """The arena's first message."""

    rules: Rules
    seats: int
    seat: int
    concurrent: int = 1
    bank_ms: float = 0


class _Other(msgspec.Struct):
    """Any message that is not an ask: which of its fields is there says what it is."""

    hello: int = 0
    deal: int = 0
    end: Result | None = None
    bye: bool = False


class Player:
    """Answers the arena's messages for a class of bots: lines in, lines out; it touches no file."""

    def __init__(self, bot: type[Bot]) -> None:
        self.bot = bot
        self.done = False
        self.delay = ReplyDelay(bot.answer_after_ms / 1000)
        self._bots: dict[int, Bot] = {}
        self._hello: _Hello | None = None
        self._view = msgspec.json.Decoder(View)

    def answer_message(self, line: bytes) -> bytes:
        """Return the reply to one message, with its newline; empty where the protocol expects no reply."""
        try:
            view = self._view.decode(line)
            if not view.ask:
                return self._handle_notice(line)
        except msgspec.MsgspecError as error:
            raise UnreadableMessage(
                f"the arena sent a line that is not a message ({error}): {line[:200]!r}"
            ) from None
        self.delay.asked = True
        return self._ask_bot(view)

    def _ask_bot(self, view: View) -> bytes:
        bot = self._bots.get(view.deal) or self._begin_deal(view)
        if view.events:
            bot.history += view.events
            bot.seen(view.events)
        view.__dict__["bot"] = bot
        action = bot.act(view)
        text = action if type(action) is str else _write_action(bot, action)
        if view.call and bot.calls == "owed" and not text.endswith("!"):
            text += view.call.get(text, "")
        if bot.note or bot.also:
            return _with_extras(bot, text)
        return text.encode() + b"\n"

    def _begin_deal(self, view: View) -> Bot:
        if self._hello is None:
            raise UnreadableMessage("the arena asked for a decision before it said hello")
        bot = self._bots[view.deal] = self.bot()
        bot.rules, bot.seats, bot.seat = self._hello.rules, self._hello.seats, view.seat
        bot.deal, bot.history, bot.seed = view.deal, [], view.rng or ""
        bot.start()
        return bot

    def _handle_notice(self, line: bytes) -> bytes:
        """Handle hello, end and bye; unknown messages are for newer SDKs and need no reply."""
        message = msgspec.json.decode(line, type=_Other)
        if message.hello:
            self._hello = msgspec.json.decode(line, type=_Hello)
            self.delay.left = WAITED * self._hello.bank_ms / 1000
            self.bot.prepare(self._hello.rules, self._hello.seats)
            return msgspec.json.encode({"ready": self.bot.name or self.bot.__name__}) + b"\n"
        self.done = message.bye
        bot = self._bots.pop(message.deal, None) if message.end else None
        if bot is not None and message.end is not None:
            bot.history += message.end.events
            bot.seen(message.end.events)
            bot.end(message.end)
        return b""


class ReplyDelay:
    """Delays replies until `seconds` after their questions have come; `left`: seconds it may still wait.

    `asked`: a question has come since the last reply. Several that come together are answered together.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds, self.left, self.asked = seconds, 0.0, False

    def delay_reply(self, began: float) -> None:
        """Sleep until the reply to a question is due. began: when it came, on the monotonic clock."""
        due, self.asked = self.asked, False
        rest = began + self.seconds - time.monotonic()
        if due and 0 < rest <= self.left:
            self.left -= rest + SLACK
            time.sleep(rest)


def _write_action(bot: Bot, action: object) -> str:
    """Return the notation of an action returned by `act`."""
    text = str(action)
    if action is None or "\n" in text:
        raise BadAnswer(f"{type(bot).__name__}.act returned {action!r}; return one of view.legal")
    return text


def _with_extras(bot: Bot, text: str) -> bytes:
    """Return a reply with a note or with late calls and accusations, which are sent once."""
    reply = (
        {"act": text} | ({"also": bot.also} if bot.also else {}) | ({"note": bot.note} if bot.note else {})
    )
    bot.also, bot.note = None, ""
    return msgspec.json.encode(reply) + b"\n"


def run(bot: type[Bot]) -> None:
    """Play for the arena on stdin and stdout until it says bye or hangs up.

    From here on `print` goes to stderr, which the arena keeps as the bot's log, and `input` finds nothing:
    the bot's own code cannot disturb the protocol. An exception in the bot ends the program with its
    traceback in the log; the arena books one fault and goes on with the next deal.
    """
    receive, send = _take_pipes()
    player, rest = Player(bot), b""
    while not player.done:
        chunk = os.read(receive, CHUNK)
        began = time.monotonic() if bot.answer_after_ms else 0.0
        if not chunk:
            break
        *lines, rest = (rest + chunk).split(b"\n")
        replies: list[bytes] = []
        try:
            replies.extend(player.answer_message(line) for line in lines if line)
            if bot.answer_after_ms:
                player.delay.delay_reply(began)
        finally:  # a bot that fails has answered for the deals before: only its own is to blame
            _write_all(send, b"".join(replies))
    gc.freeze()  # the interpreter would search all that is left for garbage before it ends: that costs bank


def _write_all(send: int, data: bytes) -> None:
    while data:
        data = data[os.write(send, data) :]


def _take_pipes() -> tuple[int, int]:
    """Keep stdin and stdout for the protocol alone, as (descriptor to read, descriptor to write)."""
    receive, send = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)  # before any flush, so that text printed so far goes to the log too
    if sys.stdout is not None:
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # a text file on fd 1
    return receive, send
