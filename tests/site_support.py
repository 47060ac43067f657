"""Registries with all kinds of snapshots, and their sites, built as a user builds them."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from endpoint_support import Received, Reply, completion, serving
from judge_support import grid, write_rows
from program_support import as_text, run_program
from registry_support import (
    FIGURES,
    ROOT,
    Checkout,
    Json,
    commit,
    date_claim,
    generation_record,
    life_record,
)
from shared_support import shared

from epc.engine.mocks import Judge
from epc.site.collecting import collect
from epc.site.pages import Site
from epc.site.rendering import lists

AS_OF = "2026-04-01"
REAL_DAY = date(2026, 11, 26)
WEIGHTS = f"sha256:{'ab' * 32}"
ADDRESS = "https://registry.example/epc/"
IN_A_WORKFLOW = {
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "lab/registry",
}
_MOMENT = "1774958400"  # any fixed moment
_OUTSIDE = dict.fromkeys(IN_A_WORKFLOW, "")  # wherever these tests are run


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSite:
    """A built site and the checkout that it was built from."""

    checkout: Checkout
    out: Path

    def text(self, path: str) -> str:
        return (self.out / path).read_text("utf-8")


def epc(
    folder: Path, *arguments: str, code: int = 0, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the program; `env` is added to its environment."""
    environment = os.environ | {"SOURCE_DATE_EPOCH": _MOMENT} | _OUTSIDE | dict(env or {})
    done = as_text(run_program(*arguments, cwd=folder, env=environment))
    assert done.returncode == code, done.stdout + done.stderr
    return done


def with_documents(folder: Path) -> Checkout:
    """Return an empty registry with the documents of the real one."""
    checkout = Checkout(folder)
    shutil.copytree(ROOT / "site", folder / "site")
    shutil.copy(ROOT / ".gitignore", folder / ".gitignore")
    return checkout


def furnished(folder: Path) -> Checkout:
    """Return a registry with snapshots that hold, have expired, were withdrawn and calibrate."""
    checkout = with_documents(folder)
    lives = [
        life_record(aliases=["judge-latest"], retires=date_claim("2026-07-01")),
        life_record(platform="cloud", retires=date_claim("2026-05-01", "not_before")),
    ]
    checkout.evaluator(generation_record("Judge-1", *lives))
    checkout.evaluator(generation_record("Judge-2", life_record(model="judge-2")))
    checkout.publish("v1.0-Judge-1")
    checkout.publish("v1.1-Judge-1")
    checkout.tell(
        {"date": "2026-03-01", "event": "withdrawn", "reason": "a cache", "tag": "v1.0-Judge-1"}
    )
    return checkout


def real_site(factory: pytest.TempPathFactory) -> Site:
    """Return what the pages of this very registry are made of on `REAL_DAY`: made once a run."""
    return shared(factory, "real site", lambda _: collect(ROOT, as_of=REAL_DAY, address=""))


def real_pages(factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the pages of lists of this very registry on `REAL_DAY`, by name: made once a run."""
    return shared(factory, "real pages", lambda _: dict(lists(real_site(factory))))


def list_page(site: Site, name: str) -> str:
    """Return one page of lists; those behind it are not made."""
    return next(text for made, text in lists(site) if made == name)


def real_checkout(folder: Path) -> Path:
    """Return a folder that holds this very registry, by links, and is in no repository."""
    for name in ("snapshots", "site", "params.yaml"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def measured(made: Checkout, *, generation: str = "CoinFlip", rounds: int = 3) -> str:
    """Measure with mocks, publish it, and return the tag."""
    if not (made.folder / ".git").exists():
        made.init()
    run = made.folder.parent / f"run-{generation}"
    epc(
        made.folder,
        *("run", "--evaluator", "mock/deterministic", "--executor", "mock/deterministic"),
        *("--exhaustive", "--control", "measured", "--recheck", "4"),
        *("--seeds", "0-2", "--rounds", str(rounds), "--out", str(run)),
    )
    arguments = ("--generation", generation, "--contributor", "A. Tester", "--no-git")
    done = epc(made.folder, "admin", "snapshot", "publish", str(run), *arguments)
    commit(made.folder, "publish")
    return done.stdout.strip()


def evaluated(
    folder: Path,
    *,
    judge: str = "mock/careless-judge",
    rows: Iterable[Json] = tuple(grid("1234", "ABC")),
    plan: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> Path:
    """Have a table of outputs judged in a new folder, and return that."""
    table = write_rows(folder.with_suffix(".jsonl"), rows)
    arguments = ("--judge", judge, "--out", str(folder), *plan)
    epc(folder.parent, "judge", "plan", str(table), *arguments, env=env)
    epc(folder.parent, "judge", "run", str(folder), env=env)
    return folder


def evaluated_by_endpoint(folder: Path, model: str = "judge-1") -> Path:
    """Have a table judged by a model of a hosted kind, at an endpoint on this machine."""

    def as_a_judge(received: Received) -> Reply:
        return completion(json.dumps(Judge().record(received.prompt)))

    with serving() as endpoint:
        endpoint.behave = as_a_judge
        env = {"LLAMACPP_BASE_URL": endpoint.url, "LLAMACPP_API_KEY": "sk-canary-0123456789abcdef"}
        return evaluated(folder, judge=f"llamacpp/{model}", env=env)


def judged(
    made: Checkout,
    folder: Path | None = None,
    *,
    generation: str = "CarelessJudge",
    weights: str | None = None,
) -> str:
    """Publish an evaluation, the careless mock's if no other, and return the tag."""
    if not (made.folder / ".git").exists():
        made.init()
    folder = folder or evaluated(made.folder.parent / f"judged-{generation}")
    arguments = ("--generation", generation, "--contributor", "A. Tester", "--no-git")
    own_arguments = ("--weights", weights) if weights else ()
    done = epc(made.folder, "admin", "snapshot", "publish", str(folder), *arguments, *own_arguments)
    commit(made.folder, "publish")
    return done.stdout.strip()


def complete(folder: Path) -> BuiltSite:
    """Return a site of snapshots that hold, expire in turn, are in doubt, and were withdrawn."""
    checkout = furnished(folder / "clone")
    retires = date_claim("2026-05-01", "not_before")
    doubtful = life_record(platform="cloud", model="judge-3", retires=retires)
    checkout.evaluator(generation_record("Judge-3", doubtful))
    model = {"model": "judge-3", "platform": "cloud", "gateway": None, "proxy": False}
    days = {"from": "2026-02-10", "to": "2026-02-14"}
    two_figures = FIGURES | {"n": 12, "jsd": {"text_to_visual": {"mean": 0.25, "ci95": None}}}
    model |= {"as_printed": None}
    checkout.publish("v1.0-Judge-3", figures=two_figures, evaluator=model, measured=days)
    measured(checkout)
    judged(checkout)
    life = life_record(platform="self-hosted", model="judge-4", retires=date_claim("2026-05-20"))
    checkout.evaluator(generation_record("Judge-4", life))
    hosted = evaluated_by_endpoint(checkout.folder.parent / "hosted", "judge-4")
    judged(checkout, hosted, generation="Judge-4", weights=WEIGHTS)
    _alias(checkout)
    return build(checkout, env=IN_A_WORKFLOW)


def _alias(made: Checkout) -> None:
    """Let an alias mean one model until the end of January and another one since."""
    for name, end in (("Other-1", "2026-03-01"), ("Other-2", "2026-12-01")):
        life = life_record(platform="others", model=name.lower(), retires=date_claim(end))
        made.evaluator(generation_record(name, life))
    source = "https://maker.example/models"
    targets = [
        {"to": "other-1", "since": None, "source": source, "seen": "2026-01-31"},
        {"to": "other-2", "since": "2026-02-01", "source": source, "seen": "2026-03-15"},
    ]
    alias = life_record(platform="others", model="other", points_to=targets)
    made.evaluator(generation_record("other", alias))


def build(
    made: Checkout,
    out: Path | None = None,
    *further_arguments: str,
    env: Mapping[str, str] | None = None,
) -> BuiltSite:
    """Build a registry's site with the program."""
    target = out or made.folder / "public"
    epc(
        made.folder,
        *("admin", "site", "build", "--out", str(target), "--base-url", ADDRESS, "--as-of", AS_OF),
        *further_arguments,
        env=env,
    )
    return BuiltSite(checkout=made, out=target)
