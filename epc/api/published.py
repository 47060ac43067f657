"""Tables of what the registry has published."""

from collections.abc import Iterable
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from epc.analysis.choosing import Choice
from epc.analysis.domains import DomainAnswer
from epc.answers.domains import judges_for
from epc.answers.quotable import headlines
from epc.answers.replacement import firsts_of, with_firsts
from epc.answers.scanning import scan as found_in
from epc.answers.service import expiry as answered_expiry
from epc.answers.snapshot_status import snapshot_states
from epc.api.frames import NotebookResult
from epc.api.frames import frame as frame_of
from epc.engine.clock import now
from epc.records.choices import ALL
from epc.registry.data import frame
from epc.registry.data_rows import batch_of_cards
from epc.registry.expiry import Expiry
from epc.registry.reading import open_registry
from epc.registry.scan import forms
from epc.registry.scan.files import Files, Rule
from epc.registry.scan.scan import Scan
from epc.report import domains_text, which_text
from epc.report.document import Part, Section, Table, Verbatim

if TYPE_CHECKING:
    import pandas as pd

_STATE: Final = ("platform", "id", "status", "reason", "since", "until", "not_before", "source")


class JudgeChoice(NotebookResult, Choice):
    """Judges that may be used; printed it is the text of `epc which`."""

    __slots__ = ()

    def __str__(self) -> str:
        return which_text.text(self)

    def parts(self) -> Iterable[Part]:
        """Return what a notebook shows."""
        return which_text.document(self)


class JudgesOfDomain(NotebookResult, DomainAnswer):
    """Judges of a domain that has benchmarks of its own; printed it is the text of `epc which`."""

    __slots__ = ()

    def __str__(self) -> str:
        return domains_text.text(self)

    def parts(self) -> Iterable[Part]:
        """Yield what a notebook shows: the sentence, and the text folded."""
        yield domains_text.sentence(self)
        yield Section("All judges, with the known faults", [Verbatim(str(self))])


class ScanResult(NotebookResult, Scan):
    """Names in a project; printed it is the text of `epc scan`."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(forms.text(self))

    def parts(self) -> Iterable[Part]:
        """Yield what a notebook shows: how much was read, the names, and the text folded."""
        yield f"{forms.total(self)}."
        rows = [(entry.name, forms.sentence(entry), str(entry.places[0])) for entry in self.named]
        yield Table("names", [("name", "answer", "first place"), *rows])
        yield Section("All places, and why", [Verbatim(str(self))])


def snapshots(registry: str | None = None, *, as_of: date | None = None) -> "pd.DataFrame":
    """Return one row a snapshot: who was measured, when, the audit's word, whether it still holds.

    `registry` is a checkout or a published registry.json; by default the checkout around us. It is
    believed: `epc.load("snapshots")` gives the same rows, once each is checked against its seal.
    `as_of` is the day of which the state is; by default today in UTC.

    Raises: UsageError if there is none; MalformedError if it cannot be read; WorldError if the
    disk or the network fails.
    """
    return _table("snapshots", registry, as_of)


def figures(registry: str | None = None, *, as_of: date | None = None) -> "pd.DataFrame":
    """Return one row a published figure: the table that the site publishes as figures.csv.

    Raises: as `snapshots`.
    """
    return _table("figures", registry, as_of)


def which(
    domain: str = ALL,
    *,
    platform: str | None = None,
    budget: float | None = None,
    registry: str | None = None,
    as_of: date | None = None,
) -> JudgeChoice | JudgesOfDomain:
    """Return which judges may be used for a kind of task: see `epc which`.

    `domain` is a kind of task or its first letters, or one with benchmarks of its own, such as rag.
    `budget` is in US dollars for 1,000 questions.

    Raises: UsageError if no judge was measured there; MalformedError if the registry cannot be
    read; WorldError if the disk or the network fails.
    """
    day = as_of or now().date()
    answer = judges_for(open_registry(registry), domain, day, platform=platform, budget=budget)
    if isinstance(answer, DomainAnswer):
        return JudgesOfDomain(**_values(answer))
    return JudgeChoice(**_values(answer))


def judges(registry: str | None = None, *, as_of: date | None = None) -> "pd.DataFrame":
    """Return one row for each model on each platform: until when it is served there.

    The columns are the generation, its maker and what `epc evaluators list` says of the platform:
    `status` is current, unconfirmed, expiring, expired or unknown, `until` the first day on which
    it is not served any more, `not_before` the day before which the platform ends nothing,
    `listed` whether a catalogue alone has it, and `figure` the headline of the judge's card with
    its month, empty if it has none.

    Raises: as `snapshots`.
    """
    opened, day = open_registry(registry), as_of or now().date()
    quoted = {name: headline.brief for name, headline in headlines(opened, day).items()}
    rows = (
        (
            generation.name,
            generation.maker,
            *(getattr(state, name) for name in _STATE),
            listed,
            quoted.get(generation.name, ""),
        )
        for generation, state, listed in opened.every_state(day)
    )
    return frame_of(rows, ("generation", "maker", *_STATE, "listed", "figure"))


def expiry(*names: str, registry: str | None = None, as_of: date | None = None) -> list[Expiry]:
    """Return until when models are served, or snapshots hold: see `epc expiry`.

    A name may be spelt as in your settings. One that names no platform has an answer for each;
    without names all snapshots have one. `status`, `until`, `note`, `instead` and the rest are what
    the command prints as JSON, and `as_json()` is that.

    Raises: as `snapshots`.
    """
    opened, day = open_registry(registry), as_of or now().date()
    return with_firsts(answered_expiry(opened, names, day), firsts_of(opened, names, day))


def scan(
    *paths: str | Path,
    fail_on: Iterable[str] = ("expired",),
    ignore: Iterable[str] = (),
    exclude: Iterable[str] = (),
    registry: str | None = None,
    as_of: date | None = None,
) -> ScanResult:
    """Return the models that a project's files name, and which break a rule: see `epc scan`.

    Without `paths` it is this folder. `named` has all of them, `failing` those that break a rule of
    `fail_on`. Settings in the project's files are not read.

    Raises: UsageError for a rule or a path that is none; MalformedError if the registry cannot be
    read; WorldError if the disk or the network fails.
    """
    files = Files(paths=[Path(path) for path in paths or (".",)], exclude=[*exclude])
    rules = [Rule.parse(rule) for rule in fail_on]
    day = as_of or now().date()
    result = found_in(open_registry(registry), files, rules=rules, ignore=ignore, as_of=day)
    return ScanResult(**_values(result))


def _values(result: Choice | DomainAnswer | Scan) -> dict[str, Any]:
    return {field.name: getattr(result, field.name) for field in fields(result)}


def _table(name: str, location: str | None, as_of: date | None) -> "pd.DataFrame":
    opened = open_registry(location)
    batch = batch_of_cards(name, opened, snapshot_states(opened, as_of or now().date()))
    table: pd.DataFrame = frame(name, [batch])
    return table
