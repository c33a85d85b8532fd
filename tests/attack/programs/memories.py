"""Takes memory in many processes, each within the limit of one, and has them work."""

import os

import wall


def take():
    for _ in range(12):
        if os.fork() == 0:
            held = bytearray(100 << 20)
            while held:
                pass
    wall.say("twelve processes of 100 MiB each")
    while True:
        os.wait()


wall.run(take)
