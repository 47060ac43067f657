"""The report of a run as a page: the word, what it rests on, a picture, and the details folded."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from epc.analysis.audit import Audit
from epc.analysis.trajectories import Trajectories
from epc.audit.coupling import Into
from epc.errors import Finding
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
    conditions,
    figures,
    headline,
    matrices,
    tested,
)
from epc.report.page.markup import (
    Markup,
    drawn,
    element,
    facts,
    folded,
    joined,
    listed,
    page,
    sentence,
    table,
)
from epc.spec.coupling import RULE
from epc.spec.domains import Direction, pair_title

_AGAIN = """\
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
    model = manifest.evaluator.model
    crossing = _crossing(audited)
    return page(
        f"{model}: {_word(audited.verdict)}",
        element(
            "header",
            element("p", measurement_text.title(manifest)),
            element("h1", model),
        ),
        _verdict(audited),
        _cards(crossing),
        facts(_conditional(audited, holds)),
        _pictures(audited, crossing, paths),
        *_details(manifest, audited, crossing),
    )


def _word(verdict: str) -> str:
    return verdict.replace("_", " ")


def _crossing(audited: Audit) -> Mapping[Direction, Into]:
    """Return what crosses; nothing of a failed run, as its few seeds measure nothing (R8)."""
    transfer = audited.facts.transfer
    if transfer is None or audited.verdict == "no_verdicts_counted":
        return {}
    return transfer.directions or {}


def _verdict(audited: Audit) -> Markup:
    return element(
        "section",
        element("strong", _word(audited.verdict)),
        element("p", sentence(MEANING[audited.verdict])),
        class_=f"word {audited.verdict}",
    )


def _cards(crossing: Mapping[Direction, Into]) -> Markup:
    cards = (
        element(
            "section",
            element("h2", pair_title(direction)),
            element("p", sentence(headline(direction, into))),
            facts(list(figures(direction, into))[:2]),
            class_="card",
        )
        for direction, into in crossing.items()
    )
    return element("div", *cards, class_="cards")


def _conditional(audited: Audit, holds: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what the headline takes for granted."""
    transfer = audited.facts.transfer
    if transfer is not None:
        yield "p value", tested(transfer)
        if transfer.test is not None:
            yield "conditional", conditions(transfer)
        if transfer.directions:
            yield "two figures", TWO_FIGURES
    yield "control", f"the noise floor is {audit_text.METHODS[audited.control['method']]}"
    yield "rule", f"version {RULE}; see Readings R70 to R74"
    for number, line in enumerate(holds):
        yield "" if number else "holds", line


def _pictures(
    audited: Audit, crossing: Mapping[Direction, Into], paths: Trajectories | None
) -> Markup:
    charts = (
        transfer_chart(crossing, word=audited.verdict, rule=RULE),
        matrix_chart(crossing),
        trajectories_chart(paths) if paths else None,
    )
    return element("div", *(drawn(chart) for chart in charts if chart), class_="pictures")


def _details(
    manifest: Manifest, audited: Audit, crossing: Mapping[Direction, Into]
) -> Iterator[Markup]:
    yield folded("What was measured", facts(measurement_text.measured(manifest)))
    yield folded(
        "Figures of the protocol",
        table(measurement_text.figures(manifest, audited), name="Figures of the protocol"),
        element("p", " ".join(measurement_text.how_to_read(manifest)) + "."),
    )
    transfer = audited.facts.transfer
    if crossing:
        parts = (
            joined((element("h3", pair_title(d)), facts(figures(d, into))))
            for d, into in crossing.items()
        )
        tables = (
            joined((element("h3", title), table(rows, name=title)))
            for title, rows in (matrices(transfer) if transfer else ())
        )
        yield folded("What crosses, in full", *tables, *parts)
    yield folded(
        f"Findings ({len(audited.findings)})",
        findings(audited.findings, none="None: nothing stands against these figures."),
        facts(audit_text.on_the_domains(audited.facts)),
    )
    yield folded(
        "Ties, refusals, preference for a place",
        facts(audit_text.on_the_evaluator(audited.facts)),
        listed(measurement_text.remarks(manifest)),
    )
    yield folded("Verdicts by strategy", table(_verdicts(manifest), name="Verdicts by strategy"))
    yield folded("Configuration", *_configuration(manifest))
    yield folded("Provenance", *_provenance(manifest))
    yield folded(
        "Compute it again",
        element("p", "In the folder that holds manifest.json and its raw files:"),
        element("pre", _AGAIN),
    )


def findings(entries: Iterable[Finding], *, none: str) -> Markup:
    """Return findings, each with its clause and what to do."""
    items = [
        joined(
            (
                element("span", finding.severity, class_=finding.severity),
                f": {finding.problem} [{finding.clause}] ",
                element("span", f"Remedy: {finding.remedy}", class_="remedy"),
            )
        )
        for finding in entries
    ]
    return listed(items) if items else element("p", none)


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


def _configuration(manifest: Manifest) -> Iterator[Markup]:
    config = manifest.config
    pairs = [
        ("rounds", f"{config.rounds} a phase"),
        *_rule(config.learning_rule),
        ("baseline", config.baseline),
        ("seeds", ", ".join(map(str, config.seeds))),
        ("generator", config.generator),
    ]
    yield facts(pairs)
    yield element("h3", "Evaluator prompt")
    yield element("pre", manifest.evaluator_prompt)
    yield element("h3", "Strategies")
    yield facts((strategy.name, strategy.prompt) for strategy in manifest.strategies)
    for domain, tasks in manifest.tasks.items():
        yield element("h3", f"Tasks: {domain}")
        yield listed(tasks)


def _provenance(manifest: Manifest) -> Iterator[Markup]:
    provenance = manifest.provenance
    yield facts(
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
        yield table([head, *rows], name="Raw files")
