"""Failures of commands: one line, a documented exit code, no traceback."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from bench.support.checkout import ROOT
from maumau import build, game
from maumau.process.extra import say_install
from maumau.protocol.message import VERSION as PROTOCOL
from tests.support.arenas.ready import broken_checkout
from tests.support.terminal import Terminal

NOWHERE = "http://127.0.0.1:1,1"
TALKING = [
    ["whoami"],
    ["login", "--token", "mm_0123456789abcdef"],
    ["login", "--new", "ada"],
    ["bots"],
    ["activate", "greedy"],
    ["retire", "greedy"],
    ["logs", "greedy"],
    ["tournament", "create", "--name", "t", "--rules", "prsi"],
    ["tournament", "open", "t"],
    ["tournament", "enter", "t", "greedy"],
    ["tournament", "withdraw", "t", "greedy"],
    ["tournament", "start", "t"],
    ["tournament", "pause", "t"],
    ["tournament", "resume", "t"],
    ["tournament", "cancel", "t"],
    ["tournament", "list"],
    ["tournament", "show", "t"],
    ["tournament", "watch", "t"],
    ["tournament", "export", "t"],
    ["match", "show", "t", "1.1.1"],
    ["match", "retake", "t", "1.1.1", "--reason", "a test"],
    ["match", "takes", "t", "1.1.1"],
    ["match", "fault", "fault_1"],
]


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


def test_the_help_imports_neither_grpc_nor_the_game() -> None:
    code = "import sys; from maumau.cli.command import build_commands; build_commands(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(done.stdout.split())
    assert not loaded & {"grpc", "google.protobuf", "maumau.game", "numpy", "yaml", "rich.live", "services"}


@pytest.mark.parametrize("words", TALKING, ids=" ".join)
def test_an_arena_that_does_not_answer_is_exit_3(
    words: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from maumau.cli.__main__ import main
    from maumau.client import arena as client

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    quick = {**(client.Arena.__init__.__kwdefaults__ or {}), "patience": 0.0}
    monkeypatch.setattr(client.Arena.__init__, "__kwdefaults__", quick)
    with pytest.raises(SystemExit) as ended:
        main([*words, "--arena", NOWHERE, "--json"])
    said = capsys.readouterr()
    assert ended.value.code == 3
    assert said.out == ""
    assert json.loads(said.err)["error"]["reason"] == "ARENA_UNREACHABLE"


def test_without_any_arena_one_is_told_how_to_start_one(terminal: Terminal) -> None:
    answer = terminal.run("bots", code=3)
    assert answer.err.startswith("error: No arena is known here: start one with `maumau up`")
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["bots", "--nonsense"],
        ["submit"],
        ["tournament", "create", "--name", "t"],
        ["tournament", "create", "spec.toml", "--rules", "prsi"],
        ["tournament", "create", "--name", "t", "--rules", "prsi", "-o", "nonsense"],
        ["logs"],
        ["logs", "greedy", "--service", "registry"],
        ["login", "--new", "ada", "--token", "t", "--arena", NOWHERE],
        ["verify"],
        ["verify", "x", "--jobs", "-1"],
        ["up", "--workers", "many"],
    ],
    ids=" ".join,
)
def test_a_command_that_is_not_understood_is_exit_2(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    from maumau.cli.__main__ import main

    with pytest.raises(SystemExit) as ended:
        main(words)
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    with pytest.raises(SystemExit):
        main([*words, "--json"])
    assert json.loads(capsys.readouterr().err)["error"]["reason"] == "USAGE"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["x"], "'x' is not a whole number"),
        (["1.5"], "'1.5' is not a whole number"),
        (["--", "-1"], "expected a number of at least 0, not -1"),
        (["9999999"], "expected a number of at most 1000000, not 9999999"),
    ],
)
def test_a_number_that_cannot_be_is_told_in_a_sentence(
    given: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from maumau.cli.__main__ import main

    with pytest.raises(SystemExit) as ended:
        main(["ladder", "record", "prsi", "1.1", *given])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"error: Invalid value for 'SET': {words}\n"


def test_a_word_that_is_no_choice_is_told_with_those_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    from maumau.cli.__main__ import main

    with pytest.raises(SystemExit):
        main(["data", "cup", "--format", "xml"])
    words = "'xml' is not one of 'parquet', 'csv', 'jsonl'."
    assert capsys.readouterr().err == f"error: Invalid value for '--format': {words}\n"


def test_a_bad_spec_is_refused_before_anything_is_sent(terminal: Terminal) -> None:
    answer = terminal.run(
        "tournament", "create", "--name", "t", "--rules", "skat", "--arena", NOWHERE, "--json", code=1
    )
    assert answer.error()["reason"] == "UNKNOWN_VARIANT"
    assert "mau_mau" in answer.error()["message"]
    (terminal.home / "spec.toml").write_text('name = "t"\nrules = "prsi"\nstages = []\n')
    answer = terminal.run("tournament", "create", "spec.toml", "--arena", NOWHERE, "--json", code=1)
    assert answer.error()["reason"] == "BAD_SPEC"
    assert "stages" in answer.error()["message"]


def test_a_file_that_is_not_there_is_named(terminal: Terminal) -> None:
    for words in (["verify", "gone.jsonl"], ["tournament", "create", "gone.toml"], ["submit", "gone"]):
        answer = terminal.run(*words, code=1)
        assert "gone" in answer.err
        assert answer.err.count("\n") == 1


@pytest.mark.long
def test_without_grpc_the_arena_commands_say_what_to_install(terminal: Terminal) -> None:
    (terminal.home / "grpc.py").write_text("raise ModuleNotFoundError('no grpc', name='grpc')")
    code = (
        f"import sys; sys.path.insert(0, {str(terminal.home)!r}); from maumau.cli.__main__ import main;"
        f"main(['bots', '--arena', '{NOWHERE}'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 1
    assert "-py3-none-any.whl[arena]'" in done.stderr
    assert done.stderr.count("\n") == 1


HERE: list[tuple[str, int]] = [
    ("--help", 0),
    ("rules list --json", 0),
    ("scenario tests/scenarios/prsi.yaml", 0),
    ("play first greedy --seed 1", 0),
    ("verify gone.jsonl", 1),
    ("nonsense", 2),
    ("bots --arena gone://", 1),
]
"""Commands and how they end when everybody listens."""


def ended(words: str, *, out: bool = True, err: bool = True, shell: str = "") -> tuple[int, str]:
    """Return the exit code of a command, and its stderr, after a reader of a stream has gone."""
    gone, broken = os.pipe()
    os.close(gone)
    try:
        done = subprocess.run(
            ["sh", "-c", f'exec "$0" -m maumau.cli "$@" {shell}', sys.executable, *words.split()], cwd=ROOT,
            stdout=subprocess.PIPE if out else broken, stderr=subprocess.PIPE if err else broken, text=True,
            env={**os.environ, "MAUMAU_SANDBOX": "process"}, check=False,
        )  # fmt: skip
    finally:
        os.close(broken)
    return done.returncode, done.stderr or ""


GONE: list[dict[str, Any]] = [{"out": False}, {"shell": "<&- >&-"}, {"err": False}, {"shell": ">&- 2>&-"}]
"""Closed streams: stdout's reader, stdin with stdout, stderr's reader, stdout with stderr."""
CLOSED = [
    pytest.param(words, code, given, marks=[] if (row + column) % 5 == 0 else pytest.mark.long)
    for row, (words, code) in enumerate(HERE) for column, given in enumerate(GONE)
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("words", "code", "given"), CLOSED)
def test_closed_pipes_and_streams_change_no_exit_code(words: str, code: int, given: dict[str, Any]) -> None:
    found, said = ended(words, **given)
    assert found == code
    assert "Traceback" not in said
    assert "Broken pipe" not in said
    if given in GONE[:2]:  # on a slow host, play says once that it waits
        told = [line for line in said.splitlines() if not line.startswith("still playing")]
        assert len(told) == (code != 0)


@pytest.mark.long
def test_a_reader_who_has_seen_enough_is_no_error() -> None:
    pipe = subprocess.run(
        f"{sys.executable} -m maumau.cli scenario tests/scenarios tests/scenarios tests/scenarios | head -1",
        shell=True, cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert pipe.stdout.startswith("ok ")
    assert pipe.stderr == ""


@pytest.mark.parametrize("imported", ["typer", "msgspec"])
def test_an_interrupt_while_modules_are_imported_is_one_line(imported: str, tmp_path: Path) -> None:
    (tmp_path / f"{imported}.py").write_text("raise KeyboardInterrupt")
    done = subprocess.run(
        [sys.executable, "-m", "maumau.cli", "rules", "list"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.long
def test_an_answer_that_cannot_be_written_is_said_in_a_line(terminal: Terminal) -> None:
    for words in (["rules", "list"], ["rules", "list", "--json"]):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "maumau.cli", *words],
                cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 1
        assert "No space left on device" in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.long
def test_a_terminal_without_the_suits_shows_question_marks() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "maumau.cli", "rules", "list"],
        cwd=ROOT, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "Crocodile (????????)" in done.stdout


@pytest.mark.sample
@pytest.mark.parametrize(
    ("closed", "words", "code"), [("1", "rules list --json", 0), ("2", "rules show x", 1)]
)
def test_with_a_closed_stream_the_exit_code_still_tells(closed: str, words: str, code: int) -> None:
    line = f"{sys.executable} -m maumau.cli {words} {closed}>&-"
    assert subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, check=False).returncode == code


def test_the_version_says_what_exactly_is_installed(terminal: Terminal) -> None:
    lines = terminal.run("--version").out.splitlines()
    told = terminal.run("--version", "--json").json()
    assert lines[0] == f"maumau {version('maumau-arena')}"
    assert lines[1] == f"commit {told['commit'] or 'unknown'}"
    assert f"protocol {PROTOCOL}, rules {told['rules_hash']} (" in lines[2]
    assert told["rules"] == {name: game.load(name).hash for name in game.variants()}
    said = "".join(f"{name} {told['rules'][name]}\n" for name in sorted(told["rules"]))
    assert told["rules_hash"] == hashlib.sha256(said.encode()).hexdigest()


def test_json_without_version_belongs_behind_the_command(terminal: Terminal) -> None:
    done = terminal.run("--json", "rules", "list", code=2)
    assert "write it after the command" in done.err


AUTHOR = ["-c", "user.name=a", "-c", "user.email=a@example.org"]


def test_a_build_names_its_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The one that was recorded when it was built, else that of the checkout, changed or not, else none."""
    monkeypatch.setattr(build, "RECORDED", tmp_path / "COMMIT")
    monkeypatch.setattr(build, "HERE", tmp_path / "maumau")
    assert build.find_commit() == ""
    for words in (["init", "-q"], [*AUTHOR, "commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    assert re.fullmatch(r"[0-9a-f]{40}", commit := build.find_commit())
    (tmp_path / "cup.toml").write_text("")  # a file of its user's is not of the build
    assert build.find_commit() == commit
    (tmp_path / "maumau").mkdir()
    (tmp_path / "maumau" / "new.py").write_text("")
    assert build.find_commit() == f"{commit}-changed"
    subprocess.run(["git", "-C", str(tmp_path), "add", "maumau"], check=True)
    assert build.find_commit() == f"{commit}-changed"
    (tmp_path / "COMMIT").write_text("0123abc\n")
    assert build.find_commit() == "0123abc"


def test_completion_is_offered_for_a_shell(terminal: Terminal) -> None:
    terminal = Terminal(
        terminal.home, _MAUMAU_COMPLETE="complete_bash", COMP_WORDS="maumau tourn", COMP_CWORD="1"
    )
    assert terminal.spawn(code=None).out.strip() == "tournament"


# --- which arena is meant ---


@pytest.mark.long
def test_a_demonstration_that_is_not_decided_in_time_fails_and_leaves_nothing(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, TMPDIR=str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    answer = terminal.spawn("demo", "--patience", "1", "--json", code=1)
    assert json.loads(answer.err.splitlines()[-1])["error"]["reason"] == "NOT_DECIDED"
    assert answer.out == ""
    assert list((tmp_path / "temporary").glob("maumau-demo-*")) == []


@pytest.mark.long
def test_a_demonstration_goes_on_without_a_house_bot_that_is_refused(
    tmp_path: Path, house_data: Path
) -> None:
    shutil.copytree(house_data, tmp_path / "data")
    checkout = broken_checkout(tmp_path / "checkout", "greedy", "rollout")
    terminal = Terminal(tmp_path, PYTHONPATH=str(checkout))
    answer = terminal.spawn("demo", "--data", "data", "--workers", "1")
    assert "the house bot greedy does not play: refused, in mau_mau at 2 seats: " in answer.out
    assert "the house bot rollout does not play: refused, " in answer.out
    assert "house bots: counter, first, hoarder, random\n" in answer.out
    *_, winner, _, words, command = answer.out.splitlines()
    assert re.match(r"\w+ wins demo-mau_mau: \d+ of \d+ matches won, rating [+-]\d", winner)
    assert words.startswith("Next, ")
    verify = command.partition(" verify ")[2]
    assert "rollout" not in (tmp_path / verify).read_text()


@pytest.mark.long
def test_a_demonstration_with_one_house_bot_left_says_so_and_fails(tmp_path: Path, house_data: Path) -> None:
    shutil.copytree(house_data, tmp_path / "data")
    checkout = broken_checkout(tmp_path / "checkout", "greedy", "rollout", "counter", "first", "hoarder")
    terminal = Terminal(tmp_path, PYTHONPATH=str(checkout))
    answer = terminal.spawn("demo", "--data", "data", "--workers", "1", code=1)
    assert answer.out.count(" does not play: ") == 5
    words = "a tournament needs two bots, and only random may play; the lines above say why"
    assert answer.err == f"error: {words}\n"
    assert "demo-mau_mau" not in answer.out


@pytest.mark.parametrize("group", ["admin", "ladder", "match", "rules", "token", "tournament"])
def test_a_group_without_a_command_lists_its_commands(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    from maumau.cli.__main__ import main

    with pytest.raises(SystemExit) as ended:
        main([group])
    said = capsys.readouterr()
    assert (ended.value.code, said.err) == (2, "")
    assert f"maumau {group} [OPTIONS] COMMAND" in said.out


def test_rules_are_told_in_german_too(terminal: Terminal) -> None:
    told = terminal.run("rules", "show", "mau_mau", "--lang", "de").out
    assert "2 bis 10 Spieler; Quelle: eine Enzyklopädie" in told
    assert "Jeder bekommt fünf Karten." in told
    assert "true oder false" in told
    assert "2 to 10 players; source: an encyclopedia" in terminal.run("rules", "show", "mau_mau").out
    terminal.run("rules", "show", "mau_mau", "--lang", "fr", code=2)


@pytest.mark.parametrize(
    ("file", "extra", "command"),
    [
        ("", "platform", "pip install '{}[platform]'"),
        ("uv-receipt.toml", "platform", "uv tool install --force '{}[arena,platform]'"),
        ("pipx_metadata.json", "arena", "pipx install --force '{}[arena]'"),
    ],
)
def test_whatever_has_installed_the_command_adds_an_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, extra: str, command: str
) -> None:
    """Both uv and pipx make the environment anew, so that what talks to an arena is named again."""
    if file:
        (tmp_path / file).touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    wheel = f"./maumau_arena-{version('maumau-arena')}-py3-none-any.whl"
    assert say_install(extra).startswith(command.format(wheel))


@pytest.mark.parametrize(
    ("words", "missing", "example"),
    [
        (
            "tournament protest cup",
            "argument 'BOT'",
            'tournament protest cup my-bot --text "match 1.2.1 was played while the host was down"',
        ),
        (
            "tournament answer cup 1 --reject",
            "option '--text'",
            'tournament answer cup 1 --reject --text "the host was up all day"',
        ),
        ("group join", "argument 'CODE'", "group join K7QF-2M9X-4B8T-PW3H"),
    ],
)
def test_a_command_that_lacks_an_argument_shows_a_whole_one(
    words: str, missing: str, example: str, tmp_path: Path
) -> None:
    said = f"error: Missing {missing}. Example: `maumau {example}`\n"
    assert Terminal(tmp_path).run(*words.split(), code=2).err == said
