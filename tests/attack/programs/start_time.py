"""Word for its next self in how long starting takes: what was warmed for this life is warm for the next."""

import os
import time

import wall


def measure():
    began = time.clock_gettime(time.CLOCK_BOOTTIME)
    fields = open("/proc/self/stat").read().rpartition(")")[2].split()
    born = int(fields[19]) / os.sysconf("SC_CLK_TCK")
    usage = os.times()
    wall.say(f"began {began - born:.2f} s after birth, {usage.user + usage.system:.2f} s used")
    wall.attempt(
        "slow the next start down by files",
        lambda: [
            os.close(os.open(f"{top}/{wall.MARK}", os.O_CREAT | os.O_WRONLY))
            for top in ("/bot", "/usr", "/dev", "/proc", "/")
            if os.path.isdir(top)
        ],
    )


wall.run(measure)
