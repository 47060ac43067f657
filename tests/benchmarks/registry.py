"""How fast a registry of 3,000 measured snapshots is listed, asked, fetched from and rebuilt.

    python tests/benchmarks/registry.py            # and what recomputing them comes to
    python tests/benchmarks/registry.py 10000      # recompute as many; about 40 ms each a core
    python tests/benchmarks/registry.py observed   # this registry, with 2,000 more observed ones

Whole processes are timed, starting included, and held against an `epc --help` in the same run, so
that a slow machine does not look like a slow registry. Every snapshot is whole and passes
`epc snapshot verify`: manifest, pointer, digests, event. Their raw files are those of eight real
runs of scripted evaluators, 30 seeds each, so the store is small; each snapshot's are read,
digested and recomputed nevertheless.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from records_support import make_run
from registry_support import Checkout, commit, generation_record, git, life_record

from epc.digests import file_sha256, sums_text
from epc.protocol.batch_replay import Known, run_course
from epc.protocol.results import seed_records, summarise
from epc.protocol.verdict import Verdict
from epc.records.manifest import Manifest
from epc.records.strict_json import dumps, dumps_line
from epc.registry.verify import verify
from epc.spec.epc_v1 import DOMAINS, PHASES, REFERENCE_DOMAINS
from epc.spec.reference import STRATEGIES

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `epc` does
ROOT = Path(__file__).parent.parent.parent
MODELS, SNAPSHOTS, EACH, RECORDED = 8, 3000, 10, 2000
REAL = sorted(path.parent.name for path in ROOT.glob("snapshots/v*/observed.json"))
LIMITS = {"list": 1.0, "expiry": 1.0, "fetch": 3.0, "repro": 5.0}
AIMED, AT_ONCE, SAMPLE, TIMES = 200, 300, 200, 9
EPC = (sys.executable, "-m", "epc")
REPRO = ("dvc", "--cd", "pipeline", "repro")
ENV = os.environ | {
    "PYTHONSAFEPATH": "1",  # a clone of this repository has an older `epc`
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "PYTHONPATH": str(ROOT),
}


def build(folder: Path, snapshots: int) -> Checkout:
    """Write so many measured snapshots, ten a generation; the first eight by publishing."""
    checkout = Checkout(folder)
    for number in range(MODELS):
        script = folder / f"{number}.json"
        favourites = {strategy.name: 1 for strategy in STRATEGIES[number : number + 3]}
        script.write_text(json.dumps({"default": 0, "text": favourites}))
        run = make_run(
            folder / "runs" / str(number),
            evaluator=f"mock/scripted:{script}",
            seeds=30,
            rounds=30,
            exhaustive=True,
            control="measured",
        ).folder
        arguments = ("--generation", f"Model{number}", "--contributor", "a benchmark", "--no-git")
        subprocess.run(
            [*EPC, "admin", "snapshot", "publish", str(run), *arguments],
            cwd=folder,
            env=ENV,
            capture_output=True,
            check=True,
        )
    lines = []
    for number in range(MODELS, snapshots):
        name = f"Model{number // EACH + MODELS}"
        if number % EACH == 0 or number == MODELS:
            checkout.evaluator(generation_record(name, life_record(model=name.lower())))
        source = checkout.home / f"v1.0-Model{number % MODELS}"
        lines.append(dumps_line(publish_copy(source, f"v1.{number % EACH}-{name}")))
    with (checkout.home / "events.jsonl").open("a") as file:
        file.writelines(lines)
    return checkout


def publish_copy(source: Path, tag: str, copy: int | None = None) -> dict[str, str]:
    """Publish a snapshot's content under another id, and return its event.

    Recorded verdicts say which `copy` of their source they are from: a source has as many judges as
    it really has, however many snapshots there are.
    """
    folder = source.parent / tag
    folder.mkdir()
    card = json.loads((source / "snapshot.json").read_text())
    texts = {"snapshot.json": dumps(card | {"tag": tag, "generation": tag.split("-", 1)[1]})}
    if copy is not None:
        texts |= {name: (source / name).read_text() for name in ("observed.json", "metrics.json")}
        commit_of_copy = f"{copy:040x}"
        texts = {n: t.replace(card["origin"]["commit"], commit_of_copy) for n, t in texts.items()}
    listed = dict(line.split()[::-1] for line in (source / "SHA256SUMS").read_text().splitlines())
    for path in source.iterdir():
        if path.name not in ("SHA256SUMS", *texts):
            os.link(path, folder / path.name)
    for name, text in texts.items():
        (folder / name).write_text(text)
        listed[name] = file_sha256(folder / name)
    (folder / "SHA256SUMS").write_text(sums_text(listed))
    seal = file_sha256(folder / "SHA256SUMS")
    today = datetime.now(UTC).date().isoformat()
    return {"date": today, "event": "published", "sha256": seal, "tag": tag}


def seconds(folder: Path, *arguments: str, before: Callable[[], object] = lambda: None) -> float:
    """Return the shortest of five runs of a command."""
    taken = []
    for _ in range(5):
        before()
        begun = time.perf_counter()
        subprocess.run(arguments, cwd=folder, env=ENV, capture_output=True, check=False)
        taken.append(time.perf_counter() - begun)
    return min(taken)


def commands(made: Checkout) -> None:
    """Time what a reader of the registry waits for."""
    start = seconds(made.folder, *EPC, "--help")
    print(f"epc --help                        {start:6.2f} s")
    fetched = made.folder / "runs" / "fetched"
    asked = {
        "list": ("snapshot", "list"),
        "expiry": ("expiry",),
        "fetch": ("snapshot", "fetch", f"v1.9-Model{SNAPSHOTS // EACH}", "--out", str(fetched)),
    }
    for name, words in asked.items():
        taken = seconds(
            made.folder, *EPC, *words, before=lambda: shutil.rmtree(fetched, ignore_errors=True)
        )
        print_time(f"epc {' '.join(words[:2])}", taken, start, LIMITS[name])


def recorded(folder: Path, snapshots: int) -> Checkout:
    """Write a clone of this registry, and the observed snapshots in it again under other ids."""
    git(ROOT, "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder))
    checkout = Checkout.__new__(Checkout)
    checkout.folder, checkout.home = folder, folder / "snapshots"
    add(checkout, range(snapshots))
    return checkout


def add(made: Checkout, numbers: range) -> None:
    """Publish the real observed snapshots again, one under the id of each number."""
    lines = []
    for number in numbers:
        name = f"Model{number // EACH}"
        if number % EACH == 0:
            made.evaluator(generation_record(name, life_record(model=name.lower())))
        source = made.home / REAL[number % len(REAL)]
        lines.append(
            dumps_line(publish_copy(source, f"v1.{number % EACH}-{name}", number // len(REAL)))
        )
    if not lines:
        return
    with (made.home / "events.jsonl").open("a") as file:
        file.writelines(lines)
    run(made, "admin", "snapshot", "headlines")
    commit(made.folder, "more")
    run(made, "admin", "snapshot", "tags")


def run(made: Checkout, *arguments: str) -> float:
    """Return the processor time of a command, that of the programs which it starts included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*EPC, *arguments], cwd=made.folder, env=ENV, capture_output=True, text=True, check=False
    )
    if done.returncode > 1 or done.stderr.startswith("Traceback"):
        print(done.stderr[-2000:])
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime - used.ru_utime - used.ru_stime


def observed(snapshots: int) -> None:
    """Print what recorded verdicts cost: the processor time of each command without and with."""
    print(f"processor time, s                 with 0 more  with {snapshots:,} more")
    with tempfile.TemporaryDirectory() as name:
        checkouts = [recorded(Path(name) / str(number), number) for number in (0, snapshots)]
        for arguments in (
            ("--help",),
            ("snapshot", "list"),
            ("expiry",),
            ("evaluators", "card", "gpt-4"),
            ("snapshot", "verify"),
            ("admin", "site", "build"),
        ):
            few, figure = (run(checkout, *arguments) for checkout in checkouts)
            print(f"epc {' '.join(arguments):<28}{few:10.2f}{figure:12.2f}", flush=True)
        public = checkouts[1].folder / "public"
        for page in ("index.html", "expired/index.html", "snapshots/index.html", "registry.json"):
            print(f"{page:<32}{(public / page).stat().st_size / 1000:22,.0f} kB")


def print_time(kind: str, taken: float, start: float, limit: float) -> None:
    """Print a time beside its limit."""
    mark = "" if taken < limit else f"  OVER {limit} s"
    print(f"{kind:<32}{taken:8.2f} s  {taken / start:5.1f} x{mark}")


def pipeline(made: Checkout) -> None:
    """Time `dvc repro` where nothing has changed."""
    for name in ("dvc.yaml", "params.yaml", ".gitignore", ".gitattributes", ".dvcignore"):
        shutil.copy(ROOT / name, made.folder / name)
    for name in (".dvc", "pipeline"):
        local = shutil.ignore_patterns("cache", "tmp", "run", "*.lock", "*.json")
        shutil.copytree(ROOT / name, made.folder / name, ignore=local)
    shutil.copytree(ROOT / "site", made.folder / "site")
    shutil.rmtree(made.folder / "runs")
    made.init()
    begun = time.perf_counter()
    done = subprocess.run(
        REPRO, cwd=made.folder, env=ENV, capture_output=True, text=True, check=False
    )
    print(f"dvc repro, the first              {time.perf_counter() - begun:6.2f} s")
    if done.returncode:
        print(done.stdout[-2000:], done.stderr[-2000:])
        return
    commit(made.folder, "rebuilt")
    start = seconds(made.folder, "dvc", "--version")
    print_time("dvc repro, no-op", seconds(made.folder, *REPRO), start, LIMITS["repro"])


def recomputation(made: Checkout, number: int) -> None:
    """Time the whole command, and the figures with their intervals alone."""
    names = [path.name for path in sorted(made.home.glob("v*"))][:number]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    before, begun = used.ru_utime + used.ru_stime, time.perf_counter()
    done = subprocess.run(
        [*EPC, "snapshot", "recompute", *names],
        cwd=made.folder,
        env=ENV,
        capture_output=True,
        text=True,
        check=False,
    )
    taken = time.perf_counter() - begun
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = spent.ru_utime + spent.ru_stime - before
    rate = f"{len(names) / taken:.0f}/s, {len(names) / busy:.0f}/s a core's busy second"
    print(f"recomputed {len(names):,} ({done.returncode}): {taken:.1f} s, {rate}")
    print("  digests, schemas, calls, trials line by line, figures, control, permutation test")
    rates = sorted(of_figures(made))
    middle = statistics.median(rates)
    mark = "" if middle >= AIMED else f"  UNDER {AIMED}"
    spread = f"{rates[0]:.0f} to {rates[-1]:.0f} in {TIMES} times {SAMPLE}"
    print(f"replay, figures and intervals alone: {middle:.0f}/s a core ({spread}){mark}")


def of_figures(made: Checkout) -> list[float]:
    """Return how many verdict tables a second of CPU become weights, figures and intervals."""
    tables = []
    for number in range(MODELS):
        manifest = json.loads((made.home / f"v1.0-Model{number}" / "manifest.json").read_text())
        config = Manifest.parse(manifest).configuration
        names = [strategy.name for strategy in config.strategies]
        counts = manifest["results"]["verdict_table"]["counts"]
        known_entry: Known = {
            domain: [
                [list(Verdict)[cell.index(1)] for cell in counts[domain][name]] for name in names
            ]
            for domain in DOMAINS
        }
        tables.append((known_entry, manifest["config"]["seeds"], config.rule, names))
    rates = []
    for _ in range(TIMES):
        begun = time.process_time()
        for number in range(SAMPLE):
            known_entry, seeds, rule, names = tables[number % MODELS]
            course = run_course(seeds, 30, known_entry, rule, PHASES)
            if course is not None:
                ended = dict(zip(seeds, course.outcomes(), strict=True))
                summarise(
                    seed_records(ended, names, REFERENCE_DOMAINS),
                    domains=REFERENCE_DOMAINS,
                    evidence={"control": {}},
                )
        rates.append(SAMPLE / (time.process_time() - begun))
    return rates


def main() -> None:
    if sys.argv[1:2] == ["observed"]:
        observed(int(sys.argv[2]) if len(sys.argv) > 2 else RECORDED)
        return
    number = int(sys.argv[1]) if len(sys.argv) > 1 else AT_ONCE
    with tempfile.TemporaryDirectory() as name:
        begun = time.perf_counter()
        checkout = build(Path(name) / "registry", max(SNAPSHOTS, number))
        print(f"built {max(SNAPSHOTS, number):,} snapshots in {time.perf_counter() - begun:.1f} s")
        if number <= SNAPSHOTS:
            commands(checkout)
            begun = time.perf_counter()
            findings = [
                finding for finding in verify(checkout.folder) if finding.severity == "error"
            ]
            print(
                f"verify, every byte: {time.perf_counter() - begun:.2f} s, {len(findings)} errors"
            )
        recomputation(checkout, number)
        if number <= SNAPSHOTS:
            pipeline(checkout)


if __name__ == "__main__":
    main()
