"""Word for its next self in the machine's caches: all that asks what is in them, or steers them."""

import ctypes
import mmap
import os
import platform

import wall

FILE = os.open("wall.py", os.O_RDONLY)
NUMBERS = {
    "x86_64": {"mincore": 27, "fadvise": 221, "readahead": 187},
    "aarch64": {"mincore": 232, "fadvise": 223, "readahead": 213},
}[platform.machine()]
DONTNEED, WILLNEED, COLD, PAGEOUT = 4, 3, 20, 21
RESOLVE_CACHED, OPENAT2 = 0x20, 437


def is_there():
    try:
        return os.preadv(FILE, [bytearray(1)], 0, os.RWF_NOWAIT) == 1
    except BlockingIOError:
        return True  # an answer, too


def mapped():
    size = os.fstat(FILE).st_size
    return mmap.mmap(FILE, size, prot=mmap.PROT_READ, flags=mmap.MAP_SHARED)


def advise(advice):
    return lambda: mapped().madvise(advice) is None


def ask_of_the_core():
    area, found = wall.LIBC.mmap, ctypes.create_string_buffer(1)
    area.restype = ctypes.c_void_p
    where = area(None, 4096, 1, 1, FILE, 0)
    return wall.call(NUMBERS["mincore"], ctypes.c_void_p(where), 4096, found)


def name_is_cached():
    how = (ctypes.c_uint64 * 3)(os.O_RDONLY, 0, RESOLVE_CACHED)
    return wall.call(OPENAT2, -100, b"/usr/bin/env", how, ctypes.sizeof(how))


def past_the_cache():
    os.close(os.open("/usr/bin/env", os.O_RDONLY | os.O_DIRECT))
    return True


def is_shared():
    hint = ctypes.c_uint64(3)
    return wall.call("fcntl", FILE, 1036, ctypes.byref(hint))


wall.tries(
    ask_without_waiting=is_there,
    drop_pages=lambda: wall.call(NUMBERS["fadvise"], FILE, 0, 0, DONTNEED),
    read_ahead=lambda: wall.call(NUMBERS["readahead"], FILE, 0, 4096),
    ask_what_is_in_memory=ask_of_the_core,
    advise_to_read=advise(WILLNEED),
    advise_to_cool=advise(COLD),
    advise_to_page_out=advise(PAGEOUT),
    ask_for_a_cached_name=name_is_cached,
    read_past_the_cache=past_the_cache,
    leave_a_hint_with_a_file=is_shared,
)
