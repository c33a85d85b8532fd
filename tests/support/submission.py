"""Programs of tests/bot/programs as submissions."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

from bench.support.checkout import ROOT
from maumau.referee.block import Program
from maumau.submission import package

PROGRAMS = ROOT / "tests/bot/programs"


def pack_submission(room: Path, mark: str, name: str, toml: str = "", **files: str) -> Program:
    """Pack and unpack one of the programs; `files` lie beside it."""
    source, target = room / f"{name}-source", room / f"{name}-{uuid.uuid4().hex}"
    source.mkdir(exist_ok=True)
    shutil.copy(PROGRAMS / "loop.py", source)
    shutil.copy(PROGRAMS / f"{name}.py", source / "bot.py")
    for file, text in files.items():
        (source / file).write_text(text)
    manifest = toml or f'run = ["python3", "bot.py", "{mark}"]\n'
    (source / "bot.toml").write_text(f'name = "{name}"\n{manifest}')
    packed = package.unpack_archive(package.pack_submission(source).archive, target)
    return Program(target, packed.manifest, packed.sha256, name)
