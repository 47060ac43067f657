"""Evidence kept from build to build: worked out where it is new, and taken as it is where not.

What is kept lies under the digest of all that it follows from: the snapshot's audit, manifest and
trials, byte by byte, and the program that works it out. None of these is believed to be unchanged;
each is digested at every build. So a changed trial or another way of drawing finds nothing kept,
and neither does what was damaged since.
"""

import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

import epc
from epc.errors import Finding, MalformedError, WorldError
from epc.protocol.results import Json
from epc.records import strict_json
from epc.records.layout import RAW
from epc.records.manifest import Manifest
from epc.records.typed import as_json
from epc.registry import layout
from epc.registry.card_types import AuditSummary
from epc.registry.sums import parse_sums, sha256, sums_text
from epc.report import picture
from epc.site.accounting import made
from epc.site.evidence import PICTURES, Evidence
from epc.site.pages import SnapshotPage

_BESIDE: Final = ("numpy", "jinja2", "markupsafe")  # of others' programs, beside the renderer
_MOST_IN_ONE_PROCESS: Final = 8  # snapshots; below it a process pool costs more than it saves


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """What a snapshot's evidence follows from."""

    audit: AuditSummary
    manifest: Path
    trials: Path | None

    def read(self) -> tuple[Manifest, AuditSummary]:
        """Return the manifest, and what the newest rule says of it.

        Raises: MalformedError if it is not JSON; WorldError if it cannot be read.
        """
        return Manifest.parse(_document(self.manifest)), self.audit

    def digest(self) -> str:
        """Return the name under which it is kept."""
        paths = [self.manifest, *([self.trials] if self.trials else [])]
        audit = strict_json.dumps_line(as_json(self.audit))
        words = (program(), audit, *(sha256(path) for path in paths))
        return hashlib.sha256("\n".join(words).encode()).hexdigest()


def gathered(pages: Sequence[SnapshotPage], drawings: Path) -> dict[str, Evidence]:
    """Return the evidence of every measured snapshot, by tag; what is new is worked out and kept.

    `drawings` is where pictures are kept, and evidence below them. What no snapshot needs any more
    is thrown away.

    Raises: MalformedError if trials are not those of their manifest; WorldError if the disk fails.
    """
    kept = drawings / "kept"
    sources = {page.row.tag: _source(page, page.audit) for page in pages if page.audit}
    with ThreadPoolExecutor() as threads:
        names = dict(zip(sources, threads.map(_Source.digest, sources.values()), strict=True))
        present = list(threads.map(lambda name: _whole(kept / name), names.values()))
    missing = [tag for tag, whole in zip(names, present, strict=True) if not whole]
    for problem in _work_out([(sources[tag], kept, names[tag]) for tag in missing]):
        if problem is not None:
            raise MalformedError(problem)
    _tidy(kept, set(names.values()))
    return {tag: Evidence.of(kept / name) for tag, name in names.items()}


def _document(path: Path) -> Json:
    document, problems = strict_json.read(path)
    if problems:
        raise MalformedError(replace(problems[0], where=f"/{path.name}{problems[0].where}"))
    value: Json = document
    return value


def _source(page: SnapshotPage, audit: AuditSummary) -> _Source:
    return _Source(
        audit=audit,
        manifest=page.folder / layout.MANIFEST,
        trials=page.raw.get(RAW["trials"]),
    )


@cache
def program() -> str:
    """Return the digest of what works evidence out: all of this package, and what it stands on."""
    total = hashlib.sha256()
    home = Path(epc.__file__).parent
    for path in sorted(home.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            total.update(f"{path.relative_to(home).as_posix()} {sha256(path)}\n".encode())
    versions = [f"{name} {metadata.version(name)}" for name in _BESIDE]
    total.update("\n".join((picture.renderer(), sys.version, *versions)).encode())
    return total.hexdigest()


def _whole(home: Path) -> bool:
    """Return whether evidence is there, each file as it was kept."""
    path = home / layout.SUMS
    listed = parse_sums(path.read_text("utf-8", "replace")) if path.is_file() else None
    there = listed is not None and all((home / name).is_file() for name in listed)
    return there and all(sha256(home / name) == digest for name, digest in (listed or {}).items())


def _work_out(jobs: Sequence[tuple[_Source, Path, str]]) -> Iterator[Finding | None]:
    """Yield for each what is wrong with it, with all of the machine's cores."""
    if len(jobs) <= _MOST_IN_ONE_PROCESS:
        yield from (_keep(*each) for each in jobs)
        return
    from joblib import Parallel, delayed, parallel_config

    with parallel_config(backend="loky", n_jobs=-1, inner_max_num_threads=1):
        work = Parallel(return_as="generator")
        yield from work(delayed(_keep)(*each) for each in jobs)


def _keep(source: _Source, kept: Path, name: str) -> Finding | None:
    """Work evidence out and keep it, whole or not at all; return what is wrong with its source.

    Raises: WorldError if the disk fails, or the source changes meanwhile.
    """
    try:
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept, prefix=".") as folder:
            home = Path(folder) / name
            _write(home, made(source.read(), source.trials, kept.parent))
            if source.digest() != name:
                raise WorldError(f"{source.manifest.parent} changed while it was being read")
            shutil.rmtree(kept / name, ignore_errors=True)
            home.rename(kept / name)
    except MalformedError as error:
        return replace(error.finding, where=f"{source.manifest.parent}{error.finding.where}")
    except OSError as error:
        raise WorldError(f"cannot write {error.filename}: {error.strerror or error}") from error
    return None


def _write(home: Path, files: Mapping[str, str]) -> None:
    """Write files, and the digest of each."""
    (home / PICTURES).mkdir(parents=True)
    for name, text in files.items():
        (home / name).write_bytes(text.encode())
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    (home / layout.SUMS).write_bytes(sums_text(digests).encode())


def _tidy(kept: Path, needed: set[str]) -> None:
    """Throw away what no snapshot needs, and what a killed build left."""
    for home in kept.iterdir() if kept.is_dir() else ():
        if home.name not in needed:
            shutil.rmtree(home, ignore_errors=True)
