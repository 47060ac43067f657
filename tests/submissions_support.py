"""Submissions for tests: an honest one, a registry to hold it against, and a forger's hands."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from records_support import Run, make_run
from registry_support import Checkout, date_claim, generation_record, life_record

from epc.records.layout import CallNames
from epc.records.strict_json import dumps
from epc.records.typed import as_json
from epc.registry import publishing
from epc.registry.cards import Declaration
from epc.registry.submissions.check import check
from epc.registry.submissions.checked import Base
from epc.registry.submissions.making import make
from epc.registry.submissions.statement import Statement, identity
from epc.registry.writing import locked

Json = dict[str, Any]
Wanted = tuple[str, str, str]  # clause, place, a part of the problem
TODAY = date(2026, 7, 10)  # records_support measures on 2026-07-02
SLUG = "an-honest-one"
PUBLISHED = "v1.0-CoinFlip"
STATEMENT = Statement(
    generation="GPT-Y",
    platform="openai",
    endpoint="direct",
    contributor="A. Name",
    login="a-name",
    licence="CC-BY-4.0",
    conflicts="none",
    replicates=None,
    identity="ab" * 32,
)
OPENAI: Json = {
    "model": "openai/gpt-4o-2024-08-06",
    "version": "gpt-4o-2024-08-06",
    "endpoint": "https://api.openai.com/v1",
    "gateway": None,
    "details": {},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A submission in a checkout that a test owns, and what its builder needs."""

    checkout: Path
    folder: Path
    canary: Path

    @property
    def run(self) -> Run:
        return Run(folder=self.folder)

    def statement(self, **fields: Any) -> None:
        """Change the statement."""
        path = self.folder / "submission.json"
        path.write_text(dumps(json.loads(path.read_text()) | fields))

    def manifest(self, change: Callable[[Any], object]) -> None:
        """Change the manifest, and let the statement own up to it."""
        self.run.edit(change)
        self.identify()

    def row(self, name: str, index: int, **values: Any) -> None:
        """Change a row of a raw file, and let manifest and statement own up to it."""
        self.run.edit_row(name, index, **values)
        self.identify()

    def rows(self, name: str, rows: list[Any]) -> None:
        """Write a raw file, and let manifest and statement own up to it."""
        self.run.save_rows(name, rows)
        self.identify()

    def identify(self) -> None:
        self.statement(identity=identity(self.run.parsed()))

    def evaluator(self, generation: str, platform: str | None, **model: Any) -> None:
        """Let another model have given the verdicts, with every digest made to fit.

        A model is no mock, and judges no mock's answers.
        """
        rename(self.run, "evaluator", **model)
        if platform is not None:
            rename(self.run, "executor", **EXECUTOR)
        self.statement(generation=generation, platform=platform)
        self.identify()

    def renamed(self, slug: str) -> "Offered":
        """Move the folder."""
        moved = self.folder.with_name(slug)
        self.folder.rename(moved)
        return Offered(checkout=self.checkout, folder=moved, canary=self.canary)

    def replace_run(self, run: Path) -> None:
        """Offer another run under this statement."""
        for name in ("manifest.json", "trials.jsonl", "calls.jsonl", "weights.jsonl"):
            shutil.copyfile(run / name, self.folder / name)
        self.identify()

    def check(
        self,
        changed: list[str] | None = None,
        *,
        author: str | None = None,
        path: Path | None = None,
    ) -> Json:
        """Return the report on what the checkout holds, or a pull request's folder."""
        base, paths = (
            Base.from_checkout(self.checkout, TODAY),
            [path or self.checkout / "submissions"],
        )
        document: Json = as_json(check(paths, base, changed=changed, author=author))
        return document


EXECUTOR: Final = {
    "model": "openai/gpt-4o-mini",
    "version": "gpt-4o-mini",
    "endpoint": "https://api.openai.com/v1",
}


def rename(run: Run, role: str, **model: Any) -> None:
    """Write a run as if another model had answered in a role; every reference holds."""
    manifest = run.manifest()
    manifest[role] = manifest[role] | model
    names = CallNames(role, manifest[role], manifest[role]["decoding"])
    calls, trials = run.rows("calls"), run.rows("trials")
    fresh = {}
    for call in calls:
        if call["role"] == role:
            fresh[call["id"]] = names.name(call["prompt"], call["occasion"])
            call["id"] = fresh[call["id"]]
            call["model"] = manifest[role]["model"]
            call["served_model"] = manifest[role]["version"]
    for trial in trials:
        for side in ("response", "baseline", "evaluation"):
            trial[side] = fresh.get(trial[side], trial[side])
    count = sum(call["role"] == role for call in calls)
    manifest["provenance"]["served_models"][role] = {manifest[role]["version"]: count}
    run.save(manifest, described=False)
    run.save_rows("calls", sorted(calls, key=lambda call: str(call["id"])))
    run.save_rows("trials", trials)


def templates(home: Path) -> Path:
    """Make a registry with a published measurement, and an honest submission to it."""
    checkout = Checkout(home / "checkout")
    lives = (
        life_record(
            platform="openai", model="gpt-4o-2024-08-06", released=date_claim("2024-08-06")
        ),
        life_record(platform="azure-openai", model="gpt-4o-2024-08-06"),
    )
    checkout.evaluator(generation_record("GPT4o-0806", *lives))
    young = life_record(platform="openai", model="gpt-9", released=date_claim("2026-07-05"))
    checkout.evaluator(generation_record("GPT9", young))
    run = make_run(home / "published", evaluator="mock/coin-flip", seeds=6, rounds=30)
    declaration = Declaration(
        generation="CoinFlip",
        contributor="A. Publisher",
        licence="CC-BY-4.0",
        conflicts=None,
        proxy=False,
        replicates=None,
    )
    offer = publishing.offered(run.folder, declaration)
    with locked(checkout.folder, progress=print) as lock:
        publishing.publish(lock, offer, day=date(2026, 7, 3), progress=print, git=False)
    honest = make_run(home / "honest", seeds=10, rounds=30, exhaustive=True)
    statement = Statement(
        generation="deterministic",
        platform=None,
        endpoint="direct",
        contributor="A. Name",
        login="a-name",
        licence="CC-BY-4.0",
        conflicts="none",
        replicates=None,
        identity=identity(honest.parsed()),
    )
    make(checkout.folder / "submissions", honest.folder, SLUG, statement, {})
    return home


def offered(home: Path, tmp_path: Path) -> Offered:
    """Return a fresh copy of the honest submission in a checkout of its own."""
    checkout = shutil.copytree(home / "checkout", tmp_path / "checkout")
    folder = checkout / "submissions" / SLUG
    return Offered(checkout=checkout, folder=folder, canary=tmp_path / "canary")


def published_run(home: Path) -> Path:
    """Return the run folder that the registry has published."""
    return home / "published"


def errors(value: Json) -> list[Json]:
    """Return every error of a report, the submissions' own and the pull request's."""
    listed = [f for s in value["submissions"] for f in s["findings"]] + value["findings"]
    return [finding for finding in listed if finding["severity"] == "error"]


def tree(folder: Path) -> dict[str, Any]:
    """Return what is below a folder: names, kinds, sizes and times, nothing followed."""
    found = {}
    for top, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(top) / name
            status = path.lstat()
            found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns)
    return found


def matching_errors(value: Any, wanted: Wanted) -> list[Any]:
    clause, place, problem = wanted
    return [
        f
        for f in errors(value)
        if f["clause"] == clause and place in f["where"] and problem in f["problem"]
    ]
