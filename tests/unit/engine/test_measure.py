"""Carrying out a plan: what comes of it does not depend on when the answers come."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine_support import (
    PATIENCE_S,
    RAW_FILES,
    Told,
    measured,
    plan_for,
    read_rows,
    same_files,
    verdict_of,
)
from msgspec.structs import replace

from epc.engine import finish as finishing
from epc.engine import measure
from epc.engine.catalog import open_model
from epc.engine.finish import SelfCheckError
from epc.engine.finish import finish as real_finish
from epc.engine.model import CallError, Completion, Model, Prompt
from epc.errors import ExitCode, StoppedError, WorldError
from epc.protocol.config import Decoding
from epc.protocol.phases import PhaseEnd
from epc.records.layout import write_encoded as real_write_encoded
from epc.records.strict_json import dumps_line
from epc.records.validate import validate
from epc.spec.epc_v1 import REFERENCE_DOMAINS
from epc.spec.reference import EVALUATOR_PROMPT, STRATEGIES, TASKS

FILES = (*RAW_FILES, "manifest.json")
PHASES_BY_HAND = (  # name, domain, whose end it begins with, stream
    ("text", "text", None, 0),
    ("visual", "visual", None, 1),
    ("text_to_visual", "visual", "text", 2),
    ("visual_to_text", "text", "visual", 3),
)


def weights_by_hand(
    seed: int, rounds: int, verdict: Callable[[str, str, str], str]
) -> dict[str, dict[str, float]]:
    """EPC-2.1 to 2.3 once more, from the paper: the weights at the end of each phase.

    `verdict` says A or B for a domain, a task and a strategy's name.
    """
    ends: dict[str, list[float]] = {}
    for name, domain, start, stream in PHASES_BY_HAND:
        weights = list(ends[start]) if start else [1 / 11] * 11
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, stream])))
        for _ in range(rounds):
            task = TASKS["text" if domain == "text" else "visual"][int(rng.random() * 8)]
            u = rng.random()
            chosen = next((i for i in range(11) if sum(weights[: i + 1]) > u), 10)
            won = verdict(domain, task, STRATEGIES[chosen].name) == "A"
            weights[chosen] = max(0.001, weights[chosen] + (0.08 if won else -0.04))
            total = sum(weights)
            weights = [weight / total for weight in weights]
        ends[name] = weights
    names = [strategy.name for strategy in STRATEGIES]
    return {phase: dict(zip(names, vector, strict=True)) for phase, vector in ends.items()}


def pair_verdict(domain: str, task: str, strategy: str) -> str:
    return "AB"[sum(map(ord, domain + task + strategy)) % 2]


def by_pair(prompt: Prompt) -> str:
    assert prompt.pair is not None
    return pair_verdict(prompt.pair.domain, prompt.pair.task, prompt.pair.strategy)


def test_epc_2_3_a_live_run_gives_the_weights_worked_out_by_hand(tmp_path: Path) -> None:
    manifest = measured(tmp_path / "run", Told(by_pair), Told(), seeds=[0, 7], rounds=30)

    for record in manifest["results"]["per_seed"]:
        expected = weights_by_hand(record["seed"], 30, pair_verdict)
        for phase in REFERENCE_DOMAINS.phase_names:
            assert record["weights"][phase] == pytest.approx(expected[phase], abs=1e-12)
    assert manifest["protocol_version"] == "EPC-v1.0"
    assert validate(tmp_path / "run").findings == []


def test_epc_2_6_the_evaluator_sees_both_answers_and_its_own_prompt(tmp_path: Path) -> None:
    evaluator = Told(verdict_of)
    executor = Told(lambda prompt: f"[{prompt.text}]" * 20)

    measured(tmp_path / "run", evaluator, executor, rounds=2)

    prompts = {strategy.name: strategy.prompt for strategy in STRATEGIES}
    assert evaluator.asked
    for asked in evaluator.asked:
        pair = asked.pair
        assert pair is not None
        response = f"[{prompts[pair.strategy]}\n\n{pair.task}]" * 20
        baseline = f"[{prompts['step_by_step']}\n\n{pair.task}]" * 20
        assert asked.text == (
            EVALUATOR_PROMPT.replace("{task}", pair.task)
            .replace("{strategy_name}", pair.strategy)
            .replace("{response_A[:300]}", response[:300])
            .replace("{response_B[:300]}", baseline[:300])
        )


class Meeting(Told):
    """An evaluator whose first question of each pure phase waits for the other one's."""

    def __init__(self) -> None:
        super().__init__(verdict_of, repeatable=False)
        self.order: list[tuple[str, int]] = []
        self.seen = {"text": asyncio.Event(), "visual": asyncio.Event()}

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        assert prompt.occasion is not None
        phase = prompt.occasion.phase
        self.order.append((phase, prompt.occasion.round))
        if phase in self.seen:
            self.seen[phase].set()
            everyone = asyncio.gather(*(event.wait() for event in self.seen.values()))
            await asyncio.wait_for(everyone, PATIENCE_S)
        return await super().complete(prompt, decoding)


def test_epc_2_1_both_pure_phases_run_at_once_and_the_coupled_ones_after_their_own(
    tmp_path: Path,
) -> None:
    evaluator = Meeting()

    measured(tmp_path / "run", evaluator, Told(), rounds=3, reuse="none")

    assert sorted(evaluator.order) == [
        (p, r) for p in sorted(REFERENCE_DOMAINS.phase_names) for r in range(3)
    ]
    for pure, coupled in (("text", "text_to_visual"), ("visual", "visual_to_text")):
        rounds = [place for place in evaluator.order if place[0] in (pure, coupled)]
        assert rounds == [(name, r) for name in (pure, coupled) for r in range(3)]


class Slow(Told):
    """An evaluator that keeps one domain waiting until the other's whole branch is through."""

    def __init__(self) -> None:
        super().__init__(verdict_of, repeatable=False)
        self.through = asyncio.Event()

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        assert prompt.occasion is not None
        if (prompt.occasion.phase, prompt.occasion.round) == ("text_to_visual", 2):
            self.through.set()
        if prompt.occasion.phase == "visual":
            await asyncio.wait_for(self.through.wait(), PATIENCE_S)
        return await super().complete(prompt, decoding)


def test_epc_2_1_a_coupled_phase_waits_for_its_own_pure_phase_only(tmp_path: Path) -> None:
    measured(tmp_path / "run", Slow(), Told(), rounds=3, reuse="none")

    assert len(read_rows(tmp_path / "run" / "trials.jsonl")) == 12


def test_reading_r16_memo_exhaustive_and_afresh_give_the_same_weights(tmp_path: Path) -> None:
    kinds: dict[str, dict[str, Any]] = {
        "none": {"reuse": "none"},
        "memo": {"reuse": "memo"},
        "exhaustive": {"reuse": "memo", "exhaustive": True},
    }
    asked: dict[str, tuple[int, int]] = {}
    for name, kind in kinds.items():
        evaluator, executor = Told(verdict_of), Told()
        measured(tmp_path / name, evaluator, executor, seeds=[0, 1, 2], rounds=10, **kind)
        asked[name] = (len(executor.asked), len(evaluator.asked))

    for name in ("memo", "exhaustive"):
        same_files(tmp_path / "none", tmp_path / name, ("weights.jsonl",))
    assert asked["none"] == (240, 120)  # 3 seeds x 4 phases x 10 rounds, two answers each
    assert asked["exhaustive"] == (176, 176)  # 11 strategies x 16 tasks
    distinct = {
        (trial["task"], trial["phase"] in ("visual", "text_to_visual"), trial["strategy"])
        for trial in read_rows(tmp_path / "memo" / "trials.jsonl")
    }
    answers = distinct | {(task, visual, "step_by_step") for task, visual, _ in distinct}
    assert asked["memo"] == (len(answers), len(distinct))


def test_reading_r16_an_exhausted_run_costs_nothing_for_more_seeds(tmp_path: Path) -> None:
    few, subject = Told(verdict_of), Told(verdict_of)

    measured(tmp_path / "few", few, Told(), seeds=[0], exhaustive=True)
    measured(tmp_path / "many", subject, Told(), seeds=list(range(20)), exhaustive=True)

    assert Counter(p.text for p in few.asked) == Counter(p.text for p in subject.asked)


@pytest.mark.parametrize("reuse", ["memo", "none"])
def test_the_order_in_which_answers_come_changes_no_byte(tmp_path: Path, reuse: Any) -> None:
    for name, delays in (("steady", None), ("one", 1), ("two", 2)):
        shuffled = None if delays is None else random.Random(delays)
        measured(
            tmp_path / name,
            Told(verdict_of, delays=shuffled),
            Told(delays=shuffled),
            seeds=[4, 0, 2],
            rounds=6,
            reuse=reuse,
        )

    same_files(tmp_path / "steady", tmp_path / "one", FILES)
    same_files(tmp_path / "steady", tmp_path / "two", FILES)


def test_epc_2_5_d_rows_are_sorted_and_seeds_complete(tmp_path: Path) -> None:
    manifest = measured(tmp_path / "run", Told(verdict_of), Told(), seeds=[4, 0, 2], rounds=2)

    trials = read_rows(tmp_path / "run" / "trials.jsonl")
    places = [
        (t["seed"], REFERENCE_DOMAINS.phase_names.index(t["phase"]), t["round"]) for t in trials
    ]
    calls = [call["id"] for call in read_rows(tmp_path / "run" / "calls.jsonl")]
    assert places == [(s, p, r) for s in (0, 2, 4) for p in range(4) for r in range(2)]
    assert calls == sorted(set(calls))
    assert [record["seed"] for record in manifest["results"]["per_seed"]] == [0, 2, 4]
    assert not (tmp_path / "run" / "journal.jsonl").exists()


def test_epc_2_6_c_unreadable_answers_are_ties_and_move_nothing(tmp_path: Path) -> None:
    manifest = measured(tmp_path / "run", Told(lambda _: "Both are good."), Told(), rounds=5)

    (record,) = manifest["results"]["per_seed"]
    assert record["tie_rate"] == 1
    assert all(w == 1 / 11 for phase in record["weights"].values() for w in phase.values())
    assert record["zero_cause"] == {"text_to_visual": "no_update", "visual_to_text": "no_update"}


def test_no_rounds_are_a_run_without_calls(tmp_path: Path) -> None:
    evaluator = Told(verdict_of)

    manifest = measured(tmp_path / "run", evaluator, Told(), rounds=0)

    assert evaluator.asked == []
    assert manifest["results"]["per_seed"][0]["weights"]["text"]["synthesis"] == 1 / 11


def test_recorded_verdicts_run_without_an_executor(tmp_path: Path) -> None:
    table = tmp_path / "verdicts.csv"
    rows = [
        f'{s.name},{domain},"{task}",{pair_verdict(domain, task, s.name)}\n'
        for domain, tasks in TASKS.items()
        for task in tasks
        for s in STRATEGIES
    ]
    table.write_text("strategy,domain,task,verdict\n" + "".join(rows))

    manifest = measured(tmp_path / "run", open_model(f"recorded:{table}"), None, rounds=30)

    assert manifest["executor"] is None
    assert manifest["protocol_version"] == "EPC-v1.0-AltEvaluator"
    (record,) = manifest["results"]["per_seed"]
    expected = weights_by_hand(0, 30, pair_verdict)
    for phase in REFERENCE_DOMAINS.phase_names:
        assert record["weights"][phase] == pytest.approx(expected[phase], abs=1e-12)
    assert validate(tmp_path / "run").findings == []


class Fails(Told):
    """A model that fails at its n-th question."""

    def __init__(self, at: int, error: Exception, **fields: Any) -> None:
        super().__init__(**fields)
        self.at, self.error = at, error

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        if len(self.asked) >= self.at:
            raise self.error
        return await super().complete(prompt, decoding)


def test_reading_r4_a_failure_is_no_tie_and_leaves_a_run_to_finish(tmp_path: Path) -> None:
    plan = plan_for(Told(), Told(), seeds=[0, 1], rounds=5)
    measured(tmp_path / "whole", Told(verdict_of), Told(), plan=plan)
    failing = Fails(7, CallError("test/told: HTTP 500"), says=verdict_of)

    with pytest.raises(CallError, match="HTTP 500") as stopped:
        measured(tmp_path / "run", failing, Told(), plan=plan)

    held_names = {path.name for path in (tmp_path / "run").iterdir()}
    assert held_names == {"run.json", "journal.jsonl"}
    assert stopped.value.exit_code == ExitCode.RESUMABLE
    assert isinstance(stopped.value, StoppedError)
    answered = Counter(row["prompt"] for row in read_rows(tmp_path / "run" / "journal.jsonl"))

    evaluator, executor = Told(verdict_of), Told()
    measured(tmp_path / "run", evaluator, executor, plan=plan)

    asked = {prompt.text for prompt in (*evaluator.asked, *executor.asked)}
    assert answered
    assert not asked & set(answered)
    same_files(tmp_path / "whole", tmp_path / "run", FILES)


def test_the_first_failure_stops_the_other_calls(tmp_path: Path) -> None:
    class Forever(Fails):
        async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
            if len(self.asked) < self.at:
                self.asked.append(prompt)
                await asyncio.Event().wait()
            raise self.error

    failing = Forever(5, WorldError("the disk is gone"), says=verdict_of, repeatable=False)

    with pytest.raises(WorldError, match="the disk is gone"):
        measured(tmp_path / "run", failing, Told(), seeds=list(range(5)), reuse="none")


def test_a_comparison_of_an_exhaustive_run_waits_for_its_own_answers_alone(tmp_path: Path) -> None:
    compared, held = asyncio.Event(), list[Prompt]()
    slowest = (STRATEGIES[-1].prompt, TASKS["visual"][-1])

    class Judge(Told):
        async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
            compared.set()
            return await super().complete(prompt, decoding)

    class Slow(Told):
        async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
            if all(part in prompt.text for part in slowest):
                held.append(prompt)
                await asyncio.wait_for(compared.wait(), timeout=PATIENCE_S)
            return await super().complete(prompt, decoding)

    executor = Slow(concurrency=200)
    manifest = measured(tmp_path / "run", Judge(verdict_of), executor, exhaustive=True)

    assert len(held) == 1
    assert manifest["provenance"]["calls"] == {"evaluator": 176, "executor": 176}


Tamper = Callable[[dict[str, Any]], None]


def _flip_verdict(record: dict[str, Any]) -> None:
    trial = record["trials"][5]
    trial["verdict"] = "B" if trial["verdict"] == "A" else "A"


def _flip_answer(record: dict[str, Any]) -> None:
    trial = record["trials"][5]
    trial["verdict"] = trial["raw"] = "B" if trial["verdict"] == "A" else "A"


def _drop_trial(record: dict[str, Any]) -> None:
    record["trials"].pop(3)


def _drop_call(record: dict[str, Any]) -> None:
    record["journal"]._places.pop(record["trials"][0]["evaluation"])


def _other_draw(record: dict[str, Any]) -> None:
    record["trials"][0]["u_strategy"] = 0.123


def _last_bit(record: dict[str, Any]) -> None:
    end = record["outcomes"][0]["visual"]
    weights = (np.nextafter(end.weights[0], 1).item(), *end.weights[1:])
    record["outcomes"][0]["visual"] = PhaseEnd(weights=weights, verdicts=end.verdicts)


def _drop_seed(record: dict[str, Any]) -> None:
    record["outcomes"].pop(0)


@pytest.mark.parametrize(
    "tamper",
    [_flip_verdict, _flip_answer, _drop_trial, _drop_call, _other_draw, _last_bit, _drop_seed],
)
def test_epc_2_5_d_a_run_whose_files_do_not_give_it_back_is_not_signed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tamper: Tamper
) -> None:
    def finish(folder: Path, **fields: Any) -> dict[str, Any]:
        fields["trials"] = [json.loads(line) for line in fields["trials"]]
        tamper(fields)
        fields["trials"] = map(dumps_line, fields["trials"])
        return real_finish(folder, **fields)

    monkeypatch.setattr(measure, "finish", finish)

    with pytest.raises(SelfCheckError, match=r"do not (give back the run|replay)") as failed:
        measured(tmp_path / "run", Told(verdict_of), Told(), rounds=4)

    assert not (tmp_path / "run" / "manifest.json").exists()
    assert (tmp_path / "run" / "journal.jsonl").exists()  # nothing paid for is lost
    assert failed.value.exit_code == ExitCode.WORLD


def test_epc_2_5_d_a_run_whose_calls_the_disk_has_otherwise_is_not_signed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_encoded(folder: Path, name: str, lines: Iterable[bytes]) -> None:
        assert name == "calls"
        turned = b"".join(lines).replace(b'"retries":0', b'"retries":1', 1)
        real_write_encoded(folder, name, [turned])

    monkeypatch.setattr(finishing, "write_encoded", write_encoded)

    with pytest.raises(SelfCheckError, match=r"calls\.jsonl is not what was written to it"):
        measured(tmp_path / "run", Told(verdict_of), Told(), rounds=4)

    assert not (tmp_path / "run" / "manifest.json").exists()
    assert (tmp_path / "run" / "journal.jsonl").exists()


def test_epc_2_8_the_manifest_says_what_was_used(tmp_path: Path) -> None:
    evaluator, executor = open_model("mock/coin-flip"), open_model("mock/deterministic")
    plan = replace(plan_for(evaluator, executor, rounds=3, reuse="none"), epc_version="0")

    manifest = measured(tmp_path / "run", evaluator, executor, plan=plan)

    calls = read_rows(tmp_path / "run" / "calls.jsonl")
    assert manifest["provenance"]["calls"] == {"executor": 24, "evaluator": 12}
    assert manifest["provenance"]["tokens"] == {
        "in": sum(len(call["prompt"].split()) for call in calls),
        "out": sum(min(len(c["answer"].split()), 80) for c in calls),
    }
    assert manifest["provenance"]["served_models"] == {
        "executor": {"mock/deterministic": 24},
        "evaluator": {"mock/coin-flip": 12},
    }
    assert manifest["provenance"]["system_fingerprints"] == {"executor": {}, "evaluator": {}}
    assert manifest["provenance"]["retries"] == 0
    assert manifest["provenance"]["created"] == "2026-07-02T00:00:00Z"
    assert manifest["evaluator"]["measurement_date"] == "2026-07-02"
    assert manifest["config"]["reuse"] == "none"


def test_epc_2_8_a_coin_is_tossed_once_for_each_round(tmp_path: Path) -> None:
    coin: Model = open_model("mock/coin-flip")

    measured(tmp_path / "run", coin, open_model("mock/deterministic"), rounds=5, reuse="none")

    occasions = {c["id"]: c["occasion"] for c in read_rows(tmp_path / "run" / "calls.jsonl")}
    for trial in read_rows(tmp_path / "run" / "trials.jsonl"):
        place = f"{trial['seed']}/{trial['phase']}/{trial['round']}"
        assert occasions[trial["evaluation"]] == f"{place}/evaluation"
        assert occasions[trial["response"]] == f"{place}/response"
        assert occasions[trial["baseline"]] == f"{place}/baseline"
