"""The rows of the published tables, from a measured snapshot and from recorded verdicts."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from observed_support import SETTINGS, columns, verdict
from records_support import Run, make_run
from registry_support import Checkout, generation_record, life_record

from epc.answers.snapshot_status import snapshot_states
from epc.records.verdicts.types import Judge, SourceFile
from epc.records.verdicts.verdict_file import rows_of, write
from epc.registry.cards import Declaration
from epc.registry.data_rows import batches, groups
from epc.registry.fetching import Sealed, open_sealed
from epc.registry.publishing import offered, publish
from epc.registry.verdicts import cut_to
from epc.registry.writing import locked

pytestmark = pytest.mark.extra

AS_OF = date(2026, 7, 10)
MEASURED, RECORDED = "v1.0-deterministic", "v1.0-Judge-1"
SAID = Declaration(
    generation="deterministic",
    contributor="A. Name",
    licence="CC-BY-4.0",
    conflicts=None,
    proxy=False,
    replicates=None,
)


def verdict_file(path: Path) -> Path:
    """Write three verdicts: one of a day, one of its setting's day, one that nobody dates."""
    judge = Judge(name="J", model="judge-1", platform="unknown")
    undated = replace(SETTINGS["one"], judge=judge)
    settings = {"J/dated": replace(undated, date="2024-05-01"), "J/undated": undated}
    header, verdicts = columns(
        verdict("1", "a", "a", setting="J/dated", date="2024-06-02", humans=["a", "b", "a"]),
        verdict("2", "b", "b", setting="J/dated", a_score=2.5),
        verdict("3", "a", "tie", setting="J/undated", humans=["tie"]),
    )
    own_header = replace(
        header,
        source=replace(header.source, repository="https://source.example/v", licence="MIT"),
        files={"f": SourceFile(path="f", sha256="0" * 64)},
        settings=settings,
    )
    own_header = replace(own_header, source=replace(own_header.source, commit="a" * 40))
    write(path, own_header, rows_of(verdicts))
    return path


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Sealed, Run]]:
    home = tmp_path_factory.mktemp("rows")
    checkout = Checkout(home / "registry")
    checkout.evaluator(generation_record("Judge-1", life_record(model="judge-1")))
    run = make_run(home / "run", seeds=2, rounds=2)
    part = cut_to(verdict_file(home / "verdicts.jsonl"), "J", home / "part")
    with locked(checkout.folder, progress=print) as lock:
        for folder, said in ((run.folder, SAID), (part, replace(SAID, generation="Judge-1"))):
            publish(lock, offered(folder, said), day=AS_OF, progress=print, git=False)
    with open_sealed(str(checkout.folder)) as opened:
        yield opened, run


def rows(sealed: Sealed, name: str, tag: str) -> list[dict[str, Any]]:
    return [
        row
        for _, each in batches(name, sealed, snapshot_states(sealed.registry, AS_OF))
        for row in each.to_pylist()
        if row["tag"] == tag
    ]


def test_a_verdict_has_its_own_day_or_else_its_setting_s_or_none(
    sealed: tuple[Sealed, Run],
) -> None:
    actual_rows = rows(sealed[0], "verdicts", RECORDED)

    assert [(row["item"], row["date"]) for row in actual_rows] == [
        ("1", date(2024, 6, 2)),
        ("2", date(2024, 5, 1)),
        ("3", None),
    ]


def test_recorded_verdicts_are_one_row_each_with_the_counts_of_people(
    sealed: tuple[Sealed, Run],
) -> None:
    actual_rows = rows(sealed[0], "verdicts", RECORDED)

    assert [(row["first"], row["verdict"], row["times"]) for row in actual_rows] == [
        ("a", "a", 1),
        ("b", "b", 1),
        ("a", "tie", 1),
    ]
    people = [tuple(row[f"humans_{word}"] for word in ("a", "b", "tie")) for row in actual_rows]
    assert people == [(2, 1, 0), (None, None, None), (0, 0, 1)]
    assert [row["a_score"] for row in actual_rows] == [None, 2.5, None]
    assert [row["setting"] for row in actual_rows] == ["J/dated", "J/dated", "J/undated"]
    assert {(row["licence"], row["source"], row["kind"]) for row in actual_rows} == {
        ("MIT", "s", "observed")
    }


def test_a_measured_evaluator_s_verdicts_are_a_row_for_each_pair_and_verdict(
    sealed: tuple[Sealed, Run],
) -> None:
    opened, run = sealed
    manifest = run.manifest()
    counts = manifest["results"]["verdict_table"]["counts"]
    said = {
        (domain, str(task), strategy, word): cell[place]
        for domain, table in counts.items()
        for strategy, cells in table.items()
        for task, cell in enumerate(cells)
        for place, word in enumerate(("a", "b", "tie"))
        if cell[place]
    }

    actual_rows = rows(opened, "verdicts", MEASURED)

    own_times = {(r["subset"], r["item"], r["a_by"], r["verdict"]): r["times"] for r in actual_rows}
    assert own_times == said
    assert len(actual_rows) == len(said)
    for row in actual_rows:
        question = manifest["tasks"][row["subset"]][int(row["item"])]
        assert row["question_sha256"] == sha256(question.encode()).hexdigest()
    assert {row["b_by"] for row in actual_rows} == {manifest["config"]["baseline"]}
    assert {(row["licence"], row["source"]) for row in actual_rows} == {("CC-BY-4.0", None)}


def test_the_trials_are_those_of_the_run_each_with_its_question(
    sealed: tuple[Sealed, Run],
) -> None:
    opened, run = sealed
    manifest = run.manifest()
    trials = [json.loads(line) for line in (run.folder / "trials.jsonl").read_text().splitlines()]

    actual_rows = rows(opened, "trials", MEASURED)

    assert [
        {key: row[key] for key in trial} for row, trial in zip(actual_rows, trials, strict=True)
    ] == (trials)
    phases = {name: phase.domain for name, phase in run.parsed().domains.phase.items()}
    assert [row["domain"] for row in actual_rows] == [phases[trial["phase"]] for trial in trials]
    assert [row["question"] for row in actual_rows] == [
        manifest["tasks"][phases[trial["phase"]]][trial["task"]] for trial in trials
    ]
    assert rows(opened, "trials", RECORDED) == []


def test_small_snapshots_share_a_row_group_that_is_named_after_the_last(
    sealed: tuple[Sealed, Run],
) -> None:
    opened, _ = sealed

    ((last, table),) = groups("verdicts", opened, {})

    both = rows(opened, "verdicts", RECORDED), rows(opened, "verdicts", MEASURED)
    assert table.num_rows == sum(map(len, both))
    assert last == list(opened.registry.snapshots)[-1]
