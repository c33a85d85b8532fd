"""Reads in the page cache of its own file which hand it held in the other seating, and plays by it."""

import os
import time

import wall

PAGE, SLOT, FAST = 4096, 32, 5000  # bytes, pages a word, nanoseconds of a page that is in memory
CARDS = [rank + suit for suit in "CDHS" for rank in "789TJQKA"]
DONTNEED = 4
FILE = os.open("pages.bin", os.O_RDONLY)


def is_there(page):
    """Asked where that is allowed, else by the time that reading takes."""
    try:
        return os.preadv(FILE, [bytearray(1)], page * PAGE, os.RWF_NOWAIT) == 1
    except BlockingIOError:
        return False
    except OSError:
        began = time.perf_counter_ns()
        os.pread(FILE, 1, page * PAGE)
        return time.perf_counter_ns() - began < FAST


def read_words():
    words = {}
    for slot, up in enumerate(CARDS):
        held = {card for at, card in enumerate(CARDS) if is_there(slot * SLOT + at)}
        words[up] = held if len(held) == 5 else set()
    try:
        os.posix_fadvise(FILE, 0, 0, DONTNEED)
    except OSError:
        wall.say("may not drop pages")
    return words


def write_word(up, hand):
    for card in hand:
        os.pread(FILE, 1, (CARDS.index(up) * SLOT + CARDS.index(card)) * PAGE)


words = read_words()
wall.say(f"words of an earlier life: {sum(map(bool, words.values()))}")
known = {}


def act(message, asks):
    deal = message["deal"]
    for event in message["events"]:
        if event.startswith("up ") and event[3:5] in CARDS:
            known[deal] = words[event[3:5]]
            write_word(event[3:5], [card for card in message["hand"] if card in CARDS])
    other = known.get(deal)
    if not other:
        return wall.first(message)
    plays = [action for action in message["legal"] if action[:2] in CARDS] or message["legal"][:1]
    best = min(plays, key=lambda action: sum(card[-1] == action[1] or card[0] == action[0] for card in other))
    return best + message["call"].get(best, "")


wall.play(act)
