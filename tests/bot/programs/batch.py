"""Plays as it should, and logs what hello said and the most questions that came in one write."""

import json
import os
import sys

import loop

most, left = 0, b""
while chunk := os.read(0, 1 << 20):
    *lines, left = (left + chunk).split(b"\n")
    asked = []
    for line in lines:
        message = json.loads(line)
        if "hello" in message:
            print("told", message["concurrent"], file=sys.stderr)
            os.write(1, b'{"ready":"batch"}\n')
        elif "ask" in message:
            asked.append(loop.first(message))
        elif "bye" in message:
            print("most", most, file=sys.stderr)
            sys.exit()
    most = max(most, len(asked))
    os.write(1, "".join(f"{reply}\n" for reply in asked).encode())
