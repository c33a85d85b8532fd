"""Ends before it is ready, by a signal that looks like the machine's."""

import os
import signal

import wall

wall.say("not even begun")
os.kill(os.getpid(), signal.SIGKILL if os.getpid() != 1 else signal.SIGSEGV)
os._exit(137)
