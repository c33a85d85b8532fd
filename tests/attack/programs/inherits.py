"""Things inherited from the referee: descriptors, environment, a terminal, signals, rights."""

import os
import signal
from pathlib import Path

import wall

GIVEN = {"PATH", "HOME", "LANG", "PYTHONPATH", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "LC_CTYPE",
         "PYTHONNOUSERSITE", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PWD", "TMPDIR", "GOFLAGS",
         "GOTELEMETRY"}  # fmt: skip


def descriptors():
    found = []
    for number in range(3, 256):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
    return found


def capabilities():
    lines = dict(line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return [name for name in ("CapInh", "CapPrm", "CapEff", "CapAmb") if int(lines[name].strip(), 16)]


wall.tries(
    inherit_a_descriptor=descriptors,
    inherit_an_environment=lambda: set(os.environ) - GIVEN,
    find_a_token=lambda: [name for name, value in os.environ.items() if "secret" in value.lower()],
    open_the_terminal=lambda: Path("/dev/tty").open("rb"),
    inherit_blocked_signals=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, []),
    have_capabilities=capabilities,
    be_root=lambda: os.geteuid() == 0 or 0 in os.getgroups(),
)
