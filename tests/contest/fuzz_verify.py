"""Exports made to break `maumau verify`: `python -m tests.contest.fuzz_verify MINUTES [FOLDER]`.

Real exports are mutated, and each mutant is verified in a child with an address space of 2 GiB. A failure is
a traceback, an end by a signal, more than 500 MB, or more CPU time than SECONDS + SECONDS_PER_MB for each
megabyte. Its file is kept in FOLDER (fuzz-failures), and the exit code is 1.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from maumau.cli.start import main
from tests.contest.conftest import SMALL, SPEC, held
from tests.contest.mutate import MUTATIONS

SECONDS, SECONDS_PER_MB = 6.0, 12.0
"""A file that differs everywhere takes some 3 seconds a megabyte on an idle host."""

RESIDENT_MB = 500
ADDRESS_SPACE = 2 << 30
CPU_LIMIT = 180
EXITS = {0, 1, 2, 4}  # verify agrees, the file is refused in words, wrong words, verify found a difference


def check(path: Path, output: Path) -> tuple[str, float, float]:
    """Return the problem with verifying this file, in words; CPU seconds; peak memory in MB."""
    child = os.fork()
    if not child:
        _verify(path, output)
    _, status, usage = os.wait4(child, 0)
    seconds, resident = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    told, mb = output.read_text(errors="replace"), path.stat().st_size / 1e6
    code = os.waitstatus_to_exitcode(status)
    checks = {
        "a traceback": "Traceback (most recent call last)" not in told,
        f"exit code {code}": code in EXITS,
        f"{resident:.0f} MB": resident < RESIDENT_MB,
        f"{seconds:.1f} s for {mb:.1f} MB": seconds < SECONDS + SECONDS_PER_MB * mb,
        "escapes in what it says": not any(c in told for c in "\x1b\0\x07\u202e"),
        "more than 100 kB of words": len(told) < 100_000,
    }
    return "; ".join(words for words, fine in checks.items() if not fine), seconds, resident


def _verify(path: Path, output: Path) -> None:
    """Run the command, in the child; does not return."""
    code = 70
    try:
        target = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(target, 1)
        os.dup2(target, 2)
        sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT))
        sys.argv = ["maumau", "verify", "--jobs", "1", str(path)]
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001 - whatever it is
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def exports(folder: Path) -> list[bytes]:
    """Real exports, small enough for thousands of runs: formats, scores, variants, withdrawals."""
    tomls = [
        (SPEC, 4, {}),
        (SMALL, 3, {}),
        (SMALL, 5, {"withdrawn": [2], "after": 3}),
        (SMALL.replace('"mau_mau"', '"app"\nscore = "points"'), 3, {}),
        (SMALL.replace('"mau_mau"', '"schweizer"\nscore = "places"'), 2, {}),
    ]
    made = []
    for number, (toml, count, withdrawal) in enumerate(tomls):
        path = folder / f"{number}.export.jsonl"
        held(path, toml, count, **withdrawal)
        made.append(path.read_bytes())
    return made


def fuzz(minutes: float, kept: Path, seed: int) -> int:
    """Mutants until the time is over; the number of failures."""
    counts: Counter[str] = Counter()
    worst_seconds = worst_resident = 0.0
    sys.set_int_max_str_digits(0)  # numbers of thousands of digits are written here
    with tempfile.TemporaryDirectory(prefix="maumau-fuzz-") as name:
        folder = Path(name)
        path, output = folder / "mutant.export.jsonl", folder / "said"
        sound = exports(folder)
        for data in sound:
            path.write_bytes(data)
            assert not check(path, output)[0], output.read_text()
        until, number = time.monotonic() + minutes * 60, seed
        while time.monotonic() < until:
            number += 1
            r = random.Random(number)
            mutate, data = r.choice(MUTATIONS), r.choice(sound)
            path.write_bytes(mutate(data, r))
            wrong, seconds, resident = check(path, output)
            worst_seconds, worst_resident = max(worst_seconds, seconds), max(worst_resident, resident)
            counts[mutate.__name__] += 1
            if wrong:
                counts["failed"] += 1
                kept.mkdir(exist_ok=True)
                (kept / f"{number}.export.jsonl").write_bytes(path.read_bytes())
                print(
                    f"{number} {mutate.__name__}: {wrong}: {output.read_text(errors='replace')[-1500:]!r}",
                    flush=True,
                )
            if counts.total() % 1000 == 0:
                print(
                    f"{counts.total()} mutants, {counts['failed']} failed, at most {worst_seconds:.1f} s and {worst_resident:.0f} MB",  # noqa: E501
                    flush=True,
                )
    print(f"{dict(counts)}; at most {worst_seconds:.1f} s and {worst_resident:.0f} MB")
    return counts["failed"]


if __name__ == "__main__":
    minutes, kept, *_ = [*sys.argv[1:], *("60", "fuzz-failures")[len(sys.argv) - 1 :]]
    raise SystemExit(bool(fuzz(float(minutes), Path(kept), time.time_ns() % 10**9)))
