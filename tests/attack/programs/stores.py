"""Word for its next self in the machine's queues, semaphores and shared memory."""

import platform

import wall

SHMGET, SEMGET, MSGGET, MQ = {"x86_64": (29, 64, 68, 240), "aarch64": (194, 190, 186, 180)}[
    platform.machine()
]

wall.tries(
    make_shared_memory=lambda: wall.call(SHMGET, 0x4D61754D, 4096, 0o1600),
    make_a_semaphore=lambda: wall.call(SEMGET, 0x4D61754D, 1, 0o1600),
    make_a_queue=lambda: wall.call(MSGGET, 0x4D61754D, 0o1600),
    make_a_named_queue=lambda: wall.call(MQ, b"maumau", 0o102, 0o600, None),
)
