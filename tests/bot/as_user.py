"""Plays the test programs as a user without rights, and prints what came of it as JSON.

Started by root in a mount namespace of its own: where interpreter or repository lie in a folder that others
may not enter, they are shown there to this process alone, and then it gives up all rights.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NOBODY, CANNOT = 65534, 77
NAMES = ("good", "illegal", "quits", "spends", "memory", "daemon", "snoop")


def show(paths, room):
    """Bind each path to where it is, past the folders above it that are closed to others."""
    if Path("/proc/self/ns/mnt").readlink() == Path(f"/proc/{os.getppid()}/ns/mnt").readlink():
        sys.exit("only in a mount namespace of its own")
    shown = [(path, room / str(number)) for number, path in enumerate(paths)]
    for path, view in shown:
        view.mkdir()
        mount("--bind", path, view)
    for path, view in shown:
        closed = [folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001]
        if closed:
            mount("-t", "tmpfs", "-o", "mode=755", "none", closed[0])
        if not path.exists():
            path.mkdir(parents=True)
            mount("--bind", view, path)


def mount(*words):
    done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(print(done.stderr, file=sys.stderr) or CANNOT)


def become_nobody(*words, **environment):
    """Begin anew with these words, as a user without rights."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.chdir("/")
    os.execve(sys.executable, [sys.executable, *words], {"PATH": "/usr/bin:/bin", **environment})


def play(bwrap, name, secret):
    """One block of a program against a good one."""
    from conftest import SEEDS, faults, living, submission

    from maumau.bot.referee import BlockOrder, play_block

    with tempfile.TemporaryDirectory() as room:
        programs = [submission(Path(room), f"as-user-{name}", one, secret=secret) for one in (name, "good")]
        order = BlockOrder("mau_mau", 2, SEEDS[:1], deal_ms=1000, memory_mib=256)
        outcome = play_block(order, programs, bwrap)
        deals = [deal for each in outcome.sets for deal in each.deals]
        assert {fault.entrant for fault in faults(outcome)} <= {0}
        return {
            "kinds": sorted({fault.kind for fault in faults(outcome)}),
            "notes": sorted({note.text for deal in deals for note in deal.notes}),
            "living": living(f"as-user-{name}"),
        }


def main():
    if os.geteuid() == 0:
        show([Path(sys.base_prefix), HERE.parents[1], Path(sys.prefix)], Path(sys.argv[1]))
        become_nobody(__file__)
    sys.path.insert(0, str(HERE))
    sys.path.insert(0, str(HERE.parents[1]))
    from maumau.bot.sandbox import choose_sandbox

    bwrap = choose_sandbox("bwrap")
    with tempfile.NamedTemporaryFile() as secret:
        secret.write(b"the referee's")
        secret.flush()
        programs = {name: play(bwrap, name, secret.name) for name in NAMES}
    print(json.dumps({"user": os.geteuid(), "says": bwrap.says, "programs": programs}))


if __name__ == "__main__":
    main()
