"""The designs that the package brings: the reference, its larger set of tasks, the example."""

import re
import tomllib
from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb
from pathlib import Path
from statistics import mean

import jsonschema
import pytest

import epc.spec
from epc.protocol.config import Configuration, variant_tag
from epc.records import strict_yaml
from epc.records.design_findings import findings_of
from epc.records.designs import NAMES, Design, packaged, text
from epc.records.schemas import schema
from epc.registry.submissions.texts import problems
from epc.spec.domains import Domain
from epc.spec.epc_v1 import DOMAINS, MIN_TASKS
from epc.spec.reference import TASKS

ROOT = Path(__file__).parents[3]
SET = packaged("reference-64").config
GROUPS = SET.groups or {}
OURS = [task for domain in DOMAINS for task in SET.tasks[domain]]
BROUGHT = (*NAMES, "example")
PAPERS = [task for domain in DOMAINS for task in TASKS[domain]]
# Words that say how a task asks and not what it asks about.
OF_THE_FORM = set(
    re.findall(
        r"\w+",
        """
        a an and are as at be between by compare contrast describe did differ difference differs
        different do does explain for from how in is it make makes of on one or should than that
        the to unlike what when where which who why will with would you your
        """,
    )
)


def task_words(task: str) -> set[str]:
    return set(re.findall(r"[a-z]+", task.casefold()))


def shared(one: set[str], other: set[str]) -> float:
    """Return the share of the words of two tasks that both have (Jaccard)."""
    return len(one & other) / len(one | other)


@pytest.mark.parametrize("name", BROUGHT)
def test_epc_2_4_a_design_of_the_package_has_no_finding_by_two_checkers(name: str) -> None:
    document = strict_yaml.parse(text(name))

    assert findings_of(document) == []
    jsonschema.Draft202012Validator(schema("design")).validate(document.value)


@pytest.mark.parametrize("name", BROUGHT)
def test_a_designs_whole_document_gives_the_design_again(name: str) -> None:
    design = packaged(name)

    assert Design.parse(design.document()) == design


def test_epc_2_the_reference_is_what_a_run_without_a_design_measures() -> None:
    assert packaged("reference").config == Configuration()


def test_epc_2_4_c_reference_64_differs_from_the_reference_in_its_tasks_alone() -> None:
    assert replace(SET, tasks=Configuration().tasks, groups=None) == Configuration()
    assert variant_tag(SET) == "EPC-v1.0"


@pytest.mark.parametrize("domain", DOMAINS)
def test_epc_2_4_a_the_larger_set_has_64_tasks_a_domain(domain: Domain) -> None:
    assert len(SET.tasks[domain]) == 64
    assert len(SET.tasks[domain]) >= MIN_TASKS


@pytest.mark.parametrize("domain", DOMAINS)
def test_reading_r74_the_larger_set_has_sixteen_groups_of_four_a_domain(domain: Domain) -> None:
    sizes = Counter(GROUPS[domain])

    assert len(sizes) == 16
    assert set(sizes.values()) == {4}
    assert len(GROUPS[domain]) == len(SET.tasks[domain])
    # R74 gives no word below 20 distinct splits of the groups of both domains.
    assert comb(32, 16) // 2 > 20


def test_reading_r74_a_group_belongs_to_one_domain() -> None:
    assert not set(GROUPS["text"]) & set(GROUPS["visual"])


def test_the_groups_stand_beside_their_tasks() -> None:
    beside = dict(zip(SET.tasks["text"], GROUPS["text"], strict=True))

    assert beside["Why does bread dough rise before it is baked?"] == "kitchen"
    assert beside["What makes a board game fun to play again and again?"] == "games"


@pytest.mark.parametrize("domain", DOMAINS)
def test_each_group_has_four_tasks_and_asks_for_a_cause_first(domain: Domain) -> None:
    """So that no form of question can pass for a difference between groups or domains."""
    tasks, groups = SET.tasks[domain], GROUPS[domain]

    assert len(set(groups)) * 4 == len(tasks)
    for place in range(0, len(tasks), 4):
        assert len(set(groups[place : place + 4])) == 1
        causes = [task.startswith("Why ") for task in tasks[place : place + 4]]
        assert causes == [True, False, False, False]


def test_epc_2_4_no_task_stands_twice_even_after_folding() -> None:
    folded = Counter(" ".join(re.findall(r"[a-z0-9]+", task.casefold())) for task in OURS)

    assert len(OURS) == 128
    assert max(folded.values()) == 1


def test_no_two_tasks_share_half_of_their_words_or_a_fifth_of_what_they_ask_about() -> None:
    """The paper's sixteen count as well: none of them is in the set, nor one that resembles it."""
    for left, right in combinations([*OURS, *PAPERS], 2):
        if left in OURS:
            assert shared(task_words(left), task_words(right)) < 0.5, (left, right)
            both = task_words(left) - OF_THE_FORM, task_words(right) - OF_THE_FORM
            assert shared(*both) <= 0.2, (left, right)


def test_a_paraphrase_would_be_found() -> None:
    """The bounds have teeth: each task in other words of the same topic breaks one of them."""
    task = "Why does bread dough rise before it is baked?"
    repeated_text = "What makes bread dough rise before baking?"

    assert shared(task_words(task) - OF_THE_FORM, task_words(repeated_text) - OF_THE_FORM) > 0.2


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_task_is_one_plain_sentence_of_25_to_90_characters(domain: Domain) -> None:
    for task in SET.tasks[domain]:
        assert 25 <= len(task) <= 90, task
        assert task.isascii()
        assert re.fullmatch(r"[A-Z][^.?!]*[.?]", task), task


def test_the_domains_do_not_differ_in_the_length_of_their_tasks() -> None:
    """Else a judge's liking for long or short prompts could pass for a difference of domain."""
    lengths = {domain: mean(len(task) for task in SET.tasks[domain]) for domain in DOMAINS}

    assert abs(lengths["text"] - lengths["visual"]) < 5


@pytest.mark.parametrize("name", ["reviews", "support-en-es"])
def test_a_domain_pack_is_a_design_that_can_bear_a_word_and_be_offered(name: str) -> None:
    design = packaged(name)
    config, groups = design.config, design.config.groups or {}

    assert (design.name, findings_of(strict_yaml.parse(text(name)))) == (name, [])
    assert len(config.strategies) >= 8
    assert all(len(config.tasks[domain]) >= 24 for domain in config.domains.names)
    assert all(len(set(groups[domain])) >= 12 for domain in config.domains.names)
    assert all(max(Counter(groups[domain]).values()) <= 2 for domain in config.domains.names)
    told = [*(task for domain in config.domains.names for task in config.tasks[domain])]
    told += [strategy.prompt for strategy in config.strategies]
    told += [config.evaluator_prompt, config.executor_prompt]
    assert [each for each in told if list(problems(each, "prompt"))] == []


def test_every_data_file_of_the_specification_is_packaged() -> None:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    patterns = configuration["tool"]["setuptools"]["package-data"]["epc.spec"]
    folder = Path(str(epc.spec.__file__)).parent

    packaged = {path for pattern in patterns for path in folder.glob(pattern)}
    data = {p for p in folder.rglob("*") if p.suffix in {".json", ".txt", ".yaml"}}
    assert packaged == data
    assert folder / "designs" / "reference-64.yaml" in data
