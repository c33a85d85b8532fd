"""Burns CPU in a thread of its own while the others think."""

import threading

import loop


def spin():
    while True:
        pass


threading.Thread(target=spin, daemon=True).start()
loop.play()
