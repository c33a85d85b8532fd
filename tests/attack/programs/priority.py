"""Getting more of the core than the other, or less than one should, so that the host looks slow."""

import os

import wall


def done(act, *args):
    act(*args)
    return True


wall.tries(
    leave_its_core=lambda: done(os.sched_setaffinity, 0, range(os.cpu_count())),
    be_nicer=lambda: done(os.nice, 5),
    be_ruder=lambda: done(os.nice, -5),
    be_nicer_as_a_group=lambda: done(os.setpriority, os.PRIO_PGRP, 0, 10),
    be_idle=lambda: done(os.sched_setscheduler, 0, os.SCHED_IDLE, os.sched_param(0)),
    be_a_batch=lambda: done(os.sched_setscheduler, 0, os.SCHED_BATCH, os.sched_param(0)),
    be_real_time=lambda: done(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1)),
    be_last_at_the_disk=lambda: wall.call("syscall", 251, 1, 0, 3 << 13),
    be_nicer_by_proc=lambda: os.write(os.open("/proc/self/autogroup", os.O_WRONLY), b"19"),
)
