"""Two programs that only draw, with a real worker: the rest of a seating is forfeited, by nobody's fault."""

import json
import signal

import pytest

from maumau.submission.package import pack_submission
from tests.support.waiting import until
from tests.worker.conftest import Process

BOT = """from maumau.bot import Bot, run
class Mine(Bot):
    def act(self, view):
        return next((one for one in ("draw", "pass", "take") if one in view.legal), view.legal[0])
run(Mine)
"""
SPEC = """
name = "{name}"
rules = "prsi"
[[stage]]
format = "single_elimination"
[match]
block = 40
cap = 40
[bot]
deal_ms = 1000
"""


def submit(arena, folder, name):
    folder = folder / name
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    (folder / "bot.toml").write_text(f'name = "{name}"\nrun = ["python3", "bot.py"]\n')
    version = arena.admin.submit(name, pack_submission(folder).archive).version
    arena.pass_validation(version.id, ("prsi",))
    arena.admin.activate(version.id)


@pytest.mark.long
def test_a_stalled_seating_ends_without_a_fault(arena, tmp_path):
    """Each seating of 40 deals ends after four that reach the bound of 350 decisions."""
    cup = arena.admin.create(SPEC.format(name="slow-cup")).name
    arena.admin.open(cup)
    for name in ("slow-one", "slow-two"):
        submit(arena, tmp_path, name)
        arena.admin.enter(cup, name)
    arena.admin.start(cup)
    worker = Process.of(arena, tmp_path / "worker", sandbox="process")
    try:
        until(lambda: arena.admin.tournament(cup).over, 240)
    finally:
        worker.stop(signal.SIGKILL)
    lines = [json.loads(line) for line in arena.export(cup).splitlines()]
    records = "".join(line["record"] for line in lines if line["kind"] == "record")
    seatings = records.split("[maumau 1]")[1:]
    blocks = sum(line["kind"] == "block" for line in lines)  # one more where 40 sets leave them level
    assert len(seatings) == 80 * blocks
    stalled = [one for one in seatings if "\nforfeit A stall\nforfeit B stall\n" in one]
    undecided = [one for one in seatings if one not in stalled and "result places 1 1 " in one]
    assert stalled
    assert len(undecided) == 2 * 4 * blocks
    assert arena.admin.match(cup, "1.1.1").faults == ()
