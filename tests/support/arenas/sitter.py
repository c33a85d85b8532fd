"""House bots of a test's own: seats that the arena offers are claimed as a worker claims them, and played."""

import threading
from contextlib import suppress

import redis

from maumau.errors import MaumauError
from maumau.v1 import engine_pb2, engine_pb2_grpc, seek_pb2
from services.matchmaking.store.live_tables.house import DUE
from tests.support.arenas.engine import Calls
from tests.support.arenas.seat import Player
from tests.support.arenas.tournament import WORKER

PAUSE = 0.01  # seconds between two looks at what is offered
ROOM = 64
RENEW = 0.5  # seconds
NAME = "sitters"


class Sitters:
    """Players of offered seats, by the first legal action, without a sandbox and without waiting."""

    def __init__(self, arena):
        self.live = arena.live_calls(WORKER)
        self.redis = redis.Redis.from_url(arena.settings.redis_url, decode_responses=True)
        self.engine = Calls(arena.address, WORKER, engine_pb2, engine_pb2_grpc.EngineServiceStub)
        self.players = {}
        self._ended = threading.Event()
        self.live.RenewSeats(worker=NAME, room=ROOM)
        self._threads = [
            threading.Thread(target=run, daemon=True) for run in (self._sit_down, self._renew_seats)
        ]
        for thread in self._threads:
            thread.start()

    def end(self):
        self._ended.set()
        for thread in self._threads:
            thread.join()
        self.live.RenewSeats(worker=NAME, room=0)
        self.redis.close()

    def _sit_down(self):
        while not self._ended.wait(PAUSE):
            for name in self.redis.zrange(DUE, 0, -1):
                table_id, seat = name.split("/")[0], int(name.split("/")[1])
                if (table_id, seat) in self.players:
                    continue
                with suppress(MaumauError):  # the table has ended meanwhile
                    claimed = self.live.ClaimSeat(table_id=table_id, seat=seat, worker=NAME)
                    if claimed.claimed:
                        self.players[table_id, seat] = Player(
                            [self.engine], claimed.seat_token, bot=claimed.bot_name
                        )

    def _renew_seats(self):
        while not self._ended.wait(RENEW):
            known = list(self.players.items())
            held = [_seat_name(key) for key, one in known if one.is_alive()]
            left = [_seat_name(key) for key, one in known if not one.is_alive()]
            self.live.RenewSeats(worker=NAME, room=ROOM, seats=held, left=left)
            for key, one in known:
                if not one.is_alive():
                    self.players.pop(key, None)


def _seat_name(key):
    return seek_pb2.HeldSeat(table_id=key[0], seat=key[1])
