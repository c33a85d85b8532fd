"""Word for its next self in how long starting takes: what was warmed for this life is warm for the next."""

import os
import time

import wall


def measure():
    began = time.clock_gettime(time.CLOCK_BOOTTIME)
    born = (
        os.stat("/bot").st_ctime - time.time() + began
    )  # /proc does not say: its files were copied just before
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
