"""A referee that is killed while it starts a program: `killed.py MOMENT FOLDER MARK`.

At `reported` bubblewrap is about to say which process it made; at `admitted` that one has its limits and
waits for the word to begin.
"""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from maumau.protocol.limit import RunLimits
from maumau.sandbox import bubblewrap
from maumau.sandbox.launch import Launch, choose_sandbox


def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


def main():
    moment, folder, mark = sys.argv[1:]
    bwrap = choose_sandbox("bwrap")
    setattr(bubblewrap, {"reported": "_inner_process", "admitted": "SandboxedProcess"}[moment], die)
    bwrap.start(Launch(Path(folder), "", ["sleep", "1000", mark], "native", RunLimits(), 60))


main()
