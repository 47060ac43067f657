"""A measurement in words and columns: the table that `epc run` and `epc show` print."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from epc.core.noise import COIN, Band, Odds, blind_band
from epc.core.results import Json
from epc.records.manifest import configuration_of
from epc.records.usage import suspicions
from epc.spec.epc_v1 import DIRECTIONS, PUBLICATION_SEEDS, SCREENING_SEEDS

TITLES: Final = {"text_to_visual": "text to visual", "visual_to_text": "visual to text"}
_CAUSES: Final = {
    "no_update": "no verdict was ever counted",
    "collapse": "both runs ended on one strategy",
    "identical": "both runs took the same steps",
}
_LABEL: Final = 22
_COLUMN: Final = 27
_FEW: Final = 0.5
_SIDED: Final = (0.25, 0.75)  # a share of A outside this range is called one-sided


def report(manifest: Json) -> str:
    """Return the printed form of a manifest: what was measured, the table, what to make of it."""
    coin, blind = _bands(manifest, COIN), _bands(manifest, _odds(manifest))
    sections = (
        _heading(manifest),
        _table(manifest, coin, blind),
        _remarks(manifest, blind["gamma"]),
    )
    return "\n\n".join("\n".join(lines) for lines in sections)


def _bands(manifest: Json, odds: Odds) -> dict[str, Band]:
    config = configuration_of(manifest)
    return blind_band(
        strategies=len(config.strategies), rounds=config.rounds, rule=config.rule, odds=odds
    )


def _odds(manifest: Json) -> Odds:
    """Return how often the run's evaluator said A and tie, over all rounds."""
    counts = [
        phase for record in manifest["results"]["per_seed"] for phase in record["verdicts"].values()
    ]
    total = {verdict: sum(count[verdict] for count in counts) for verdict in ("A", "B", "tie")}
    rounds = sum(total.values()) or 1
    return Odds(a=total["A"] / rounds, tie=total["tie"] / rounds)


def _heading(manifest: Json) -> Iterator[str]:
    evaluator, executor = manifest["evaluator"], manifest["executor"]
    config, provenance = manifest["config"], manifest["provenance"]
    answers = "answers reused" if config["reuse"] == "memo" else "every round asked afresh"
    coverage = "exhaustive, " if config["exhaustive"] else ""
    calls = provenance["calls"]
    yield f"{manifest['protocol_version']}, measured {evaluator['measurement_date']}"
    yield f"  evaluator  {evaluator['model']} ({evaluator['method']}, {evaluator['endpoint']})"
    if executor is not None:
        yield f"  executor   {executor['model']} ({executor['endpoint']})"
    yield f"  seeds      {len(config['seeds'])}, {config['rounds']} rounds in each of 4 phases"
    yield f"  calls      {calls['executor']} answers, {calls['evaluator']} comparisons"
    yield f"             {coverage}{answers}"


def _table(manifest: Json, coin: dict[str, Band], blind: dict[str, Band]) -> Iterator[str]:
    summary = manifest["results"]["summary"]
    number: Callable[[float], str] = lambda value: f"{value:.3f}"  # noqa: E731
    share: Callable[[float], str] = lambda value: f"{100 * value:.1f}%"  # noqa: E731
    yield _row("", *(TITLES[d] for d in DIRECTIONS))
    for key, title in (("gamma", "gamma"), ("jsd", "JSD, nats")):
        yield _row(title, *(_estimate(summary[key][d], number) for d in DIRECTIONS))
        for label, band in (("  coin flip", coin[key]), ("  blind, same rates", blind[key])):
            spread = f"{band.mean:.3f}  ({band.low:.2f} to {band.high:.2f})"
            yield _row(label, spread, spread)
    zero = summary["zero_coupling_rate"]
    yield _row("zero-coupling rate", *(_estimate(zero[d], share) for d in DIRECTIONS))
    ties = summary["tie_rate_by_phase"]
    yield _row("tie rate", *(_estimate(ties[d], share) for d in DIRECTIONS))
    yield ""
    yield "  mean over seeds [95% interval]; coin flip and blind: mean (90% of single seeds)"
    yield "  blind: says A, B and tie as often as this evaluator did, whatever is shown to it"


def _row(label: str, *cells: str) -> str:
    padded = "".join(cell.ljust(_COLUMN) for cell in cells)
    return f"  {label:<{_LABEL}}{padded}".rstrip()


def _estimate(estimate: Json, number: Callable[[float], str]) -> str:
    interval = estimate["ci95"]
    if interval is None:
        return f"{number(estimate['mean'])}  [one seed]"
    return f"{number(estimate['mean'])}  [{', '.join(number(end) for end in interval)}]"


def _remarks(manifest: Json, blind: Band) -> Iterator[str]:
    """Yield what a reader must know before using the figures, from the run's own numbers."""
    summary = manifest["results"]["summary"]
    yield "What these figures can bear"
    yield from (f"  - {remark}" for remark in _on_the_evaluator(summary))
    yield from (f"  - {remark}" for remark in _on_the_provider(manifest))
    yield from (f"  - {remark}" for remark in _on_the_zeros(summary))
    n = summary["n"]
    if n >= SCREENING_SEEDS:
        yield from (f"  - {remark}" for remark in _on_the_coupling(summary, blind))
    if n < SCREENING_SEEDS:
        few = "1 seed is" if n == 1 else f"{n} seeds are"
        yield f"  - {few} too few for any claim: EPC-2.5(g) screens with {SCREENING_SEEDS}."
    elif n < PUBLICATION_SEEDS:
        yield f"  - {n} seeds are a screening; EPC-2.5(g) publishes with {PUBLICATION_SEEDS}."


def _on_the_evaluator(summary: Json) -> Iterator[str]:
    diagnostics: dict[str, Any] | None = summary["diagnostics"]
    if diagnostics is None:
        return
    answers, itself = diagnostics["answers"], diagnostics["self_comparisons"]
    rate, share = answers["parse_rate"], answers["share_of_a"]
    if not answers["n"]:
        yield "NO VERDICT WAS EVER COUNTED: there was no round."
        return
    yield (
        f"The evaluator gave {answers['n']} distinct answers; "
        f"{answers['decided']} ({100 * rate:.0f}%) were a bare A or B."
    )
    if answers["refusals"]:
        yield f"It refused to judge in {answers['refusals']} of them."
    if not answers["decided"]:
        yield "NO VERDICT WAS EVER COUNTED: gamma 0 is then a failed run, not stability."
        return
    if rate < _FEW:
        yield "Most rounds were ties: the weights rest on few verdicts."
    yield f"Of those, {100 * share:.0f}% said A, the sampled strategy's answer."
    if itself["n"] and not itself["decided"]:
        yield f"Two equal answers: a tie in all {itself['n']}, so no preference for a place."
    elif itself["decided"]:
        equal = itself["share_of_a"]
        sided = not _SIDED[0] <= equal <= _SIDED[1]
        warning = ": it judges the place, not the answer" if sided else ""
        yield f"Two equal answers: A in {100 * equal:.0f}% of {itself['decided']}{warning}."


def _on_the_provider(manifest: Json) -> Iterator[str]:
    """Say what the provider did beside answering: another model, a second answer, retries."""
    for _, problem in suspicions(manifest):
        yield f"DOUBTFUL: {problem}."
    again = manifest["results"]["summary"]["determinism"]
    if again is not None:
        yield (
            f"Asked again, {again['verdict_flips']} of {again['asked']} comparisons "
            f"({100 * again['flip_rate']:.0f}%) got another verdict."
        )


def _on_the_zeros(summary: Json) -> Iterator[str]:
    for direction in DIRECTIONS:
        for cause, count in summary["zero_causes"][direction].items():
            why = f"gamma is 0 in {count} of {summary['n']} seeds: {_CAUSES[cause]} ({cause})."
            yield f"{TITLES[direction]}: {why}"


def _on_the_coupling(summary: Json, blind: Band) -> Iterator[str]:
    """Say on which side of the blind evaluator's mean each interval lies, if on any."""
    for direction in DIRECTIONS:
        interval = summary["gamma"][direction]["ci95"]
        if interval is None or "no_update" in summary["zero_causes"][direction]:
            continue
        low, high = interval
        verdict = f"gamma is {'above' if low > blind.mean else 'below'} a blind evaluator's"
        if low <= blind.mean <= high:
            verdict = "gamma cannot be told from a blind evaluator's"
        yield f"{TITLES[direction]}: {verdict} {blind.mean:.2f}."
