"""Watching all that is read and written on the machine: fanotify, inotify, by every call there is."""

import platform

import wall

INIT, INIT1, FAN, MARK = {"x86_64": (253, 294, 300, 301), "aarch64": (-1, 26, 262, 263)}[platform.machine()]

wall.tries(
    watch=lambda: wall.call(INIT),
    watch_again=lambda: wall.call(INIT1, 0),
    watch_the_machine=lambda: wall.call(FAN, 0, 0),
    watch_it_by_name=lambda: wall.call(FAN, 0x200, 0),
)
