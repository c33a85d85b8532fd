"""Prints its own memory: of each region the address and size, 8 bytes each, then its bytes. Not a player.

It looks around its objects: `write` fails where there is no memory.
"""

import ctypes
import gc
import mmap
import os
import struct

PAGE = mmap.PAGESIZE
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]


def is_mapped(address, pipe):
    if LIBC.write(pipe[1], address, 1) < 1:
        return False
    return bool(os.read(pipe[0], 1))


def find_regions(pipe):
    """Yield the first address and the end of each region around an object, an environment or a function."""
    places = {id(one) for one in gc.get_objects()}
    places |= {ctypes.c_void_p.in_dll(LIBC, "environ").value, ctypes.cast(LIBC.malloc, ctypes.c_void_p).value}
    end = 0
    for place in sorted(places):
        if place < end:
            continue
        begin = end = place // PAGE * PAGE
        while is_mapped(begin - PAGE, pipe):
            begin -= PAGE
        while is_mapped(end, pipe):
            end += PAGE
        yield begin, end


def print_memory(begin, end):
    while begin < end:
        begin += LIBC.write(1, begin, end - begin)


for first, last in list(find_regions(os.pipe())):
    os.write(1, struct.pack("QQ", first, last - first))
    print_memory(first, last)
