"""What differs between two manifests, and what it means."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from records_support import Run, make_run

from epc.analysis.comparability import are_facts, differences, unlike
from epc.records.designs import Design, packaged
from epc.records.manifest import Manifest, ModelIdentity


def identity(endpoint: str, *, model: str = "m", runtime: str = "1") -> ModelIdentity:
    return ModelIdentity(
        model=model, version="1", endpoint=endpoint, gateway=None, details={"runtime": runtime}
    )


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (identity("file"), identity("file", model="n"), True),
        (identity("file"), identity("mock"), True),
        (identity("https://x"), identity("https://x"), False),
        (identity("embedded"), identity("embedded"), True),
        (identity("embedded"), identity("embedded", runtime="2"), False),
        (identity("embedded"), identity("file"), False),
        (identity("mock"), identity("embedded"), False),
    ],
)
def test_answers_are_facts_of_files_mocks_and_pinned_weights_on_one_runtime(
    left: ModelIdentity, right: ModelIdentity, *, expected: bool
) -> None:
    assert are_facts(left, right) == expected


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("run") / "run")


def changed(run: Run, **parts: Any) -> list[tuple[str, str]]:
    """Return where a run is unlike itself with some of its manifest changed, and how badly."""
    first, second = (Manifest.parse(json.loads(json.dumps(run.manifest()))) for _ in range(2))
    document = second.document | parts
    return [
        (finding.where, finding.severity) for finding in unlike(first, Manifest.parse(document))
    ]


def test_a_missing_executor_differs_once(run: Run) -> None:
    assert changed(run, executor=None) == [("/executor/model", "error")]


def test_a_missing_part_is_unlike_one_that_is_there(run: Run, tmp_path: Path) -> None:
    evaluator = {**run.manifest()["evaluator"], "method": "score"}

    assert ("/evaluator/method", "error") in changed(run, evaluator=evaluator)


def test_reading_r74_designs_differ_where_other_tasks_are_one_unit() -> None:
    """Whatever the groups are called."""
    plain = packaged("reference")
    tasks = plain.config.tasks

    def grouped(text: str) -> Design:
        groups = {"text": tuple(text), "visual": tuple("abcdefgh")}
        return Design(name="mine", config=replace(plain.config, groups=groups))

    actual_differences = differences(grouped("aabbccdd"), grouped("wwxxyzzz"))

    assert differences(grouped("aabbccdd"), grouped("wwxxyyzz")) == []
    assert differences(plain, grouped("abcdefgh")) == []
    moved = ", ".join(map(repr, tasks["text"][4:]))
    assert [(difference.part, difference.how) for difference in actual_differences] == [
        ("tasks, text", f"4 in another group: {moved}")
    ]
