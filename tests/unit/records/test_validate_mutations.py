"""Whatever is done to a run folder, validation answers, and what changes meaning is found.

After every change the manifest owns up to the raw files as they then are, so that nothing is
found by its SHA-256 alone.

Over 400 lines, because every mutation is held against the same notion of what it means.
"""

import copy
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from budget_support import examples
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from records_support import Run

from epc.records.validate import Report

RAW = ("trials", "calls", "weights")
FILES = tuple(f"{name}.jsonl" for name in RAW)
SECONDS = 20  # of the processor, for one document: a bound against hanging


def tried(nightly: int) -> settings:
    return settings(
        max_examples=examples(nightly),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Victim:
    """A run folder that every example starts from afresh."""

    run: Run
    original: dict[str, bytes]

    def restore(self) -> Run:
        for name, content in self.original.items():
            (self.run.folder / name).write_bytes(content)
        return self.run

    def text(self, manifest: str | bytes) -> Report:
        """Put a text in the manifest's place and validate."""
        run = self.restore()
        content = (
            manifest.encode("utf-8", "surrogatepass") if isinstance(manifest, str) else manifest
        )
        (run.folder / "manifest.json").write_bytes(content)
        return answered(run)

    def raw(self, name: str, content: bytes) -> Report:
        """Put bytes in a raw file's place, own up to them, and validate."""
        run = self.restore()
        (run.folder / name).write_bytes(content)
        run.save(run.manifest())
        return answered(run)

    def rows(self, name: str, rows: list[Any]) -> Report:
        return self.raw(f"{name}.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows).encode())


def answered(run: Run) -> Report:
    began = time.process_time()
    report = run.validate()
    assert time.process_time() - began < SECONDS
    assert report.ok == all(f.severity != "error" for f in report.findings)
    assert len(report.findings) <= 1001
    for finding in report.findings:
        assert finding.where == "" or finding.where.startswith("/")
        assert finding.problem
        assert finding.remedy
        assert finding.clause
    json.dumps(report.as_json(), allow_nan=False, ensure_ascii=False).encode("utf-8")
    return report


def victim_of(run: Run) -> Victim:
    # Hypothesis draws on the constants of whatever modules are loaded: load them all beforehand,
    # or an example that loads one more cannot be generated a second time.
    run.validate()
    return Victim(run=run, original={p.name: p.read_bytes() for p in run.folder.iterdir()})


@pytest.fixture
def victim(single: Run) -> Victim:
    return victim_of(single)


@pytest.fixture
def pair(tiny: Run) -> Victim:
    """Return a victim of two seeds, whose summary has intervals."""
    return victim_of(tiny)


def paths(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every value inside a document."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        yield (*here, key)
        yield from paths(item, (*here, key))


def inside(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**18), 10**18),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from([0, 1, 0.0, -0.0, 1.0, 0.5, 1e300, 5e-324, 2**32 - 1, 2**32, 10**18]),
    st.sampled_from(["text", "visual", "A", "tie", "step_by_step", "recorded", "likelihood"]),
    st.sampled_from(["memo", "trials.jsonl", "../x", "a/b~c", "0" * 20, "0" * 64, "2026-07-02"]),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
UNREADABLE = ("NaN", "Infinity", "-Infinity", "1e999", "9" * 30, "[" * 5000, '{"a":1,"a":1}', "'")


# --- Anything at all: validation answers.


@tried(400)
@given(data=st.data())
def test_any_value_anywhere_in_a_manifest_is_answered(pair: Victim, data: st.DataObject) -> None:
    manifest = json.loads(pair.original["manifest.json"])
    for _ in range(data.draw(st.integers(1, 3))):
        places = list(paths(manifest))
        assume(places)
        path = data.draw(st.sampled_from(places))
        parent = inside(manifest, path[:-1])
        change = data.draw(st.sampled_from(["replace", "replace", "delete", "extra", "repeat"]))
        if change == "replace":
            parent[path[-1]] = data.draw(ANYTHING)
        elif change == "delete":
            del parent[path[-1]]
        elif change == "extra" and isinstance(parent, dict):
            parent[data.draw(st.text(max_size=5))] = data.draw(ANYTHING)
        elif isinstance(parent, list):
            parent.append(copy.deepcopy(parent[path[-1]]))

    pair.text(json.dumps(manifest))


@tried(250)
@given(data=st.data(), text=st.sampled_from(UNREADABLE))
def test_what_is_no_json_anywhere_in_a_manifest_is_found(
    victim: Victim, data: st.DataObject, text: str
) -> None:
    manifest = json.loads(victim.original["manifest.json"])
    path = data.draw(st.sampled_from(list(paths(manifest))))
    inside(manifest, path[:-1])[path[-1]] = "@here@"

    report = victim.text(json.dumps(manifest).replace('"@here@"', text))

    assert not report.ok


@tried(250)
@given(data=st.data())
def test_a_manifest_with_a_torn_end_is_found(victim: Victim, data: st.DataObject) -> None:
    content = victim.original["manifest.json"]
    end = data.draw(st.integers(0, len(content) - 3))  # up to its last bracket

    assert not victim.text(content[:end]).ok


@tried(250)
@given(data=st.data(), junk=st.binary(min_size=1, max_size=6))
def test_any_bytes_in_a_manifest_are_answered(
    victim: Victim, data: st.DataObject, junk: bytes
) -> None:
    content = victim.original["manifest.json"]
    place = data.draw(st.integers(0, len(content)))
    until = place + data.draw(st.integers(0, 6))

    victim.text(content[:place] + junk + content[until:])


@tried(300)
@given(data=st.data(), name=st.sampled_from(FILES), junk=st.binary(max_size=6))
def test_any_bytes_in_a_raw_file_are_answered(
    victim: Victim, data: st.DataObject, name: str, junk: bytes
) -> None:
    content = victim.original[name]
    place = data.draw(st.integers(0, len(content)))
    until = place + data.draw(st.integers(0, 6))

    victim.raw(name, content[:place] + junk + content[until:])


@tried(150)
@given(data=st.data(), name=st.sampled_from(("trials.jsonl", "weights.jsonl")))
def test_epc_2_5_d_a_raw_file_with_a_torn_end_is_found(
    victim: Victim, data: st.DataObject, name: str
) -> None:
    content = victim.original[name]
    end = data.draw(st.integers(0, len(content) - 2))  # the last newline alone tears nothing

    assert not victim.raw(name, content[:end]).ok


@tried(300)
@given(data=st.data(), name=st.sampled_from(RAW))
def test_any_value_in_any_row_is_answered(victim: Victim, data: st.DataObject, name: str) -> None:
    rows = victim.restore().rows(name)
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.sampled_from(rows))
        key = data.draw(st.sampled_from([*row, "extra"]))
        row[key] = data.draw(ANYTHING)

    victim.rows(name, rows)


@tried(150)
@given(data=st.data(), name=st.sampled_from(RAW))
def test_rows_in_any_order_and_number_are_answered(
    victim: Victim, data: st.DataObject, name: str
) -> None:
    rows = victim.restore().rows(name)

    victim.rows(name, data.draw(st.lists(st.sampled_from(rows), max_size=2 * len(rows))))


# --- What changes meaning: validation says no.


def another(old: Any) -> st.SearchStrategy[Any]:
    """Return values that are not the old one, also not by another spelling of a number."""
    nearby: st.SearchStrategy[Any] = ANYTHING
    if isinstance(old, float) and not isinstance(old, bool):
        nearby |= st.floats(1e-9, 1, exclude_min=True).map(lambda by: old + by)
        nearby |= st.floats(1e-9, 1, exclude_min=True).map(lambda by: old - by)
    elif isinstance(old, int) and not isinstance(old, bool):
        nearby |= st.sampled_from([old + 1, old - 1])
    elif isinstance(old, str):
        nearby |= st.sampled_from([f"{old} ", old[:-1], old.swapcase(), f"{old}x"])
    return nearby.filter(lambda new: differs(old, new))


def differs(old: Any, new: Any) -> bool:
    if isinstance(old, bool) or isinstance(new, bool):
        return old is not new
    if isinstance(old, int | float) and isinstance(new, int | float):
        return abs(old - new) > 1e-9
    return bool(old != new)


@tried(300)
@given(data=st.data())
def test_epc_2_5_d_any_other_value_in_a_trial_is_found(victim: Victim, data: st.DataObject) -> None:
    rows = victim.restore().rows("trials")
    row = data.draw(st.sampled_from(rows))
    key = data.draw(st.sampled_from(sorted(row)))
    old = row[key]
    if key.startswith("u_"):
        # A draw is held to the last bit.
        row[key] = data.draw(st.floats(0, 1, exclude_max=True).filter(lambda u: u != old))
    else:
        row[key] = data.draw(another(old))

    assert not victim.rows("trials", rows).ok


@tried(200)
@given(data=st.data())
def test_epc_2_5_d_any_other_question_or_answer_in_a_call_is_found(
    victim: Victim, data: st.DataObject
) -> None:
    rows = victim.restore().rows("calls")
    row = data.draw(st.sampled_from(rows))
    key = data.draw(st.sampled_from(["id", "role", "model", "prompt", "answer", "occasion"]))
    old = row[key]
    # An evaluator is shown 300 characters of an answer; no mock writes more than that.
    row[key] = data.draw(another(old))

    assert not victim.rows("calls", rows).ok


@tried(200)
@given(data=st.data())
def test_epc_2_5_b_any_other_value_in_a_weight_row_is_found(
    victim: Victim, data: st.DataObject
) -> None:
    rows = victim.restore().rows("weights")
    row = data.draw(st.sampled_from(rows))
    key = data.draw(st.sampled_from(sorted(row)))
    row[key] = data.draw(another(row[key]))

    assert not victim.rows("weights", rows).ok


@tried(150)
@given(data=st.data(), change=st.sampled_from(["delete", "repeat", "swap"]))
def test_epc_2_5_d_a_trial_that_is_missing_repeated_or_displaced_is_found(
    victim: Victim, data: st.DataObject, change: str
) -> None:
    rows = victim.restore().rows("trials")
    first = data.draw(st.integers(0, len(rows) - 1))
    second = data.draw(st.integers(0, len(rows) - 1))
    if change == "delete":
        del rows[first]
    elif change == "repeat":
        rows.insert(second, rows[first])
    else:
        assume(first != second)
        rows[first], rows[second] = rows[second], rows[first]

    assert not victim.rows("trials", rows).ok


# What nothing else in a run folder bears witness to, so that no check can hold it to anything.
UNWITNESSED = (
    ("provenance",),
    ("evaluator", "measurement_date"),
    ("config", "reuse"),
    ("config", "exhaustive"),
    ("config", "generator"),
    ("tasks",),  # those that were drawn are witnessed; see test_trials
)


@tried(400)
@given(data=st.data())
def test_epc_2_8_any_other_value_that_can_be_checked_is_found(
    pair: Victim, data: st.DataObject
) -> None:
    manifest = json.loads(pair.original["manifest.json"])
    places = [
        path
        for path in paths(manifest)
        if not any(path == u[: len(path)] or path[: len(u)] == u for u in UNWITNESSED)
    ]
    path = data.draw(st.sampled_from(places))
    new = data.draw(another(inside(manifest, path)))
    inside(manifest, path[:-1])[path[-1]] = new

    assert not pair.text(json.dumps(manifest)).ok


@tried(300)
@given(data=st.data())
def test_epc_2_8_any_key_that_is_missing_or_unknown_is_found(
    victim: Victim, data: st.DataObject
) -> None:
    manifest = json.loads(victim.original["manifest.json"])
    free = ("software", "details", "zero_causes")
    keys = [
        path
        for path in paths(manifest)
        if isinstance(path[-1], str) and not set(free) & set(path[:-1])
    ]
    path = data.draw(st.sampled_from(keys))
    parent = inside(manifest, path[:-1])
    if data.draw(st.booleans()):
        del parent[path[-1]]
    else:
        name = data.draw(st.text(max_size=4).filter(lambda name: name not in parent))
        parent[name] = data.draw(ANYTHING)

    assert not victim.text(json.dumps(manifest)).ok


@tried(200)
@given(data=st.data(), by=st.floats(1e-9, 0.5, exclude_min=True), more=st.booleans())
def test_epc_2_5_a_manifest_alone_is_held_to_its_own_arithmetic(
    pair: Victim,
    data: st.DataObject,
    by: float,
    more: bool,  # noqa: FBT001  (pytest hands it over by name)
) -> None:
    manifest = json.loads(pair.original["manifest.json"])
    manifest["raw"] = None
    results = manifest["results"]
    keys = ("weights", "gamma", "jsd", "mean", "ci95")
    numbers = [
        path
        for path in paths(results)
        if set(path) & set(keys) and isinstance(inside(results, path), float)
    ]
    path = data.draw(st.sampled_from(numbers))
    inside(results, path[:-1])[path[-1]] += by if more else -by

    assert not pair.text(json.dumps(manifest)).ok


@tried(60)
@given(data=st.data())
def test_epc_2_6_c_a_verdict_turned_over_in_every_file_is_found_by_its_weights(
    victim: Victim, data: st.DataObject
) -> None:
    run = victim.restore()
    trials, calls = run.rows("trials"), run.rows("calls")
    evaluation = data.draw(st.sampled_from(trials))["evaluation"]
    for row in trials:
        if row["evaluation"] == evaluation:
            row["verdict"] = row["raw"] = "B" if row["verdict"] == "A" else "A"
            turned = row["raw"]
    for call in calls:
        if call["id"] == evaluation:
            call["answer"] = turned
    run.save_rows("calls", calls)
    run.save_rows("trials", trials)

    report = answered(run)

    assert not report.ok
    assert any("/weights" in finding.where for finding in report.findings)


def test_the_untouched_run_is_valid(victim: Victim, tmp_path: Path) -> None:
    assert victim.rows("trials", victim.restore().rows("trials")).ok
    assert victim.text(victim.original["manifest.json"]).ok
