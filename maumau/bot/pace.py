"""The command `python -m maumau.bot.pace`, under the name that it had first; see maumau/referee/pace.py."""

import runpy

if __name__ == "__main__":
    runpy.run_module("maumau.referee.pace", run_name="__main__")
