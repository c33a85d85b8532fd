"""The `process` tier: an ordinary process with limits, for programs that are trusted."""

from __future__ import annotations

import subprocess

from maumau.errors import PlatformFault
from maumau.sandbox.files import offer
from maumau.sandbox.files.runtime import build_environment, find_runtime
from maumau.sandbox.launch import Launch, compute_limits, write_prlimit
from maumau.sandbox.sandboxed_process import SandboxedProcess


class Plain:
    """Limits of CPU, memory, files and processes; programs have the file access of the referee's user."""

    name = "process"
    isolated = False
    counted = False

    def __init__(self, because: str = "") -> None:
        self.says = (
            f"process: limits only, programs are not kept from this machine or from each other{because}"
        )
        self._runtime = find_runtime(own_user=False)
        self._tools = offer.list_homes(own_user=False)

    def holds_in_memory(self, runtime: str) -> bool:  # noqa: ARG002
        """Return False: programs always use the machine's own files."""
        return False

    def prepare(self) -> None:
        """Do nothing: there is nothing to prepare."""

    def start(self, launch: Launch) -> SandboxedProcess:
        """Start in the program's folder, in a session of its own."""
        python = launch.runtime == "python"
        command = write_prlimit(compute_limits(launch, memory=python, processes=False)) + launch.run
        try:
            process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=launch.folder,
                env=build_environment(self._runtime, str(self._runtime.site), self._tools),
                start_new_session=True,
            )
        except OSError as error:
            raise PlatformFault(f"No process can be started: {error}.") from error
        return SandboxedProcess(process, process.pid, most_mib=0 if python else launch.limits.memory_mib)
