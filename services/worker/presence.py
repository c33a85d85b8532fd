"""Reports to the tournament service that an idle worker is present, and that a worker ends."""

import threading
import time
from contextlib import suppress

from maumau.errors import MaumauError
from services.worker.bench import Bench

REPORT_SECONDS = 20.0  # between two reports


def start_reports(bench: Bench) -> None:
    """Report the worker's presence from a thread until this process ends."""
    threading.Thread(target=_report_forever, args=[bench], name="presence", daemon=True).start()


def report_end(bench: Bench) -> None:
    """Report that the worker ends, so that it is not listed as silent; the service may be away."""
    with suppress(MaumauError):
        bench.tournament.report_end(bench.name)


def _report_forever(bench: Bench) -> None:
    while True:
        with suppress(MaumauError):  # claims say what is wrong
            bench.tournament.report_presence(bench.name)
        time.sleep(REPORT_SECONDS)
