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
    checkout = Checkout(folder / "origin")
    (checkout.folder / ".dvc").mkdir()
    (checkout.folder / ".dvc" / "config").write_text(STORE)
    (checkout.folder / ".gitattributes").write_text("snapshots/** -text\n")
    (checkout.folder / ".gitignore").write_text("/snapshots/*/raw/\n/.dvc/cache/\n/.dvc/tmp/\n")
    checkout.init()
    assert judged(checkout) == TAG
    return checkout


def document(folder: Path, name: str) -> Json:
    value: Json = json.loads((folder / name).read_text("utf-8"))
    return value
