"""Answers everything with bytes that are no text, and its second question with a JSON 10,000 deep."""

import sys

import loop


def act(message, asks):
    if asks == 2:
        return '{"act":[' + "[" * 10_000
    sys.stdout.buffer.write(b"\xff\xfe\x00garbage\n")
    sys.stdout.buffer.flush()
    return None


loop.play(act)
