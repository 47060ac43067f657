"""What is wrong with a design: each finding by its clause and place (EPC-2, Reading R78)."""

from pathlib import Path
from typing import Any

import pytest

from epc.errors import UsageError
from epc.protocol.rules import BradleyTerry, Thompson
from epc.protocol.weights import UpdateRule
from epc.records.design_findings import findings_of, written_rule
from epc.records.designs import NAMES, Design, check
from epc.records.strict_yaml import Document
from epc.spec.epc_v1 import DOMAINS

TASKS = {domain: [f"{domain} {number}?" for number in range(8)] for domain in DOMAINS}
MAPS = [f"map {number}?" for number in range(8)]
PLAIN = "{task} {response_A} {response_B}"


def strategy(name: str, **further_fields: Any) -> dict[str, Any]:
    return {"name": name, "prompt": f"As {name}.", **further_fields}


def design(**further_fields: Any) -> dict[str, Any]:
    return {"schema_version": 2, "name": "d", "domains": TASKS, **further_fields}


def with_domains(**domains: Any) -> dict[str, Any]:
    return design(domains={**TASKS, **domains})


def with_strategies(*strategies: dict[str, Any], **further_fields: Any) -> dict[str, Any]:
    fixed = {"strategies": list(strategies), "baseline": "x", "evaluator_prompt": PLAIN}
    return design(**fixed, **further_fields)


def finding_clauses(value: Any) -> list[tuple[str, str]]:
    return [(finding.clause, finding.where) for finding in findings_of(Document(value=value))]


def problem(value: Any) -> str:
    (finding,) = findings_of(Document(value=value))
    return finding.problem


def grouped(sizes: int, domain: str) -> list[dict[str, Any]]:
    """Return eight tasks in so many groups."""
    tasks = TASKS[domain]
    return [{"group": f"{domain}{index}", "tasks": tasks[index::sizes]} for index in range(sizes)]


@pytest.mark.parametrize(
    "value",
    [
        design(),
        with_domains(maps=MAPS),
        with_strategies(strategy("x"), strategy("y", domain="text")),
        with_strategies(strategy("x"), strategy("y"), executor_prompt="{strategy_prompt}{task}"),
        design(rule={"name": "bayes", "high": 0.5, "low": 0.4}),
        design(rule={"alpha_win": 0.1}),
        design(evaluator_prompt="{task[:5]} {response_A[:300]} {response_B} {strategy_name}"),
    ],
)
def test_epc_2_8_a_design_without_a_mistake_has_no_finding(value: Any) -> None:
    assert finding_clauses(value) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # Domains and tasks.
        (with_domains(**{"a to b": MAPS}), [("Reading R78", "/domains/a to b")]),
        (with_domains(text=[*TASKS["text"], "TEXT, 3!"]), [("EPC-2.4(b)", "/domains/text/8")]),
        (with_domains(visual=[*TASKS["visual"], "text 3"]), [("EPC-2.4(b)", "/domains/visual/8")]),
        (with_domains(text=TASKS["text"][:7]), [("EPC-2.4(a)", "/domains/text")]),
        # Groups.
        (
            with_domains(text=[*TASKS["text"], {"group": "g", "tasks": ["one?"]}]),
            [("Reading R74", "/domains/text/0")],  # once, for all sixteen
        ),
        (
            with_domains(
                text=[*grouped(4, "text"), {"group": "text0", "tasks": ["one?"]}],
                visual=grouped(4, "visual"),
            ),
            [("Reading R74", "/domains/text/4/group")],
        ),
        # 4 and 4 groups can be dealt out in 70 / 2 ways, 3 and 3 in 20 / 2, 3 and 4 in 35.
        (with_domains(text=grouped(4, "text"), visual=grouped(4, "visual")), []),
        (with_domains(text=grouped(3, "text"), visual=grouped(4, "visual")), []),
        (
            with_domains(text=grouped(3, "text"), visual=grouped(3, "visual")),
            [("Reading R74", "/domains")],
        ),
        # Strategies and the baseline.
        (
            with_strategies(strategy("x"), strategy("y", domain="maps")),
            [("EPC-2.2", "/strategies/1/domain")],
        ),
        (
            with_strategies(strategy("x"), strategy("X", prompt="?")),
            [("EPC-2.2", "/strategies/1/name")],
        ),
        (
            with_strategies(strategy("x"), strategy("y", prompt="as X")),
            [("EPC-2.2", "/strategies/1/prompt")],
        ),
        (with_strategies(strategy("y"), strategy("z")), [("EPC-2.3(a)", "/baseline")]),
        (design(baseline="nobody", evaluator_prompt=PLAIN), [("EPC-2.3(a)", "/baseline")]),
        (design(baseline="synthesis"), [("EPC-2.6(a)", "/baseline")]),
        (
            design(baseline="synthesis", evaluator_prompt=f"{PLAIN} or step_by_step?"),
            [("EPC-2.6(a)", "/evaluator_prompt")],
        ),
        (design(baseline="synthesis", evaluator_prompt=f"{PLAIN} or step_by_stepping?"), []),
        # Prompts.
        (design(evaluator_prompt="{task} {response_A}"), [("EPC-2.6(a)", "/evaluator_prompt")]),
        (design(evaluator_prompt=f"{PLAIN} {{answer}}"), [("EPC-2.6(a)", "/evaluator_prompt")]),
        (design(evaluator_prompt="{task} {response_A[:301]} {response_B}"), []),
        (design(evaluator_prompt="{task[:301]} {response_A} {response_B}"), []),
        (design(executor_prompt="{task}"), [("EPC-2.8(3)", "/executor_prompt")]),
        (
            design(executor_prompt="{strategy_prompt} {task} {strategy_name}"),
            [("EPC-2.8(3)", "/executor_prompt")],
        ),
        # The rule.
        (design(rule={"name": "bayes", "step": 1.0}), [("EPC-2.7", "/rule/step")]),
        (design(rule={"high": 0.5}), [("EPC-2.7", "/rule/high")]),
        (design(rule={"name": "bayes", "high": 0.3, "low": 0.3}), [("EPC-2.7", "/rule")]),
        (design(rule={"name": "bayes", "low": 0.7}), [("EPC-2.7", "/rule")]),
    ],
)
def test_epc_2_8_a_mistake_is_a_finding_at_its_place(
    value: Any, expected: list[tuple[str, str]]
) -> None:
    assert finding_clauses(value) == expected


def test_epc_2_4_b_a_task_that_stands_twice_names_the_first() -> None:
    text = problem(with_domains(visual=[*TASKS["visual"], "text 3"]))

    assert text == "'text 3' appears twice: /domains/text/3 asks the same"


@pytest.mark.parametrize(
    ("inner", "shown"), [("x" * 60, f"'{'x' * 60}'"), ("x" * 61, f"'{'x' * 60}...'")]
)
def test_a_finding_shows_sixty_characters_of_what_somebody_wrote(inner: str, shown: str) -> None:
    text = problem(design(evaluator_prompt=f"{PLAIN} {{{inner}}}"))

    assert text == f"nothing fills {{{shown}}}"


@pytest.mark.parametrize("value", [None, [], "text", 1])
def test_what_is_no_mapping_gets_one_finding_of_its_shape(value: Any) -> None:
    assert finding_clauses(value) == [("EPC-2.8", "")]


def test_a_design_is_named_or_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("schema_version: 2\nname: own\n", "utf-8")

    of_file, named = check(str(path)), check("reference")

    assert (of_file.ok, of_file.design) == (False, None)
    assert named.ok
    assert Design.load("reference") == named.design
    with pytest.raises(UsageError, match="there is no design 'nothing': name a file, or one of"):
        check("nothing")
    with pytest.raises(UsageError, match=f"{path} is no design that a run can be made of"):
        Design.load(path)
    assert "nothing" not in NAMES


def test_epc_2_4_a_design_with_warnings_alone_can_be_run(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    text = ", ".join(f'"{task}"' for task in TASKS["text"][:7])
    visual = ", ".join(f'"{task}"' for task in TASKS["visual"])
    path.write_text(
        f"schema_version: 2\nname: own\ndomains:\n  text: [{text}]\n  visual: [{visual}]\n", "utf-8"
    )

    design_check = check(str(path))

    assert design_check.ok
    assert [finding.severity for finding in design_check.findings] == ["warning"]
    (line,) = design_check.lines()
    assert line.startswith(f"{path}:4: /domains/text: warning: 7 tasks, expected at least 8")
    (listed,) = design_check.as_json()["findings"]
    assert (listed["line"], design_check.as_json()["ok"], design_check.as_json()["path"]) == (
        4,
        True,
        str(path),
    )


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("weights:alpha_win=0.1, alpha_lose=1", UpdateRule(alpha_win=0.1, alpha_lose=1.0)),
        ("bradley-terry:step=0.5", BradleyTerry(step=0.5)),
        ("thompson:prior_wins=3", Thompson(prior_wins=3)),
        ("thompson", Thompson()),
    ],
)
def test_reading_r81_a_rule_is_written_in_one_line(text: str, rule: Any) -> None:
    assert written_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("bradley-terry:step=fast", "step=fast is no rate such as step=0.5"),
        ("bradley-terry:step", "step= is no rate"),
        ("bradley-terry:high=0.5", "bradley-terry:high=0.5 is no learning rule"),
        ("elo:step=1", "elo:step=1 is no learning rule"),
        ("bayes:high=0.2,low=0.4", "low is 0.4 and high 0.2"),
    ],
)
def test_reading_r81_a_rule_that_is_none_says_why(text: str, problem: str) -> None:
    with pytest.raises(UsageError) as raised:
        written_rule(text)

    assert problem in str(raised.value)
