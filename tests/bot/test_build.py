"""The build step: in the sandbox, within limits, with a log; what it leaves behind is read as an upload."""

from __future__ import annotations

import json
import re
import shutil
import uuid

import pytest

from maumau import errors
from maumau.protocol import limit
from maumau.protocol.limit import RunLimits, UploadLimits
from maumau.protocol.manifest import parse_manifest
from maumau.sandbox.files import offer
from maumau.sandbox.sandboxed_process import SandboxedProcess
from maumau.submission import build
from maumau.submission.build import build_log, prepare_program
from maumau.submission.validate import validate_program

COMPILED = """
#include <stdio.h>
#include <string.h>
static char line[1 << 17];
int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        char *legal = strstr(line, "\\"legal\\":[\\"");
        if (strncmp(line, "{\\"hello\\":", 9) == 0) puts("{\\"ready\\":\\"c\\"}");
        else if (strstr(line, "\\"bye\\":")) return 0;
        else if (legal) { legal += 10; printf("%.*s\\n", (int)(strchr(legal, '"') - legal), legal); }
    }
}
"""


@pytest.fixture
def made(submit):
    """Return a program whose build step runs this Python code, with a mark that makes it a new one."""

    def program(code: str, run: str = '["python3", "bot.py"]', **files: str):
        toml = f'build = ["python3", "make.py", "{uuid.uuid4().hex}"]\nrun = {run}\nruntime = "native"\n'
        return submit("good", toml, **{"make.py": code}, **files)

    return program


@pytest.mark.sample
@pytest.mark.parametrize("tier", ["bwrap", "process"])
def test_a_program_that_must_be_built_is_built_and_plays(request, submit, tier):
    if shutil.which("gcc") is None:
        pytest.skip("NOT TESTED here: a compiled program: there is no gcc")
    sandbox = request.getfixturevalue(tier)
    toml = 'build = ["gcc", "-O1", "-v", "-o", "bot", "bot.c"]\nrun = ["./bot"]\nruntime = "c++"\n'
    toml += f'rules = ["prsi"]\nseats = [2]\n# {uuid.uuid4().hex}\n'
    program = submit("good", toml, **{"bot.c": COMPILED})
    report = validate_program(program, sandbox)
    assert report.ok, report.words + report.log
    assert "built in" in report.log
    assert "gcc version" in report.log


def test_it_is_built_once_on_a_machine(bwrap, made):
    program, said = made("print('at work')"), []
    one, two = (prepare_program(program, bwrap, say=said.append) for _ in range(2))
    assert one.folder == two.folder != program.folder
    assert said == ["building good"]
    assert "at work" in build_log(one)
    assert (one.sha256, one.manifest) == (program.sha256, program.manifest)


def test_a_program_without_a_build_step_is_played_as_it_is(bwrap, submit):
    program = submit("good")
    assert prepare_program(program, bwrap) is program
    assert build_log(program) == ""


def test_a_build_that_fails_refuses_the_program_with_its_log(bwrap, made):
    report = validate_program(made("print('line one'); raise SystemExit('bot.c:3: error')"), bwrap)
    assert not report.ok
    assert report.words.startswith("the build step failed: it ended with exit code 1; its log ends: line one")
    assert "bot.c:3: error" in report.log


def test_a_build_command_that_is_not_there_is_named(bwrap, submit):
    toml = f'build = ["no-such-tool", "{uuid.uuid4().hex}"]\nrun = ["./bot"]\n'
    with pytest.raises(errors.BuildFailed, match="no-such-tool cannot be run: No such file"):
        prepare_program(submit("good", toml), bwrap)


SNOOPS = """
import json, os, pathlib, socket, subprocess, sys
def refused(act):
    try: act()
    except OSError: return True
    return False
pathlib.Path("seen.json").write_text(json.dumps({
    "network": refused(lambda: socket.create_connection(("127.0.0.1", 1), 1)),
    "others": refused(lambda: os.listdir(SECRET)),
    "write": refused(lambda: open("/usr/x", "w")) and refused(lambda: open("/bot/x", "w")),
    "environment": not any(name.startswith("MAUMAU") for name in os.environ),
    "processes": len([name for name in os.listdir("/proc") if name.isdigit()]) < 10,
}))
"""


def test_a_build_step_sees_no_network_no_files_of_others_and_writes_only_its_own(bwrap, made, room):
    program = prepare_program(made(SNOOPS.replace("SECRET", repr(str(room)))), bwrap)
    seen = json.loads((program.folder / "seen.json").read_text())
    assert seen == dict.fromkeys(("network", "others", "write", "environment", "processes"), True)


def test_what_is_no_plain_file_is_left_out(bwrap, made):
    code = """
import os
os.symlink("/etc/passwd", "link"); os.mkfifo("pipe"); os.mkdir("kept"); open("kept/a", "w").write("1")
os.link("kept/a", "twin")
"""
    built = prepare_program(made(code), bwrap)
    names = {path.name for path in built.folder.rglob("*")}
    assert {"kept", "a", "twin", "bot.py"} <= names
    assert not {"link", "pipe"} & names
    assert "not a regular file: link" in build_log(built)


def test_a_build_that_the_host_kept_from_its_core_is_no_failure_of_the_program(bwrap, made, monkeypatch):
    monkeypatch.setattr(build, "BUILD", RunLimits(init_wall=1.0))
    monkeypatch.setattr(SandboxedProcess, "delay", lambda _: 1.0)  # the kernel's clock of waiting for a core
    with pytest.raises(errors.PlatformFault, match="The host stalled"):
        prepare_program(made("import time; time.sleep(60)"), bwrap)


KILLED = """
import os, pathlib, signal
tries = pathlib.Path({count!r})
tries.write_text(tries.read_text() + "x")
if len(tries.read_text()) <= {kills}:
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def kill(made, tmp_path, process):
    """Return a program whose first builds are killed, and a function that counts its builds.

    In the sandbox without walls, so that the build can count.
    """

    def kill(kills):
        tries = tmp_path / "tries"
        tries.write_text("")
        program = made(KILLED.format(count=str(tries), kills=kills))
        return program, lambda: len(tries.read_text())

    return kill


def test_a_build_that_is_killed_from_outside_is_done_again(process, kill):
    program, count = kill(1)
    assert prepare_program(program, process).built
    assert count() == 2


def test_a_build_that_is_killed_twice_refuses_the_program(process, kill):
    program, count = kill(5)
    words = r"failed: it ended with signal 9 \(SIGKILL\); it was the second time"
    with pytest.raises(errors.BuildFailed, match=words):
        prepare_program(program, process)
    assert count() == 2


def test_a_build_with_a_process_that_the_host_has_killed_is_done_again(bwrap, made, monkeypatch):
    """A compiler reports the end of its own child as an error of its own."""
    verdicts = [True, False]
    monkeypatch.setattr(SandboxedProcess, "was_killed_for_host", lambda _: verdicts.pop(0))
    with pytest.raises(errors.BuildFailed, match="exit code 4") as failed:
        prepare_program(made("raise SystemExit(4)"), bwrap)
    assert "second time" not in str(failed.value)
    assert not verdicts


FORGED = """
import io, os, sys, zipfile
data = io.BytesIO()
with zipfile.ZipFile(data, "w") as archive: archive.writestr("{name}", "x")
sys.stdout.buffer.write(data.getvalue())
"""


@pytest.mark.sample
@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("open('big', 'wb').write(os.urandom(3 << 20))", "more than the 2,097,152 bytes allowed when"),
        ("[open(str(n), 'w') for n in range(200)]", "more than the 100 files allowed"),
        ("while True: pass", "more than 1 s of CPU time"),
        ("import time; time.sleep(60)", "not done after 2 s"),
        ("x = bytearray(1 << 30)", "memory|MemoryError|signal 9"),
        ("[os.fork() for _ in range(20)]\nwhile True: pass", "failed"),
    ],
)
def test_a_build_that_takes_too_much_is_refused_and_gone(bwrap, made, mark, monkeypatch, code, words):
    wall = 2.0 if "not done" in words else 60.0
    small = RunLimits(memory_mib=128, processes=64, tmp_mib=64, init_cpu=1.0, init_wall=wall)
    monkeypatch.setattr(build, "BUILD", small)
    monkeypatch.setattr(build, "BUILT", UploadLimits(packed=1 << 22, unpacked=1 << 21, members=100))
    with pytest.raises(errors.BuildFailed, match=words):
        prepare_program(made(f"import os\n{code}"), bwrap)


@pytest.mark.sample
@pytest.mark.parametrize("name", ["../../escaped", "/tmp/escaped", "a/../../escaped"])
def test_an_archive_that_the_build_forges_leads_nowhere(bwrap, made, monkeypatch, name):
    """The sandbox's output is untrusted: here it is as bad as it can be."""
    monkeypatch.setattr(build, "WRAPPER", ["python3", "-c", FORGED.format(name=name)])
    with pytest.raises(errors.BuildFailed, match=r"left behind is refused.*not a plain path"):
        prepare_program(made(""), bwrap)


@pytest.mark.long
def test_a_build_that_kills_and_forges_from_inside_gains_nothing(bwrap, made):
    code = """
import contextlib, os
for name in os.listdir("/proc/1/fd"):
    with contextlib.suppress(OSError), open(f"/proc/1/fd/{name}", "wb") as pipe:
        pipe.write(b"PK no archive")
with contextlib.suppress(OSError): os.kill(1, 9)
"""
    report = validate_program(made(code), bwrap)
    # the first pipe may be that on which process 1 still waits to hear that the build began
    assert report.ok or re.search("no sound zip|the build step failed", report.words)


def test_a_runtime_that_is_not_here_is_refused_with_the_list(bwrap, submit, monkeypatch):
    monkeypatch.setattr(offer, "_find_home", lambda name: None if name == "go" else offer.SYSTEM)
    report = validate_program(submit("good", 'run = ["./bot"]\nruntime = "go"\n'), bwrap)
    assert not report.ok
    assert "the runtime go is not offered here: go was not found in /usr/bin or on the PATH" in report.words
    assert "python, native" in report.words


def test_an_unknown_runtime_is_refused_with_the_list():
    with pytest.raises(errors.BadManifest, match="'cobol' is not offered; there are python, native, node"):
        parse_manifest(b'name = "ab"\nrun = ["a"]\nruntime = "cobol"\n')


def test_a_runtime_outside_usr_is_shown_at_its_own_path(tmp_path, monkeypatch):
    tool = tmp_path / "opt" / "bin" / "node"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\necho v99\n")
    tool.chmod(0o755)
    monkeypatch.setattr(offer, "SYSTEM", tmp_path / "none")
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    offer._find_home.cache_clear()
    found = {each.name: each for each in offer.list_offers(own_user=False)}
    offer_home = offer.list_homes(own_user=False)
    offer._find_home.cache_clear()
    assert found["node"].version == "v99"
    assert tmp_path / "opt" in offer_home


def test_the_limits_of_a_build_are_those_of_the_page():
    assert (limit.BUILD.init_cpu, limit.BUILD.init_wall, limit.BUILD.memory_mib) == (120.0, 300.0, 2048)
