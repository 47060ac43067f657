"""Registries for tests: records of valid shape, and whole checkouts with real git."""

import json
import os
import re
import shutil
import subprocess
from datetime import date
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from program_support import run_program

from epc.digests import file_sha256, sums_text
from epc.records.strict_json import dumps, dumps_line
from epc.records.typed import parse
from epc.registry.lifecycles import Generation
from epc.registry.snapshots import Event, Snapshot

ROOT = Path(__file__).parent.parent
SNAPSHOTS = ROOT / "snapshots"
# Git with a name of its own and none of the user's settings.
AS_TEST = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_NAME": "Test" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "test@example.org" for who in ("AUTHOR", "COMMITTER")},
}
Json = dict[str, Any]


def date_claim(day: str, kind: str = "exact", source: str = "https://maker.example/ends") -> Json:
    return {"date": day, "kind": kind, "source": source, "seen": None, "others": []}


def life_record(**fields: Any) -> Json:
    """Return a platform's record that states nothing but what is given."""
    checked = {"source": "https://maker.example/models", "via": "read", "seen": None}
    record: Json = {
        "platform": "maker",
        "model": "judge-1",
        "aliases": [],
        "pinned": False,
        "released": None,
        "deprecated": None,
        "retires": None,
        "replacement": None,
        "routes": [],
        "confidence": "high",
        "checked": checked,
        "notes": [],
    }
    return record | fields


def generation_record(name: str = "Judge-1", *lives: Json) -> Json:
    return {"generation": name, "maker": "maker", "platforms": list(lives) or [life_record()]}


def generation(*lives: Json) -> Generation:
    return Generation.parse(generation_record("Judge-1", *lives))


def card(tag: str = "v1.0-Judge-1", first: str = "2026-01-01", last: str | None = None) -> Json:
    model = {
        "model": "judge-1",
        "platform": "maker",
        "gateway": None,
        "proxy": False,
        "as_printed": None,
    }
    return {
        "tag": tag,
        "kind": "reported",
        "trust": "reported",
        "generation": tag.split("-", 1)[1],
        "protocol_version": "EPC-v1.0",
        "evaluator": model,
        "executor": None,
        "measured": {"from": first, "to": last or first},
        "contributor": "a test",
        "calibration": False,
        "replicates": None,
        "citation": {"work": "w", "place": "p", "address": "a", "as_printed": "x"},
        "known_faults": [],
    }


# What the card of a snapshot with raw data states, and a reported one does not.
OWN_DATA: Json = {"licence": "CC-BY-4.0", "conflicts_of_interest": None, "citation": None}
CONDITIONS: Json = {
    **dict.fromkeys(("tasks", "strategies", "evaluator_prompt", "decoding"), "0" * 64),
    "rounds": 30,
    "reuse": "memo",
    "exhaustive": True,
}
JUDGED_CONDITIONS: Json = {
    **dict.fromkeys(("samples", "prompts", "decoding"), "0" * 64),
    "methods": ["cross_judge"],
    "mapping": None,
    "constraint": None,
    "retry_malformed": 0,
}


def audit_record(verdict: str) -> Json:
    """Return what a card says of an audit that found nothing but its word."""
    return {
        "verdict": verdict,
        "p_value": None,
        "unit": None,
        "position_bias": {"swap": None},
        "determinism": None,
        "competence": None,
        "findings": [],
    }


FIGURES: Json = {"n": 8, "gamma": {"text_to_visual": {"mean": 1.1, "ci95": None}}}


def snapshot(
    tag: str = "v1.0-Judge-1", first: str = "2026-01-01", last: str | None = None
) -> Snapshot:
    return Snapshot.parse(card(tag, first, last), FIGURES)


def measured(
    tag: str = "v1.0-Judge-1",
    *,
    by: str = "A",
    low: float = 1.0,
    high: float = 1.2,
    **fields: Any,
) -> Snapshot:
    """Return a measured snapshot whose mean gammas have the interval from `low` to `high`."""
    own_data = OWN_DATA | {
        "kind": "measured",
        "trust": "recomputed",
        "contributor": by,
        "conditions": CONDITIONS,
        "audit": audit_record("inconclusive"),
    }
    both = {d: {"mean": (low + high) / 2, "ci95": [low, high]} for d in ("a_to_b", "b_to_a")}
    return Snapshot.parse(card(tag) | own_data | fields, {"n": 30, "gamma": both})


def judged(tag: str = "v1.0-Judge-1", share: float = 0.5, **fields: Any) -> Snapshot:
    """Return a judged snapshot of twenty samples, half of which were validly judged."""
    own_data = OWN_DATA | {
        "kind": "judged",
        "trust": "recomputed",
        "protocol_version": "Judge-v1.0",
        "conditions": JUDGED_CONDITIONS,
    }
    verdict = {"PASS": {"mean": share, "ci95": [share / 2, share], "hits": 5}}
    figures = {"n": 20, "valid": 10, "verdict": verdict, "invalid": {"mean": 0.5, "ci95": None}}
    return Snapshot.parse(card(tag) | own_data | fields, figures)


def observed_card(tag: str = "v1.0-Judge-1", commit: str = "a" * 40, **fields: Any) -> Json:
    """Return the card of an observed snapshot of a judge that its source calls J."""
    origin = {"name": "Source", "repository": "https://source.example/verdicts", "commit": commit}
    own_data = OWN_DATA | {
        "kind": "observed",
        "trust": "observed",
        "measured": None,
        "conditions": {"source": commit, "settings": "0" * 64},
        "recipe": None,
        "kept": False,
    }
    evaluator = card()["evaluator"] | {"as_printed": fields.pop("judge", "J")}
    origin |= fields.pop("origin", {})
    return card(tag) | own_data | {"evaluator": evaluator, "origin": origin} | fields


def observed_figures(*settings: str, n: int = 8) -> Json:
    """Return the figures of a judge that was asked in ways of these names."""
    asked = {
        "judge": {"name": "J", "model": "judge-1", "platform": "unknown"},
        "prompt": {"name": "p", "sha256": "unknown"},
        "decoding": "unknown",
        "date": "unknown",
    }
    figure = {"value": 0.25, "ci95": [0.125, 0.5], "n": 8, "items": 8}
    group = {"setting": asked, "verdicts": n, "figures": {"ties": figure}, "left_out": {}}
    source = {"name": "Source", "repository": "r", "commit": "c", "licence": "l", "texts": False}
    groups = [group | {"settings": [name]} for name in settings]
    return {"n": n, "source": source, "groups": groups}


def observed(
    tag: str = "v1.0-Judge-1",
    commit: str = "a" * 40,
    *,
    settings: tuple[str, ...] = ("J/1", "J/2"),
    **fields: Any,
) -> Snapshot:
    """Return an observed snapshot of a judge that a source's commit asked in two ways."""
    return Snapshot.parse(observed_card(tag, commit, **fields), observed_figures(*settings))


def event(name: str, day: str, tag: str = "v1.0-Judge-1", **options: str) -> Event:
    return parse({"event": name, "date": day, "tag": tag, **options}, Event)


def day(text: str) -> date:
    return date.fromisoformat(text)


def with_bytecode(clone: Path) -> None:
    """Bring what Python compiled of this tree into a clone, for each module that is the same there.

    Compiling the package takes longer than most programs that are started in a clone. A module
    that differs, or is newer than what was compiled of it, is compiled as ever.
    """
    for room in ("epc", "tests/oracle"):
        for path in (clone / room).rglob("*.py"):
            source = ROOT / path.relative_to(clone)
            compiled, target = (Path(cache_from_source(str(at))) for at in (source, path))
            if compiled.is_file() and source.read_bytes() == path.read_bytes():
                times = source.stat()
                os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
                target.parent.mkdir(exist_ok=True)
                if not target.exists():
                    shutil.copyfile(compiled, target)


def git(folder: Path, *arguments: str) -> str:
    """Run real git, with a name of its own and none of the user's settings."""
    arguments = ("-c", "init.defaultBranch=main", "-c", "core.autocrlf=false", *arguments)
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env=os.environ | AS_TEST,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


def flip(path: Path) -> None:
    """Turn one bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(content)


def unheard(_: str) -> None:
    """Take no notice of progress."""


def commit(folder: Path, message: str = "change") -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)


def cut_down(folder: Path, *tags: str) -> None:
    """Leave a copy of this registry a few snapshots with their evaluators, as if always so."""
    home = folder / "snapshots"
    for path in home.glob("v*"):
        if path.name not in tags:
            shutil.rmtree(path)
    kept = set()
    for pointer in home.glob("v*/raw.dvc"):
        (md5,) = re.findall(r"md5: (\w+\.dir)", pointer.read_text())
        listed = home / ".store" / "files" / "md5" / md5[:2] / md5[2:]
        kept |= {
            listed,
            *(
                listed.parents[1] / f["md5"][:2] / f["md5"][2:]
                for f in json.loads(listed.read_text())
            ),
        }
    for path in (home / ".store").rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()
    lives = home / "evaluators"
    for path in lives.glob("*.json"):
        if not any(tag.endswith(f"-{path.stem}") for tag in tags):
            path.unlink()
    (lives / "places.csv").unlink(missing_ok=True)  # it names models that are gone now
    lines = (home / "events.jsonl").read_text().splitlines()
    events = [event for event in map(json.loads, lines) if event.get("tag") in tags]
    (home / "events.jsonl").write_text("".join(map(dumps_line, events)))
    assert run_program("admin", "snapshot", "headlines", cwd=folder).returncode == 0


class Checkout:
    """A registry in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "snapshots"
        (self.home / "evaluators").mkdir(parents=True)
        (folder / "params.yaml").write_text("expiry:\n  maximum_age_days: 180\n  notice_days: 60\n")
        self.evaluator(generation_record())

    def evaluator(self, record: Json) -> None:
        path = self.home / "evaluators" / f"{record['generation']}.json"
        path.write_text(dumps(record))

    def publish(
        self,
        tag: str = "v1.0-Judge-1",
        *,
        day: str = "2026-02-01",
        figures: Json = FIGURES,
        **fields: Any,
    ) -> Path:
        """Publish a reported snapshot, as the transcription of the paper's tables was."""
        folder, printed_fields = self.home / tag, card(tag) | fields
        folder.mkdir()
        (folder / "snapshot.json").write_text(dumps(printed_fields))
        (folder / "metrics.json").write_text(
            dumps({"kind": printed_fields["kind"], "figures": figures})
        )
        names = ("metrics.json", "snapshot.json")
        (folder / "SHA256SUMS").write_text(sums_text({n: file_sha256(folder / n) for n in names}))
        seal = file_sha256(folder / "SHA256SUMS")
        self.tell({"date": day, "event": "published", "tag": tag, "sha256": seal})
        return folder

    def seal(self, *tags: str) -> None:
        """Publish snapshots as they are now, as if they had never been otherwise."""
        events = self.events()
        for tag in tags:
            folder = self.home / tag
            lines = (folder / "SHA256SUMS").read_text().splitlines()
            sums = dict(line.split()[::-1] for line in lines)
            changed = {
                name: file_sha256(folder / name) for name in sums if (folder / name).is_file()
            }
            (folder / "SHA256SUMS").write_text(sums_text(sums | changed))
            (own,) = (e for e in events if (e["tag"], e["event"]) == (tag, "published"))
            own["sha256"] = file_sha256(folder / "SHA256SUMS")
        (self.home / "events.jsonl").write_text("".join(map(dumps_line, events)))

    def tell(self, event: Json) -> None:
        with (self.home / "events.jsonl").open("a") as file:
            file.write(dumps_line(event))

    def events(self) -> list[Json]:
        return [json.loads(line) for line in (self.home / "events.jsonl").read_text().splitlines()]

    def init(self) -> None:
        git(self.folder, "init", "--quiet")
        commit(self.folder, "begin")


def raw(tag: str, name: str) -> Path:
    """Return a raw file where DVC keeps it, without a line of the program."""
    arguments = (SNAPSHOTS / tag / "raw.dvc").read_text("utf-8").split()
    store = SNAPSHOTS / ".store" / "files" / "md5"
    folder = arguments[arguments.index("md5:") + 1]
    listed = json.loads((store / folder[:2] / folder[2:]).read_text("utf-8"))
    md5: str = next(each["md5"] for each in listed if each["relpath"] == name)
    return store / md5[:2] / md5[2:]
