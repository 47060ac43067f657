"""`epc which`, and what else is answered from judges that were tried on the same questions."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands_support import run
from registry_support import ROOT, Checkout, generation_record, life_record

import epc


def way(model: str, askings: int, usd: float | None) -> dict[str, Any]:
    return {
        "models": [model],
        "askings": askings,
        "prompt": "base",
        "source": "Somebody's scores",
        "tags": [f"v1.0-{model}"],
        "settings": [f"{model}/base"],
        "usd": usd,
        "priced": f"{model}: as stated",
    }


# Of 101 questions: variances .0009, .0016 and .0004; the three vary by themselves.
CHOICES = {
    "benchmark": "A benchmark",
    "decides": "the right one of four answers has the highest score",
    "chance": 0.25,
    "ways": [way("Judge-1", 1, 2.0), way("Judge-2", 1, 1.0), way("Judge-2", 8, 9.0)],
    "domains": {
        name: {
            "questions": 101,
            "right": right,
            "covariance": [[0.0009], [0.0, 0.0016], [0.0, 0.0, 0.0004]],
            "point": 2.4,
        }
        for name, right in {"all": [0.7, 0.72, 0.74], "Math": [0.6, 0.8, 0.95]}.items()
    },
}


@pytest.fixture
def compared(checkout: Checkout) -> Checkout:
    checkout.evaluator(generation_record("Judge-2", life_record(model="judge-2")))
    (checkout.folder / "snapshots" / "choices.json").write_text(json.dumps(CHOICES))
    return checkout


def answer(folder: Path, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = run(folder, "which", *arguments, "--as-of", "2026-06-01", "--format", "json")
    assert done.returncode == code, done.stderr
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def names(options: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(option["way"]["models"][0], option["way"]["askings"]) for option in options]


def test_a_judge_that_is_shown_to_be_right_less_often_is_not_listed(compared: Checkout) -> None:
    """Math: .95 - .8 = .15, of sqrt(.0016 + .0004) = .0447: t 3.35, past the table's 2.4.

    101 answers (118.75 would vary as much), of which (1.960 / 1.984)^2 count: 98.57. Wilson's:
    (.95 + 1.921 / 98.57) / 1.03897 +- 1.960 / 1.03897 sqrt((.0475 + .00974) / 98.57).
    """
    told = answer(compared.folder, "--domain", "math")["short"]

    assert names(told["options"]) == [("Judge-2", 8)]
    assert names(told["beaten"]) == [("Judge-2", 1), ("Judge-1", 1)]
    low, high = told["options"][0]["right"]["ci95"]
    assert (low, high) == pytest.approx((0.88769, 0.97859), abs=1e-4)


def test_what_differs_by_chance_alone_is_listed_the_cheapest_first(compared: Checkout) -> None:
    told = answer(compared.folder)["short"]

    assert names(told["options"]) == [("Judge-2", 1), ("Judge-1", 1)]
    text = run(compared.folder, "which", "--as-of", "2026-06-01").stdout
    assert text.startswith("Ask Judge-2, once: right in 72.0% [")
    assert (
        "], $1.00 for 1,000 questions (A benchmark, mean of its domains: 101 questions). " in text
    )
    assert "One more way is as good, as far as 101 questions can show." in text


def test_who_was_asked_by_a_client_with_text_of_its_own_is_named() -> None:
    done = run(ROOT, "which", "--domain", "math", "--as-of", "2026-11-26")

    assert (
        "Asked through a client that adds text before the prompt (a known fault): "
        "claude-haiku-4-5-20251001 and claude-sonnet-4-6. So there is no price"
    ) in done.stdout


def test_case_38_of_all_kinds_of_task_haiku_is_first_and_marked_and_reward_models_stand_apart() -> (
    None
):
    """Means of five domains, of haiku .8341, .8449, .9044, .6551 and .9646, asked eight times.

    Of gpt-5.4 .8795, .8376, .7778, .4953 and .9294; of Skywork .8536, .9837, .776, .6582 and .97.
    """
    document = json.loads(run(ROOT, "which", "--as-of", "2026-11-28", "--format", "json").stdout)
    first, scorer = document["first"], document["scorers"]["options"][0]
    unmarked = [
        o for o in document["short"]["beaten"] if "client-context" not in o.get("marks", [])
    ]

    assert names([first]) == [("claude-haiku-4-5-20251001", 8)]
    assert first["marks"] == ["client-context"]
    assert first["right"]["value"] == pytest.approx(0.84062, abs=5e-5)
    assert names(unmarked[:1]) == [("gpt-5.4", 8)]
    assert unmarked[0]["right"]["value"] == pytest.approx(0.78392, abs=5e-5)
    assert names([scorer]) == [("Skywork-Reward-V2-Llama-3.1-8B", 1)]
    assert scorer["right"]["value"] == pytest.approx(0.84830, abs=5e-5)
    # The case's 82.1 to 86.0 and 82.7 to 86.9 precede Reading R102: Wilson's ends lie 0.1 lower.
    assert first["right"]["ci95"] == pytest.approx([0.820, 0.859], abs=1e-3)
    assert scorer["right"]["ci95"] == pytest.approx([0.826, 0.868], abs=1e-3)


def test_a_budget_and_the_end_of_a_judge_leave_it_out(compared: Checkout) -> None:
    cheap = answer(compared.folder, "--domain", "math", "--budget", "2")["short"]
    assert names(cheap["options"]) == [("Judge-2", 1)]
    assert names(cheap["too_dear"]) == [("Judge-2", 8)]

    budget = ("--domain", "math", "--budget", "2", "--as-of", "2026-06-01")
    first = run(compared.folder, "which", *budget).stdout.splitlines()[0]
    assert first.endswith(
        "Right more often, but over the budget or without a price: Judge-2, 8 times (95%)."
    )

    later_result = run(compared.folder, "which", "--as-of", "2026-09-02", "--format", "json")
    document = json.loads(later_result.stdout)
    assert document["gone"] == ["Judge-1"]
    assert names(document["short"]["options"]) == [("Judge-2", 1)]


def test_a_platform_keeps_to_what_it_serves_and_an_unknown_one_is_refused(
    compared: Checkout,
) -> None:
    record = answer(compared.folder, "--platform", "cloud")
    assert names(record["short"]["options"]) == [("Judge-1", 1)]
    assert record["served"] == {"Judge-1": {"cloud": "until 2026-09-01"}}

    done = run(compared.folder, "which", "--platform", "moon", "--as-of", "2026-06-01")
    assert (done.returncode, "moon serves no judge" in done.stderr) == (2, True)


def test_nothing_that_fits_exits_1_and_an_unknown_domain_exits_2(compared: Checkout) -> None:
    assert answer(compared.folder, "--budget", "0.5", code=1)["short"]["options"] == []
    done = run(compared.folder, "which", "--domain", "poetry")
    assert (done.returncode, "one of all, Math" in done.stderr) == (2, True)


def test_a_registry_that_compares_no_judges_says_so(checkout: Checkout) -> None:
    done = run(checkout.folder, "which")
    assert (done.returncode, "compares no judges" in done.stderr) == (2, True)


def test_python_and_the_command_give_the_same_answer(compared: Checkout) -> None:
    from datetime import date

    judge_choice = epc.which("math", registry=str(compared.folder), as_of=date(2026, 6, 1))
    assert judge_choice.as_json() == answer(compared.folder, "--domain", "math")


def test_a_plan_says_how_often_a_judge_must_be_asked(compared: Checkout) -> None:
    """Two ways are looked at, so z is 2.241 and t of 100 2.276: 97.98 and 97.01 answers count.

    Wilson's lower ends of .95 and .8 of so many, by SciPy: .875 and .695.
    """
    arguments = ("plan", "--judge", "Judge-2", "--accuracy", "0.87", "--domain", "math")
    done = run(compared.folder, *arguments, "--format", "json")
    document = json.loads(done.stdout)

    assert (done.returncode, names(document["reached"])) == (0, [("Judge-2", 8)])
    lows = [option["right"]["ci95"][0] for option in document["looked_at"]]
    assert lows == pytest.approx([0.6953, 0.8752], abs=1e-4)
    assert run(compared.folder, *arguments[:3], "--accuracy", "0.99").returncode == 1
    assert run(compared.folder, "plan", "--judge", "Judge-2").returncode == 2


def test_a_successor_is_held_against_judges_on_the_same_questions(compared: Checkout) -> None:
    """Judge-2 is right 2.0 points more often over all, 20.0 in Math, whatever the prompts."""
    done = run(compared.folder, "evaluators", "succeed", "Judge-1", "--as-of", "2026-06-01")

    assert "on the same 101 questions, asked once" in done.stdout
    assert "Judge-2, prompt base: +2.0 points [" in done.stdout
    assert "Math +20.0 points [" in done.stdout
