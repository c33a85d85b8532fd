"""Children that end and for whom nobody waits, as many as there may be, again and again."""

import os

import wall


def breed():
    made = 0
    for _ in range(10 if not wall.LONG else 60):
        dead = []
        try:
            while len(dead) < 1000:
                child = os.fork()
                if not child:
                    os._exit(0)
                dead.append(child)
        except OSError:
            pass
        made += len(dead)
        for child in dead:
            os.waitpid(child, 0)
    wall.say(f"could not: keep more than {len(dead)} dead of {made} (EAGAIN)")


wall.run(breed)
