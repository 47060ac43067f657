"""Is everything as it was published, and are words of trust earned? (`epc snapshot verify`).

Git holds the events; a `published` event holds the digest of its folder's SHA256SUMS, and that the
digest of every file. One flipped byte anywhere breaks a link, and the finding names the file.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from epc.digests import file_sha256, parse_sums
from epc.errors import EpcError, Finding, MalformedError, UsageError, WorldError
from epc.records import strict_json
from epc.records.earlier import is_seal
from epc.records.findings import Findings
from epc.records.schemas import findings as schema_findings
from epc.records.typed import parse
from epc.registry import layout, trust
from epc.registry.expiry import impossible
from epc.registry.history import git, lost_events, published_by
from epc.registry.kinds.adapter import CLAUSE, RESTORE, adapter, departure, read_document
from epc.registry.kinds.table import KINDS, parse_card
from epc.registry.reading import folders, of_folder
from epc.registry.record import Record
from epc.registry.snapshots import Metrics
from epc.registry.store import fetched, reader
from epc.registry.tags import Tag

# A tag and its commit, whether it is an object of its own or not.
_FORM: Final = (
    "--format=%(refname:short) %(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"
)
_REMEDY: Final = "ask who moved it; `git fetch --tags --force` brings the tags that origin has"


def check_tags(checkout: Path, published: list[str], findings: Findings) -> None:
    """Note a tag of another commit than the one that published its snapshot.

    A clone may lack tags; `epc admin snapshot tags` lists those. Outside a repository, and in a
    shallow clone, there is nothing to check.

    Raises: WorldError if git fails.
    """
    try:
        listed = git(checkout, "for-each-ref", _FORM, "refs/tags/v*").splitlines()
        commits = published_by(checkout) if listed else {}
    except (WorldError, UsageError):
        return
    for tag, commit in map(str.split, listed):
        if tag in published and commit != commits.get(tag, commit):
            problem = f"is a git tag of {commit}; {commits[tag]} published this snapshot"
            findings.add(CLAUSE, f"refs/tags/{tag}", problem, _REMEDY)


_EVENT: Final = ("date", "event", "tag")  # as text: there may be no such day; a seal has no tag
_RAW: Final = "raw"


def verify(checkout: Path) -> list[Finding]:
    """Return everything that is not as it was published.

    Raises: WorldError if the disk or git fails.
    """
    findings = Findings()
    home = checkout / layout.FOLDER
    sealed = _events(checkout, findings)
    _links(home, findings)
    for folder in folders(checkout):
        _folder(folder, sealed.get(folder.name), findings)
    for tag in sealed:
        if not (home / tag).is_dir():
            where = f"{layout.FOLDER}/{tag}"
            findings.add(CLAUSE, where, "was published and is gone", RESTORE)
    check_tags(checkout, list(sealed), findings)
    if not any(finding.severity == "error" for finding in findings.as_list()):
        trust.check(checkout, of_folder(checkout), findings)
    return findings.as_list()


def _links(home: Path, findings: Findings) -> None:
    """Note what leads elsewhere; of raw files, which DVC may link, the digests are checked."""
    for path in (home, *home.rglob("*")):
        if path.is_symlink() and _RAW not in path.relative_to(home).parts:
            where = path.relative_to(home.parent).as_posix()
            findings.add(CLAUSE, where, "is a link, expected a file or a folder", RESTORE)


def _events(checkout: Path, findings: Findings) -> dict[str, str]:
    """Check the events, and return the digest that each published snapshot was sealed with."""
    file = layout.LOG
    path = checkout / file
    sealed: dict[str, str] = {}
    rows = strict_json.read_lines(path, layout.EVENTS) if path.exists() else ()
    latest = ""
    for index, row, problems in rows:
        where = f"{file}:{index + 1}"
        wrong = problems or schema_findings("event", row, clause=CLAUSE)
        for finding in wrong:
            findings.add(CLAUSE, where, finding.problem, finding.remedy)
        if wrong:
            continue
        day, kind, tag = (row.get(key) for key in _EVENT)
        _day(day, latest, where, findings)
        latest = max(latest, day)
        if kind == "published" and tag in sealed:
            findings.add(CLAUSE, where, f"{tag} is published twice", "remove this line")
        elif kind == "published":
            sealed[tag] = row["sha256"]
        elif tag not in sealed and not is_seal(row):
            problem = f"{tag} was not published before this"
            findings.add(CLAUSE, where, problem, "see `epc snapshot list` for what there is")
    _history(checkout, file, findings)
    return sealed


def _day(day: str, latest: str, where: str, findings: Findings) -> None:
    """Note an event of a day that there is not, or of one before its predecessor's."""
    for _, text in impossible(day):
        findings.add(CLAUSE, where, f"there is no day {text}", RESTORE)
    if day < latest:
        problem = f"is of {day}, and stands after an event of {latest}"
        findings.add(CLAUSE, where, problem, "put the lines in the order of their days")


def _history(checkout: Path, file: str, findings: Findings) -> None:
    lost = lost_events(checkout)
    if lost is None:
        problem = "not held against history: this is no git repository, or a shallow clone"
        remedy = "clone it whole; in CI, `fetch-depth: 0`"
        findings.add(CLAUSE, file, problem, remedy, severity="warning")
        return
    for line in lost:
        findings.add(CLAUSE, file, f"this line was published and is gone: {line}", RESTORE)


def _folder(folder: Path, seal: str | None, findings: Findings) -> None:
    """Check one snapshot's folder against its seal, and its documents against each other."""
    home = f"{layout.FOLDER}/{folder.name}"
    sums = folder / layout.SUMS
    if seal is None:
        remedy = "publish it with `epc admin snapshot publish`, or remove the folder"
        findings.add(CLAUSE, home, "no event says that it was published", remedy)
    elif not sums.is_file():
        findings.add(CLAUSE, f"{home}/{layout.SUMS}", "is missing", RESTORE)
    elif file_sha256(sums) != seal:
        problem = f"SHA-256 is {file_sha256(sums)}, published with {seal}"
        findings.add(CLAUSE, f"{home}/{layout.SUMS}", problem, RESTORE)
    listed = _listed(sums)
    for name, problem in _misfits(folder, listed):
        findings.add(CLAUSE, f"{home}/{name}", problem, RESTORE)
    for where, problem in _stored(folder, listed):
        findings.add(CLAUSE, where, problem, RESTORE)
    for finding in _documents(folder, listed):
        findings.add(finding.clause, f"{home}{finding.where}", finding.problem, finding.remedy)


def _listed(sums: Path) -> dict[str, str]:
    """Return the digests of a SHA256SUMS; none where it is missing or not canonical."""
    text, problems = strict_json.read_text(sums) if sums.is_file() else ("", [])
    return {} if problems else parse_sums(text) or {}


def _misfits(folder: Path, listed: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each file that is not as it is listed, missing, or not listed at all."""
    documents = {name: value for name, value in listed.items() if "/" not in name}
    for name, value in documents.items():
        path = folder / name
        if not path.is_file():
            yield name, "is missing"
        elif (digest := file_sha256(path)) != value:
            yield name, f"SHA-256 is {digest}, published with {value}"
    present = {path.name for path in folder.iterdir()} - {layout.SUMS, _RAW, ".gitignore"}
    for name in sorted(present - set(documents)):
        yield name, "is not in SHA256SUMS"
    yield from _pulled(folder, listed)


def _pulled(folder: Path, listed: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each raw file that `dvc pull` put beside the documents and is not as it is listed."""
    raw = folder / _RAW
    for path in sorted(raw.rglob("*")) if raw.is_dir() else ():
        name = f"{_RAW}/{path.relative_to(raw).as_posix()}"
        if path.is_dir():
            continue
        if name not in listed:
            yield name, "is not in SHA256SUMS"
        elif (digest := file_sha256(path)) != listed[name]:
            yield name, f"SHA-256 is {digest}, published with {listed[name]}"


def _documents(folder: Path, listed: dict[str, str]) -> Iterator[Finding]:
    """Yield what is wrong with a folder's documents, whatever their digests say."""
    card, wrong = _card(folder)
    document, figure_problems = read_document(folder / layout.FIGURES, "snapshot_metrics")
    yield from (*wrong, *figure_problems)
    if card is None or figure_problems:
        return
    figures = parse(document, Metrics)
    try:
        tag = Tag.parse(folder.name)
    except EpcError as error:
        yield departure("", str(error).splitlines()[0])
        return
    if card.tag != folder.name:
        yield departure(f"/{layout.CARD}/tag", f"says {card.tag}, the folder {folder.name}")
    if card.generation != tag.generation:
        problem = f"says {card.generation}, the tag {tag.generation}"
        yield departure(f"/{layout.CARD}/generation", problem)
    if card.kind != figures.kind:
        problem = f"says {figures.kind}, the card {card.kind}"
        yield departure(f"/{layout.FIGURES}/kind", problem)
        return
    pointer_files = {layout.POINTER} if card.kept else set()
    for name in sorted({*KINDS[card.kind].files, *pointer_files} - set(listed)):
        yield departure(f"/{name}", f"a {card.kind} snapshot has one, listed in SHA256SUMS")
    yield from adapter(card.kind).departures(folder, card, figures.figures, listed)


def _card(folder: Path) -> tuple[Record | None, list[Finding]]:
    """Return a folder's card, None if it has no shape, and what is wrong with it."""
    document, wrong = read_document(folder / layout.CARD, "snapshot")
    if wrong:
        return None, wrong
    days = impossible(document["measured"] or {}, f"/{layout.CARD}/measured")
    wrong = [departure(where, f"there is no day {text}") for where, text in days]
    return (None if wrong else parse_card(document)), wrong


def _stored(folder: Path, listed: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the first raw file of a snapshot that the store does not hold as it was published."""
    pointer, store = folder / layout.POINTER, folder.parent / layout.STORE
    where = f"{layout.FOLDER}/{folder.name}/{layout.POINTER}"
    if layout.POINTER not in listed or not pointer.is_file():
        return
    text, problems = strict_json.read_text(pointer)
    if problems:
        yield where, problems[0].problem
        return
    try:
        for _ in fetched(text, listed, reader(str(store))):
            pass
    except MalformedError as error:
        finding = error.finding
        in_store = f"{layout.FOLDER}/{layout.STORE}/{finding.where}"
        yield in_store if finding.where != layout.POINTER else where, finding.problem
    except WorldError as error:
        yield where, str(error).splitlines()[0]
