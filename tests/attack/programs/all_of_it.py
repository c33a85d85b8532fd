"""A build step that attacks: every program of the folder `attacks`, one after the other."""

import json
import subprocess
import sys
from pathlib import Path

for folder in sorted(Path("attacks").iterdir()):
    command = ["./bot"] if (folder / "bot").exists() else [sys.executable, "bot.py"]
    mark = json.loads((folder / "targets.json").read_text())["mark"]
    sys.stderr.write(f"== {folder.name}\n")
    sys.stderr.flush()
    if subprocess.call([*command, mark, "build"], cwd=folder, timeout=60):
        raise SystemExit(f"{folder.name} did not end as it should")
