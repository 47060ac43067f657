"""A run that reuses its answers follows from its calls; what does not follow is replayed."""

import json
from pathlib import Path

import pytest
from records_support import Run, make_run

from epc.protocol.verdict import Verdict
from epc.records import recompute as recomputing
from epc.records.calls import call_of
from epc.records.derive import Derivation, derive
from epc.records.manifest import Manifest
from epc.records.rows import Call
from epc.records.strict_json import dumps_line

ODD = "strategy,domain,task,verdict\n" + "".join(
    f'"{strategy}",{domain},one,{verdict}\n'
    for strategy, domain, verdict in (
        ('say "\u2028" \\', "text", "A"),
        ('say "\u2028" \\', "visual", "tie"),
        ("\u00e9\U0001f600", "text", "tie"),
        ("\u00e9\U0001f600", "visual", "B"),
    )
).replace('say "\u2028" \\', 'say ""\u2028"" \\')


@pytest.fixture(params=["exhaustive", "memo", "recorded"])
def reused(request: pytest.FixtureRequest, exhaustive: Run, tiny: Run, tmp_path: Path) -> Run:
    """Return a run of each kind that reuses answers."""
    if request.param == "recorded":
        table = tmp_path / "odd.csv"
        table.write_text(ODD, "utf-8")
        folder = tmp_path / "odd"
        return make_run(folder, evaluator=f"recorded:{table}", executor=None, seeds=2, rounds=3)
    return exhaustive if request.param == "exhaustive" else tiny


def calls_of(run: Run) -> dict[str, Call]:
    return {row["id"]: call_of(row) for row in run.rows("calls")}


def derivation_of(run: Run, calls: dict[str, Call] | None = None) -> Derivation:
    manifest = run.parsed()
    return derive(
        manifest.configuration,
        manifest.config.seeds,
        manifest.executor.prompt_template if manifest.executor else None,
        calls_of(run) if calls is None else calls,
        is_whole=manifest.is_whole,
    )


def test_reading_r16_the_trials_of_reused_answers_follow_from_the_calls(reused: Run) -> None:
    written = (reused.folder / "trials.jsonl").read_text("utf-8")

    derivation = derivation_of(reused)

    assert "".join(derivation.trials()) == written
    assert "".join(dumps_line(json.loads(line)) for line in written.split("\n")[:-1]) == written


def test_reading_r16_a_trial_that_names_a_missing_call_is_found(exhaustive: Run) -> None:
    used = exhaustive.rows("trials")[0]["evaluation"]
    rows = [row for row in exhaustive.rows("calls") if row["id"] != used]
    exhaustive.save_rows("calls", rows)

    with pytest.raises(LookupError):
        list(derivation_of(exhaustive).trials())
    assert "/trials/0/evaluation" in {f.where for f in exhaustive.validate().findings}


def test_a_call_that_nothing_refers_to_may_be_missing(tiny: Run) -> None:
    calls = calls_of(tiny)
    used = {
        row[side] for row in tiny.rows("trials") for side in ("response", "baseline", "evaluation")
    }

    derivation = derivation_of(tiny, {name: calls[name] for name in used})

    assert "".join(derivation.trials()) == (tiny.folder / "trials.jsonl").read_text("utf-8")


def test_what_was_said_is_listed_once_as_the_rounds_first_met_it(exhaustive: Run) -> None:
    derivation = derivation_of(exhaustive)
    list(derivation.courses())

    first = {row["evaluation"]: row for row in reversed(exhaustive.rows("trials"))}
    in_order = dict.fromkeys(row["evaluation"] for row in exhaustive.rows("trials"))
    assert list(derivation.evaluations) == list(in_order)
    for name, answered in derivation.evaluations.items():
        assert answered.name == first[name]["strategy"]
        assert answered.verdict is Verdict(first[name]["verdict"])


def test_a_derivation_holds_no_more_than_32768_rounds_at_a_time(exhaustive: Run) -> None:
    """Four phases of 5 rounds are 20 a seed, of which 1,638 fit: 32,760."""
    manifest = exhaustive.parsed()
    seeds = range(3300)

    derivation = derive(
        manifest.configuration,
        seeds,
        manifest.executor.prompt_template if manifest.executor else None,
        calls_of(exhaustive),
    )

    assert [len(taken) for taken, _ in derivation.courses()] == [1638, 1638, 24]
    assert list(derivation.outcomes) == list(seeds)


@pytest.mark.parametrize(("tasks", "derived"), [(2978, True), (2979, False)])
def test_a_manifest_of_countless_pairs_is_not_tabulated(
    exhaustive: Run, *, tasks: int, derived: bool
) -> None:
    manifest = exhaustive.manifest()
    manifest["tasks"] = {
        domain: [f"{domain} {number}" for number in range(tasks)] for domain in ("text", "visual")
    }

    # 11 strategies on 2 x 2979 tasks are 65,538 pairs, two more than are tabulated
    assert recomputing._can_derive(Manifest.parse(manifest).configuration, calls=176) is derived


def test_reading_r72_a_large_file_of_recorded_verdicts_is_read_whole(exhaustive: Run) -> None:
    manifest = exhaustive.manifest()
    tasks = [str(number) for number in range(2979)]
    manifest["tasks"] = {"text": tasks, "visual": tasks}

    # 65,538 pairs, of which one in sixteen must have a verdict
    assert recomputing._can_derive(Manifest.parse(manifest).configuration, calls=4097)
    assert not recomputing._can_derive(Manifest.parse(manifest).configuration, calls=4096)
