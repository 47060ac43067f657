"""A registry with one published evaluation: what the careless mock judged."""

import json
from pathlib import Path

from registry_support import Checkout, Json
from site_support import judged

TAG = "v1.0-CarelessJudge"
WHO = ("--generation", "CarelessJudge", "--contributor", "A. Name")
STORE = "[core]\n    remote = store\n    analytics = false\n['remote \"store\"']\n"
STORE += "    url = ../snapshots/.store\n    verify = true\n"


def published_evaluation(folder: Path) -> Checkout:
    made = Checkout(folder / "origin")
    (made.folder / ".dvc").mkdir()
    (made.folder / ".dvc" / "config").write_text(STORE)
    (made.folder / ".gitattributes").write_text("snapshots/** -text\n")
    (made.folder / ".gitignore").write_text("/snapshots/*/raw/\n/.dvc/cache/\n/.dvc/tmp/\n")
    made.init()
    assert judged(made) == TAG
    return made


def document(folder: Path, name: str) -> Json:
    value: Json = json.loads((folder / name).read_text("utf-8"))
    return value
