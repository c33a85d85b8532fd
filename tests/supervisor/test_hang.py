"""A service that hangs is told from one that only starts slowly."""

import http.server
import threading

from services.shared.process.heartbeat import beat, read_beat
from services.supervisor import client
from services.supervisor.client import MISSES, START, Seen, watch_health
from tests.support.polling import until


def test_who_has_answered_hangs_after_three_misses_in_a_row():
    seen = Seen(pid=7, since=0.0)
    looks = [True, False, False, True, False, False, False]
    assert [seen.is_hanging(well=well, now=at) for at, well in enumerate(looks)] == [False] * 6 + [True]


def test_who_has_not_answered_yet_is_starting_however_often_it_is_asked():
    seen = Seen(pid=7, since=100.0)
    assert not any(seen.is_hanging(well=False, now=100.0 + START * part / 20) for part in range(21))
    assert seen.is_hanging(well=False, now=100.1 + START)


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
    watcher = threading.Thread(target=watch_health, args=told)
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


def test_a_service_that_beats_but_answers_nobody_is_mute_and_does_not_hang():
    seen = Seen(pid=7, since=0.0)
    assert not seen.is_hanging(well=True, now=0.0, beat=1)
    for look in range(2, 2 + 5 * MISSES):
        assert not seen.is_hanging(well=False, now=look, beat=look)
        assert seen.becomes_mute() == (look == 1 + MISSES), "it is said once"
    stopped = [seen.is_hanging(well=False, now=100.0 + look, beat=look) for look in [1 + 5 * MISSES] * MISSES]
    assert stopped == [False] * (MISSES - 1) + [True]


def test_a_service_that_was_full_from_the_start_is_alive():
    seen = Seen(pid=7, since=0.0, beat=1)
    looks = [seen.is_hanging(well=False, now=look * START, beat=1 + look) for look in range(1, 2 + MISSES)]
    assert not any(looks)


def test_the_last_beat_of_the_process_before_is_no_sign_of_life():
    seen = Seen(pid=8, since=0.0, beat=5)
    assert not any(seen.is_hanging(well=False, now=float(look), beat=5) for look in range(2 * MISSES))
    assert seen.is_hanging(well=False, now=START + 1, beat=5)


def test_a_file_without_a_beat_is_no_sign_of_life(tmp_path):
    file = tmp_path / "engine.ready"
    assert read_beat(file) == 0
    file.touch()
    first = read_beat(file)
    until("the clock has moved", lambda: beat(str(file)) or read_beat(file) != first)
    beat(str(tmp_path / "missing"))


def test_a_service_that_answered_and_beats_is_called_at_every_fourth_look(monkeypatch):
    monkeypatch.setattr(client, "EVERY", 0.001)
    looks, called, stop = [], [], threading.Event()
    monkeypatch.setattr(client, "is_serving", lambda *_: called.append(len(looks)) or True)

    def beats(_: str) -> int:
        return len(looks)

    def look() -> dict[str, int]:
        looks.append(7)
        if len(looks) == 4 * client.LOOKS_PER_CHECK:
            stop.set()
        return {"web": 7}

    watch_health({"web": "127.0.0.1:1"}, stop, look, lambda *_: None, beats)
    assert called == [
        1,
        *range(client.LOOKS_PER_CHECK, 4 * client.LOOKS_PER_CHECK + 1, client.LOOKS_PER_CHECK),
    ]


def test_one_that_missed_a_check_is_called_at_every_look_until_it_answers():
    seen = Seen(pid=7, since=0.0)
    assert not seen.is_calm(1)
    seen.is_hanging(well=True, now=0.0, beat=1)
    assert not seen.is_calm(1)
    assert seen.is_calm(2)
    assert not seen.is_hanging(well=False, now=1.0, beat=3)
    assert not seen.is_calm(4)
    seen.is_hanging(well=True, now=2.0, beat=4)
    assert seen.is_calm(5)
