"""`epc which`, and what else is answered from judges that were tried on the same questions."""

import json
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from commands_support import run
from oracle.choices import covariance
from registry_support import ROOT, Checkout, generation_record, life_record
from scipy import stats

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


PUBLISHED = json.loads((ROOT / "snapshots" / "choices.json").read_bytes())
WAYS = PUBLISHED["ways"]


def is_usable(way: dict[str, Any], case: int) -> bool:
    """Return whether a way can be used in a worked case: it takes instructions, and what is asked.

    All that azure-foundry serves are the judges of OpenAI and claude-sonnet-4-6.
    """
    if case == 36:
        return bool(way["usd"] and way["usd"] <= 10)
    if case == 37:
        at_foundry = [m.startswith("gpt-5.4") or m == "claude-sonnet-4-6" for m in way["models"]]
        return all(at_foundry)
    return bool(way["prompt"] != "score")


def largest_t(domain: str, worse: tuple[str, int], usable: list[int]) -> float:
    """Return the largest t by which a usable way is right more often than a judge's."""
    figures = PUBLISHED["domains"][domain]
    right, matrix = figures["right"], covariance(figures)
    (a,) = (n for n in usable if (WAYS[n]["models"], WAYS[n]["askings"]) == ([worse[0]], worse[1]))
    return max(
        float(right[b] - right[a]) / sqrt(matrix[a, a] + matrix[b, b] - 2 * matrix[a, b])
        for b in usable
        if b != a
    )


@dataclass(frozen=True, kw_only=True)
class Worked:
    """A worked case: what leads, its price and share, and how far it is from being beaten.

    `t` is the largest against what leads, `t_of_fewer` against the same judge asked half as often,
    and `point` what a difference must pass, of all pairs.
    """

    arguments: tuple[str, ...]
    leads: tuple[str, int]
    usd: float
    right: float
    t: float
    t_of_fewer: float
    point: float


WORKED = {
    35: Worked(arguments=("--domain", "safety"), leads=("gpt-5.4-mini", 4), usd=8.54, right=0.926,
               t=3.257, t_of_fewer=4.075, point=3.586),
    36: Worked(arguments=("--domain", "math", "--budget", "10"), leads=("gpt-5.4-nano", 4),
               usd=3.11, right=0.615, t=2.544, t_of_fewer=3.988, point=3.597),
    37: Worked(arguments=("--domain", "safety", "--platform", "azure-foundry"),
               leads=("gpt-5.4-mini", 2), usd=5.13, right=0.918, t=3.216, t_of_fewer=5.536,
               point=3.586),
}  # fmt: skip


@pytest.mark.parametrize(
    ("case", "day"),
    [(35, "2026-11-28"), (36, "2026-11-28"), (37, "2026-11-28"), (37, "2026-11-29")],
)
def test_cases_35_to_37_the_cheapest_way_that_is_not_shown_worse_leads(case: int, day: str) -> None:
    """What leads is not shown worse, and the same judge asked half as often is (Reading R102).

    The cases name gpt-5.4-mini eight times at $15.35, -mini and -nano once each at $4.55, and
    -mini four times at $8.54. They precede the Reading: each way was held against each other at 5%
    divided by their number, of 35, 8 and 22 ways that can be used a t of 2.992, 2.474 and 2.839.
    The largest t against each way that leads now lies between that and the point of all pairs.
    Shares, t and points are those of a computation from the scores of the bank, with its own draws.
    """
    worked = WORKED[case]
    done = run(ROOT, "which", *worked.arguments, "--as-of", day, "--format", "json")
    options = json.loads(done.stdout)["short"]["options"]

    assert names(options[:1]) == [worked.leads]
    assert options[0]["way"]["usd"] == pytest.approx(worked.usd, abs=0.005)
    assert options[0]["right"]["value"] == pytest.approx(worked.right, abs=5e-4)

    domain = "Math" if case == 36 else "Safety"
    usable = [number for number, way in enumerate(WAYS) if is_usable(way, case)]
    judge, askings = worked.leads
    assert largest_t(domain, worked.leads, usable) == pytest.approx(worked.t, abs=2e-3)
    assert largest_t(domain, (judge, askings // 2), usable) == pytest.approx(
        worked.t_of_fewer, abs=2e-3
    )
    table = PUBLISHED["domains"][domain]
    before = stats.t.isf(0.05 / (len(usable) - 1), table["questions"] - 1)
    assert before < worked.t < table["point"] == worked.point < worked.t_of_fewer


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
