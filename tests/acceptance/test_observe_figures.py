"""What `epc audit` measures beside places and gold, as a user meets it (Reading R77)."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from audit_support import fewer_wheels
from oracle.observed import disagreements
from records_support import epc

from epc.analysis.verdicts import measure
from epc.records.typed import as_json, parse
from epc.records.verdicts.types import Choices
from epc.records.verdicts.verdict_file import read

# Two judges and three persons on four pairs.
PERSONS = """item,judge,prompt,a,b,verdict,humans
1,j,p,yes,no,a,a a b
2,j,p,yes,no,a,a b b
3,j,p,yes,no,tie,tie tie tie
4,j,p,yes,no,b,a b tie
1,k,p,yes,no,a,
2,k,p,yes,no,b,
3,k,p,yes,no,a,
4,k,p,yes,no,b,
"""


def reported(folder: Path, table: str, *further_arguments: str) -> tuple[dict[str, Any], str]:
    """Return the report on a table as JSON and text; the second computation must agree."""
    document, text = reported_as_json_and_text(folder, table, *further_arguments)
    assert differing(folder, published(folder, document)) == []
    return document, text


def published(folder: Path, document: dict[str, Any]) -> dict[str, Any]:
    """Return what a snapshot of the same verdicts has, which the second computation repeats."""
    header, verdicts, _ = read(folder / "t.jsonl")
    assert header
    assert verdicts
    choices = parse(document["choices"], Choices)
    figures: dict[str, Any] = as_json(measure(header, verdicts, choices=choices))
    return figures


def reported_as_json_and_text(
    folder: Path, table: str, *further_arguments: str
) -> tuple[dict[str, Any], str]:
    """Return the report on a table as JSON and text."""
    (folder / "t.csv").write_text(table)
    file = folder / "t.jsonl"
    done = epc("observe", "import", folder / "t.csv", "--shape", "csv", "--out", file)
    assert done.returncode == 0, done.stdout
    result = epc("observe", "report", file, *further_arguments, "--format", "json")
    return json.loads(result.stdout), epc(
        "observe", "report", file, *further_arguments
    ).stdout.decode()


def differing(folder: Path, document: dict[str, Any]) -> list[str]:
    """Return where the second computation differs from a report."""
    header, verdicts, found = read(folder / "t.jsonl")
    assert header
    assert verdicts
    assert not found
    return [where for where, _ in disagreements(document, header, verdicts)]


def values(figures: dict[str, Any]) -> dict[str, float]:
    return {name: round(figure["value"], 6) for name, figure in figures.items()}


def test_reading_r77_agreement_with_persons_stands_beside_that_of_a_person(tmp_path: Path) -> None:
    document, text = reported(tmp_path, PERSONS)

    figures = {k: v for k, v in values(document["groups"][0]["figures"]).items() if "humans" in k}
    assert figures == {
        "humans_mean": 0.583333,  # (2/3 + 1/3 + 1 + 1/3) / 4
        "humans_mean_ceiling": 0.416667,  # (1/3 + 1/3 + 1 + 0) / 4
        "humans_majority": 0.666667,  # item 4 has none
        "humans_kappa": 0.5,  # seen 2/3, by chance 2/9 + 1/9
        "humans_others": 0.8,  # right about 1 of 1, 0 of 1 and 3 of 3 persons left out
        "humans_others_ceiling": 0.6,
        "humans_others_difference": 0.2,
    }
    ceiling = text.split("humans_mean_ceiling: the ceiling: a person as another person\n")[1]
    assert ceiling.split("\n")[1].startswith("  j/p  0.417")
    place = (
        "- In one person's place j/p says what the others say in 80%, that person in 60%: +20.0 "
    )
    assert f"{place}points [" in text
    assert "- k/p: nothing here says how good its verdicts are." in text


def test_reading_r77_two_judges_of_the_same_items_and_prompt_are_compared(tmp_path: Path) -> None:
    document, text = reported(tmp_path, PERSONS)
    (pair,) = published(tmp_path, document)["pairs"]
    apart, lacking = reported(tmp_path, PERSONS.replace("k,p", "k,q"))

    figures = values(document["pairs"]["j/p -> k/p"])
    assert figures["agreement"] == 0.5
    assert figures["kappa"] == 0.2  # by chance .375
    assert values(pair["figures"]) == {"agreement": 0.5, "kappa": 0.2}
    # k's rows have no labels, so nothing is said of which of the two is right more often.
    assert "- j/p and k/p say the same in 50% (too few items)." in text
    assert apart["pairs"] is None
    assert "agreement between judges is not stated: no two were asked the same" in lacking


def test_reading_r77_a_prompt_that_nobody_states_is_why_judges_are_not_compared(
    tmp_path: Path,
) -> None:
    document, text = reported(tmp_path, PERSONS.replace("k,p", "k,"))

    assert document["pairs"] is None
    assert "not stated: the prompt of 1 of 2 settings is unknown, so" in text
    assert "or --set prompt=NAME" in text


@pytest.mark.parametrize("column", ["verdict", "settings"])
def test_reading_r77_a_figure_that_was_changed_is_found_by_the_second_computation(
    column: str, tmp_path: Path
) -> None:
    document = published(tmp_path, reported_as_json_and_text(tmp_path, PERSONS)[0])
    if column == "verdict":
        document["groups"][0]["figures"]["ties"]["ci95"] = [0.1, 0.9]
    else:
        document["groups"][0]["figures"]["invented"] = {"value": 1}

    found = differing(tmp_path, document)

    assert found[0].startswith("/groups/0/figures/" + ("ties" if column == "verdict" else "inv"))


def contests(subsets: dict[str, dict[str, str]], *, humans: str = "", grouped: bool = False) -> str:
    """Return a table in which authors meet a baseline on 8 tasks of each subset.

    `subsets` says of each author whether it wins (w), loses (l) or does so by turns (t). `grouped`:
    the last two tasks of a subset are declared to be one group.
    """
    lines = ["item,subset,question,judge,a,b,a_by,b_by,verdict,humans" + ",group" * grouped]
    for subset, authors in subsets.items():
        for task in range(8):
            for author, how in authors.items():
                won = how == "w" or (how == "t" and (task + ord(author)) % 2)
                # The author stands on either side.
                sides = f"{author},base" if task % 2 else f"base,{author}"
                text = "a" if bool(won) == bool(task % 2) else "b"
                item = f"{subset}/{task}/{author}"
                people = text if humans == "same" else humans
                group = f",{subset} {min(task, 6)}" * grouped
                line = f"{item},{subset},{subset} {task},j,x,y,{sides},{text},{people}{group}"
                lines.append(line)
    return "\n".join(lines) + "\n"


OPPOSED = {"one": {"p": "w", "q": "l", "r": "t"}, "two": {"p": "l", "q": "w", "r": "t"}}
ALIKE = dict.fromkeys(OPPOSED, OPPOSED["one"])


def test_reading_r77_authors_against_one_baseline_are_a_measurement_of_transfer(
    tmp_path: Path,
) -> None:
    """What wins in one subset loses in the other, for the judge and for a person alike."""
    table = contests(OPPOSED | {"few": {"p": "w"}}, humans="same", grouped=True)
    lines = table.splitlines(keepends=True)

    document, text = reported_as_json_and_text(tmp_path, "".join(lines[:-1]))  # one task fewer

    transfer = document["groups"][0]["transfer"]
    assert (transfer["word"], transfer["baseline"], transfer["baseline_chosen"]) == (
        "coupled",
        "base",
        False,
    )
    assert (transfer["domains"], transfer["strategies"]) == ({"one": 8, "two": 8}, ["p", "q", "r"])
    assert transfer["test"]["p_value"] < 0.05
    into = transfer["directions"]["one_to_two"]
    assert 0.2 < into["regret"] < 1
    assert into["regret_ci95"][0] > 0.02
    regret = transfer["people"]["one_to_two"]["regret"]
    assert regret["judge"] == regret["people"] > 0.2
    assert regret["difference"] == 0
    assert "\nTransfer of an agent that j trains\n  coupled\n" in text
    assert "  domains     one (8 tasks) and two (8 tasks): the two with most tasks\n" in text
    assert "\n  baseline    base: in every comparison\n" in text
    # What wins in the other domain is what the detour brings.
    for source, target, more, fewer in (("two", "one", "q", "p"), ("one", "two", "p", "q")):
        carried = rf"After {source}, of 100 choices in {target} the agent picks {more} \(\+\d+\)"
        assert re.search(rf"{carried}.* more often, {fewer} \(-\d+\).* less often", text)
    assert "judge minus persons 0.000 [" in text


def test_reading_r102_few_authors_are_not_called_coupled_where_no_groups_are_declared(
    tmp_path: Path,
) -> None:
    """The same table without its groups: copies among its tasks would not have been found."""
    document, text = reported_as_json_and_text(tmp_path, contests(OPPOSED))

    transfer = document["groups"][0]["transfer"]
    assert (transfer["word"], transfer["unchecked"]) == ("inconclusive", True)
    assert transfer["test"]["p_value"] < 0.05
    assert transfer["directions"]["one_to_two"]["regret_ci95"][0] > 0.02
    assert (
        "\n  copies      the tasks' texts are not there to compare; by verdicts on 3 strategies "
        "copies are found in 0% of runs\n"
        "              no word `coupled` of so few strategies, unless groups of tasks are "
        "declared\n"
    ) in text


def test_reading_r71_where_nothing_crosses_the_report_says_what_would_have_been_found(
    tmp_path: Path,
) -> None:
    document, text = reported_as_json_and_text(
        tmp_path, contests(ALIKE), "--domains", "x=one,y=tw*"
    )

    transfer = document["groups"][0]["transfer"]
    assert transfer["word"] in {"no_detectable_coupling", "no_coupling_beyond_margin"}
    assert (transfer["people"], transfer["domains"]) == (None, {"x": 8, "y": 8})
    assert transfer["detectable"] >= 0.02
    assert f"a regret of {transfer['detectable']:.3f} is found in 4 of 5 such files or more" in text


@pytest.mark.slow
@fewer_wheels()
def test_reading_r77_what_crosses_is_recomputed_to_the_word(tmp_path: Path) -> None:
    """Of all that the second computation makes of a table, it finds what was changed, no more.

    Domains of 8 and 3 tasks are too unequal for a permutation.
    """
    table = contests(OPPOSED).splitlines(keepends=True)
    few = [line for line in table if not ("two" in line and any(f"/{n}/" in line for n in "34567"))]
    document = published(tmp_path, reported_as_json_and_text(tmp_path, "".join(few))[0])
    transfer = document["groups"][0]["transfer"]
    assert transfer["test"]["method"] == "jackknife"
    transfer["word"] = "unheard"
    transfer["test"]["p_value"] += 1e-8
    transfer["directions"]["one_to_two"]["regret"] -= 1e-8
    transfer["directions"]["two_to_one"]["redirected_ci95"][1] = 0.5
    transfer["directions"]["two_to_one"]["chance"] += 1e-8
    transfer["detectable"] += 1e-8

    assert sorted(differing(tmp_path, document)) == [
        "/groups/0/transfer/detectable",
        "/groups/0/transfer/directions/one_to_two/regret",
        "/groups/0/transfer/directions/two_to_one/chance",
        "/groups/0/transfer/directions/two_to_one/redirected_ci95/1",
        "/groups/0/transfer/test/p_value",
        "/groups/0/transfer/word",
    ]


LONG = "Because " + "it says at length what was asked for " * 4


def scores(*lines: str) -> str:
    return "\n".join(["item,question,judge,prompt,a,a_by,a_score,repeat,answer", *lines]) + "\n"


def test_reading_r24_a_judges_own_outputs_are_held_against_other_judges_and_others_outputs(
    tmp_path: Path,
) -> None:
    """j gives 3 points more than k to its own, and 1 more to p's. What k wrote is no yardstick."""
    said = {"me": (9, 6), "p": (6, 5), "k": (4, 9)}
    table = scores(
        *(
            f"{n}/{author},q{n},{judge},s,text,{author},{points + n % 2},,"
            for n in range(4)
            for author, both in said.items()
            for judge, points in zip("jk", both, strict=True)
        )
    )

    document, text = reported(tmp_path, table, "--same", "j=me")
    _, without = reported(tmp_path, table)

    self_preference_score = document["groups"][0]["figures"]["self_preference_score"]
    assert (
        self_preference_score["value"],
        self_preference_score["n"],
        self_preference_score["items"],
    ) == (2, 4, 4)
    assert "its own outputs are those of me" in text
    assert "self_preference_score" in without.split("Why other figures have no value")[1]
    (pair,) = published(tmp_path, document)["pairs"]
    assert values(pair["figures"]) == {"score_shift": 0.333333, "score_within_1": 0.333333}
    assert values(document["pairs"]["j/s -> k/s"]) == {"score_difference": 0.333333}


def test_reading_r24_self_preference_in_verdicts_against_a_baseline(tmp_path: Path) -> None:
    """j lets itself win 4 of 4, k lets it 2; of p's j lets 3 win, k 2."""
    wins = {("j", "j"): 4, ("k", "j"): 2, ("j", "p"): 3, ("k", "p"): 2}
    lines = ["item,question,judge,prompt,a,b,a_by,b_by,verdict"]
    for (judge, author), won in wins.items():
        for n in range(4):
            text = "a" if n < won else "b"
            lines.append(f"{n}/{author},q{n},{judge},s,x,y,{author},base,{text}")

    document, _ = reported(tmp_path, "\n".join(lines) + "\n")

    assert values(document["groups"][0]["figures"])["self_preference"] == 0.25
    assert "self_preference" in document["groups"][1]["left_out"]


def test_reading_r77_scores_are_held_within_a_question_by_length_and_by_asking_again(
    tmp_path: Path,
) -> None:
    """Per doubling: 1 point in three answers to q1, 3 points in two answers to q2."""
    outputs = [("1", 2, 1), ("1", 4, 2), ("1", 8, 3), ("2", 2, 5), ("2", 4, 8)]
    lengths = [f"{q}/{n},q{q},j,s,{'x' * n},,{score},," for q, n, score in outputs]
    again = [f"r,q3,j,s,text,,{score},{n},So {n}" for n, score in enumerate([3, 3, 4])]
    copied = [f"c,q4,j,s,text,,5,{n},{LONG}" for n in range(2)]

    document, _ = reported(tmp_path, scores(*lengths, *again, *copied))

    group = document["groups"][0]
    assert values(group["figures"]) == {
        "score_per_doubling": 1.4,  # (2 + 1.5) / (2 + 0.5)
        "score_repeat_exact": 0.333333,  # the copied answer is no repeat
        "score_repeat_within_1": 1,
        "unreadable": 0,
    }
    assert group["equal_answers"] == 1


SCORED = """item,subset,question,judge,a,a_by,a_score
{}
"""


def test_reading_r77_scores_are_compared_with_a_chosen_baselines_on_the_same_task(
    tmp_path: Path,
) -> None:
    """p scores above the baseline in the one subset and below it in the other, q against that."""
    points = {"one": {"p": 9, "q": 1, "base": 5}, "two": {"p": 1, "q": 9, "base": 5}}
    lines = [
        f"{subset}/{task}/{author},{subset},{subset} {task},j,text,{author},{score}"
        for subset, authors in points.items()
        for task in range(6)
        for author, score in authors.items()
    ]
    table = SCORED.format("\n".join(lines))

    document, _ = reported_as_json_and_text(tmp_path, table, "--baseline", "base")
    _, without = reported_as_json_and_text(tmp_path, table)

    transfer = document["groups"][0]["transfer"]
    assert (transfer["unchecked"], transfer["verdicts"], transfer["baseline_chosen"]) == (
        True,  # two authors, and no group
        24,
        True,
    )
    assert "no author stands in every comparison: choose one by --baseline" in without


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--baseline", "nobody"], b"the file has no author 'nobody'"),
        (["--domains", "one"], b"expected two that share no subset"),
        (["--domains", "one,o*"], b"expected two that share no subset"),
    ],
)
def test_reading_r77_choices_that_the_file_does_not_have_are_misuse(
    words: list[str], expected: bytes, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(contests(ALIKE))
    file = tmp_path / "t.jsonl"
    epc("observe", "import", tmp_path / "t.csv", "--shape", "csv", "--out", file)

    done = epc("observe", "report", file, *words)

    assert done.returncode == 2
    assert expected in done.stderr
