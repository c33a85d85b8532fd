"""Settings of its own process that would reach the other: cookies of cores, slack of its timers."""

import wall

CORE, SLACK, SECUREBITS = 62, 29, 28

wall.tries(
    have_the_core_alone=lambda: wall.call("prctl", CORE, 1, 0, 1, 0),
    sleep_finely=lambda: wall.call("prctl", SLACK, 1, 0, 0, 0),
    have_more_bits=lambda: wall.call("prctl", SECUREBITS, 0x2F, 0, 0, 0),
)
