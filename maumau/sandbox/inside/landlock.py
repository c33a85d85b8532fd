"""Landlock: of /proc a program may read the fixed copies and nothing else, not even of its own processes.

A process's files in /proc reveal shared memory: flags of pages, and who else maps them. The kernel's Landlock
refuses to open them, while links such as /proc/self/exe and /dev/stderr still work. It can be applied only
from inside the sandbox, by the process itself: after a warm start by the fork
(entry.py), else by a few lines of Perl or Python that bubblewrap starts and that become the
program. Run as a script, `landlock.py VERSION PATH,PATH… WORD…`, this file is the latter; it imports nothing
of maumau.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys
from collections.abc import Sequence

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
ASK_VERSION, PATH_BENEATH = 1, 1
READ_FILE, REFER = 1 << 2, 1 << 13
QUIET = 1 << 0  # from version 7 on the kernel's audit log would have a line for each refusal
FIRST_WITH_REFER, FIRST_WITH_QUIET = 2, 7
"""Versions: before the first, files cannot be moved from folder to folder, and are copied (EXDEV)."""
NOT_RUN = 127  # exit code of a wrapper whose command cannot be run
MARK = "maumau: cannot run "
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
PROC = "/proc"
CANARY = "/proc/self/stat"  # can be read wherever /proc is open
PERL = "/usr/bin/perl"
ENVIRONMENT = {"LC_ALL": "C"}
"""The environment of the wrapper alone: Perl must not look for a locale, which the sandbox may not have."""
SCRIPT = """
my ($rights, $flags, $readable, @words) = @ARGV;
my $handled = pack("Q", $rights);
my $rules = syscall(444, $handled, 8, 0);
die "no Landlock: $!" if $rules < 0;
opendir(my $root, "/") or die "/: $!";
delete $ENV{LC_ALL};
for my $path ((grep { !m{^/(\\.\\.?|proc)$} && -e } map { "/$_" } readdir $root), split /,/, $readable) {
    sysopen(my $place, $path, 010000000) or die "$path: $!";
    my $rule = pack("Ql", -d $path ? $rights : 4, fileno $place);
    die "$path: $!" if syscall(445, $rules, 1, $rule, 0) < 0;
}
die "not restricted: $!" if syscall(446, $rules, 0 + $flags) < 0;
die "/proc is open" if open(my $canary, "<", "/proc/self/stat");
exec { $words[0] } @words;
print STDERR "maumau: cannot run $words[0]: $!\\n";
exit 127;
"""
"""`_confine_and_run` in Perl, which starts in a fifth of the time where there is one."""


def find_version() -> int:
    """Return the version of the kernel's Landlock; 0 where it has none or may not be asked."""
    return max(0, _call_kernel(CREATE_RULESET, None, 0, ASK_VERSION))


def confine_reading(version: int, readable: Sequence[str]) -> None:
    """Restrict this process and its children to reading these files of /proc, and all files elsewhere.

    `version` is the kernel's Landlock. The process must be unable to gain rights (PR_SET_NO_NEW_PRIVS).
    OSError if /proc is still open afterwards.
    """
    names = (f"/{name}" for name in os.listdir("/"))  # noqa: PTH208  # pathlib is not the SDK's
    shown = [path for path in names if path != PROC and os.path.exists(path)]  # noqa: PTH110  # a link into nothing
    rights, flags = _choose_rights(version), _choose_flags(version)
    rules = _check_call(CREATE_RULESET, struct.pack("Q", rights), 8, 0)
    try:
        for path in (*shown, *readable):
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                allowed = rights if os.path.isdir(path) else READ_FILE  # noqa: PTH112
                _check_call(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", allowed, place), 0)
            finally:
                os.close(place)
        _check_call(RESTRICT_SELF, rules, flags)
    finally:
        os.close(rules)
    if not is_closed():
        raise PermissionError(f"{CANARY} can be read in spite of Landlock")


def is_closed() -> bool:
    """Return True if this process can read nothing of itself in /proc."""
    try:
        os.close(os.open(CANARY, os.O_RDONLY | os.O_CLOEXEC))
    except OSError:
        return True
    return False


def list_wrapper(version: int, readable: Sequence[str], site: str) -> list[str]:
    """Return the words that confine the command after them; `site`: where the wall has the library."""
    files = ",".join(readable)
    if os.path.isfile(PERL):  # noqa: PTH113  # ditto
        rights, flags = _choose_rights(version), _choose_flags(version)
        return [PERL, "-e", SCRIPT, "--", str(rights), str(flags), files]
    return ["python3", "-I", "-S", f"{site}/maumau/sandbox/inside/landlock.py", str(version), files]


def _choose_rights(version: int) -> int:
    """Return the rights that are refused without a rule; moving between folders always is unless named."""
    return READ_FILE | (REFER if version >= FIRST_WITH_REFER else 0)


def _choose_flags(version: int) -> int:
    return QUIET if version >= FIRST_WITH_QUIET else 0


def _confine_and_run(version: int, readable: list[str], words: list[str]) -> None:
    """Confine this process and run the words in its place, with signals as they were before Python."""
    confine_reading(version, readable)
    for name in ENVIRONMENT:
        os.environ.pop(name, None)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(words[0], words)  # noqa: S606  # there is no shell
    except OSError as error:
        sys.stderr.write(f"{MARK}{words[0]}: {error.strerror}\n")
        raise SystemExit(NOT_RUN) from None


def _check_call(number: int, *values: int | bytes) -> int:
    done = _call_kernel(number, *values)
    if done < 0:
        raise OSError(ctypes.get_errno(), f"Landlock: {os.strerror(ctypes.get_errno())}")
    return done


def _call_kernel(number: int, *values: int | bytes | None) -> int:
    return int(LIBC.syscall(number, *values))


if __name__ == "__main__":
    _confine_and_run(int(sys.argv[1]), sys.argv[2].split(","), sys.argv[3:])
