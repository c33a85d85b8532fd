"""A bomb of threads."""

import threading

import wall


def bomb():
    done, threads = threading.Event(), []
    threading.stack_size(65536)
    try:
        for _ in range(5000):
            thread = threading.Thread(target=done.wait, daemon=True)
            thread.start()
            threads.append(thread)
    except RuntimeError as error:
        wall.say(f"could not: start more than {len(threads)} threads ({error})")
    done.set()


wall.run(bomb)
