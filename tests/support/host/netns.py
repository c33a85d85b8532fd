"""A network of a process's own, joined to this host by one cable that can be cut and mended."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Self

from services.supervisor.process.child import LEASH
from tests.support.host import debian, steady_network
from tests.support.waiting import until

PACKAGES = ["iproute2", "libbpf1", "libelf1", "libmnl0", "libbsd0", "libcap2", "libxtables12", "libmd0"]
BLOCKS = 1 << 15  # of four addresses each, in 198.18.0.0/15, which is kept for tests of networks
LOST = "pfifo limit 0"  # a queue with room for nothing: what is sent is dropped without an error


class Network:
    """Lives as long as its `with` block, or as this process.

    host, address: of this host's end of the cable and of the far one. OSError, SubprocessError or
    AssertionError if it cannot be made here.
    """

    def __init__(self) -> None:
        self._env = _tools_environment()
        leash = [sys.executable, "-I", "-S", LEASH, str(os.getpid())]
        self._holder = subprocess.Popen([*leash, *_program_words("unshare", "-n", "sleep", "inf")])
        self._cable = f"maumau{self._holder.pid}"
        first = self._holder.pid % BLOCKS * 4
        self.host, self.address = (
            f"198.{18 + (first >> 16)}.{first >> 8 & 255}.{(first & 255) + n}" for n in (1, 2)
        )

    def __enter__(self) -> Self:
        try:
            until(self._is_apart)
            with steady_network.change_alone():
                self._lay_cable()
            self._run_there("ip link set lo up")
        except BaseException:
            self.close()
            raise
        return self

    def _lay_cable(self) -> None:
        """Without addresses of IPv6, which would come by themselves a second later."""
        self._run_here(f"ip link add {self._cable} type veth peer name eth0 netns {self._holder.pid}")
        self._run_here(f"ip link set {self._cable} addrgenmode none")
        for run, end, address in (
            (self._run_here, self._cable, self.host),
            (self._run_there, "eth0", self.address),
        ):
            run(f"ip address add {address}/30 dev {end}")
            run(f"ip link set {end} up")

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the network and its last process."""
        with suppress(OSError, subprocess.SubprocessError), steady_network.change_alone():
            self._run_here(f"ip link delete {self._cable}")
        self._holder.kill()
        self._holder.wait()

    def enter(self) -> list[str]:
        """Return the words before those of a program that shall run there."""
        return _program_words("nsenter", f"--net={self._net}")

    def cut(self) -> None:
        """Cut the cable: packets are lost in both directions, without notice to either side."""
        self._run_here(f"tc qdisc replace dev {self._cable} root {LOST}")
        self._run_there(f"tc qdisc replace dev eth0 root {LOST}")

    def mend(self) -> None:
        self._run_here(f"tc qdisc delete dev {self._cable} root")
        self._run_there("tc qdisc delete dev eth0 root")

    @property
    def _net(self) -> Path:
        return Path(f"/proc/{self._holder.pid}/ns/net")

    def _is_apart(self) -> bool:
        if self._holder.poll() is not None:
            raise OSError("no network namespace can be made; that takes root")
        return not self._net.samefile("/proc/self/ns/net")

    def _run_here(self, command: str) -> None:
        self._run_words(command.split())

    def _run_there(self, command: str) -> None:
        self._run_words([*self.enter(), *command.split()])

    def _run_words(self, words: list[str]) -> None:
        subprocess.run(words, check=True, capture_output=True, env=self._env)


def _program_words(program: str, *words: str) -> list[str]:
    found = shutil.which(program)
    if not found:
        raise OSError(f"there is no {program}")
    return [found, *words]


def _tools_environment() -> dict[str, str]:
    """Return an environment with ip and tc; Debian's are unpacked where this machine has none."""
    env = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}
    if all(shutil.which(one, path=env["PATH"]) for one in ("ip", "tc")):
        return env
    root = debian.unpack_packages("iproute2", *PACKAGES)
    libraries = {str(one.parent) for one in root.rglob("*.so.*")}
    path = f"{root}/bin:{root}/sbin:{root}/usr/sbin:{env['PATH']}"
    return {**env, "PATH": path, "LD_LIBRARY_PATH": ":".join(sorted(libraries))}
