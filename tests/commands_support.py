"""The registry's commands as a user runs them on a day, and the rows that they print."""

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from program_support import as_text, run_program

Done = subprocess.CompletedProcess[str]


def run(folder: Path, *arguments: str, at: str = "2026-04-01T12:00", **env: str) -> Done:
    moment = str(int(datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp()))
    environment = os.environ | {"SOURCE_DATE_EPOCH": moment} | env
    return as_text(run_program(*arguments, cwd=folder, env=environment))


def rows(done: Done) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows
