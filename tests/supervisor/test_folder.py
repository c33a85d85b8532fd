"""The data folder: one arena at a time, tokens that stay, errors in words."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from maumau.errors import AlreadyRunning, BadDataFolder
from services.supervisor import port
from services.supervisor.folder import Folder
from services.supervisor.launch import Launch
from services.supervisor.layout import read_settings
from services.supervisor.stop import Stop


def test_a_second_arena_on_the_same_data_is_told_who_runs_there(tmp_path: Path) -> None:
    first = Folder(tmp_path)
    code = (
        "from pathlib import Path; from services.supervisor.folder import Folder;"
        f"Folder(Path({str(tmp_path)!r}))"
    )
    second = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert first.path == tmp_path
    assert "AlreadyRunning" in second.stderr
    assert f"process {os.getpid()}" in second.stderr


def test_the_lock_ends_with_its_holder_however_he_ends(tmp_path: Path) -> None:
    code = (
        "import os, signal; from pathlib import Path; from services.supervisor.folder import Folder;"
        f"f = Folder(Path({str(tmp_path)!r})); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert Folder(tmp_path).path == tmp_path


def test_in_one_process_too_the_lock_is_held(tmp_path: Path) -> None:
    holder = Folder(tmp_path)
    with pytest.raises(AlreadyRunning):
        Folder(tmp_path)
    assert holder.card.token


def test_tokens_stay_from_start_to_start_and_differ(tmp_path: Path) -> None:
    first = Folder(tmp_path).card
    tokens = {first.token, first.worker_token, first.password}
    second = Folder(tmp_path).card
    assert len(tokens) == 3
    assert {second.token, second.worker_token, second.password} == tokens


def test_only_its_owner_reads_arena_json(tmp_path: Path) -> None:
    Folder(tmp_path).save_card(registry="127.0.0.1:7101")
    path = tmp_path / "arena.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text())["registry"] == "127.0.0.1:7101"


def test_a_damaged_arena_json_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "arena.json").write_text("{half")
    with pytest.raises(BadDataFolder, match=r"arena\.json is damaged"):
        Folder(tmp_path)
    assert (tmp_path / "arena.json").read_text() == "{half"


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(BadDataFolder, match="cannot be used"):
        Folder(tmp_path / "data")


def test_a_port_in_use_gives_a_free_one_instead() -> None:
    with socket.socket() as sock:
        sock.bind((port.HOST, 0))
        sock.listen()
        taken = sock.getsockname()[1]
        chosen = port.choose_port(taken)
        assert chosen != taken
        assert port.is_free(chosen)
    assert port.choose_port(taken) == taken


def test_the_program_that_has_a_port_is_named() -> None:
    with socket.socket() as sock:
        sock.bind((port.HOST, 0))
        sock.listen()
        taken = sock.getsockname()[1]
        assert port.name_listener(taken).endswith(f" (process {os.getpid()})")
    assert port.name_listener(taken) == ""


def test_a_page_whose_usual_port_is_taken_says_which_program_answers_there(tmp_path: Path) -> None:
    said: list[str] = []
    with socket.socket() as sock:
        sock.bind((port.HOST, 0))
        sock.listen()
        taken = sock.getsockname()[1]
        launch = Launch(Folder(tmp_path / "data"), None, read_settings({}), {}, said.append, Stop())  # type: ignore[arg-type]
        chosen = launch._choose_port("web", taken)
    program = Path("/proc/self/comm").read_text().strip()
    (line,) = said
    assert line.startswith(f"port {taken} is taken by another program, {program} (process {os.getpid()}): ")
    assert line.endswith(f"http://127.0.0.1:{taken} is not this arena; the web service listens on {chosen}")
