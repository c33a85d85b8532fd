"""Ends by another signal or code at each phase: in a deal's last move, between deals, at bye."""

import json
import os
import signal
import sys

import wall

WAYS = [signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGPIPE, signal.SIGABRT]


def end(way):
    wall.say("off by", way)
    os.kill(os.getpid(), way)
    os._exit(1)  # pid 1 ignores signals without a handler


for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        wall.reply('{"ready":"attack"}')
    elif "end" in message:
        end(WAYS[message["deal"] % len(WAYS)])  # between deals
    elif "ask" in message:
        if len(message["hand"]) == 1:
            os.write(1, wall.first(message).encode()[:1])
            os._exit(message["deal"] % 256)  # in the move that might be its last
        wall.reply(wall.first(message))
    elif "bye" in message:
        end(signal.SIGKILL)
