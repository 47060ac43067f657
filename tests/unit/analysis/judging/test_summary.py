"""The report's numbers, from records whose statistics are known."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from judge_support import grid, imported, record_for, reply_row, table_row
from records_support import epc

from epc.analysis.judging import agreement, shares
from epc.analysis.judging.evaluation import Evaluation, document, evaluation_json
from epc.analysis.judging.shares import Judgment
from epc.analysis.judging.summary import summary
from epc.judge.evidence import Quotes
from epc.judge.samples import Unit
from epc.records.typed import as_json
from epc.report.judging.document import judging_page, text
from epc.report.judging.table import COLUMNS, accuracy_table, table
from epc.spec.judge_v1 import DIMENSIONS

WORST, LOW, HIGH, BEST = (0, 0, 0, 1), (1, 1, 1, 1), (2, 2, 2, 1), (2, 2, 2, 2)
# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011): four observers, twelve units.
PUBLISHED = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)


def judgment(
    output: str,
    judge: str,
    overall: int,
    *,
    target: str = "m",
    question: str = "Q",
    **further_fields: Any,
) -> Judgment:
    scores = tuple(min(2, max(0, overall - 2 * index)) for index in range(4))
    unit = Unit(question_id=question, prompt_variant="A", target_model=target, output_id=output)
    record: dict[str, Any] = {
        "unit": unit,
        "output_sha256": "0" * 64,
        "judge_model": judge,
        "method": unit.before(judge).method,
        "valid": True,
        "verdict": "FAIL" if overall <= 3 else "PASS" if overall >= 7 else "PARTIAL",
        "scores": scores,
        "quotes": Quotes(
            given=4, invented=0, verbatim=4, altered=0, elided=0, absence=0, trivial=0
        ),
        **further_fields,
    }
    return Judgment(**record)


def plainly(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose value is plain JSON."""
    return lambda *given: as_json(function(*given))


share, mean = plainly(shares.share), plainly(shares.mean)
self_preferences = plainly(agreement.self_preferences)


def between_judges(judgments: Sequence[Judgment]) -> Any:
    """Return the agreement over valid judgments, and over readable ones, as plain JSON."""
    valid, readable = agreement.between_judges(judgments), agreement.over_readable(judgments)
    return {
        **as_json(valid),
        "pairs": [{"judges": pair.judges, **as_json(pair.compared)} for pair in valid.pairs],
        "readable": {
            **as_json(readable),
            "pairs": [
                {"judges": list(pair.judges), **as_json(pair.compared)} for pair in readable.pairs
            ],
        },
    }


def sole_evaluation(folder: Path) -> Evaluation:
    """Return the report of the one evaluation of a folder."""
    (evaluation,) = summary([folder]).evaluations
    return evaluation


def test_alpha_is_the_published_one() -> None:
    judgments = [
        judgment(f"o{column}", f"j{row}", value)
        for row, values in enumerate(PUBLISHED)
        for column, value in enumerate(values)
        if value is not None
    ]

    actual_agreement = between_judges(judgments)

    assert actual_agreement["alpha"]["overall_score"] == pytest.approx(0.849, abs=0.0005)
    assert len(actual_agreement["pairs"]) == 6


def test_only_valid_cross_judgments_enter_agreement() -> None:
    judged = [
        judgment("o1", "a", 8),
        judgment("o1", "b", 0, valid=False),
        judgment("o1", "m", 0),  # its own output
    ]

    actual_agreement = between_judges(judged)

    assert actual_agreement["pairs"] == []
    assert [pair["judges"] for pair in actual_agreement["readable"]["pairs"]] == [["a", "b"]]


def spread(judges: Sequence[str], overall: Any, questions: int = 10) -> list[Judgment]:
    """Return judgments of each judge's outputs by each: `overall` takes judge, author, question."""
    return [
        judgment(f"{author}-{q}", judge, overall(judge, author, q), target=author, question=f"Q{q}")
        for author in judges
        for q in range(questions)
        for judge in judges
    ]


def test_reading_r24_intervals_are_clustered_by_question() -> None:
    """A favours itself by 0 or 4 points, by question: Student's t over ten questions."""

    def overall(judge: str, author: str, question: int) -> int:
        return 2 + 4 * (judge == author == "A" and question % 2 == 0)

    row = self_preferences(spread("ABC", overall))[0]

    # The mean of five 4s and five 0s; 2.262157 is t at 9 degrees, 4 / 9 the variance of the mean.
    assert row["mean"] == 2
    assert row["ci95"] == pytest.approx(
        [2 - 2.262157 * (4 / 9) ** 0.5, 2 + 2.262157 * (4 / 9) ** 0.5]
    )


def test_reading_r26_agreement_falls_where_the_bad_outputs_fall_out() -> None:
    """Two judges agree on good and bad; every evaluation of a bad output is invalid."""
    judged = [
        judgment(
            f"o{i}", judge, 8 - (i % 3 == 0) if good else i % 2, valid=good, question=f"Q{i % 8}"
        )
        for i in range(16)
        for judge in ("a", "b")
        for good in [i < 8]
    ]

    actual_agreement = between_judges(judged)

    assert actual_agreement["pairs"][0]["outputs"] == 8
    assert actual_agreement["readable"]["pairs"][0]["outputs"] == 16
    assert actual_agreement["readable"]["alpha"]["overall_score"] == 1
    # Where nothing differs nothing says how much may: no interval from 1 to 1.
    assert actual_agreement["readable"]["alpha_ci95"]["overall_score"] is None
    assert actual_agreement["readable"]["pairs"][0]["kappa_ci95"]["overall_score"] is None


def test_reading_r33_under_the_first_rules_a_shares_interval_is_wilsons() -> None:
    low, high = share([("Q1", i < 5, 1) for i in range(10)], 1)["ci95"]
    assert (low, high) == (pytest.approx(0.2366, abs=1e-4), pytest.approx(0.7634, abs=1e-4))


def test_under_the_first_rules_a_means_interval_is_the_bootstraps() -> None:
    """Against the plain bootstrap, resample by resample, and in no more memory for more values."""
    import numpy as np

    values = [0.0] * 30 + [4.0] * 50 + [8.0] * 20
    rng = np.random.default_rng(1)
    plain = rng.choice(values, size=(20_000, len(values))).mean(axis=1)

    def plain_mean(figures: Sequence[float]) -> Any:
        return mean([("Q", value) for value in figures], 1)

    found = plain_mean(values)

    assert found["mean"] == 3.6
    assert found["ci95"] == pytest.approx(list(np.quantile(plain, [0.025, 0.975])), abs=0.06)
    assert plain_mean([3, 3, 3])["ci95"] == [3, 3]
    assert plain_mean([3]) == {"mean": 3, "ci95": None}
    assert plain_mean([]) == {"mean": None, "ci95": None}
    assert plain_mean([0, 8] * 500_000)["ci95"] == pytest.approx([4, 4], abs=0.02)


# --------------------------------------------------------------------------- a whole evaluation

ROWS = [
    *grid("1234", "AB", ("m/x",)),
    table_row("Q1", "A", "j/1", output_id="own", output="Ours, all of it our own work."),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an evaluation in which variant A passes twice in four and B never."""
    place = tmp_path_factory.mktemp("report") / "e"
    replies = []
    for row in ROWS:
        for judge in ("j/1", "j/2"):
            best = row["prompt_variant"] == "A" and row["question_id"] in {"Q1", "Q2"}
            scores = BEST if best else LOW if judge == "j/1" else WORST
            reply: Any = record_for(row, judge, scores)
            if (row["question_id"], row["prompt_variant"], judge) == ("Q4", "B", "j/2"):
                reply["evidence"][0]["quote"] = "Invented."
            replies.append(reply_row(row, judge, reply))
    imported(place, ROWS, replies, allow_gaps=True)
    return place


def test_the_report_separates_self_judging_and_counts_everything(folder: Path) -> None:
    actual_document = evaluation_json(sole_evaluation(folder))

    primary, own = actual_document["primary"]["all"], actual_document["self_judging"]["all"]
    assert (primary["samples"], primary["valid"]) == (17, 16)
    assert (own["samples"], own["valid"]) == (1, 1)
    assert primary["invalid"]["count"] == 1
    assert primary["verdicts"]["PASS"]["count"] == 5
    by_judge = {group["value"]: group for group in actual_document["primary"]["judge_model"]}
    assert by_judge["j/1"]["verdicts"]["PARTIAL"]["count"] == 6
    assert by_judge["j/2"]["verdicts"]["FAIL"]["count"] == 5
    for axis in ("judge_model", "prompt_variant", "target_model", "question_id"):
        assert sum(group["samples"] for group in actual_document["primary"][axis]) == 17
    counts = primary["dimensions"]["FORMAT_COMPLIANCE"]["counts"]
    assert counts == {"0": 5, "1": 6, "2": 5}
    evidence = {row["judge"]: row for row in actual_document["evidence"]}
    assert (evidence["j/2"]["quotes"], evidence["j/2"]["invented"]["count"]) == (36, 1)


def test_the_pass_share_per_variant_is_an_accuracy_table(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(accuracy_table(summary([folder])))))

    # A: 4 questions and one output of j/1's own, by one or two judges: 5 passes of 9; B: none of 7.
    assert [row["strategy"] for row in rows] == ["A", "B"]
    assert [float(row["accuracy"]) for row in rows] == [5 / 9, 0.0]


def test_text_and_csv_say_the_same(folder: Path) -> None:
    report = summary([folder])
    printed = text(report)
    rows = list(csv.DictReader(io.StringIO(table(report))))

    assert tuple(rows[0]) == COLUMNS
    wanted = {"section": "primary", "axis": "all", "measure": "PASS"}
    (passed,) = [row for row in rows if wanted.items() <= row.items()]
    assert (float(passed["estimate"]), passed["n"]) == (5 / 16, "16")
    assert f"{100 * 5 / 16:.1f}%" in printed
    assert "Self-judging: diagnostic only" in printed
    assert "2.8%" in printed  # 1 of j/2's 36 quotes
    json.dumps(document(report), allow_nan=False)


def test_invalid_replies_stand_by_reason_and_the_widest_disagreement_first(folder: Path) -> None:
    actual_document = evaluation_json(sole_evaluation(folder))

    by_judge = {row["judge"]: row for row in actual_document["reasons"]}
    assert by_judge["j/1"]["flags"] == {}
    assert by_judge["j/2"]["flags"]["PROTOCOL_VIOLATION"]["count"] == 1
    # Q3 and Q4 under A and all of B: 4 of j/1, 1 of j/2; best outputs and the own one are alike.
    apart = actual_document["disagreements"]
    assert [row["points"] for row in apart] == [3] * 6
    assert [row["output_id"] for row in apart][:2] == ["m/x/Q1/B.txt", "m/x/Q2/B.txt"]
    (invented,) = (row for row in apart if row["output_id"] == "m/x/Q4/B.txt")
    first, second = invented["opinions"]
    assert (first["judge"], first["overall_score"], first["valid"]) == ("j/1", 4, True)
    assert (second["judge"], second["overall_score"], second["valid"]) == ("j/2", 1, False)
    assert second["evidence"][0]["quote"] == "Invented."
    assert [cited["kind"] for cited in second["evidence"]] == ["invented"] + ["verbatim"] * 3
    assert invented["shown"] == "An answer of m/x to Q4 under B, in a few words."


def test_long_outputs_and_quotes_are_cut_and_the_cut_is_stated(tmp_path: Path) -> None:
    words = "word " * 2_000
    rows = [{**row, "output": words + row["output_id"]} for row in grid("1", "A")]
    replies = []
    for judge, scores in (("j/1", BEST), ("j/2", WORST)):
        record = record_for(rows[0], judge, scores)
        record["evidence"] = [{**cited, "quote": words} for cited in record["evidence"]] * 9
        replies.append(reply_row(rows[0], judge, record))
    imported(tmp_path / "e", rows, replies)

    (disagreement,) = sole_evaluation(tmp_path / "e").disagreements

    assert (disagreement.characters, len(disagreement.shown)) == (
        10_000 + len(rows[0]["output_id"]),
        6_000,
    )
    for opinion in disagreement.opinions:
        assert len(opinion.evidence) == 12
        assert {len(cited.quote) for cited in opinion.evidence} == {600}


def test_drift_compares_the_same_outputs_of_one_judge_over_time(tmp_path: Path) -> None:
    rows = grid("123", "A")
    for name, scores in (("july", HIGH), ("august", LOW)):
        replies = [reply_row(row, "j/1", record_for(row, "j/1", scores)) for row in rows]
        imported(tmp_path / name, rows, replies, judges=["j/1"])
    other = [{**rows[0], "output": "A new answer altogether, of other words."}, *rows[1:]]
    replies = [reply_row(row, "j/1", record_for(row, "j/1", BEST)) for row in other]
    imported(tmp_path / "other", other, replies, judges=["j/1"])

    drift = document(summary([tmp_path / name for name in ("july", "august", "other")]))["drift"]

    assert [row["outputs"] for row in drift] == [3, 2]
    assert [row["mean_difference"]["mean"] for row in drift] == [-3, 4]
    assert [row["same_verdict"]["count"] for row in drift] == [0, 0]
    assert {row["method"] for row in drift} == {"cross_judge"}


def test_judge_1_2_drift_never_pools_self_judging_with_cross_judging(tmp_path: Path) -> None:
    """The judge grows stricter by 1 with its own outputs and by 3 with those of others."""
    rows = grid("123", "A", ("m/x", "j/1"))
    own = {"july": (2, 2, 2, 2), "august": (2, 2, 2, 1)}
    others = {"july": (2, 2, 2, 2), "august": (2, 1, 1, 1)}
    for name in ("july", "august"):
        replies = [
            reply_row(
                row,
                "j/1",
                record_for(row, "j/1", (own if row["target_model"] == "j/1" else others)[name]),
            )
            for row in rows
        ]
        imported(tmp_path / name, rows, replies, judges=["j/1"])

    report = summary([tmp_path / "july", tmp_path / "august"])

    shifts = {row.method: row.compared.mean_difference.value for row in report.drift}
    assert shifts == {"cross_judge": -3, "self_judge": -1}
    printed = list(csv.DictReader(io.StringIO(table(report))))
    sections = {row["section"] for row in printed if row["evaluation"].count(" to ")}
    assert sections == {"drift", "self_judging drift"}


def test_a_judge_that_says_nothing_valid_is_called_that(tmp_path: Path) -> None:
    rows = grid()
    replies = [reply_row(row, "j/1", "I cannot.") for row in rows]
    imported(tmp_path / "e", rows, replies, judges=["j/1"])

    actual_document = evaluation_json(sole_evaluation(tmp_path / "e"))

    assert "nothing about the outputs" in actual_document["remarks"][0]
    assert "0 of 4 evaluations are valid" in actual_document["remarks"][1]
    assert actual_document["accuracy"] == []
    assert actual_document["primary"]["all"]["dimensions"]["COMPLETENESS"]["mean"] is None
    report = summary([tmp_path / "e"])
    assert "nothing about the outputs" in text(report)
    assert "0 of 4 cross-judgments are valid" in judging_page(report)


def test_a_judge_that_scores_everything_alike_is_called_that(tmp_path: Path) -> None:
    rows = grid()
    replies = [reply_row(row, "j/1", record_for(row, "j/1", BEST)) for row in rows]
    imported(tmp_path / "e", rows, replies, judges=["j/1"])

    actual_document = evaluation_json(sole_evaluation(tmp_path / "e"))

    assert actual_document["remarks"] == [
        "j/1 gives every output the same overall score, so it tells nothing apart"
    ]


def test_a_name_that_a_spreadsheet_would_run_is_quoted_off(tmp_path: Path) -> None:
    rows = grid("1", ("=cmd()", "+1", "\x1b[2J"))
    replies = [reply_row(row, "j/1", record_for(row, "j/1")) for row in rows]
    imported(tmp_path / "e", rows, replies, judges=["j/1"])

    assert b"\x1b" not in epc("judge", "report", tmp_path / "e").stdout
    values = {row["value"] for row in csv.DictReader(io.StringIO(table(summary([tmp_path / "e"]))))}

    assert {"'=cmd()", "'+1"} <= values
    assert len(DIMENSIONS) == 4


@pytest.mark.parametrize(
    ("agreeing", "word"),
    [
        (30, "use it in place of one person"),  # Wilson from 0.89, above 0.75
        (22, "not shown to agree with people as people do"),
        (4, "do not use it in place of people"),
    ],
)
def test_the_headline_of_a_report_says_whether_a_judge_may_take_a_persons_place(
    agreeing: int, word: str, tmp_path: Path
) -> None:
    """Two people agree on 30 of 40 outputs, and the judge with both on `agreeing` of these."""
    rows = grid(questions=[str(n) for n in range(40)], variants="A")
    replies = [reply_row(row, "j/1", record_for(row, "j/1", BEST)) for row in rows]
    imported(tmp_path / "e", rows, replies, judges=["j/1"])
    lines = ["output_id,verdict,labeller"]
    for index, row in enumerate(rows):
        printed_text = "PASS" if index < agreeing else "FAIL"
        other_text = printed_text if index < 30 else "PASS"
        lines += [f"{row['output_id']},{printed_text},ann", f"{row['output_id']},{other_text},bo"]
    (tmp_path / "labels.csv").write_text("\n".join(lines) + "\n")

    done = epc("judge", "report", tmp_path / "e", "--labels", tmp_path / "labels.csv")

    printed = done.stdout.decode()
    assert f"\nj/1: {word}\n  It gives people's verdict in " in printed
    assert " of 30 labelled outputs; two people in 75%. " in printed
    reduced_output = epc("judge", "report", tmp_path / "e").stdout.decode()
    assert "\nj/1: not compared with people\n" in reduced_output
