"""An attack that has its children spend the time, each for a moment only, while it sleeps itself."""

import os
import time

import wall


def spend():
    wall.say("my children work")
    while True:
        if os.fork() == 0:
            until = time.process_time() + 0.02
            while time.process_time() < until:
                pass
            os._exit(0)
        os.wait()


wall.run(spend)
