"""Prints what a program can ask of the kernel without a clock, as JSON: `carry_answers.py [ACT]`.

With ACT it then does what could move an answer for its next life, and ends. Not a player.
"""

import ctypes
import json
import mmap
import os
import resource
import signal
import socket
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.getauxval.restype = ctypes.c_ulong
LIBC.sigqueue.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
FIRST, QUEUED, MANY, PAGE, HUGE = 1, 40, 2000, mmap.PAGESIZE, 2 << 20
PLACES = "/ /usr /usr/lib /runtime/site /runtime/site/maumau /dev /tmp /bot /proc/1 /proc/sys /proc/self/net"
SHARED = "/usr /usr/lib /runtime/site/maumau /dev/null /dev/zero /dev/urandom /proc/cpuinfo"
OPTIONS, CONTROLS, VECTOR = range(1, 84), (1, 3, 21, 23, 30, 39, 51), (4, 5, 6, 8, 16, 17, 23, 26, 51)


def count_until_refused(act):
    """Return how often this can be done."""
    for number in range(MANY):
        try:
            act()
        except OSError:
            return number
    return MANY


def count_descriptors_in_flight():
    one, other = socket.socketpair()
    with one, other:
        return count_until_refused(lambda: socket.send_fds(one, [b"."], [0]))


def queue_signal():
    if LIBC.sigqueue(os.getpid(), QUEUED, None):
        raise OSError


def count_signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, {QUEUED})
    number = count_until_refused(queue_signal)
    for _ in range(number):
        signal.sigtimedwait({QUEUED}, 0)
    return number


def fork_sleeper():
    if os.fork() == 0:
        signal.pause()


def count_processes():
    reading, writing = os.pipe()

    def fork():
        if os.fork() == 0:
            os.close(writing)
            os.read(reading, 1)
            os._exit(0)

    number = count_until_refused(fork)
    os.close(writing)
    for _ in range(number):
        os.wait()
    return number


def count_room(make):
    """Return the pages that fit into a new pipe or socket."""
    _, writing = make()
    os.set_blocking(writing, False)
    return count_until_refused(lambda: os.write(writing, bytes(PAGE)))


def make_sockets():
    return [line.detach() for line in socket.socketpair()]


def count_faults():
    """Return the faults of touching memory that may be huge pages."""
    memory = mmap.mmap(-1, 4 * HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(14)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for place in range(0, len(memory), PAGE):
        memory[place] = 1
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 64


def ask_option(option):
    with socket.socket(socket.AF_UNIX) as line:
        try:
            return line.getsockopt(socket.SOL_SOCKET, option, 8).hex()
        except OSError as error:
            return error.errno


def ask_attributes(pid):
    found = ctypes.create_string_buffer(64)
    return LIBC.syscall(315, pid, found, 56, 0), found.raw.hex()


def ask_files():
    for path in PLACES.split():
        found = os.stat(path)
        yield f"file {path}", [found.st_mode, found.st_nlink, found.st_size, found.st_blocks]
    for path in SHARED.split():
        found = os.stat(path)
        yield f"times {path}", [found.st_ino, found.st_mtime_ns, found.st_atime_ns, found.st_ctime_ns]


def read_all():
    """Return the answers by question."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    answers = {"blocks": [used.ru_majflt, used.ru_inblock, used.ru_oublock]}
    answers |= ask_files()
    answers |= {f"limits {pid}": [resource.prlimit(pid, which) for which in range(16)] for pid in (0, FIRST)}
    answers |= {f"option {number}": ask_option(number) for number in OPTIONS}
    answers |= {f"prctl {number}": LIBC.prctl(number, 0, 0, 0, 0) for number in CONTROLS}
    answers |= {f"vector {number}": LIBC.getauxval(number) for number in VECTOR}
    answers |= {
        "numbers": [os.getpid(), os.getppid(), os.getsid(0), os.getpgid(FIRST), os.getgroups()],
        "scheduling": [ask_attributes(0), ask_attributes(FIRST), sorted(os.sched_getaffinity(0))],
        "settings": [os.umask(0o22), os.getcwd(), dict(os.environ), os.uname(), signal.getitimer(0)],
        "signals": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, set()))),
        "descriptors in flight": count_descriptors_in_flight(),
        "signals queued": count_signals(),
        "processes": count_processes(),
        "room in a pipe": count_room(os.pipe),
        "room in a socket": count_room(make_sockets),
        "faults": count_faults(),
    }
    return answers


def send_in_circles():
    """Send sockets over themselves, which only the kernel's collector then closes."""

    def send():
        one, other = socket.socketpair()
        socket.send_fds(one, [b"."], [one.fileno(), other.fileno()])

    count_until_refused(send)


def fill_files():
    count_until_refused(lambda: open(f"/tmp/{os.urandom(8).hex()}", "w").close())
    with open("/tmp/large", "wb") as file:
        count_until_refused(lambda: file.write(bytes(1 << 20)))


def ask_names():
    for number in range(MANY):
        for path in ("/usr", "/proc", "/bot", "/dev"):
            os.path.lexists(f"{path}/no-{number}")


def lower_limits():
    for which in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_NPROC):
        resource.prlimit(FIRST, which, (0, 0))


def lock_images():
    with open(sys.executable, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as memory:
        sum(memory[place] for place in range(0, len(memory), PAGE))


ACTS = {
    "processes that stay": lambda: count_until_refused(fork_sleeper),
    "processes that end": lambda: [os.wait() for _ in range(200) if os.fork() or os._exit(0)],
    "circles": send_in_circles,
    "signals": lambda: (
        signal.pthread_sigmask(signal.SIG_BLOCK, {QUEUED}) and count_until_refused(queue_signal)
    ),
    "sockets": lambda: [count_room(make_sockets) for _ in range(100)],
    "files": fill_files,
    "names": ask_names,
    "limits": lower_limits,
    "images": lock_images,
    "memory": lambda: bytearray(60 << 20),
}


if __name__ == "__main__":
    print(json.dumps(read_all()), flush=True)
    for name in sys.argv[1:]:
        ACTS[name]()
        print(name, flush=True)
    os._exit(0)
