"""Everything that is said of submissions, as one value (`epc submission check`).

Each is looked at in the order in which it becomes safe to look: the folder by names and sizes, the
statement, the manifest's shape and size, and only then the record itself, replayed twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from epc.analysis.audit import Audit, audit_checked
from epc.digests import file_sha256
from epc.errors import MalformedError, UsageError, WorldError, able_to
from epc.printable import shown
from epc.protocol.results import Json
from epc.records import checkout
from epc.records.findings import Findings
from epc.records.layout import ATTESTATION, MANIFEST
from epc.records.manifest import Manifest
from epc.records.recompute import read_manifest
from epc.records.validate import validate
from epc.registry import layout as registry_layout
from epc.registry import trust
from epc.registry.cards import NO_BASELINE
from epc.registry.reading import of_folder, taken
from epc.registry.registry import Registry
from epc.registry.submissions import (
    against,
    folder,
    judged,
    layout,
    observed,
    plausible,
)
from epc.registry.submissions.changed import foreign
from epc.registry.submissions.checked import Checked
from epc.registry.submissions.folder import located, reasons
from epc.registry.submissions.report import Report, report
from epc.registry.submissions.statement import identity, manifest_texts, placed, read
from epc.registry.submissions.texts import LEAKED, scan
from epc.registry.tags import Tag, next_tag
from epc.registry.trust import attested
from epc.spec.epc_v1 import PUBLICATION_SEEDS, SCREENING_SEEDS

ORACLE: Final = checkout.ROOT / "tests" / "oracle"
_DIFFERS: Final = "validate or measure it again; if that agrees with itself, report a fault of epc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The trusted checkout that submissions are held against, and the day."""

    checkout: Path
    registry: Registry
    today: date
    published: Mapping[str, str]  # identities, by tag
    taken: Sequence[Tag]

    @classmethod
    def of(cls, checkout: Path, today: date) -> "Base":
        """Read a checkout.

        Raises: MalformedError or WorldError if it cannot be read.
        """
        registry = of_folder(checkout)
        try:
            measured = dict(against.published(checkout, registry))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise WorldError(
                f"{checkout}: a published manifest cannot be used: {error}\n"
                "  fix: see `epc snapshot verify`"
            ) from error
        return cls(
            checkout=checkout,
            registry=registry,
            today=today,
            published=measured,
            taken=taken(checkout, registry),
        )

    def next_tag(self, generation: str) -> str | None:
        """Return the id that the next measurement of a generation gets, if it can have one."""
        try:
            return str(next_tag(generation, self.taken))
        except MalformedError:
            return None


def check(
    paths: Sequence[Path],
    base: Base,
    *,
    changed: Sequence[str] | None = None,
    beside: Findings | None = None,
    author: str | None = None,
) -> Report:
    """Return the report on some submissions, or folders of submissions.

    `changed` are the paths that a pull request touches; only its submission is then looked at, and
    whatever else it touches is a finding. `beside` has what was found of its snapshots, if that was
    looked at. `author` is who opened it, by GitHub's word.

    Raises: UsageError if there is nothing at a path; WorldError if the disk fails.
    """
    whole = Findings() if beside is None else beside
    strangers, slugs = foreign(changed, whole) if changed is not None else ([], None)
    if changed is not None and not slugs:
        paths = ()
        home = registry_layout.FOLDER
        if beside is None and any(path.startswith(f"{home}/") for path in changed):
            problem = "is changed, and nothing says by which commit"
            whole.add(layout.ONE, home, problem, "give --merge COMMIT")
    submissions = [path for root in paths for path in _submissions(root, whole)]
    if slugs is not None:
        gone = slugs - {path.name for path in submissions}
        submissions = [path for path in submissions if path.name in slugs]
        for slug in sorted(gone):
            problem = f"{layout.FOLDER}/{shown(slug)} is changed, and not there"
            whole.add(layout.ONE, shown(slug), problem, "add a folder, remove none")
    offered = _offered(base.checkout / layout.FOLDER)
    _alike(submissions, offered, whole)
    done: list[Checked] = []
    for path in submissions:
        others = {against.OFFERED + slug: i for slug, i in offered.items() if slug != path.name}
        others |= {against.OFFERED + d.slug: d.identity for d in done if d.identity}
        one = check_one(path, base, others)
        _hold_author(path, one, base, author)
        done.append(one)
    tags = {d.slug: base.next_tag(d.statement.generation) for d in done if d.statement}
    return report(done, whole, strangers, tags, author)


def _hold_author(path: Path, checked: Checked, base: Base, author: str | None) -> None:
    """Note that somebody else offers a submission, or changes one that was merged already."""
    login = checked.statement.login if checked.statement else None
    if login and author and login.casefold() != author.casefold():
        problem = f"says {login}, the pull request is {shown(author)}'s"
        remedy = f'write "login": "{shown(author)}", or let {login} open the pull request'
        checked.findings.add(layout.WHO, f"{layout.STATEMENT}/login", problem, remedy)
    merged = base.checkout / layout.FOLDER / path.name
    if not merged.is_dir() or merged.resolve() == path.resolve():
        return
    before = read(merged, Findings())
    owner = before.login if before else None
    if not (owner and author) or owner.casefold() != author.casefold():
        whose = f", offered by {owner}" if owner else ""
        problem = f"{path.name} is merged already{whose}: nobody else can change it"
        remedy = "offer a measurement of your own under another name"
        checked.findings.add(layout.ONE, "", problem, remedy)


def check_one(
    path: Path, base: Base, others: Mapping[str, str], *, itself: Tag | None = None
) -> Checked:
    """Return what is found in one submission.

    `itself` is the snapshot that it became already, if its publication was interrupted.

    Raises: WorldError if the disk fails.
    """
    checked = Checked(slug=path.name, findings=folder.inspect(path))
    findings = checked.findings
    if len(findings):
        return checked
    checked.statement = read(path, findings)
    for name in folder.present_files(path):
        for line, what in scan(path / name, {}):
            findings.add(layout.SECRETS, f"{name}:{line}", f"holds {what}", LEAKED)
    if checked.statement and (path / ATTESTATION).exists():
        _attestation(path, checked, checked.statement.login, base.checkout)
    if (kind := folder.kind_of(path)) != "run":
        (_judged if kind == "judged" else _observed)(path, checked, base, itself)
        return checked
    manifest, wrong = read_manifest(path)
    if manifest is None:
        findings.extend([placed(MANIFEST, finding) for finding in wrong])
        return checked
    findings.extend(wrong := list(plausible.bounds(manifest)))
    if not wrong:
        checked.manifest = manifest
        _record(path, manifest, checked, base)
        if checked.statement:
            known = {tag: i for tag, i in base.published.items() if tag != str(itself)}
            _registry(manifest, checked, base, {**known, **others})
    return checked


def _judged(path: Path, checked: Checked, base: Base, itself: Tag | None) -> None:
    """Note what is wrong with what a judge said, by its own record and beside the others."""
    if (statement := checked.statement) is None:
        return
    checked.offer, wrong = judged.look(path, statement, base.registry, base.today)
    checked.findings.extend(wrong)
    if checked.offer is None:
        checked.first = "finds it otherwise"
        return
    checked.first = "every record follows from its raw reply"
    checked.second = "reads no judged evaluation"
    home = base.checkout / layout.FOLDER
    offered = [p for p in sorted(home.iterdir()) if p.name != path.name] if home.is_dir() else []
    others = judged.known(base.checkout, base.registry, offered)
    others.pop(str(itself), None)
    checked.findings.extend(judged.repeated(statement, others))


def _observed(path: Path, checked: Checked, base: Base, itself: Tag | None) -> None:
    """Note what recorded verdicts are not, by themselves and beside what is published."""
    if (statement := checked.statement) is None:
        return
    checked.offer, wrong = observed.look(path, statement, base.registry, base.today)
    checked.findings.extend(wrong)
    if checked.offer is None:
        checked.first = "finds it otherwise"
        return
    checked.first = "every figure follows from the verdicts"
    _second(path, checked, "1e-12", checked.offer.figures)
    checked.findings.extend(
        observed.repeated(path, statement, base.checkout, base.registry, itself)
    )


def _attestation(path: Path, checked: Checked, login: str, checkout: Path) -> None:
    """Note what GitHub attests of a run, or why that shows nothing of it."""
    names = [n for n in folder.present_files(path) if n not in {layout.STATEMENT, ATTESTATION}]
    digests = {name: file_sha256(path / name) for name in names}
    bundle = (path / ATTESTATION).read_bytes()
    checked.attested, wrong = attested(bundle, digests, login, checkout)
    checked.findings.extend(wrong)


def _record(path: Path, manifest: Manifest, checked: Checked, base: Base) -> None:
    """Note what a record's own text, days, seeds and figures say.

    What one can mend by hand comes first: a record that is not true to itself can have so many
    findings that the others would not be listed.
    """
    findings = checked.findings
    findings.extend(manifest_texts(manifest.document))
    findings.extend(plausible.seeds(manifest))
    wrong = list(plausible.days(manifest, base.today))
    findings.extend(wrong)
    record = validate(path)
    checked.first = "every figure follows from the trials" if record.ok else "finds it otherwise"
    findings.extend(located(record.findings))
    if record.ok:
        _second(path, checked, "1e-9")
        checked.audit = audit_checked(record)
        findings.extend(reasons(checked.audit, record.findings))
        checked.blocks.extend(_blocks(checked.audit))


def _second(path: Path, checked: Checked, within: str, report: Json | None = None) -> None:
    """Note what the second computation finds; it is part of a clone, and of no package."""
    if not ORACLE.is_dir():
        checked.second = "was not run"
        problem = "the second computation was not run: only a clone of the registry has it"
        remedy = "check with the program of a clone, which has tests/oracle"
        checked.findings.add(layout.AGAIN, "", problem, remedy, "warning")
        return
    question = {"folder": str(path.absolute()), "report": report}
    apart = checkout.answer(ORACLE.parent, ORACLE.name, question, list[tuple[str, str]])
    checked.second = "finds it otherwise" if apart else f"agrees within {within}"
    for where, problem in apart:
        checked.findings.add(layout.AGAIN, where, problem, _DIFFERS)


def _blocks(audit: Audit) -> Iterator[str]:
    """Yield why a record that is true to itself can serve no reader as a baseline."""
    if audit.verdict in NO_BASELINE:
        yield NO_BASELINE[audit.verdict]
    if (n := audit.facts.n) < SCREENING_SEEDS:
        few = "1 seed is" if n == 1 else f"{n} seeds are"
        enough = f"{SCREENING_SEEDS} to screen and {PUBLICATION_SEEDS} to publish"
        yield f"{few} no baseline: EPC-2.5(g) asks for {enough}"


def _registry(manifest: Manifest, checked: Checked, base: Base, others: Mapping[str, str]) -> None:
    """Note what the statement says that the registry, or the record, says otherwise."""
    findings, statement = checked.findings, checked.statement
    assert statement is not None
    recorded = manifest.evaluator.method == "recorded"
    findings.extend(plausible.endpoints(manifest, statement.endpoint))
    where = f"{layout.STATEMENT}/weights"
    findings.extend(plausible.weighed(manifest.evaluator, statement.weights, where))
    if recorded and checked.attested:
        checked.attested = None
        findings.extend([trust.finding("is of verdicts that were recorded before")])
    where = f"{layout.STATEMENT}/source"
    findings.extend(plausible.sourced(statement.source, where, recorded=recorded))
    findings.extend(against.replication(statement, base.registry))
    shaped = all(f.severity != "error" for f in findings.kept() if f.where.startswith(MANIFEST))
    if shaped:
        checked.identity = identity(manifest)
        findings.extend(against.sameness(checked.identity, statement, others))
        evaluator = manifest.evaluator
        measured = date.fromisoformat(evaluator.measurement_date)
        findings.extend(
            against.generation(evaluator, measured, statement, base.registry, recorded=recorded)
        )


def _submissions(path: Path, whole: Findings) -> list[Path]:
    """Return the submissions that a path stands for: itself, or those below `submissions/`."""
    path = path.absolute()
    if not path.is_symlink() and path.name != layout.FOLDER:
        if not path.exists():
            raise UsageError(f"there is no {path}\n  fix: name a folder below {layout.FOLDER}/")
        return [path]
    if path.is_symlink() or not path.is_dir():
        problem, remedy = "is no plain folder", f"keep {layout.FOLDER}/ a folder"
        whole.add(layout.PLAIN, shown(path.name), problem, remedy)
        return []
    with able_to("read", path):
        entries = sorted(path.iterdir(), key=lambda entry: entry.name)
    return [entry for entry in entries if entry.name != layout.README]


def _offered(home: Path) -> dict[str, str]:
    """Return the identities of what the trusted checkout holds already, as far as it is sound."""
    offered = {}
    for path in sorted(home.iterdir()) if home.is_dir() else []:
        if path.is_dir() and folder.kind_of(path) == "run" and not len(folder.inspect(path)):
            manifest, _ = read_manifest(path)
            if manifest is not None:
                offered[path.name] = identity(manifest)
    return offered


def _alike(submissions: Sequence[Path], offered: Mapping[str, str], whole: Findings) -> None:
    """Note submissions whose names a reader, or a disk, cannot tell apart."""
    names = list(dict.fromkeys([*offered, *(path.name for path in submissions)]))
    for slug, other in folder.look_alikes(names):
        problem = f"{slug!a} looks like {other!a}"
        whole.add(layout.NAMES, shown(slug), problem, "choose a name of its own")
