"""A client of `Play` as anybody would write it: a queue of requests, and what comes back."""

import io
import json
import queue
import threading
import time
import uuid

import grpc

from bench.support.patience import patient
from maumau.client.call import from_rpc_error, rpc_errors
from maumau.v1 import engine_pb2 as pb

PAUSE, ERRORS = 0.1, 1200
"""The pause and the number of reconnects of a client: a replica takes seconds to start again,
and a failed channel refuses at once until it connects anew.
"""


class Seat:
    """One stream of a seat. `answer` by hand, or `play` to the end by the first action each time."""

    def __init__(self, engine, token, after=0, *, news=False, bot="", claim=""):
        self.engine, self.token = engine, token
        self.cursor = after
        self.sent = queue.Queue()
        hello = pb.PlayHello(seat_token=token, after=after, news=news, bot_name=bot, claim=claim)
        self.sent.put(pb.PlayRequest(hello=hello))
        self.call = engine.stub.Play(iter(self.sent.get, None), timeout=patient(60), metadata=engine.metadata)

    def __iter__(self):
        with rpc_errors():
            for part in self.call:
                kind = part.WhichOneof("part")
                if kind in ("line", "news"):
                    self.cursor = max(self.cursor, getattr(part, kind).cursor)
                yield kind, getattr(part, kind)

    def wait(self, *wanted):
        """Return the next part of these kinds."""
        return next(part for kind, part in self if kind in wanted)

    def question(self):
        """Return the next question, as a message of the protocol; None if the deal is over."""
        for kind, part in self:
            told = json.loads(part.line) if kind == "line" else {}
            if "ask" in told:
                return told
            if "end" in told or kind in ("voided", "replaced"):
                return None
        return None

    def answer(self, line, op="", cursor=None):
        """Sends a reply; the word of it."""
        op = op or uuid.uuid4().hex
        reply = pb.PlayReply(cursor=self.cursor if cursor is None else cursor, op_id=op, line=line)
        self.sent.put(pb.PlayRequest(reply=reply))
        return op

    def give_up(self):
        """Give the seat up, as PlayLeave does."""
        self.sent.put(pb.PlayRequest(leave=pb.PlayLeave(op_id="left")))

    def leave(self):
        """Cuts the stream off."""
        self.sent.put(None)
        self.call.cancel()


def first_action(told):
    """Return the first legal action with the call that it owes."""
    action = told["legal"][0]
    return action + told["call"].get(action, "")


class Player(threading.Thread):
    """Plays a seat to its end, and comes back when it is cut off; `end` is how the deal ended for it."""

    def __init__(self, engines, token, choose=first_action, **options):
        super().__init__(daemon=True)
        self.engines, self.token, self.choose, self.options = engines, token, choose, options
        self.end, self.void, self.errors, self.lines = None, None, [], []
        self.replaced, self.cursors = False, {}
        self.taken, self.refused, self.comings, self.failures = 0, [], 0, 0  # failures: since the last news
        self.start()

    def run(self):
        cursor, pending = 0, None
        while self.end is None and self.void is None and not self.replaced:
            engine = self.engines[self.comings % len(self.engines)]
            self.comings += 1
            seat = Seat(engine, self.token, cursor, **self.options)
            try:
                if pending:
                    seat.answer(*pending)
                for kind, part in seat:
                    self.failures = 0
                    if kind == "line":
                        pending = self.hear(seat, part, cursor, pending)
                    elif kind == "taken":
                        self.taken += 1
                    elif kind == "refused":
                        self.refused.append(part.refusal.reason)
                    elif kind == "voided":
                        self.void = part.words
                    self.replaced |= kind == "replaced"
                    cursor = seat.cursor
            except (grpc.RpcError, Exception) as error:  # noqa: BLE001
                self.errors.append(from_rpc_error(error) if isinstance(error, grpc.RpcError) else error)
                self.failures += 1
                if self.failures > ERRORS:
                    return
                time.sleep(PAUSE)

    def hear(self, seat, part, before, pending):
        told = json.loads(part.line)
        self.lines.append(part.line)
        self.cursors[part.line] = part.cursor
        if "ask" in told and not (pending and pending[2] == part.cursor):
            pending = (self.choose(told), uuid.uuid4().hex, part.cursor)
            seat.answer(*pending)
        elif "end" in told:
            self.end = told["end"]
        return pending

    def __repr__(self):
        said = f"void {self.void!r}, replaced {self.replaced}, {len(self.errors)} errors {self.errors[-3:]}"
        return f"<came {self.comings} times, end {self.end}, {said}, last line {self.lines[-1:]}>"

    def ended(self):
        """Return the end of the game, once it has ended."""
        self.join(patient(40))
        assert not self.is_alive(), self.lines[-1:]
        return self.end


class Typing(io.StringIO):
    """Somebody who always chooses the first action, after a wrong key."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def readline(self, *_):
        self.count += 1
        return "nonsense\n" if self.count == 1 else "1\n"
