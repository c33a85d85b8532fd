"""Reports to the tournament service that an idle worker is present."""

import threading
import time
from contextlib import suppress

from maumau.errors import MaumauError
from services.worker.bench import Bench

REPORT_SECONDS = 20.0  # between two reports


def start_reports(bench: Bench) -> None:
    """Report the worker's presence from a thread until this process ends."""
    threading.Thread(target=_report_forever, args=[bench], name="presence", daemon=True).start()


def _report_forever(bench: Bench) -> None:
    while True:
        with suppress(MaumauError):  # claims say what is wrong
            bench.tournament.report_presence(bench.name)
        time.sleep(REPORT_SECONDS)
