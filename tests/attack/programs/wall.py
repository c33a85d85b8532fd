"""The base of every attack: it refuses to run in the open, speaks the protocol, and reports the outcome.

Lines in its log: `could: WHAT` (a hole), `could not: WHAT (why)`, and whatever the attack says itself.
"""

import ctypes
import errno
import json
import os
import sys
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
NO_NEW_PRIVS, SECCOMP, FILTERED = 39, 21, 2  # of prctl
SMALL = (0, 0, 0, 0)

walled = (
    os.uname().nodename == "bot"
    and LIBC.prctl(NO_NEW_PRIVS, *SMALL) == 1
    and LIBC.prctl(SECCOMP, *SMALL) == FILTERED
)
if os.geteuid() == 0 or not (walled or "plain" in sys.argv):
    raise SystemExit("only behind a wall")

LONG = "long" in sys.argv  # the long form of the suite
BUILD = "build" in sys.argv  # a build step: nothing is asked, the attack begins at once
TARGETS = json.loads(Path("targets.json").read_text())
MARK = TARGETS["mark"]  # in the name of every file that is written


OWN = 40 if BUILD else 0  # processes that a build step may well have started itself
HOLDER = 1  # the wall's first process, where it is not oneself: holder.py looks at it


def strangers(pids):
    """Return the processes among these that are not the program's own."""
    found = [pid for pid in pids if pid not in {os.getpid(), os.getppid(), HOLDER}]
    return found if len(found) > OWN else []


def say(*words):
    """Write a line to the log."""
    print(*words, file=sys.stderr, flush=True)


def call(name, *args):
    """Call a function of the C library, or a system call by its number; raise OSError if it fails."""
    done = LIBC.syscall(name, *args) if isinstance(name, int) else getattr(LIBC, name)(*args)
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return True


def attempt(what, act):
    """Try it and report the outcome: success must give nothing."""
    try:
        found = act()
    except OSError as error:
        say(f"could not: {what} ({errno.errorcode.get(error.errno, type(error).__name__)})")
    else:
        say(f"could: {what}: {str(found)[:200]}" if found else f"could not: {what} (nothing there)")


def first(message):
    """Return the first listed action and the call it owes, as the referee's stand-in plays."""
    action = message["legal"][0]
    return action + message["call"].get(action, "")


def reply(text):
    """Write a line to the referee."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def play(act=lambda message, asks: first(message)):
    """Answer what the referee sends; `act(message, number of asks so far)` may return None to say nothing."""
    asks = 0
    for line in sys.stdin:
        message = json.loads(line)
        if "hello" in message:
            reply('{"ready":"attack"}')
        elif "ask" in message:
            asks += 1
            answer = act(message, asks)
            if answer is not None:
                reply(answer)
        elif "bye" in message:
            return


def run(attack, at=2):
    """Play, and attack at this question; in a build step at once."""
    if BUILD:
        attack()
        return

    def act(message, asks):
        if asks == at:
            attack()
        return first(message)

    play(act)


def tries(**attempts):
    """Play, and make these attempts at the second question."""
    run(lambda: [attempt(what.replace("_", " "), act) for what, act in attempts.items()])
