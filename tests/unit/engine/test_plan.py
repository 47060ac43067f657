"""What a run is asked to do: reuse (Reading R16), run.json, its models' identity."""

import json
from pathlib import Path

import pytest
from engine_support import Told, plan_for
from msgspec.structs import asdict, replace

from epc.engine.catalog import open_model
from epc.engine.hosted import Hosted
from epc.engine.model import Model
from epc.engine.plan import (
    Reuse,
    asked_decoding,
    configuration,
    decoding_for,
    identities,
    load,
    reuse_for,
    save,
)
from epc.engine.providers import PROVIDERS
from epc.errors import MalformedError, UsageError, WorldError
from epc.protocol.config import REFERENCE_DECODING, Decoding, variant_tag
from epc.spec.epc_v1 import DOMAINS

STEADY, FICKLE = Told(name="test/steady"), Told(name="test/fickle", repeatable=False)


def by_role(models: list[Model]) -> dict[str, Model]:
    return dict(zip(("evaluator", "executor"), models, strict=False))


@pytest.mark.parametrize(
    ("asked", "exhaustive", "models", "reuse"),
    [
        (None, False, [STEADY, STEADY], "memo"),
        (None, False, [FICKLE, STEADY], "none"),
        (None, False, [STEADY, FICKLE], "none"),
        ("memo", False, [STEADY, STEADY], "memo"),
        ("none", False, [STEADY, STEADY], "none"),
        ("none", False, [FICKLE, STEADY], "none"),
        (None, True, [STEADY, STEADY], "memo"),
        ("memo", True, [STEADY], "memo"),
    ],
)
def test_reading_r16_answers_are_reused_wherever_both_models_repeat_themselves(
    asked: Reuse | None,
    exhaustive: bool,  # noqa: FBT001  (pytest hands it over by name)
    models: list[Model],
    reuse: str,
) -> None:
    assert reuse_for(asked, exhaustive=exhaustive, models=by_role(models), decoding={}) == reuse


@pytest.mark.parametrize(
    ("asked", "exhaustive", "models", "message"),
    [
        ("memo", False, [FICKLE, STEADY], "test/fickle answers each round afresh"),
        (None, True, [STEADY, FICKLE], "use `--reuse none` without `--exhaustive`"),
        ("none", True, [STEADY, STEADY], "--exhaustive reuses every answer"),
    ],
)
def test_reading_r16_reuse_that_would_falsify_the_run_is_refused(
    asked: Reuse | None,
    exhaustive: bool,  # noqa: FBT001  (pytest hands it over by name)
    models: list[Model],
    message: str,
) -> None:
    with pytest.raises(UsageError, match=message):
        reuse_for(asked, exhaustive=exhaustive, models=by_role(models), decoding={})


def test_epc_2_6_b_a_setting_that_was_not_asked_for_is_the_model_s_own() -> None:
    model = Hosted(PROVIDERS["openai"], "m", base_url="http://127.0.0.1:9/v1", key="none")

    documents = asked_decoding({"executor": {"top_p": 0.5}}, {"executor": model})

    assert decoding_for(documents, "executor", model) == Decoding(
        temperature=0.0, max_tokens=400, top_p=0.5
    )
    assert decoding_for(documents, "evaluator", model) == REFERENCE_DECODING
    with pytest.raises(UsageError, match="there is no executor here"):
        asked_decoding({"executor": {"top_p": 0.5}}, {"evaluator": model})


def test_a_plan_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    plan = plan_for(STEADY, FICKLE, seeds=[3, 1, 4], rounds=7, exhaustive=True)

    save(plan, tmp_path / "deep" / "run")

    assert load(tmp_path / "deep" / "run") == plan


def test_reading_r76_a_plan_of_an_older_version_is_read_without_its_panel(tmp_path: Path) -> None:
    plan = plan_for(STEADY, STEADY)
    save(plan, tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "canary": True}))

    assert load(tmp_path / "run") == plan


def test_a_folder_that_holds_a_started_run_says_how_to_finish_it(tmp_path: Path) -> None:
    save(plan_for(STEADY, STEADY), tmp_path)

    with pytest.raises(UsageError, match=f"`epc resume {tmp_path}` finishes it"):
        save(plan_for(STEADY, STEADY), tmp_path)


def test_a_folder_that_holds_a_finished_run_is_left_alone(tmp_path: Path) -> None:
    save(plan_for(STEADY, STEADY), tmp_path)
    (tmp_path / "manifest.json").write_text("{}")

    with pytest.raises(UsageError, match="choose another --out"):
        save(plan_for(STEADY, STEADY), tmp_path)


def test_a_folder_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match=r"cannot make .*: Not a directory"):
        save(plan_for(STEADY, STEADY), tmp_path / "file" / "run")


def test_a_folder_without_a_plan_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is no run folder: it has no run\.json"):
        load(tmp_path)

    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(UsageError, match=r"it holds a manifest\.json only"):
        load(tmp_path)


def test_a_damaged_plan_is_refused_with_the_place(tmp_path: Path) -> None:
    document = {**asdict(plan_for(STEADY, STEADY)), "rounds": "thirty"}
    (tmp_path / "run.json").write_text(json.dumps(document))

    with pytest.raises(MalformedError) as refused:
        load(tmp_path)

    assert refused.value.finding.where == "/rounds"


def test_a_plan_that_cannot_be_read_is_the_disk_s_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(plan_for(STEADY, STEADY), tmp_path)

    def fails(self: Path, mode: str) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", fails)
    with pytest.raises(WorldError, match="Input/output error"):
        load(tmp_path)


def test_epc_2_2_a_plan_keeps_what_its_models_say_of_themselves() -> None:
    kept_document = identities(STEADY, None)

    assert kept_document == {
        "evaluator": {
            "model": "test/steady",
            "version": "1",
            "endpoint": "test",
            "gateway": None,
            "details": {},
        }
    }
    assert set(identities(STEADY, FICKLE)) == {"evaluator", "executor"}


def test_reading_r74_a_plan_keeps_the_groups_of_its_tasks(tmp_path: Path) -> None:
    groups = {domain: [f"topic {n // 2}" for n in range(8)] for domain in DOMAINS}
    plan = replace(plan_for(STEADY, STEADY), groups=groups)
    save(plan, tmp_path / "run")

    kept_rows = load(tmp_path / "run")

    assert kept_rows == plan
    assert configuration(kept_rows, STEADY).groups == {d: tuple(groups[d]) for d in DOMAINS}
    assert configuration(plan_for(STEADY, STEADY), STEADY).groups is None


@pytest.mark.parametrize("name", ["mock/coin-flip", "mock/deterministic"])
def test_reading_r35_a_mock_is_asked_by_the_prompt_and_is_no_alternative_evaluator(
    name: str,
) -> None:
    mock = open_model(name)

    config = configuration(plan_for(mock, mock, rounds=30), mock)

    assert (config.method, variant_tag(config)) == ("prompt", "EPC-v1.0")


def test_reading_r13_the_configuration_follows_from_plan_and_evaluator(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("strategy,domain,task,verdict\ns,text,t,A\ns,visual,v,B\n")
    recorded = open_model(f"recorded:{tmp_path / 'v.csv'}")
    plan = plan_for(STEADY, STEADY, rounds=30)

    reference = configuration(plan, STEADY)
    looked_up = configuration(replace(plan, executor=None), recorded)

    assert variant_tag(reference) == "EPC-v1.0"
    assert reference.decoding == REFERENCE_DECODING
    assert looked_up.method == "recorded"
    assert [strategy.name for strategy in looked_up.strategies] == ["s"]
    assert (
        variant_tag(looked_up) == "EPC-v1.0-AltEvaluator+AltStrategies+AltTasks"
    )  # one task a domain
