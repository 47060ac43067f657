"""What public lists say of models' lives, read from their checkouts, for `records.py`.

Each list is a clone of its repository, or a package that is installed here. A word of it carries
the list's name with its commit or version, and the last day on which the list is known to have said
it: its own day of observing where it has one, else the day of the commit.
"""

import importlib.util
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from epc.registry.lifecycles import Kind
from epc.registry.sync import claims


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What one list says of one model on one platform."""

    platform: str
    model: str
    by: str
    source: str
    seen: date
    released: date | None = None
    deprecated: date | None = None
    retires: date | None = None
    kind: Kind = "exact"
    aliases: tuple[str, ...] = ()
    replacement: str | None = None
    note: str = ""
    serves: bool = True  # whether it tells that the platform serves the model, or served it

    @property
    def day(self) -> date | None:
        """The day as a record has it: date.min stands for one that nobody knows."""
        return self.seen if self.seen > date.min else None


class Clone:
    """A list's repository, bare."""

    def __init__(self, mirrors: Path, name: str) -> None:
        self.git = ["git", "-C", str(mirrors / name.replace("/", "+") / "repo")]
        commit, committed = self._out("log", "-1", "--format=%h %cs").split()
        self.by, self.seen = f"{name}@{commit[:7]}", date.fromisoformat(committed)
        self.address = f"https://github.com/{name}"

    def text(self, path: str) -> str:
        return self._out("show", f"HEAD:{path}")

    def under(self, folder: str) -> Iterator[tuple[str, str]]:
        """Yield each file below a folder, with its text."""
        listed = self._out("ls-tree", "-r", "--format=%(objectname) %(path)", "HEAD", folder)
        rows = [line.split(" ", 1) for line in listed.splitlines()]
        asked = "\n".join(blob for blob, _ in rows).encode()
        done = subprocess.run(
            [*self.git, "cat-file", "--batch"], input=asked, capture_output=True, check=True
        )
        rest = done.stdout
        for _, path in rows:
            head, _, rest = rest.partition(b"\n")
            size = int(head.split()[2])
            yield path, rest[:size].decode(errors="replace")
            rest = rest[size + 1 :]

    def _out(self, *asked: str) -> str:
        done = subprocess.run([*self.git, *asked], capture_output=True, check=True, text=True)
        return done.stdout


_MNFST: Final = {
    "alibaba": "alibaba-model-studio",
    "google": "google-gemini-api",
    "vertex": "google-vertex",
    "z-ai": "zai",
    "bedrock": "",  # only Amazon's own, under shortened ids
    "xiaomi": "",
}


def modeldeprecations(mirrors: Path) -> Iterator[Word]:
    clone = Clone(mirrors, "mnfst/modeldeprecations.dev")
    for path, text in clone.under("models"):
        if not path.endswith(".yaml"):
            continue
        entry = yaml.safe_load(text)
        platform = _MNFST.get(entry["provider"], entry["provider"])
        if not platform or entry["model"].startswith("gpt-oss"):  # given away, not served there
            continue
        floor = entry.get("earliest_shutdown_on")
        # The list writes mistral-large-3-25-12; the platform's id is mistral-large-2512.
        model, aliases = _mistral(entry["model"]) if entry["provider"] == "mistral" else ("", ())
        yield Word(
            platform=platform,
            model=model or entry["model"],
            aliases=aliases,
            by=clone.by,
            source=entry["sources"][0]["url"],
            seen=day(entry.get("last_verified")) or clone.seen,
            released=day(entry.get("released_on")),
            deprecated=day(entry.get("deprecated_on")),
            retires=day(entry.get("shutdown_on") or floor),
            kind="not_before" if floor else "exact",
            replacement=next((r["model"] for r in entry.get("replacements") or ()), None),
        )


def _mistral(listed: str) -> tuple[str, tuple[str, ...]]:
    """Return the platform's id for a listed one, and the spellings that mean it."""
    families = r"mistral-(?:large|medium|small)|ministral"
    match = re.fullmatch(rf"({families})-([\d-]+b?)-(\d\d)-(\d\d)", listed)
    if not match:
        return listed, ()
    family, edition, year, month = match.groups()
    size = f"-{edition.partition('-')[2]}" if family == "ministral" else ""
    short = edition.removesuffix("-0")
    return f"{family}{size}-{year}{month}", tuple(dict.fromkeys([listed, f"{family}-{short}"]))


def observed(mirrors: Path) -> Iterator[Word]:
    """The lists of llm-sunset and of its origin, as `epc admin evaluators sync` reads them."""
    clone = Clone(mirrors, "deprecations/deprecations-rss")
    carried = json.loads((package("llm_sunset") / "snapshot.json").read_text("utf-8"))
    for by, seen, given in (
        (clone.by, clone.seen, json.loads(clone.text("data.json"))),
        (f"llm-sunset {version('llm_sunset')}", date(2026, 10, 2), carried),
    ):
        for entry in given:
            for claim in claims([entry], platform=None, seen=seen):
                if claim.platform == "azure-foundry" and claim.model in AZURE_VERSIONS:
                    continue
                told = day(entry.get("deprecation_date"))
                yield Word(
                    platform=claim.platform,
                    model=_VERTEX.get(claim.model, claim.model)
                    if claim.platform == "google-vertex"
                    else claim.model,
                    by=by,
                    source=claim.source.partition("#")[0],
                    seen=claim.seen,
                    # Where no announcement is known, these lists repeat the end.
                    deprecated=told if told and claim.retires and told < claim.retires else None,
                    retires=claim.retires,
                    kind=claim.kind,
                    replacement=(entry.get("replacement_models") or [None])[0],
                )


# Azure serves these in several versions, and the lists leave the version out.
AZURE_VERSIONS: Final = {
    "gpt-4o",
    "gpt-4",
    "gpt-35-turbo",
    "gpt-5-chat",
    "gpt-5.2-chat",
    "gpt-4-32k",
}
# Vertex serves one version of each.
_VERTEX: Final = {
    "claude-3-haiku": "claude-3-haiku@20240307",
    "claude-3-opus": "claude-3-opus@20240229",
    "claude-3-5-sonnet": "claude-3-5-sonnet@20240620",
    "claude-3-5-sonnet-v2": "claude-3-5-sonnet-v2@20241022",
    "claude-3-5-haiku": "claude-3-5-haiku@20241022",
    "claude-3-7-sonnet": "claude-3-7-sonnet@20250219",
}
_QUORA: Final = {
    "OpenAI": ("openai", "https://developers.openai.com/api/docs/deprecations"),
    "Anthropic": (
        "anthropic",
        "https://platform.claude.com/docs/en/about-claude/model-deprecations",
    ),
    "Gemini": ("google-gemini-api", "https://ai.google.dev/gemini-api/docs/deprecations"),
}


def quora(mirrors: Path) -> Iterator[Word]:
    clone = Clone(mirrors, "quora/model-deprecation-tracker")
    for entry in json.loads(clone.text("data/deprecations.json")):
        platform, source = _QUORA.get(entry["provider"], ("", ""))
        model = entry["model_id"] or entry["model_name"]
        ends = day(entry["shutdown_date"])
        if not platform or " " in model or not ends:
            continue
        gone = entry["status"] == "retired" or platform == "openai"
        told = entry["status"] == "deprecated" and platform == "anthropic"
        yield Word(
            platform=platform,
            model=model,
            by=clone.by,
            source=source,
            seen=clone.seen,
            deprecated=day(entry["deprecated_date"]),
            retires=ends,
            kind="exact" if gone or told else "not_before",
            replacement=entry["replacement"] or None,
        )


_EOL: Final = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "google-gemini-api",
    "aws-bedrock": "aws-bedrock",
    "vertex-ai": "google-vertex",
}


def model_eol(mirrors: Path) -> Iterator[Word]:
    clone = Clone(mirrors, "thossullivan/model-eol")
    for publisher in ("openai", "anthropic", "google"):
        feed = json.loads(clone.text(f"feeds/{publisher}.json"))
        seen = date.fromisoformat(feed["generated"][:10])
        for entry in feed["models"]:
            places = [(publisher, entry), *((d["via"], d) for d in entry.get("distributions", ()))]
            for place, told in places:
                ends = day(told.get("shutdown"))
                if place not in _EOL or not ends:
                    continue
                floor = told.get("date_precision") == "earliest" or publisher == "google"
                yield Word(
                    platform=_EOL[place],
                    model=told.get("id") or entry["id"],
                    by=clone.by,
                    source=told.get("source") or feed["source"],
                    seen=seen,
                    deprecated=day(told.get("announced")),
                    retires=ends,
                    kind="not_before" if floor else "exact",
                    replacement=entry.get("replacement"),
                )


_ROW: Final = re.compile(
    r"^\| ([^|]+) \| ([^|]+) \| ([A-Z][a-z]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE
)
_AZURE: Final = "https://learn.microsoft.com/en-us/azure/foundry/openai/concepts/model-retirements"


def azure(table: Path) -> Iterator[Word]:
    """Microsoft's own table of retirements, with versions; the file's name has its commit."""
    text = table.read_text("utf-8")
    stamp = re.search(r"ms\.date: (\d+)/(\d+)/(\d+)", text)
    assert stamp
    seen = date(int(stamp[3]), int(stamp[1]), int(stamp[2]))
    rows = [[cell.strip() for cell in row] for row in _ROW.findall(text)]
    for model, edition, stage, ends, replacement in rows:
        versions = [row[1] for row in rows if row[0] == model]
        dated = f"{model}-{edition}" if re.fullmatch(r"20[\d-]{8}", edition) else None
        name = dated if dated and len(versions) > 1 else model.split(" ")[0]
        if len(versions) > 1 and not dated:
            continue
        yield Word(
            platform="azure-foundry",
            model=name,
            by=f"MicrosoftDocs/azure-ai-docs@{table.stem.rpartition('@')[2]}",
            source=_AZURE,
            seen=seen,
            retires=day(ends),
            # Microsoft sets a "not sooner than" day at launch; a deprecated model's is the day.
            kind="exact" if stage in {"Deprecated", "Retired", "Legacy"} else "not_before",
            aliases=(dated,) if dated and name != dated else (),
            replacement=None if replacement == "—" else replacement.split(" ")[0].strip(","),
        )


@cache
def package(name: str) -> Path:
    """Return where a package is installed."""
    found = importlib.util.find_spec(name)
    assert found
    assert found.origin
    return Path(found.origin).parent


def version(name: str) -> str:
    """Return the version of a package that is installed."""
    (info,) = package(name).parent.glob(f"{name}-*.dist-info")
    return info.name.removesuffix(".dist-info").rpartition("-")[2]


def day(given: Any) -> date | None:
    """Return the day that a list writes, if it writes one."""
    if isinstance(given, date):
        return given
    match = re.match(r"\d{4}-\d{2}-\d{2}", given) if isinstance(given, str) else None
    try:
        return date.fromisoformat(match[0]) if match else None
    except ValueError:  # some lists write months that there are not
        return None
