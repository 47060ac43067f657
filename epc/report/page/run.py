"""The report of a run as a page: the word, what it rests on, a picture, and the details folded."""

from collections.abc import Iterator, Mapping, Sequence

from epc.analysis.audit import Audit
from epc.analysis.trajectories import Trajectories
from epc.audit.coupling import Into
from epc.protocol.rules import Rule, rule_text
from epc.protocol.weights import UpdateRule
from epc.records.manifest import Manifest
from epc.report import audit_text, measurement_text
from epc.report.charts.matrix import matrix_chart
from epc.report.charts.transfer import transfer_chart
from epc.report.charts.weight_trajectories import trajectories_chart
from epc.report.coupling_text import (
    MEANING,
    TWO_FIGURES,
    figures,
    headline,
    matrices,
)
from epc.report.document import (
    Beside,
    Conclusion,
    Facts,
    Findings,
    Listed,
    Part,
    Section,
    Table,
    Toned,
    Verbatim,
)
from epc.report.page.markup import page, sentence
from epc.spec.coupling import RULE
from epc.spec.domains import Direction, pair_title

_AGAIN = """\
cd FOLDER                # that holds manifest.json and its raw files
epc validate .           # schema, meaning, and every figure again from the raw answers
epc audit .              # the word and all of its reasons
epc show . --html FILE   # this page"""


def run_page(
    manifest: Manifest, audited: Audit, *, paths: Trajectories | None, holds: Sequence[str]
) -> str:
    """Return the report of a run as one HTML document.

    `paths` are those of its weights, where its trials are at hand. `holds` says until when its
    figures hold, as far as somebody knows.
    """
    parts = _parts(manifest, audited, paths=paths, holds=holds)
    return page(measurement_text.title(manifest), manifest.evaluator.model, parts, again=_AGAIN)


def _parts(
    manifest: Manifest, audited: Audit, *, paths: Trajectories | None, holds: Sequence[str]
) -> Iterator[Part]:
    crossing = _crossing(audited)
    yield Conclusion(Toned(audited.verdict, audited.verdict), sentence(MEANING[audited.verdict]))
    yield Beside([_card(direction, into) for direction, into in crossing.items()])
    yield Facts([*_conditional(audited, holds)])
    charts = (
        transfer_chart(crossing, word=audited.verdict, rule=RULE),
        matrix_chart(crossing),
        trajectories_chart(paths) if paths else None,
    )
    yield Beside([chart for chart in charts if chart])
    yield Section("What was measured", [Facts([*measurement_text.measured(manifest)])])
    name = "Figures of the protocol"
    table = Table(name, [*measurement_text.figures(manifest, audited)])
    how_to_read = f"{' '.join(measurement_text.how_to_read(manifest))}."
    yield Section(name, [table, how_to_read])
    transfer = audited.facts.transfer
    if crossing and transfer and (tables := [*matrices(transfer)]):
        yield Section("What crosses, in full", [Table(title, rows) for title, rows in tables])
    yield Section(
        f"Findings ({len(audited.findings)})",
        [
            Findings(audited.findings, "None: nothing stands against these figures."),
            Facts([*audit_text.on_the_domains(audited.facts)]),
        ],
    )
    yield Section(
        "Ties, refusals, preference for a place",
        [
            Facts([*audit_text.on_the_evaluator(audited.facts)]),
            Listed([*measurement_text.remarks(manifest)]),
        ],
    )
    verdicts = "Verdicts by strategy"
    yield Section(verdicts, [Table(verdicts, [*_verdicts(manifest)])])
    yield Section("Configuration", [*_configuration(manifest)])
    yield Section("Provenance", [*_provenance(manifest)])


def _crossing(audited: Audit) -> Mapping[Direction, Into]:
    """Return what crosses; nothing of a failed run, as its few seeds measure nothing (R8)."""
    transfer = audited.facts.transfer
    if transfer is None or audited.verdict == "no_verdicts_counted":
        return {}
    return transfer.directions or {}


def _card(direction: Direction, into: Into) -> Section:
    said = sentence(headline(direction, into))
    return Section(pair_title(direction), [said, Facts([*figures(direction, into)])], "card")


def _conditional(audited: Audit, holds: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what the headline takes for granted."""
    transfer = audited.facts.transfer
    if transfer is not None:
        yield from audit_text.crossing(transfer)
        if transfer.directions:
            yield "two figures", TWO_FIGURES
    yield "control", f"the noise floor is {audit_text.METHODS[audited.control['method']]}"
    yield "rule", f"version {RULE}; see Readings R70 to R74"
    for number, line in enumerate(holds):
        yield "" if number else "holds", line


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
