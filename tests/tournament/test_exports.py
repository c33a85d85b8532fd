"""An export is made once, sent from any byte on, and holds nobody up."""

import os
import threading

import pytest

from maumau.client.call import rpc_errors
from maumau.errors import ArenaUnreachable, BadRequest, DiskFull, WrongState
from services.shared.store.storage import Storage
from services.tournament.history.archive import Archive
from services.tournament.history.exports import Exports, Subject
from services.tournament.rpc import servicer
from tests.support.arenas.calls import Calls, refused
from tests.support.arenas.tournament import CUP
from tests.support.meanwhile import do_after
from tests.support.waiting import until

DATABASES = ["sqlite"]  # nothing here depends on the kind


@pytest.fixture
def exports(tmp_path):
    """Return exports of at most three bytes."""
    return open_exports(tmp_path / "exports")


def open_exports(folder):
    return Exports(Storage(str(folder), "MAUMAU_EXPORTS"), folder, 3)


def subject(name, made=None):
    """Return an export named after its file; its name is added to `made` when it is made."""

    def write(path):
        path.write_text(name)
        if made is not None:
            made.append(name)

    return Subject(name, name, write)


def test_a_file_is_made_once_and_found_after_a_restart(exports):
    made = []
    first = exports.find_export(subject("a", made))
    assert open_exports(exports.scratch).find_export(subject("a", made)) == first
    assert made == ["a"]


def test_a_file_that_another_replica_deletes_before_it_is_sent_is_made_anew(exports, monkeypatch):
    made = []
    other = open_exports(exports.scratch)
    do_after(monkeypatch, exports, "find_export", lambda: other.find_export(subject("bbbb")))
    file, found = exports.open_export(subject("a", made), 0, "")
    with file:
        assert (file.read(), found.size) == (b"a", 1)
    assert made == ["a", "a"]


def test_those_not_read_for_longest_go_first(exports):
    for name in "abc":
        exports.find_export(subject(name))
    exports.find_export(subject("a"))
    exports.find_export(subject("d"))
    assert sorted(path.name[0] for path in exports.scratch.iterdir()) == ["a", "c", "d"]


def test_what_could_not_be_made_leaves_nothing(exports):
    def fail(path):
        path.write_text("half")
        raise WrongState("it is not over")

    with pytest.raises(WrongState):
        exports.find_export(Subject("a", "a", fail))
    assert list(exports.scratch.iterdir()) == []


def test_a_full_disk_is_named_and_no_file_of_the_service(exports):
    def fail(path):
        raise DiskFull(f"The disk is full; {path} was not written.")

    with pytest.raises(DiskFull, match=f"^{DiskFull.__doc__}$"):
        exports.find_export(Subject("a", "a", fail))


def test_what_a_killed_service_left_is_removed_and_what_another_replica_makes_is_not(exports):
    left, under_way = exports.scratch / ".new-1", exports.scratch / ".new-2"
    for draft in (left, under_way):
        draft.mkdir(parents=True)
        (draft / "export.jsonl").write_text("half")
    os.utime(left, (0, 0))
    exports.find_export(subject("a"))
    assert sorted(path.name[:6] for path in exports.scratch.iterdir()) == [".new-2", "a.ca97"]


def test_a_byte_that_the_file_does_not_have_is_refused(exports):
    file, found = exports.open_export(subject("abc"), 3, "")
    with file:
        assert (file.read(), found.size) == (b"", 3)
    for offset in (4, -1, 1 << 63):
        with pytest.raises(BadRequest, match=f"3 bytes; there is no byte {offset}"):
            exports.open_export(subject("abc"), offset, "")


def read(calls: Calls, **request):
    """Return the first message, and the bytes."""
    with rpc_errors():
        first, *parts = calls.ExportTournament(**request)
    return first, b"".join(part.chunk for part in parts)


@pytest.mark.long
def test_it_goes_on_from_any_byte_of_the_same_file(arena):
    name = arena.begin("first", "random", **CUP)
    arena.finish(name)
    calls = arena.tournament(arena.settings.admin_token)
    first, whole = read(calls, tournament=name)
    assert first.size == len(whole)
    again, rest = read(calls, tournament=name, offset=1000, sha256=first.sha256)
    assert (again.sha256, rest) == (first.sha256, whole[1000:])
    with refused(WrongState, "made anew"):
        read(calls, tournament=name, offset=1000, sha256="0" * 64)
    assert arena.export(name) == whole


@pytest.mark.long
def test_a_client_that_lost_its_connection_goes_on_where_it_was(arena, monkeypatch):
    name = arena.begin("first", "random", **CUP)
    arena.finish(name)
    service, offsets = arena.admin._tournament, []
    stream = service.stream

    def cut(method, request, *seconds):
        offsets.append(request.offset)
        for count, part in enumerate(stream(method, request, *seconds)):
            if len(offsets) == 1 and count == 2:
                raise ArenaUnreachable
            yield part

    whole = arena.export(name)
    monkeypatch.setattr(service, "stream", cut)
    monkeypatch.setattr(servicer, "CHUNK", 4096)
    assert b"".join(arena.admin.export(name)) == whole
    assert offsets == [0, 4096]


@pytest.mark.long
def test_while_exports_are_made_blocks_are_claimed_and_tournaments_shown(start, monkeypatch):
    go_on, begun, write = threading.Event(), threading.Event(), Archive.write_export

    def wait(*args):
        begun.set()
        assert go_on.wait(60)
        write(*args)

    monkeypatch.setattr(Archive, "write_export", wait)
    with start() as arena:
        over = arena.begin("first", "random", **CUP)
        arena.finish(over)
        got = []
        readers = [threading.Thread(target=lambda: got.append(arena.export(over))) for _ in range(8)]
        for reader in readers:
            reader.start()
        assert begun.wait(60)
        name = arena.begin("first", "random", block=5, cap=10)
        assert until(arena.worker.claim)
        assert arena.admin.tournament(name).state == "running"
        go_on.set()
        for reader in readers:
            reader.join()
        assert len(got) == 8
        assert len(set(got)) == 1
        arena.admin.cancel(name)
