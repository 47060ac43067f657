"""Everything that is said of submissions, as one value (`epc submission check`).

Each is looked at in the order in which it becomes safe to look: the folder by names and sizes, the
statement, the manifest's shape and size, and only then the record itself, replayed twice.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from shutil import rmtree
from types import MappingProxyType
from typing import Final

from epc.errors import UsageError, WorldError, able_to
from epc.printable import one_line
from epc.records.findings import Findings
from epc.registry import layout as registry_layout
from epc.registry.kinds.adapter import adapter, kind_of
from epc.registry.kinds.table import KINDS
from epc.registry.names import skeleton
from epc.registry.submissions import against, folder, layout
from epc.registry.submissions.brought import Records, with_records
from epc.registry.submissions.checked import Base, SubmissionCheck
from epc.registry.submissions.report import Report, report
from epc.registry.submissions.statement import read
from epc.registry.submissions.texts import LEAKED, scan
from epc.registry.tags import Tag

_LARGEST: Final = 2**20
MOST_FOREIGN: Final = 100
_README: Final = f"{layout.FOLDER}/{layout.README}"
_PARTS: Final = 3  # submissions, slug, file


def read_changed(path: Path) -> list[str]:
    """Return the paths of a list that git made, one a line or separated by NUL.

    Raises: UsageError if it is too long to be one submission's; WorldError if it cannot be read.
    """
    with able_to("read", path):
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path} lists more than {_LARGEST:,} bytes of paths")
        content = path.read_bytes()
    separator = b"\0" if b"\0" in content else b"\n"
    lines = content.split(separator)
    return [line.decode("utf-8", "surrogateescape") for line in lines if line]


def foreign(
    changed: Sequence[str], findings: Findings, records: Collection[str] = ()
) -> tuple[list[str], set[str]]:
    """Return the paths outside submissions, and the names of the submissions that are touched.

    Whatever is not a file of the layout in one submission's folder is noted, unless the pull
    request offers nothing at all. One of the `records` that it brings is none of these: that of the
    new evaluator, which `_hold_records` looks for.
    """
    strangers, slugs = list[str](), set[str]()
    if not any(_is_offer(path) for path in changed):
        return [], slugs  # a pull request about something else, which no rule here is about
    layouts = [adapter(name).FILES for name, kind in KINDS.items() if kind.documents]
    for path in changed:
        parts = path.split("/")
        inside = parts[0] == layout.FOLDER and len(parts) >= _PARTS
        name = "/".join(parts[_PARTS - 1 :])
        if inside and not {"", ".", ".."} & set(parts):
            slugs.add(parts[1])
        admitted = inside and any(files.admits(name) for files in layouts)
        if not admitted and path not in records:
            strangers.append(path)
    for path in strangers[:MOST_FOREIGN]:
        problem = f"changes {one_line(path)}, which is no file of a submission"
        remedy = f"offer {layout.FOLDER}/SLUG/ alone; change anything else in another pull request"
        findings.add(layout.ONE, one_line(path), problem, remedy)
    if len(strangers) > MOST_FOREIGN:
        problem = f"changes {len(strangers):,} paths that are no files of a submission"
        findings.add(layout.ONE, "", problem, "offer a submission alone")
    if len(slugs) > 1:
        problem = f"changes {len(slugs)} submissions: {', '.join(sorted(map(one_line, slugs))[:5])}"
        findings.add(layout.ONE, layout.FOLDER, problem, "offer each in a pull request of its own")
    return [one_line(path) for path in strangers[:MOST_FOREIGN]], slugs


def _is_offer(path: str) -> bool:
    """Return whether a path is below the folder of submissions, or could be taken for it."""
    top = path.partition("/")[0].strip('"')
    alike = not top.isascii() or skeleton(top) == skeleton(layout.FOLDER)
    return alike and path != _README


def check(
    paths: Sequence[Path],
    base: Base,
    *,
    changed: Sequence[str] | None = None,
    snapshot_findings: Findings | None = None,
    records: Records = MappingProxyType({}),
    author: str | None = None,
) -> Report:
    """Return the report on some submissions, or folders of submissions.

    `changed` are the paths that a pull request touches; only its submission is then looked at, and
    whatever else it touches is a finding. `snapshot_findings` are of its snapshots, if these were
    looked at, and `records` are those of evaluators that it brings. `author` is who opened it, by
    GitHub's word.

    Raises: UsageError if there is nothing at a path; WorldError if the disk fails.
    """
    findings = Findings() if snapshot_findings is None else snapshot_findings
    strangers, slugs = foreign(changed, findings, records) if changed is not None else ([], None)
    if changed is not None and not slugs:
        paths = ()
        home = registry_layout.FOLDER
        if snapshot_findings is None and any(path.startswith(f"{home}/") for path in changed):
            problem = "is changed, and nothing says by which commit"
            findings.add(layout.ONE, home, problem, "give --merge COMMIT")
    submissions = [path for root in paths for path in _submissions(root, findings)]
    if slugs is not None:
        removed = slugs - {path.name for path in submissions}
        submissions = [path for path in submissions if path.name in slugs]
        for slug in sorted(removed):
            problem = f"{layout.FOLDER}/{one_line(slug)} is changed, and not there"
            findings.add(layout.ONE, one_line(slug), problem, "add a folder, remove none")
    offered = _offered(base.checkout / layout.FOLDER)
    _alike(submissions, offered, findings)
    done: list[SubmissionCheck] = []
    base = with_records(base, records)
    published = identities_of(base)
    for path in submissions:
        checked = check_one(path, base)
        identities = {slug: identity for slug, identity in offered.items() if slug != path.name}
        identities |= {d.slug: d.identity for d in done if d.identity}
        named = {f"submission {slug}": identity for slug, identity in identities.items()}
        hold_apart(checked, published, named)
        _hold_author(path, checked, base, author)
        done.append(checked)
    if slugs:
        _hold_records(records, done, findings)
    tags = {d.slug: base.next_tag(d.statement.generation) for d in done if d.statement}
    return report(done, findings, strangers, tags, author)


def _hold_records(records: Records, done: Sequence[SubmissionCheck], findings: Findings) -> None:
    """Note a record that a submission brings and that is not its own evaluator's."""
    generations = {checked.statement.generation for checked in done if checked.statement}
    for path in records:
        generation = PurePosixPath(path).stem
        if generation not in generations:
            problem = f"brings the record of {generation}, which nothing here measures"
            remedy = "offer it in a pull request of its own"
            findings.add(layout.ONE, one_line(path), problem, remedy)


def _hold_author(path: Path, checked: SubmissionCheck, base: Base, author: str | None) -> None:
    """Note that somebody else offers a submission, or changes one that was merged already."""
    login = checked.statement.login if checked.statement else None
    if login and author and login.casefold() != author.casefold():
        problem = f"says {login}, the pull request is {one_line(author)}'s"
        remedy = f'write "login": "{one_line(author)}", or let {login} open the pull request'
        checked.findings.add(layout.WHO, f"{layout.STATEMENT}/login", problem, remedy)
    merged = base.checkout / layout.FOLDER / path.name
    if not merged.is_dir() or merged.resolve() == path.resolve():
        return
    before = read(merged, Findings())
    owner = before.login if before else None
    if not (owner and author) or owner.casefold() != author.casefold():
        credit = f", offered by {owner}" if owner else ""
        problem = f"{path.name} is merged already{credit}: nobody else can change it"
        remedy = "offer a measurement of your own under another name"
        checked.findings.add(layout.ONE, "", problem, remedy)


def check_one(path: Path, base: Base) -> SubmissionCheck:
    """Return what is found in one submission, before it is held against others.

    Raises: WorldError if the disk fails.
    """
    checked = SubmissionCheck(slug=path.name, kind=kind_of(path), findings=folder.inspect(path))
    findings = checked.findings
    if len(findings):
        return checked
    checked.statement = read(path, findings)
    for name in folder.present_files(path):
        for line, secret in scan(path / name, {}):
            findings.add(layout.SECRETS, f"{name}:{line}", f"holds {secret}", LEAKED)
    adapter(checked.kind).look(path, checked, base)
    return checked


def keep_publishable(path: Path, base: Base) -> Report:
    """Return the report on a submission that was just made; one that is refused is removed again.

    Raises: WorldError if the disk fails.
    """
    outcome = check((path,), base)
    if not outcome.ok:
        with able_to("remove", path):
            rmtree(path)
    return outcome


def hold_apart(
    checked: SubmissionCheck,
    published: Callable[[str], Mapping[str, str]],
    offered: Mapping[str, str],
    *,
    itself: Tag | None = None,
) -> None:
    """Note that a submission is published already, or is the same as one of the others.

    `published` gives the identities of a kind (`identities_of`). `itself` is the snapshot that the
    submission became, if its publication was interrupted.

    Raises: WorldError if a published snapshot cannot be read.
    """
    if checked.statement and checked.identity:
        published_identities = {
            tag: identity for tag, identity in published(checked.kind).items() if tag != str(itself)
        }
        document = KINDS[checked.kind].documents[0]
        findings = against.sameness(
            checked.identity, checked.statement, {**published_identities, **offered}, document
        )
        checked.findings.extend(findings)


def identities_of(base: Base) -> Callable[[str], Mapping[str, str]]:
    """Return what gives the identities of a kind's published snapshots by tag, read once."""

    @cache
    def published(kind: str) -> Mapping[str, str]:
        identities: dict[str, str] = {}
        for tag, snapshot in base.registry.snapshots.items():
            if snapshot.kind == kind:
                identity = adapter(kind).identity_of(base.checkout / registry_layout.FOLDER / tag)
                if identity is None:
                    raise WorldError(f"{tag} cannot be used\n  fix: see `epc snapshot verify`")
                identities[tag] = identity
        return identities

    return published


def _submissions(path: Path, findings: Findings) -> list[Path]:
    """Return the submissions that a path stands for: itself, or those below `submissions/`."""
    path = path.absolute()
    if not path.is_symlink() and path.name != layout.FOLDER:
        if not path.exists():
            raise UsageError(f"there is no {path}\n  fix: name a folder below {layout.FOLDER}/")
        return [path]
    if path.is_symlink() or not path.is_dir():
        problem, remedy = "is no plain folder", f"keep {layout.FOLDER}/ a folder"
        findings.add(layout.PLAIN, one_line(path.name), problem, remedy)
        return []
    with able_to("read", path):
        entries = sorted(path.iterdir(), key=lambda entry: entry.name)
    return [entry for entry in entries if entry.name != layout.README]


def _offered(home: Path) -> dict[str, str]:
    """Return the identities of what the trusted checkout holds already, as far as it is sound."""
    paths = sorted(home.iterdir()) if home.is_dir() else []
    sound = (path for path in paths if path.is_dir() and not len(folder.inspect(path)))
    identities = {path.name: adapter(kind_of(path)).identity_of(path) for path in sound}
    return {slug: identity for slug, identity in identities.items() if identity}


def _alike(submissions: Sequence[Path], offered: Mapping[str, str], findings: Findings) -> None:
    """Note submissions whose names a reader, or a disk, cannot tell apart."""
    names = list(dict.fromkeys([*offered, *(path.name for path in submissions)]))
    for slug, lookalike in folder.look_alikes(names):
        problem = f"{slug!a} looks like {lookalike!a}"
        findings.add(layout.NAMES, one_line(slug), problem, "choose a name of its own")
