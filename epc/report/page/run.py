"""The report of a run as a page: the word, what it rests on, a picture, and the details folded."""

from collections.abc import Iterator, Sequence

from epc.analysis.audit import Audit
from epc.analysis.trajectories import Trajectories
from epc.protocol.rules import Rule, rule_text
from epc.protocol.weights import UpdateRule
from epc.records.manifest import Manifest
from epc.report.audit_text import bearing, crossing
from epc.report.charts.transfer import matrix_chart, transfer_chart
from epc.report.charts.weight_trajectories import trajectories_chart
from epc.report.document import Beside, Facts, Listed, Part, Section, Table, Verbatim
from epc.report.measurement_text import measurement, title
from epc.report.page.markup import page
from epc.spec.coupling import RULE

_AGAIN = """\
cd FOLDER                # that holds manifest.json and its raw files
epc validate .           # schema, meaning, and every figure again from the raw answers
epc audit .              # the word and all of its reasons
epc show . --html FILE   # this page"""


def run_page(
    manifest: Manifest,
    audited: Audit,
    *,
    paths: Trajectories | None,
    holds: Sequence[str],
    ended: Sequence[str] = (),
) -> str:
    """Return the report of a run as one HTML document.

    `paths` are those of its weights, where its trials are at hand. `holds` says until when its
    figures hold, as far as somebody knows, `ended` since when its evaluator has ended.
    """
    charts = (
        transfer_chart(crossing(audited), word=audited.verdict, rule=RULE),
        matrix_chart(crossing(audited)),
        trajectories_chart(paths) if paths else None,
    )
    verdicts = "Verdicts by strategy"
    parts = (
        *bearing(audited, holds),
        Beside([chart for chart in charts if chart]),
        *measurement(manifest, audited, ended),
        Section(verdicts, [Table(verdicts, [*_verdicts(manifest)])]),
        Section("Configuration", [*_configuration(manifest)]),
        Section("Provenance", [*_provenance(manifest)]),
    )
    return page(title(manifest), manifest.evaluator.model, parts, commands=_AGAIN)


def _verdicts(manifest: Manifest) -> Iterator[tuple[str, ...]]:
    """Yield how often each strategy won, lost and tied, over the pairs that were asked."""
    counts = manifest.results.verdict_table.counts
    head = ("won", "lost", "tied", "win rate")
    yield ("strategy", *(f"{domain}: {column}" for domain in counts for column in head))
    for name in manifest.names:
        cells: list[str] = []
        for rows in counts.values():
            won, lost, tied = (sum(cell[index] for cell in rows[name]) for index in range(3))
            rate = f"{100 * won / (won + lost):.0f}%" if won + lost else "none decided"
            cells += [f"{won:,}", f"{lost:,}", f"{tied:,}", rate]
        yield (name, *cells)


def _rule(rule: Rule) -> Iterator[tuple[str, str]]:
    if isinstance(rule, UpdateRule):
        yield "learning rates", f"{rule.alpha_win:g} after a win, {rule.alpha_lose:g} after a loss"
        yield "weight floor", f"{rule.weight_floor:g}"
    else:
        yield "learning rule", rule_text(rule)


def _configuration(manifest: Manifest) -> Iterator[Part]:
    config = manifest.config
    pairs = [
        ("rounds", f"{config.rounds} a phase"),
        *_rule(config.learning_rule),
        ("baseline", config.baseline),
        ("seeds", ", ".join(map(str, config.seeds))),
        ("generator", config.generator),
    ]
    yield Facts(pairs)
    yield Section("Evaluator prompt", [Verbatim(manifest.evaluator_prompt)], "open")
    strategies = [(strategy.name, strategy.prompt) for strategy in manifest.strategies]
    yield Section("Strategies", [Facts(strategies)], "open")
    for domain, tasks in manifest.tasks.items():
        yield Section(f"Tasks: {domain}", [Listed(tasks)], "open")


def _provenance(manifest: Manifest) -> Iterator[Part]:
    provenance = manifest.provenance
    yield Facts(
        [
            ("created", provenance.created),
            ("calls", ", ".join(f"{count:,} {role}" for role, count in provenance.calls.items())),
            ("tokens", ", ".join(f"{count:,} {way}" for way, count in provenance.tokens.items())),
            ("retries", f"{provenance.retries:,}"),
            *(
                (f"{role} served", ", ".join(f"{name} ({n:,})" for name, n in served.items()))
                for role, served in provenance.served_models.items()
                if served
            ),
            *(
                (f"{role} answers", ", ".join(f"{n:,} {origin}" for origin, n in counts.items()))
                for role, counts in (provenance.origins or {}).items()
            ),
            *((name, str(version)) for name, version in provenance.software.items()),
        ]
    )
    if manifest.raw:
        head = ("raw file", "rows", "bytes", "SHA-256")
        rows = ((f.path, f"{f.rows:,}", f"{f.bytes:,}", f.sha256) for f in manifest.raw.values())
        yield Table("Raw files", [head, *rows])
