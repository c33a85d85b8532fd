"""Rights: becoming root, by number, by the system's setuid programs, by capabilities."""

import os
import resource
import shutil
import subprocess

import wall


def become(name, *args):
    return wall.call(name, *args) and 0 in (os.getuid(), os.geteuid(), os.getgid())


def by_program(*command):
    if shutil.which(command[0]) is None:
        raise OSError(wall.errno.ENOENT, command[0])
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=5, check=False)
    return b"uid=0" in done.stdout


def own_setuid():
    shutil.copy("/usr/bin/id", f"/tmp/{wall.MARK}-id")
    os.chmod(f"/tmp/{wall.MARK}-id", 0o6755)
    return by_program(f"/tmp/{wall.MARK}-id")


def capability():
    header, data = (wall.ctypes.c_uint32 * 2)(0x20080522, 0), (wall.ctypes.c_uint32 * 6)(1 << 21, 1 << 21)
    return wall.call("capset", header, data)


def done(act, *args):
    act(*args)
    return True


def raised():
    try:
        resource.setrlimit(resource.RLIMIT_NPROC, (4096, 4096))
    except ValueError:
        return False
    return True


wall.tries(
    become_root=lambda: become("setuid", 0),
    become_root_in_all_ways=lambda: become("setresuid", 0, 0, 0),
    become_another_seat=lambda: done(os.setuid, os.getuid() + 1),
    join_the_group_of_root=lambda: become("setgid", 0),
    join_groups=lambda: done(os.setgroups, [0]),
    become_root_by_su=lambda: by_program("su", "-c", "id"),
    become_root_by_sudo=lambda: by_program("sudo", "-n", "id"),
    become_root_by_a_program_of_its_own=own_setuid,
    take_capabilities=capability,
    give_a_file_away=lambda: done(os.chown, "/tmp", 0, 0),
    raise_a_limit=raised,
)
