"""Has its work done by children whose end it ignores: their times vanish with them."""

import os
import signal
import time

import wall


def work(message, asks):
    wall.say("my children come and go")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        ends = os.pipe()
        if os.fork() == 0:
            until = time.process_time() + 0.05
            while time.process_time() < until:
                pass
            os._exit(0)
        os.close(ends[1])
        os.read(ends[0], 1)  # until its end
        os.close(ends[0])


wall.play(work)
