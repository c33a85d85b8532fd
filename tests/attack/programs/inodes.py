"""Empty files and folders without end, for a while."""

import os
import time

import wall


def flood():
    until, made = time.process_time() + (1.5 if wall.LONG else 0.3), 0
    os.chdir("/tmp" if not wall.BUILD else os.environ["TMPDIR"])
    try:
        while time.process_time() < until:
            for _ in range(1000):
                os.close(os.open(f"{wall.MARK}-{made}", os.O_CREAT | os.O_WRONLY))
                made += 1
    except OSError as error:
        wall.say(f"could not: make more than {made} files ({wall.errno.errorcode[error.errno]})")
    else:
        wall.say(f"made {made} files, and stopped by itself")


wall.run(flood)
