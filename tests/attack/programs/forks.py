"""A fork bomb: every process makes more, and all but the first spin."""

import os
import time

import wall


def bomb():
    made, parent = 0, os.getpid()
    for _ in range(2000):
        try:
            made += os.fork() > 0
        except OSError as error:
            if os.getpid() == parent:
                wall.say(f"could not: fork more than {made} times ({wall.errno.errorcode[error.errno]})")
            break
    while os.getpid() != parent:
        pass
    time.sleep(600)


wall.run(bomb)
