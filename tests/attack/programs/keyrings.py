"""Word for its next self among the kernel's keys, which outlive processes."""

import platform

import wall

ADD, REQUEST, KEYCTL = {"x86_64": (248, 249, 250), "aarch64": (217, 218, 219)}[platform.machine()]
USER, SESSION = -4, -3

wall.tries(
    leave_a_key=lambda: wall.call(ADD, b"user", b"hand", b"7S", 2, USER),
    find_a_key=lambda: wall.call(REQUEST, b"user", b"hand", None, 0),
    join_a_session=lambda: wall.call(KEYCTL, 1, b"maumau"),
    ask_for_its_keys=lambda: wall.call(KEYCTL, 0, SESSION, 1),
)
