"""An evaluation's report in words and columns."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from epc.analysis.judging.evaluation import Evaluation, Report
from epc.analysis.judging.results import (
    Against,
    Agreement,
    BetweenPeople,
    Compared,
    Disagreement,
    Drifted,
    Evidence,
    Group,
    Labelled,
    Reasons,
    Scored,
    Section,
    SelfPreference,
    Statement,
    Trusted,
)
from epc.analysis.judging.shares import AXES
from epc.errors import Finding
from epc.records.judging.documents import Totals
from epc.report.judging.competence import competence_text
from epc.spec.judge_v1 import OVERALL, SCALE, VERDICTS, Method
from epc.statistics.figures import Mean, in_percent, range_text, to_two_places

TITLES: Final = {
    "judge_model": "judge",
    "prompt_variant": "variant",
    "target_model": "target",
    "question_id": "question",
}
SAID: Final[Mapping[Trusted, str]] = {"yes": "yes", "no": "no", "unknown": "cannot say"}
ON_TRUST: Final = (
    "agreeing is not being right: these words compare judges with judges, not with people"
)
_LABEL: Final = 30
_COLUMN: Final = 24
_MOST_ROWS: Final = 20


def text(report: Report) -> str:
    """Return the printed form of a report."""
    parts = [line for one in report.evaluations for line in (*_evaluation(one), "")]
    parts += [*_drift(report.drift), *_refused(report.findings)]
    return "\n".join(parts).rstrip()


def _evaluation(one: Evaluation) -> Iterator[str]:
    first, last = (one.time[end] or "unknown" for end in ("from", "to"))
    yield report_title(one)
    yield f"  judged     {first} to {last} ({one.origin})"
    for judge in one.judges:
        served = ", ".join(judge.served_models) or "not reported"
        yield f"  judge      {judge.model}: {judge.calls} calls, served by {served}"
    for method, prompt in one.prompts.items():
        yield f"  prompt     {prompt.id} {prompt.sha256[:12]} ({method})"
    if one.constraint is not None:
        yield f"  replies    held to {one.constraint} by the provider"
    if one.mapping is not None:
        yield f"  rubric     mapped by {one.mapping.id} {one.mapping.sha256[:12]}"
    yield ""
    yield from _totals(one.totals)
    for section, title in (
        (one.primary, "Cross-judging: the primary statistics"),
        (one.self_judging, "Self-judging: diagnostic only, in none of the figures above"),
    ):
        if section.all.samples:
            yield from ("", title, *_section(section), *_own_scale(section))
    yield from _by_score(one.primary.by_score)
    yield from _reasons(one.reasons)
    yield from _evidence(one.evidence)
    yield from _self_preference(one.self_preference)
    yield from _agreement(one.agreement, one.readable)
    if one.labels is not None:
        yield from _labels(one.labels)
    yield from _disagreements(one.disagreements)
    yield from competence_text(one.competence)
    yield from _trust(one.trust)
    if one.remarks:
        yield ""
        yield from (f"- {remark}" for remark in one.remarks)


def report_title(one: Evaluation) -> str:
    """Return one line that says what an evaluation covers."""
    samples = sum(total.samples for total in one.totals.values())
    return f"Judge-v1.0, {one.name}: {samples:,} samples, {len(one.judges)} judges"


def _totals(totals: Mapping[Method, Totals]) -> Iterator[str]:
    yield _row("totals", "samples", "valid", "invalid", "not judged", "surplus", width=12)
    for method, total in totals.items():
        counts = (total.samples, total.valid, total.invalid, total.not_judged, total.surplus)
        yield _row(method, *(f"{count:,}" for count in counts), width=12)


def _section(section: Section) -> Iterator[str]:
    yield _row("", *VERDICTS, "invalid", "overall (0-8)")
    yield _group("all", section.all)
    for axis in AXES if section.all.valid else ():
        rows = section.groups(axis)
        if len(rows) > 1:
            yield from (_group(f"{TITLES[axis]} {r.value}", r) for r in rows[:_MOST_ROWS])
            if len(rows) > _MOST_ROWS:
                yield f"  ... {len(rows) - _MOST_ROWS} more: --format json or csv has them all"
    if not section.all.valid:
        return
    yield ""
    yield _row("dimension", "mean (0-2)", "0", "1", "2")
    for name, scores in section.all.dimensions.items():
        yield _row(
            f"  {name}", to_two_places(scores), *(f"{count:,}" for count in scores.counts.values())
        )
    yield "  shares of valid evaluations; invalid: of all [95% interval, clustered by question]"
    yield from _bounds(section.all)


def _own_scale(section: Section) -> Iterator[str]:
    """Yield the means of another rubric's own sums: they need no valid evaluation."""
    if section.all.own_scale is None:
        return
    yield ""
    yield _row("the rubric's own sum", "mean")
    for axis in AXES:
        for row in section.groups(axis)[:_MOST_ROWS]:
            if row.own_scale is not None:
                yield _row(f"  {TITLES[axis]} {row.value}", to_two_places(row.own_scale))


def _bounds(group: Group) -> Iterator[str]:
    """Yield how far the invalid evaluations could move the figures (Reading R26)."""
    if not group.invalid.count:
        return
    yield ""
    yield _row("if all invalid ones were valid", *VERDICTS, "", "overall (0-8)")
    shares = (range_text(ends, ".1%") for ends in group.bounds.verdicts.values())
    yield _row("  worst to best", *shares, "", range_text(group.bounds.overall_score, ".2f"))


def _by_score(rows: Sequence[Scored]) -> Iterator[str]:
    if not any(row.invalid.count for row in rows):
        return
    yield ""
    yield _row("invalid by overall score", "readable", "invalid")
    for row in rows:
        yield _row(f"  {row.overall_score}", f"{row.readable:,}", in_percent(row.invalid))


def _reasons(rows: Sequence[Reasons]) -> Iterator[str]:
    if not any(row.flags for row in rows):
        return
    yield ""
    yield _row("invalid by reason", "samples", "invalid")
    for row in rows:
        for flag, share in row.flags.items():
            yield f"  {row.judge}: {flag}"
            yield _row("", f"{row.samples:,}", in_percent(share))


def _disagreements(rows: Sequence[Disagreement]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield "furthest apart"
    for row in rows:
        scores = ", ".join(f"{opinion.judge} {opinion.overall_score}" for opinion in row.opinions)
        yield f"  {row.output_id} ({row.target_model}): {row.points} points: {scores}"
    yield "  --format json has them with scores and quotes, --html FILE side by side"


def _trust(rows: Sequence[Statement]) -> Iterator[str]:
    """Yield who can be trusted on what."""
    if not rows:
        return
    yield ""
    yield "who can be trusted on what: where a 95% interval says so"
    for judge, ones in groupby(rows, key=lambda row: row.judge):
        yield f"  {judge}"
        words: dict[Trusted, list[str]] = {}
        for row in ones:
            words.setdefault(row.trusted, []).append(row.about)
        yield from (
            f"    {SAID[word]:<11}{', '.join(words[word])}" for word in SAID if word in words
        )
    yield f"  {ON_TRUST}; --format json and --html say why"


def _group(label: str, group: Group) -> str:
    verdicts = (in_percent(share) for share in group.verdicts.values())
    return _row(
        f"  {label}", *verdicts, in_percent(group.invalid), to_two_places(group.overall_score)
    )


def _evidence(rows: Sequence[Evidence]) -> Iterator[str]:
    yield ""
    yield _row("evidence", "quotes", *(rows[0].kinds if rows else ()))
    for row in rows:
        yield _row(f"  {row.judge}", f"{row.quotes:,}", *map(in_percent, row.kinds.values()))


def _self_preference(rows: Sequence[SelfPreference]) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield _row("self-preference", "own outputs", "others' outputs", "points (0 to 8)")
    for row in rows:
        yield _row(
            f"  {row.judge}",
            f"{row.own:,}",
            f"{row.others:,}",
            row.not_stated or to_two_places(row),
        )
    yield "  how much more it gives its own outputs than others' outputs, leniency left out;"
    yield "  above 0 it favours itself, if the interval leaves 0 out (Reading R24)"


def _agreement(valid: Agreement, readable: Agreement) -> Iterator[str]:
    if not readable.pairs:
        return
    yield ""
    yield _row("agreement", "outputs", "same verdict", "mean abs. error", "weighted kappa")
    both_valid = {pair.judges: pair.compared for pair in valid.pairs}
    for pair in readable.pairs:
        comparison = both_valid.get(pair.judges)
        yield f"  {pair.judges[0]} and {pair.judges[1]}"
        if comparison is not None:
            yield _compared("    both valid", comparison, comparison.mean_absolute_error)
        if comparison is None or comparison.outputs < pair.compared.outputs:
            yield _compared("    both readable", pair.compared, pair.compared.mean_absolute_error)
        if (own_scale := pair.compared.own_scale) is not None:
            error = to_two_places(own_scale.mean_absolute_error)
            same = f"{own_scale.same.count} equal: {in_percent(own_scale.same)}"
            yield _row("    the rubric's own sum", f"{own_scale.outputs:,}", same, error)
    yield _row("Krippendorff's alpha, all judges", "valid", "readable")
    for name in valid.alpha:
        sides = (side.alpha_text(name) for side in (valid, readable))
        yield _row(f"  {name}", *sides)


def _labels(labels: Labelled) -> Iterator[str]:
    """Yield how judges stand against people, and PASS shares put right by labels."""
    yield ""
    undecided = f", {labels.undecided} more without a majority" if labels.undecided else ""
    yield f"against people: {labels.outputs} outputs labelled by {labels.labellers}{undecided}"
    yield _row("agreement", "outputs", "same verdict", "mean abs. error", "weighted kappa")
    for pair in labels.between_people:
        yield _row(f"  {' and '.join(pair.people)}", *against_cells(pair))
    for judge in labels.judges:
        yield _row(f"  {judge.judge}", *against_cells(judge))
        if judge.lost:
            yield f"    {judge.lost} labelled outputs have no valid evaluation of this judge"
    for judge in labels.judges:
        if judge.compared is not None:
            yield from _errors(judge)
    yield ""
    yield _row("PASS share put right", "as judged", "Rogan and Gladen", "prediction-powered")
    for judge in labels.judges:
        passes = judge.passes
        put_right = (passes.rogan_gladen, passes.prediction_powered)
        yield _row(f"  {judge.judge}", in_percent(passes.stated), *map(in_percent, put_right))
        rates = (
            f"{in_percent(passes.sensitivity)}, FAIL or PARTIAL in {in_percent(passes.specificity)}"
        )
        yield f"    where people say PASS it says PASS in {rates} of the others"
        if passes.no_interval is not None:
            yield f"    no interval: {passes.no_interval}"
    alone = f"{labels.passes.count} of {labels.outputs}: {in_percent(labels.passes)}"
    yield _row("  the labels alone", alone)
    yield "  both take it that labelled outputs were drawn at random from those that were judged"


def against_cells(row: Against | BetweenPeople) -> tuple[str, ...]:
    """Return how many outputs two sides have in common, and how they agree on these."""
    if (scores := row.compared) is None:
        return f"{row.labelled:,}", in_percent(row.same_verdict), "no scores", "no scores"
    kappa = scores.kappa_text(OVERALL)
    return (
        f"{scores.outputs:,}",
        in_percent(scores.same_verdict),
        to_two_places(scores.mean_absolute_error),
        kappa,
    )


def _errors(judge: Against) -> Iterator[str]:
    yield ""
    yield _row(f"{judge.judge}'s score", *(f"people say {score}" for score in SCALE))
    for matrix in judge.errors:
        columns = [", ".join(f"{score}: {n}" for score, n in enumerate(r)) for r in matrix.counts]
        yield _row(f"  {matrix.dimension}", *columns)


def _compared(label: str, comparison: Compared, shift: Mean) -> str:
    return _row(
        label,
        f"{comparison.outputs:,}",
        in_percent(comparison.same_verdict),
        to_two_places(shift),
        comparison.kappa_text(OVERALL),
    )


def _drift(rows: Sequence[Drifted]) -> Iterator[str]:
    if not rows:
        return
    yield _row("drift, same outputs", "outputs", "same verdict", "mean shift", "weighted kappa")
    for row in rows:
        outputs = row.compared.outputs
        yield f"  {row.judge} ({row.method}): {row.before} to {row.after}"
        if not row.is_drift:
            first, then = ("blind" if blind else "named" for blind in row.blind)
            yield f"  the first was {first}, the other {then}: this is what names do, and no drift"
        if row.shared:
            left = f"{outputs} compared" if outputs else "nothing to compare"
            yield f"  {row.shared} judgments are one answer in both, left out: {left}"
        yield _compared("", row.compared, row.compared.mean_difference)


def _refused(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        yield from str(finding).split("\n")


def _row(label: str, *cells: str, width: int = _COLUMN) -> str:
    line = "".join(f"{cell} ".ljust(width) for cell in cells)
    return f"{label:<{_LABEL}} {line}".rstrip()
