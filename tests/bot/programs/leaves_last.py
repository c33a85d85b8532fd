"""Answers all questions that it is asked at once but the last one, and ends."""

import json
import os

import loop

data = b""
while True:
    data += os.read(0, 1 << 20)
    if not data.endswith(b"\n"):
        continue
    messages, data = [json.loads(line) for line in data.splitlines()], b""
    if "hello" in messages[0]:
        os.write(1, b'{"ready":"leaves_last"}\n')
    if asked := [message for message in messages if "ask" in message]:
        os.write(1, "".join(f"{loop.first(message)}\n" for message in asked[:-1]).encode())
        os._exit(7)
