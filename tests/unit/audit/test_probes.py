"""Readings R40 and R41: planted and exchanged pairs, from a run's own answers."""

import json
import re
from collections import Counter
from itertools import chain, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epc.audit.probes import CONTROLS, REFUSAL, Answer, Probe, exchanges, fit, planted, shuffled
from epc.protocol.config import Configuration
from epc.protocol.prompt import Pair, evaluation_text, exchanged
from epc.spec.domains import Domain
from epc.spec.epc_v1 import DOMAINS
from epc.spec.reference import EVALUATOR_PROMPT, STRATEGIES, Strategy

CONFIG = Configuration()
WORDS = "one two three four five six seven eight nine ten eleven twelve"


def answer(domain: Domain, task: int, strategy: int, text: str | None = None) -> Answer:
    own_text = f"{strategy} says of {domain} task {task}, and at length too: {WORDS}"
    return Answer(
        call=f"{DOMAINS.index(domain)}{task:03}{strategy:016}",
        domain=domain,
        task=task,
        strategy=strategy,
        text=own_text if text is None else text,
    )


ANSWERS = [answer(d, t, s) for d in DOMAINS for t in range(8) for s in range(11)]


def own_comparison(domain: Domain, task: int, strategy: int) -> Probe:
    return Probe(
        kind="swap",
        answer=answer(domain, task, strategy),
        against=answer(domain, task, 0),
        evaluation=f"e{strategy}{domain}{task}",
        first="answer",
    )


# ---------------------------------------------------------------------------- what is fit


@pytest.mark.parametrize(
    ("text", "good"),
    [
        (WORDS, True),
        ("", False),
        ("   \n", False),
        ("A", False),
        (WORDS.removesuffix(" twelve"), False),  # eleven words
        ("one two three four five six seven one one one one one", False),  # seven distinct
        ("one two three four five six seven eight one one one one", True),
        (f"I'm sorry, I can't say anything about that. {WORDS}", False),
        (f"{' ' * 295}{WORDS}", False),  # of the judged 300 characters, two words are left
    ],
)
def test_reading_r41_a_good_answer_is_long_enough_and_no_refusal(text: str, *, good: bool) -> None:
    assert fit(text) is good


def test_the_planted_refusal_is_one_itself() -> None:
    assert not fit(f"{REFUSAL} {WORDS}")


# ---------------------------------------------------------------------------- shuffling


@given(st.text("ab \n\t", max_size=60), st.text(max_size=5))
def test_reading_r41_shuffling_keeps_words_white_space_and_length(text: str, key: str) -> None:
    mixed = shuffled(text, key)

    assert Counter(mixed.split()) == Counter(text.split())
    assert len(mixed) == len(text)
    assert re.sub(r"\S+", "w", mixed) == re.sub(r"\S+", "w", text)
    assert shuffled(text, key) == mixed
    assert (mixed != text) == (len(set(text.split())) > 1)


def test_reading_r41_the_order_follows_from_the_key() -> None:
    assert len({shuffled(WORDS, str(key)) for key in range(50)}) == 50


# ---------------------------------------------------------------------------- planted pairs


def test_reading_r41_the_same_answers_in_any_order_give_the_same_pairs() -> None:
    first = list(islice(planted(ANSWERS, CONFIG), 48))

    assert list(islice(planted(reversed(ANSWERS), CONFIG), 60))[:48] == first


def test_reading_r41_kinds_tasks_and_strategies_take_turns() -> None:
    pairs = [first for first, _ in islice(planted(ANSWERS, CONFIG), 48)]

    assert Counter(probe.kind for probe in pairs) == dict.fromkeys(CONTROLS, 16)
    tasks = Counter((p.answer.domain, p.answer.task) for p in pairs)
    assert set(tasks.values()) == {3}
    assert len(tasks) == 16
    by_task = {(p.answer.domain, p.answer.task, p.kind) for p in pairs}
    assert len(by_task) == 48, "each task has each kind once"
    used = Counter(probe.answer.strategy for probe in pairs)
    assert max(used.values()) - min(used.values()) <= 1


def test_reading_r41_each_good_answer_serves_once_until_none_is_left() -> None:
    pairs = list(planted(ANSWERS, CONFIG))

    assert len(pairs) == len(ANSWERS)
    assert len({first.answer.call for first, _ in pairs}) == len(ANSWERS)


def test_reading_r41_no_label_tells_the_good_answer_from_the_bad_one() -> None:
    for probe in chain.from_iterable(islice(planted(ANSWERS, CONFIG), 12)):
        labels = re.findall(r" [AB] \((.*?)\): ", probe.text(CONFIG))
        assert labels == ["step_by_step", "step_by_step"]


@pytest.mark.parametrize("kind", CONTROLS)
def test_reading_r41_a_pair_is_asked_in_both_orders(kind: str) -> None:
    first, second = next(pair for pair in planted(ANSWERS, CONFIG) if pair[0].kind == kind)
    good = first.answer.text
    other = {
        "shuffled": shuffled(good, first.answer.call),
        "off_topic": first.against.text if first.against else "",
        "refusing": "I'm sorry, but I can't help with that request.",
    }[kind]
    task = CONFIG.tasks[first.answer.domain][first.answer.task]
    frame = "Evaluate. Task: {} A (step_by_step): {} B (step_by_step): {} Better? {}"
    end = "Output only A or B."

    assert first.text(CONFIG) == frame.format(task, good, other, end)
    assert second.text(CONFIG) == frame.format(task, other, good, end)
    assert first.place != second.place


def test_reading_r41_an_off_topic_answer_is_of_the_other_domain_and_the_same_strategy() -> None:
    pairs = [first for first, _ in planted(ANSWERS, CONFIG) if first.kind == "off_topic"]

    for probe in pairs:
        assert probe.against is not None
        assert probe.against.domain != probe.answer.domain
        assert probe.against.strategy == probe.answer.strategy
    assert len({probe.against for probe in pairs}) > 10


def test_without_a_second_task_no_answer_is_off_topic() -> None:
    pairs = [first for first, _ in planted(ANSWERS[:6], CONFIG)]

    assert [probe.kind for probe in pairs].count("off_topic") == 0
    assert len(pairs) == 6


def test_reading_r41_equal_answers_to_a_task_serve_once() -> None:
    alike = [answer("text", 0, s, WORDS) for s in range(5)]

    assert len(list(planted(alike, CONFIG))) == 1
    assert list(planted([answer("text", 0, 0, "Too short.")], CONFIG)) == []
    assert list(planted([], CONFIG)) == []


# ---------------------------------------------------------------------------- exchanged pairs


def test_reading_r40_answers_change_places_with_their_names() -> None:
    own_pair = Pair(
        domain="text", task="Why?", strategy="synthesis", response="Because.", baseline="Steps."
    )

    assert evaluation_text(own_pair, method="prompt") == (
        "Evaluate. Task: Why? A (synthesis): Because. B (step_by_step): Steps. "
        "Better? Output only A or B."
    )
    assert evaluation_text(exchanged(own_pair, "step_by_step"), method="prompt") == (
        "Evaluate. Task: Why? A (step_by_step): Steps. B (synthesis): Because. "
        "Better? Output only A or B."
    )


def test_reading_r40_only_the_prompt_s_own_words_are_renamed() -> None:
    own_pair = Pair(
        domain="text",
        task="Go step_by_step.",
        strategy="{task}",
        response="As step_by_step says",
        baseline="B",
    )

    text = evaluation_text(
        exchanged(own_pair, "step_by_step"),
        method="prompt",
        template=f"my_step_by_step {EVALUATOR_PROMPT}",
    )

    assert text == (
        "my_step_by_step Evaluate. Task: Go step_by_step. A (step_by_step): B "
        "B ({task}): As step_by_step says Better? Output only A or B."
    )


def test_reading_r40_a_likelihood_scorer_sees_the_answers_exchanged() -> None:
    own_pair = Pair(domain="text", task="Why?", strategy="synthesis", response="x", baseline="y")

    given_to_it = json.loads(
        evaluation_text(exchanged(own_pair, "step_by_step"), method="likelihood")
    )

    assert given_to_it == {"task": "Why?", "response_A": "y", "response_B": "x"}


def test_reading_r40_exchanging_twice_gives_the_pair_again() -> None:
    own_pair = Pair(domain="text", task="Why?", strategy="synthesis", response="x", baseline="y")

    twice = exchanged(exchanged(own_pair, "step_by_step"), "synthesis")

    assert evaluation_text(twice, method="likelihood") == evaluation_text(
        own_pair, method="likelihood"
    )


def test_reading_r40_the_sample_is_balanced_and_the_same_every_time() -> None:
    compared = [own_comparison(d, t, s) for d in DOMAINS for t in range(8) for s in range(11)]

    sample = list(islice(exchanges(compared, CONFIG), 20))

    groups = Counter((p.answer.domain, p.answer.strategy) for p in sample)
    assert groups == dict.fromkeys([(d, s) for d in DOMAINS for s in range(1, 11)], 1)
    assert list(islice(exchanges(reversed(compared), CONFIG), 20)) == sample
    assert len(list(exchanges(compared, CONFIG))) == 160, "all but the baseline against itself"
    assert {probe.first for probe in sample} == {"against"}


def test_reading_r40_equal_answers_are_not_exchanged() -> None:
    long = "x" * 300
    alike = Probe(
        kind="swap",
        answer=answer("text", 0, 1, f"{long}y"),
        against=answer("text", 0, 0, f"{long}z"),
        evaluation="e",
        first="answer",
    )

    assert list(exchanges([alike], CONFIG)) == []


def test_a_comparison_is_asked_again_as_the_run_asked_it() -> None:
    own_probe = own_comparison("visual", 3, 5)
    pair = Pair(
        domain="visual",
        task=CONFIG.tasks["visual"][3],
        strategy=STRATEGIES[5].name,
        response=own_probe.answer.text,
        baseline=own_probe.against.text if own_probe.against else "",
    )

    assert own_probe.text(CONFIG) == evaluation_text(pair, method="prompt")


def test_a_strategy_s_name_may_be_anything() -> None:
    odd = (*STRATEGIES[:1], Strategy(name=r"\1 {response_A}", domain=None, prompt="p"))
    config = Configuration(strategies=odd)
    probe = next(exchanges([own_comparison("text", 0, 1)], config))

    assert r" B (\1 {response_A}): 1 says" in probe.text(config)
