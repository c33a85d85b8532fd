"""The compiled engine: made in the background, kept for its sources, and used only when it is whole."""

from __future__ import annotations

import argparse
import ast
import fcntl
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench.support.patience import Deadline, patient
from maumau.engine import background, build, cache, modules, state, toolchain
from maumau.engine.choice import CHOICE
from maumau.sandbox.files import runtime
from services.supervisor.process.forked import ENGINE as PASSED_ON
from tests.support.variables import ENGINE

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
TINY = """
from typing import Final

BASE: Final = {base}

def add(number: int) -> int:
    return number + BASE
"""
TRIAL = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
tiny = importlib.import_module("maumau.game.tiny")
print("source" if tiny.__file__.endswith(".py") else "compiled", tiny.add(1))
"""
ASKS = """
import importlib
tiny = importlib.import_module("maumau.game.tiny")
print(tiny.add(1), "compiled" if type(tiny.add).__name__ == "builtin_function_or_method" else "source")
"""


class Tiny:
    """A checkout of the same mechanism with an engine of one small module, and a home for its cache."""

    def __init__(self, folder: Path) -> None:
        self.root, self.cache = folder / "checkout", folder / "home/.cache/maumau"
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(folder / "home"), ENGINE: "auto",
            "PYTHONDONTWRITEBYTECODE": "1",  # a change within a second, of the same size, would escape it
        }  # fmt: skip
        (folder / "home").mkdir()
        for name in ("game", "variants"):
            (self.root / "maumau" / name).mkdir(parents=True)
        shutil.copytree(ROOT / "maumau/engine", self.root / "maumau/engine")
        shutil.copy(ROOT / "maumau/__init__.py", self.root / "maumau")
        shutil.copy(ROOT / "pyproject.toml", self.root)
        recipe = self.root / "maumau/engine/modules.py"
        recipe.write_text(
            re.sub(r"^TABLE = \(.*?^\)$", "TABLE = ()", recipe.read_text(), flags=re.DOTALL | re.MULTILINE)
        )
        (self.root / "maumau/engine/trial.py").write_text(TRIAL)
        (self.root / "maumau/game/__init__.py").write_text("")
        self.change(1)

    def change(self, base: int) -> None:
        (self.root / "maumau/game" / "tiny.py").write_text(TINY.format(base=base))

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words], cwd=self.root, env=self.env | more, text=True, capture_output=True,
            check=False, timeout=patient(120),
        )  # fmt: skip

    def ask(self, **more: str) -> str:
        """Return what a new process adds to one, and with which engine."""
        done = self.run("-c", ASKS, **more)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def build(self, **more: str) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "maumau.engine.build", "--wait", **more)

    def kept(self) -> list[Path]:
        return sorted(self.cache.glob("engine-*"))

    def start(self, **more: str) -> int:
        """Start a build in the background from a process that ends at once; return its process id."""
        done = self.run("-c", "from maumau.engine import background; print(background.start())", **more)
        assert done.returncode == 0, done.stderr
        return int(done.stdout)


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Tiny:
    """Return a checkout whose tiny engine is compiled: the one build of this file."""
    if toolchain.explain_missing():
        pytest.skip(toolchain.explain_missing())
    tiny = Tiny(tmp_path_factory.mktemp("built"))
    assert tiny.ask() == "2 source"
    done = tiny.build()
    assert done.returncode == 0, done.stderr
    return tiny


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    return Tiny(tmp_path)


@pytest.fixture
def copied(built: Tiny, tmp_path: Path) -> Tiny:
    """Return a second checkout with a cache of its own that already has the build."""
    copied = Tiny(tmp_path)
    shutil.copytree(built.cache, copied.cache, copy_function=shutil.copy2)
    copied.cache.chmod(0o700)
    return copied


def test_a_build_serves_every_later_process_and_a_second_checkout_and_is_made_once(built, copied):
    assert built.ask() == copied.ask() == "2 compiled"
    assert copied.ask(**{ENGINE: "kept"}) == "2 compiled"
    assert copied.ask(**{ENGINE: "source"}) == copied.ask(**{ENGINE: "compiled"}) == "2 source"
    before = [path.stat().st_ino for path in copied.kept()]
    assert len(before) == 1
    done = copied.build(CC=toolchain.find_compiler(), PATH="/usr/bin:/bin")
    assert (done.returncode, done.stdout.strip()) == (0, str(copied.kept()[0]))
    assert [path.stat().st_ino for path in copied.kept()] == before
    assert copied.start() == 0


def test_only_its_user_can_read_or_write_a_build(built):
    for path in (built.cache, *built.kept(), *built.kept()[0].rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_changed_source_is_played_from_source_until_it_is_changed_back(copied):
    copied.change(2)
    assert copied.ask() == "3 source"
    copied.change(1)
    assert copied.ask() == "2 compiled"
    (copied.root / "maumau/errors").mkdir()
    (copied.root / "maumau/errors" / "other.py").write_text("NUMBER = 1\n")  # compiled modules may import it
    assert copied.ask() == "2 source"


def test_modules_left_in_place_are_used_only_where_they_were_installed(copied):
    kept = copied.kept()[0]
    for path in kept.rglob("*.so"):
        shutil.copy(path, copied.root / path.relative_to(kept))
    copied.change(2)
    assert copied.ask() == "3 source"
    (copied.root / "pyproject.toml").unlink()  # an installation: nobody changes its sources
    copied.change(1)
    assert copied.ask(**{ENGINE: "source"}) == "2 compiled"


def damage_manifest(folder: Path) -> None:
    (folder / cache.MANIFEST).write_bytes(b"{")


def cut_module(folder: Path) -> None:
    path = next(folder.rglob("tiny*.so"))
    path.write_bytes(path.read_bytes()[:-1])


def remove_library(folder: Path) -> None:
    next(folder.glob(f"{modules.LIBRARY}*")).unlink()


def replace_library(folder: Path) -> None:
    path = next(folder.glob(f"{modules.LIBRARY}*"))
    path.write_bytes(b"\0" * path.stat().st_size)  # as a disk may have it after a loss of power


def damage_module(folder: Path) -> None:
    path = next(folder.rglob("tiny*.so"))
    path.write_bytes(b"\0" * path.stat().st_size)


def damage_module_unseen(folder: Path) -> None:
    """As a disk may have it after a loss of power: size and times are those of the list."""
    path = next(folder.rglob("tiny*.so"))
    there = path.stat()
    path.write_bytes(b"\0" * there.st_size)
    os.utime(path, ns=(there.st_atime_ns, there.st_mtime_ns))


def change_one_byte(folder: Path) -> None:
    path = next(folder.glob(f"{modules.LIBRARY}*"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def read_list(folder: Path) -> dict[str, list[str]]:
    return json.loads((folder / cache.MANIFEST).read_bytes())


def lead_out(folder: Path) -> None:
    """List a module of another folder, whole and with its right hash."""
    listed = read_list(folder)
    for name, (place, *_) in listed.items():
        if name.endswith("tiny"):
            (folder / place).rename(folder.parent / "up.so")
            listed[name][0] = "../up.so"
    (folder / cache.MANIFEST).write_text(json.dumps(listed))


def list_without_hashes(folder: Path) -> None:
    listed = {name: entry[:2] for name, entry in read_list(folder).items()}  # as earlier versions did
    (folder / cache.MANIFEST).write_text(json.dumps(listed))


def nest_manifest(folder: Path) -> None:
    (folder / cache.MANIFEST).write_text("[" * 200_000)


def pipe_manifest(folder: Path) -> None:
    (folder / cache.MANIFEST).unlink()
    os.mkfifo(folder / cache.MANIFEST, 0o600)


def pipe_mark(folder: Path) -> None:
    """A mark that is a pipe is not waited for, and the hashes are compared."""
    (folder / cache.CHECKED).unlink(missing_ok=True)
    os.mkfifo(folder / cache.CHECKED, 0o600)
    damage_module(folder)


def swell_manifest(folder: Path) -> None:
    with (folder / cache.MANIFEST).open("a") as file:
        file.write(" " * cache.LARGEST)


def open_parent(folder: Path) -> None:
    folder.parents[1].chmod(0o777)


def open_home(folder: Path) -> None:
    folder.parents[2].chmod(0o777)


def link_module(folder: Path) -> None:
    path = next(folder.rglob("tiny*.so"))
    path.rename(folder.parent / "moved")
    path.symlink_to(folder.parent / "moved")


def open_module(folder: Path) -> None:
    next(folder.rglob("tiny*.so")).chmod(0o722)


def open_cache(folder: Path) -> None:
    folder.parent.chmod(0o770)


@pytest.mark.parametrize(
    "damage",
    [
        damage_manifest, cut_module, remove_library, replace_library, link_module, open_module, open_cache,
        damage_module, damage_module_unseen, change_one_byte, lead_out, list_without_hashes, nest_manifest,
        pipe_manifest, pipe_mark, swell_manifest, open_parent, open_home,
    ],
)  # fmt: skip
def test_a_build_that_is_not_whole_or_that_others_could_write_is_not_used(copied, damage, monkeypatch):
    (kept,) = copied.kept()
    monkeypatch.setenv("XDG_CACHE_HOME", str(copied.cache.parent))
    assert cache.read_build(kept)  # so that its hashes count as compared
    damage(kept)
    assert copied.ask() == "2 source"


def test_hashes_are_compared_once_for_each_boot_and_change(copied, tmp_path, monkeypatch):
    (kept,) = copied.kept()
    read, whole = [], Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path.name) or whole(path))

    def count() -> int:
        read.clear()
        assert cache.read_build(kept)
        return sum(name.endswith(".so") for name in read)

    files = len(read_list(kept))
    assert [count(), count()] == [files, 0]
    (kept / "used").touch()
    assert count() == 0
    next(kept.rglob("tiny*.so")).touch()
    assert [count(), count()] == [files, 0]
    monkeypatch.setattr(cache, "BOOT", tmp_path / "boot")
    (tmp_path / "boot").write_text("another\n")
    assert [count(), count()] == [files, 0]
    (tmp_path / "boot").unlink()  # a system that does not tell
    assert [count(), count()] == [files, files]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_belongs_to_somebody_else_is_neither_used_nor_written_to(copied, tmp_path):
    (module,) = copied.kept()[0].rglob("tiny*.so")
    os.chown(module, 1234, 1234)
    assert copied.ask() == "2 source"
    os.chown(module, 0, 0)
    os.chown(copied.cache.parent, 1234, 1234)  # he could put another cache of root's there
    assert copied.ask() == "2 source"
    os.chown(copied.cache.parent, 0, 0)
    assert copied.ask() == "2 compiled"
    os.chown(copied.cache, 1234, 1234)
    assert copied.ask() == "2 source"
    other = tmp_path / "other"
    other.mkdir()
    os.chown(other, 1234, 1234)  # root with a user's HOME
    assert copied.build(HOME=str(other)).stderr.strip().endswith("belongs to another user")
    assert not list(other.iterdir())


def test_a_cache_that_cannot_be_written_still_serves(copied):
    for path in (copied.kept()[0], copied.cache):
        path.chmod(0o500)
    assert copied.ask() == "2 compiled"
    copied.cache.chmod(0o700)


def test_without_a_home_or_in_one_that_is_no_folder_all_is_played_from_source(tiny, tmp_path):
    del tiny.env["HOME"]
    assert tiny.ask() == "2 source"
    assert tiny.start() == 0
    (tmp_path / "file").write_text("")
    assert tiny.ask(HOME=str(tmp_path / "file")) == "2 source"
    assert tiny.start(HOME=str(tmp_path / "file")) == 0


def test_a_failure_is_noted_and_not_repeated_for_a_day(tiny, tmp_path):
    if toolchain.explain_missing():
        pytest.skip(toolchain.explain_missing())
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho 'error: it is broken' >&2\nexit 1\n")
    broken.chmod(0o755)
    told = {"CC": str(broken)}
    done = tiny.build(**told)
    assert done.returncode == 1
    assert "error: it is broken" in done.stderr
    assert not list(tiny.cache.glob(".draft-*"))
    (note,) = tiny.cache.glob("failed-*")
    asks = "from maumau.engine.background import find_obstacle; print(find_obstacle())"
    assert "error: it is broken" in tiny.run("-c", asks, **told).stdout
    assert tiny.start(**told) == 0
    for change in (-2 * cache.DAY, 2 * cache.DAY):  # the next day, and after a change of the clock
        os.utime(note, (time.time() + change,) * 2)
        assert "broken" not in tiny.run("-c", asks, **told).stdout


def test_what_builds_in_the_background_is_idle_and_has_a_session_of_its_own(tiny, monkeypatch):
    code = (
        "import os; from maumau.engine import build; build._be_idle()\n"
        "print(os.sched_getscheduler(0) == os.SCHED_IDLE, os.nice(0), *open('/proc/self/oom_score_adj'))"
    )
    said = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True, start_new_session=True)
    assert said.split() == ["True", "19", "1000"]
    before = Path("/proc/self/autogroup")
    found = before.read_text() if before.exists() else ""
    subprocess.check_output([sys.executable, "-c", code], cwd=ROOT)
    assert (before.read_text() if before.exists() else "") == found  # the terminal is not slowed down
    started = []
    monkeypatch.setattr(subprocess, "Popen", lambda *words, **how: started.append((words, how)) or process)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tiny.cache.parent))
    process = argparse.Namespace(pid=4711)
    assert background._start() == 4711
    ((words, how),) = started
    assert words == ([sys.executable, "-m", "maumau.engine.build"],)
    assert how["start_new_session"]


def test_a_second_builder_leaves_it_to_the_first_and_remains_of_killed_ones_are_removed(copied):
    left = copied.cache / ".draft-left"
    (left / "source").mkdir(parents=True)
    with (copied.cache / build.LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = copied.run("-m", "maumau.engine.build")
    assert (done.returncode, done.stderr.strip()) == (1, "another process is building")
    assert left.exists()
    assert copied.run("-m", "maumau.engine.build").returncode == 0
    assert not left.exists()


def test_a_build_that_has_begun_is_told_from_one_that_is_to_come(monkeypatch, tmp_path):
    monkeypatch.setenv(ENGINE, "auto")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(CHOICE, "build", None)
    words = "not compiled yet: it will be, in the background, after the next demonstration, duel or league"
    assert state.describe().words == words
    with (cache.open_folder() / build.LOCK).open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert state.describe().words == "not compiled yet: it is being compiled in the background"
        fcntl.flock(lock, fcntl.LOCK_SH)  # somebody else only asks
        assert state.describe().words == words
    assert state.describe().words == words  # a killed build has left its lock behind


def test_what_is_missing_is_said_in_one_phrase(monkeypatch):
    monkeypatch.setenv(ENGINE, "auto")
    monkeypatch.setenv("CC", "/missing/cc")
    obstacle = background.find_obstacle()
    assert obstacle == "there is no C compiler"
    monkeypatch.setattr(CHOICE, "build", None)
    assert state.describe().words == f"not compiled: {obstacle}"
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    with pytest.raises(cache.Unusable, match="there is no home folder"):
        cache.get_folder()


def test_a_command_of_several_words_is_the_compiler(monkeypatch, tmp_path):
    first, second = tmp_path / "first cache", tmp_path / "second"
    for path in (first, second):
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    monkeypatch.setenv("CC", shlex.join([str(first), str(second), "-O0"]))
    assert shlex.split(toolchain.find_compiler()) == [str(first), str(second), "-O0"]
    before = toolchain.compute_tools()
    assert toolchain.compute_tools() == before
    second.write_text("#!/bin/sh\nexit 1\n")  # the compiler behind the cache is another one
    assert toolchain.compute_tools() != before
    said = tmp_path / "said"
    second.write_text(f'#!/bin/sh\necho "$@" > {said}\n')
    first.write_text('#!/bin/sh\n"$@"\n')
    build._check_compiler(tmp_path, build._prepare_environment(tmp_path))
    assert said.read_text().startswith("-O0 -shared ")


@pytest.mark.parametrize("given", ["'", '"cc', "cc \\", "/missing/cc -O2", "\0", "' '"])
def test_a_compiler_that_cannot_be_read_is_none(monkeypatch, given):
    monkeypatch.setenv(ENGINE, "auto")
    monkeypatch.setattr(CHOICE, "build", None)
    monkeypatch.setattr(os, "environ", {**os.environ, "CC": given})
    assert state.describe().words == "not compiled: there is no C compiler"
    assert background.start() == 0


def test_a_question_for_a_build_that_is_not_there_says_how_to_make_one(tiny):
    done = tiny.run("-m", "maumau.engine.build", "--kept")
    words = "error: there is no build of these sources: `make compiled` makes one"
    assert (done.returncode, done.stderr.strip()) == (1, words)


# --- programs of a build ---


def wait_until_gone(pid: int) -> None:
    """Wait until a process has ended: gone, or a zombie that its parent has not asked about."""
    deadline = Deadline(30)
    while not deadline.has_passed():
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except OSError:
            return
        deadline.pause()
    raise AssertionError(f"{pid} lives")


def test_a_compiler_that_hangs_is_ended_with_its_children_and_one_that_computes_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "STILL", 0.3)
    monkeypatch.setattr(build, "LOOK", 0.05)
    hangs = ["sh", "-c", "sleep 1000 & echo $! > child; wait"]
    with pytest.raises(build.BuildFailed, match="compiling failed: it hung"):
        build._run("compiling", hangs, tmp_path)
    wait_until_gone(int((tmp_path / "child").read_text()))
    computes = "import time\nwhile time.process_time() < 0.7: pass\nprint('done')"
    assert build._run("compiling", [sys.executable, "-S", "-c", computes], tmp_path) == "done\n"


def test_what_a_program_leaves_behind_is_ended_and_its_end_is_told(tmp_path):
    leaves = "sleep 1000 > /dev/null 2>&1 & echo $!"
    wait_until_gone(int(build._run("compiling", ["sh", "-c", leaves], tmp_path)))
    with pytest.raises(build.BuildFailed, match=r"\(exit code 3\): an error: it is bad"):
        build._run("compiling", ["sh", "-c", "echo an error: it is bad >&2; exit 3"], tmp_path)
    with pytest.raises(build.Interrupted, match="exit code -15"):
        build._run("compiling", ["sh", "-c", "kill -TERM $$"], tmp_path)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_compiler_ends_with_its_builder(tmp_path, number):
    hangs = "sleep 1000 & echo $! > child.new; mv child.new child; wait"
    code = f"import pathlib; from maumau.engine import build; build._run('', ['sh', '-c', {hangs!r}], "
    builder = subprocess.Popen([sys.executable, "-c", f"{code}pathlib.Path({str(tmp_path)!r}))"], cwd=ROOT)
    deadline = Deadline(60)
    while not (tmp_path / "child").exists():
        assert builder.poll() is None
        assert not deadline.has_passed()
        deadline.pause()
    builder.send_signal(number)
    builder.wait(patient(30))
    wait_until_gone(int((tmp_path / "child").read_text()))


def test_a_setting_that_is_none_is_named(monkeypatch):
    monkeypatch.setattr(CHOICE, "build", None)
    monkeypatch.setenv(ENGINE, "compiled")
    assert "MAUMAU_ENGINE='compiled' is not one of auto, kept, source" in state.describe().words
    monkeypatch.setenv(ENGINE, "source")
    assert state.describe().words == "not compiled, as MAUMAU_ENGINE=source asks"


def test_too_little_room_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(toolchain, "NEEDED_ROOM", 1 << 40)
    assert "are free in" in toolchain.explain_shortage(tmp_path)
    monkeypatch.setattr(toolchain, "NEEDED_MEMORY", 1 << 40)
    assert "of memory are free" in toolchain.explain_shortage(tmp_path)


def test_builds_that_nobody_used_for_long_are_removed_but_none_of_the_future(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = cache.open_folder()
    ages = {"engine-old": 2 * cache.KEPT, "engine-new": 0, "engine-future": -2 * cache.KEPT}
    for name, age in ages.items():
        (folder / name).mkdir(mode=0o700)
        (folder / name / cache.USED).touch()
        os.utime(folder / name / cache.USED, (time.time() - age,) * 2)
    assert [path.name for path in cache.list_unused()] == ["engine-old"]


def test_what_compiled_modules_import_is_part_of_their_hash():
    hashed, waiting = set(modules.list_sources()), modules.list_modules()
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for node in ast.walk(ast.parse((ROOT / name).read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("maumau."):
                path = str(node.module).replace(".", "/")
                tried = [
                    f"{path}.py",
                    f"{path}/__init__.py",
                    *(f"{path}/{each.name}.py" for each in node.names),
                ]
                waiting += [one for one in tried if (ROOT / one).exists()]
    assert len(seen) > len(modules.list_modules())
    foreign = {
        name for name in seen - hashed if not name.startswith("maumau/engine/")
    }  # it compiles nothing in
    assert foreign == set()


def test_no_compiled_module_asks_where_it_lies():
    """That is in the cache, and not beside the variants."""
    asking = [name for name in modules.list_modules() if "__file__" in (ROOT / name).read_text()]
    assert asking == []


def test_no_compiled_function_takes_options_beside_a_parameter_of_the_same_name():
    """Compiled, a positional-only parameter has a name: an option `name` was a TypeError, not a refusal."""
    taking = [
        f"{name}: {node.name}"
        for name in modules.list_modules()
        for node in ast.walk(ast.parse((ROOT / name).read_text()))
        if isinstance(node, ast.FunctionDef) and node.args.posonlyargs and node.args.kwarg
    ]
    assert taking == []


def test_no_test_starts_a_program_that_would_compile_behind_it():
    assert os.environ[ENGINE] != "auto"
    assert PASSED_ON == ENGINE
    files = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "bench/support").rglob("*.py")]
    stripping = [path.name for path in files if re.search(r"startswith\(\(?\"MAUMAU_\"", path.read_text())]
    assert stripping == []


@pytest.mark.parametrize(
    ("code", "said", "passes"),
    [
        (1, "bad.c:1: error: expected ';'", False),
        (1, "gcc: fatal error: Killed signal terminated program cc1", False),  # no memory: not every start
        (1, "gcc: fatal error: Terminated signal terminated program cc1", True),
        (1, "error: [Errno 28] No space left on device", True),
        (-15, "", True),
        (-9, "", False),
    ],
)
def test_a_shutdown_and_a_full_disk_are_no_failures_of_the_compiler(code, said, passes):
    error = build._explain_failure("compiling", code, f"a warning\n{said}\nmore")
    assert isinstance(error, build.Interrupted) is passes
    assert said in str(error)


def test_a_sandbox_gets_the_compiled_modules_of_the_build_in_use_that_bots_import(tmp_path, monkeypatch):
    names = {
        module: tmp_path / f"{module.replace('.', '/')}{modules.SUFFIX}"
        for module in (modules.LIBRARY, "maumau.game.deal", "maumau.protocol.question", "maumau.referee.play")
    }
    monkeypatch.setattr(CHOICE, "_is_made", True)
    monkeypatch.setattr(CHOICE, "build", cache.Build(tmp_path, names))
    compiled = {inside for inside, path in runtime.site_files() if path.is_relative_to(tmp_path)}
    wanted = (modules.LIBRARY, "maumau/game/deal", "maumau/protocol/question")
    assert compiled == {f"{name}{modules.SUFFIX}" for name in wanted}
    monkeypatch.setattr(CHOICE, "build", None)
    own = [inside for inside, path in runtime.site_files() if path.is_relative_to(ROOT / "maumau")]
    assert own
    assert not [name for name in own if name.endswith(".so")]


def test_a_kept_build_of_these_sources_plays_what_they_play(not_tested):
    there = {**os.environ, ENGINE: "kept"}
    played = {}
    for name in ("source", "kept"):
        command = [sys.executable, str(build.TRIAL), str(ROOT)]
        env = {**there, ENGINE: name}
        played[name] = subprocess.run(
            command, env=env, cwd=ROOT, text=True, capture_output=True, check=True
        ).stdout
    if played["kept"].startswith("source"):
        not_tested("the compiled engine", "there is no build of these sources: make compiled")
    assert played["kept"].split()[1:] == played["source"].split()[1:]
