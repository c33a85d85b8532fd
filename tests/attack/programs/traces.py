"""Looking into other processes: ptrace by every door."""

import wall

ATTACH, SEIZE, ME = 16, 0x4206, 0
REFEREE = wall.TARGETS["pid"]
wall.tries(
    trace_the_referee=lambda: wall.call("ptrace", ATTACH, REFEREE, 0, 0),
    seize_the_referee=lambda: wall.call("ptrace", SEIZE, REFEREE, 0, 0),
    be_traced=lambda: wall.call("ptrace", ME, 0, 0, 0),
    compare_with_the_referee=lambda: wall.call(312, REFEREE, REFEREE, 0, 0, 0) >= 0,
    advise_the_referee=lambda: wall.call(440, REFEREE, 0, 0, 0, 0),
)
