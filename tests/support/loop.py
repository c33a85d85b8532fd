"""An event loop in a thread of its own, where servers run."""

import asyncio
import threading

from bench.support.patience import patient


class Loop:
    """Runs coroutines for tests that are no coroutines."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(patient(30))

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
