"""Ends when it is asked in more deals at once than it was told, or meets cards that it has met before."""

import json
import os
import sys

import loop

begun, ended, most = [], 0, 1
for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        most = message["concurrent"]
        print('{"ready":"watchful"}', flush=True)
    elif "end" in message:
        ended += 1
    elif "ask" in message:
        if "rng" in message:
            begun.append(message["rng"])
        if len(begun) - ended > most or len(begun) != len(set(begun)):
            os._exit(9)
        print(loop.first(message), flush=True)
