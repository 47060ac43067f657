"""A measurement, or several side by side, with tables: what `epc.run` and `epc.load` return."""

from dataclasses import astuple, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from epc.analysis.audit import Audit, audit
from epc.analysis.campaign import Agreement, CampaignComparison, Row, compare_runs
from epc.api.frames import frame, lines
from epc.errors import UsageError
from epc.records import campaign as records
from epc.records.layout import RAW
from epc.records.manifest import Manifest
from epc.records.recompute import load_manifest, manifest_path
from epc.records.typed import parse
from epc.registry.figures import figures, transferred
from epc.registry.record import AuditSummary
from epc.registry.tables import FIGURE, figure_row
from epc.report.campaign_text import report as side_by_side
from epc.report.figure import specification
from epc.report.measurement_text import report
from epc.report.picture import render, svg

if TYPE_CHECKING:
    import pandas as pd

    from epc.protocol.results import Json

TRIALS: Final = (
    *("seed", "phase", "round", "domain", "strategy", "task", "question", "verdict", "raw"),
    *("u_task", "u_strategy", "response", "baseline", "evaluation"),
)
WEIGHTS: Final = ("seed", "phase", "strategy", "weight")
VERDICTS: Final = (*("domain", "strategy", "task", "question", "group", "won", "lost", "tied"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A measurement's picture; a notebook shows it."""

    specification: "Json"
    name: str

    def __repr__(self) -> str:
        return f"<picture: {self.specification['description']}>"

    def _repr_svg_(self) -> str:
        return svg(self.specification)

    def save(self, folder: str | Path = ".") -> list[Path]:
        """Write the picture as SVG and PNG into a folder and return the files.

        Raises: WorldError if the disk fails.
        """
        return render(self.specification, Path(folder), self.name)


@dataclass(frozen=True, kw_only=True)
class Run:
    """A finished measurement. Each table is made when it is first asked for.

    `path` is the run folder, or the manifest alone. `print(run)` prints what `epc show` does.
    """

    path: Path

    @cached_property
    def manifest(self) -> Manifest:
        """The record, parsed; `.document` is its JSON.

        Raises: MalformedError if it is damaged; UsageError if there is none.
        """
        return load_manifest(self.path)

    @cached_property
    def trials(self) -> "pd.DataFrame":
        """Table of rounds: seed, phase, round, domain, strategy, task, question, verdict, ...

        Raises: UsageError where the raw files are not at hand, or pandas is not installed.
        """
        path = manifest_path(self.path).parent / RAW["trials"]
        if self.manifest.raw is None or not path.is_file():
            raise UsageError(f"{self.path} holds no trials: name the whole run folder")
        table = lines(path)
        phases = self.manifest.domains.phase
        table["domain"] = table["phase"].map({name: p.domain for name, p in phases.items()})
        tasks = self.manifest.tasks
        pairs = zip(table["domain"], table["task"], strict=True)
        table["question"] = [tasks[domain][task] for domain, task in pairs]
        return table[list(TRIALS)]

    @cached_property
    def weights(self) -> "pd.DataFrame":
        """The final weights, one row each: seed, phase, strategy, weight."""
        rows = (
            (record.seed, phase, strategy, weight)
            for record in self.manifest.results.per_seed
            for phase, weights in record.weights.items()
            for strategy, weight in weights.items()
        )
        return frame(rows, WEIGHTS)

    @cached_property
    def verdicts(self) -> "pd.DataFrame":
        """How often each strategy won, lost and tied on each task, over the pairs that were asked.

        Columns: domain, strategy, task, question, group, won, lost, tied.
        """
        manifest = self.manifest
        rows = (
            (
                domain,
                strategy,
                task,
                manifest.tasks[domain][task],
                manifest.groups[domain][task] if manifest.groups else None,
                *counts,
            )
            for domain, table in manifest.results.verdict_table.counts.items()
            for strategy, cells in table.items()
            for task, counts in enumerate(cells)
        )
        return frame(rows, VERDICTS)

    @cached_property
    def metrics(self) -> "pd.DataFrame":
        """Every figure with its 95% interval, named as in `epc.figures()`.

        Columns: figure, mean, ci95_low, ci95_high, sd, hits.
        """
        summary = self.manifest.document["results"]["summary"]
        rows = (*figures(summary), *transferred(parse(self.audit().as_json(), AuditSummary)))
        return frame(map(figure_row, rows), tuple(FIGURE))

    @cached_property
    def _audit(self) -> Audit:
        return audit(self.path)

    def audit(self) -> Audit:
        """Return what `epc audit` says: `.verdict` is the word, `.findings` are the reasons."""
        return self._audit

    def figure(self) -> Picture:
        """Return the picture that `epc show` draws."""
        return Picture(specification=specification(self.manifest), name="figure")

    def __str__(self) -> str:
        return report(self.manifest, self.audit())

    def __repr__(self) -> str:
        manifest = self.manifest
        seeds = len(manifest.config.seeds)
        return f"<epc.Run {manifest.protocol_version}, {manifest.evaluator.model}, {seeds} seeds>"


COMPARISON: Final = tuple(field.name for field in fields(Row))
AGREEMENT: Final = tuple(field.name for field in fields(Agreement))


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """The runs of one command. Each table is made when it is first asked for.

    `path` is the folder. `print(campaign)` prints what `epc show` does.
    """

    path: Path

    @cached_property
    def runs(self) -> dict[str, Run]:
        """Every complete run, by its folder's name.

        Raises: UsageError if the folder is no campaign's; MalformedError if its file was damaged.
        """
        complete = records.Campaign.load(self.path).complete(self.path)
        return {member.folder: Run(path=self.path / member.folder) for member in complete}

    @cached_property
    def comparison(self) -> "pd.DataFrame":
        """Table of runs and directions: the word, what crosses, and the noise floor.

        Columns: those of `runs` in comparison.json; an interval is a pair of numbers or None.
        """
        return frame(map(astuple, self._compared.rows), COMPARISON)

    @cached_property
    def agreement(self) -> "pd.DataFrame":
        """Table of every two evaluators that judged the same answers.

        Columns: executor, left, right, shared, decided, same, same_ci95, chance.
        """
        return frame(map(astuple, self._compared.agreements), AGREEMENT)

    @cached_property
    def _compared(self) -> CampaignComparison:
        return compare_runs(self.path)

    def __str__(self) -> str:
        return side_by_side(self._compared)

    def __repr__(self) -> str:
        return f"<epc.Campaign {self.path.name}, {len(self.runs)} runs>"
