"""A service that hangs is told from one that only starts slowly."""

import http.server
import threading

from services.supervisor import client
from services.supervisor.client import MISSES, START, Seen, watch
from tests.supervisor.polling import until


def test_who_has_answered_hangs_after_three_misses_in_a_row():
    seen = Seen(pid=7, since=0.0)
    looks = [True, False, False, True, False, False, False]
    assert [seen.hangs(well=well, now=at) for at, well in enumerate(looks)] == [False] * 6 + [True]


def test_who_has_not_answered_yet_is_starting_however_often_it_is_asked():
    seen = Seen(pid=7, since=100.0)
    assert not any(seen.hangs(well=False, now=100.0 + START * part / 20) for part in range(21))
    assert seen.hangs(well=False, now=100.1 + START)


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def test_a_process_is_named_that_answered_and_does_not_any_more(monkeypatch, free_port):
    """And the one that is started in its place has all the time that it needs."""
    monkeypatch.setattr(client, "EVERY", 0.01)
    looks, pids, sick, stop = [], {"web": 0}, [], threading.Event()

    def look():
        looks.append(pids["web"])
        return pids

    address = ("127.0.0.1", free_port())
    told = {"web": f"127.0.0.1:{address[1]}"}, stop, look, lambda name, pid: sick.append((name, pid))
    watcher = threading.Thread(target=watch, args=told)
    watcher.start()
    try:
        until("nothing runs yet", lambda: looks.count(0) > 2 * MISSES)
        pids["web"] = 7
        until("it starts", lambda: looks.count(7) > 2 * MISSES)
        assert sick == []
        with http.server.ThreadingHTTPServer(address, Page) as server:
            serving = threading.Thread(target=server.serve_forever)
            serving.start()
            seen = len(looks)
            until("it answers", lambda: len(looks) > seen + 2)
            assert sick == []
            server.shutdown()
            serving.join()
        until("it hangs", lambda: sick)
        pids["web"] = 8
        until("another starts", lambda: looks.count(8) > 2 * MISSES)
        assert set(sick) == {("web", 7)}
    finally:
        stop.set()
        watcher.join()
