"""Benchmarks of the arena, run by `python -m bench`. They measure the source, but where they say compiled."""

import os

os.environ.setdefault("MAUMAU_ENGINE", "source")  # it is chosen when it is imported; nothing compiles beside
