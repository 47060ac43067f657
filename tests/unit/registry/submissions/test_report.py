"""What a check says of submissions, worked out by hand from what was found."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from msgspec import structs
from registry_support import Json, observed_figures
from submissions_support import STATEMENT

from epc.errors import Finding
from epc.records.findings import Findings
from epc.records.manifest import ModelIdentity
from epc.records.verdicts.types import Judge
from epc.registry.cards import Declaration
from epc.registry.lifecycles import ServiceTerm
from epc.registry.offers import Offer
from epc.registry.record import Record
from epc.registry.submissions.checked import SubmissionCheck
from epc.registry.submissions.layout import SECRETS
from epc.registry.submissions.report import Report, headline, report, text
from epc.registry.tags import Tag

SLUG, TAG = "an-honest-one", "v1.0-GPT-Y"
SAID = Declaration(
    generation="GPT-Y",
    contributor="A. Name",
    licence="CC-BY-4.0",
    conflicts=None,
    proxy=False,
    replicates=None,
)
DIRECT = ModelIdentity(
    model="openai/gpt-y",
    version=None,
    endpoint="https://api.openai.com/v1",
    gateway=None,
    details={},
)
THROUGH = structs.replace(
    DIRECT, model="openrouter/openai/gpt-y", endpoint="https://openrouter.ai/api/v1"
)
JUDGED: Json = {
    "n": 20,
    "verdict": {"PASS": {"mean": 0.25, "ci95": [0.125, 0.5]}},
    "invalid": {"mean": 0.5, "ci95": None},
}


def no_card(tag: Tag, life: ServiceTerm | None) -> Record:
    raise AssertionError(f"a check makes no card of {tag} and {life}")


def offer(evaluator: ModelIdentity = DIRECT) -> Offer:
    """Return an evaluation of twenty samples, by a judge of this record."""
    return Offer(
        run=Path("run"),
        kind="judged",
        models={"evaluator": evaluator},
        days=(date(2026, 7, 2),),
        declaration=SAID,
        figures=JUDGED,
        raw={},
        no_baseline=None,
        card=no_card,
    )


def recorded() -> Offer:
    """Return verdicts that others recorded, eight of them."""
    stated_judge = Judge(name="J", model="gpt-y", platform="openai")
    figures = observed_figures("J/1", "J/2")
    for group in figures["groups"]:
        group["figures"] = {"accuracy": group["figures"]["ties"]}
    return replace(offer(), kind="observed", models={}, figures=figures, source_judge=stated_judge)


def error(problem: str = "is wrong", clause: str = "EPC-2.8") -> Finding:
    return Finding(clause=clause, where="manifest.json", problem=problem, remedy="mend it")


def checked(*found: Finding, slug: str = SLUG, of: Offer | None = None) -> SubmissionCheck:
    findings = Findings()
    findings.extend(found)
    kind = of.kind if of else "measured"
    return SubmissionCheck(slug=slug, kind=kind, findings=findings, statement=STATEMENT, offer=of)


def report_of(
    *done: SubmissionCheck, whole_findings: tuple[Finding, ...] = (), foreign: tuple[str, ...] = ()
) -> Report:
    general = Findings()
    general.extend(whole_findings)
    return report(done, general, foreign, {SLUG: TAG})


@pytest.mark.parametrize(
    ("of", "figures"),
    [
        (None, []),
        (offer(), [("verdict/PASS", 0.25, (0.125, 0.5)), ("verdict/invalid", 0.5, None)]),
        (recorded(), [("accuracy/J/1", 0.25, (0.125, 0.5)), ("accuracy/J/2", 0.25, (0.125, 0.5))]),
    ],
)
def test_a_submission_s_figures_are_those_of_what_was_offered_if_one_got_so_far(
    of: Offer | None, figures: list[tuple[str, float, tuple[float, float] | None]]
) -> None:
    (submission_report,) = report_of(checked(of=of)).submissions

    assert [
        (figure.name, figure.mean, figure.ci95) for figure in submission_report.figures
    ] == figures
    assert submission_report.n == (None if of is None else of.figures["n"])


@pytest.mark.parametrize(
    ("of", "endpoint"), [(None, "direct"), (offer(), "direct"), (offer(THROUGH), "gateway")]
)
def test_submission_s8_a_gateway_that_the_record_shows_outweighs_what_is_declared(
    of: Offer | None, endpoint: str
) -> None:
    (submission_report,) = report_of(checked(of=of)).submissions

    assert submission_report.endpoint == endpoint
    assert submission_report.address == (of.models["evaluator"].endpoint if of else None)


def test_submission_s6_of_a_submission_with_a_secret_nothing_else_is_said() -> None:
    (submission_report,) = report_of(checked(error(clause=SECRETS), of=offer())).submissions

    assert (
        submission_report.contributor,
        submission_report.evaluator,
        submission_report.n,
        submission_report.endpoint,
    ) == (None, None, None, None)
    assert (submission_report.figures, submission_report.claimed, submission_report.address) == (
        (),
        None,
        None,
    )
    assert [finding.clause for finding in submission_report.findings] == [SECRETS]


def blocked(*found: Finding) -> SubmissionCheck:
    submission_check = checked(*found, of=offer())
    submission_check.blocks.append("nothing was counted")
    return submission_check


@pytest.mark.parametrize(
    ("given", "sentence", "standing"),
    [
        (report_of(), "There is no submission to check.", []),
        (report_of(whole_findings=(error(),)), "Refused: 1 error.", []),
        (report_of(checked()), "This submission can be published.", ["ready"]),
        (
            report_of(checked(), checked(slug="b")),
            "Each of 2 submissions can be published.",
            ["ready", "ready"],
        ),
        (report_of(checked(error())), "Refused: 1 error.", ["refused"]),
        (
            report_of(
                checked(error(), error("is wrong too")),
                checked(slug="b"),
                whole_findings=(error(),),
            ),
            "Refused: 3 errors.",
            ["refused", "ready"],
        ),
        (
            report_of(checked(), whole_findings=(error(),), foreign=("x.py",)),
            "Refused: 1 error.",
            ["ready"],
        ),
        (
            report_of(blocked()),
            "Not to be published: what was measured cannot serve as a baseline.",
            ["not a baseline"],
        ),
        (report_of(blocked(error())), "Refused: 1 error.", ["refused"]),
        (
            report_of(blocked(replace(error(), severity="warning"))),
            "Not to be published: what was measured cannot serve as a baseline.",
            ["not a baseline"],
        ),
        (
            report_of(checked(replace(error(), severity="warning"))),
            "This submission can be published.",
            ["ready"],
        ),
    ],
)
def test_the_verdict_is_one_sentence_that_follows_from_the_findings(
    given: Report, sentence: str, standing: list[str]
) -> None:
    assert headline(given) == sentence
    assert [submission_report.standing for submission_report in given.submissions] == standing
    assert given.ok == sentence.startswith(("There", "This", "Each"))


def test_a_terminal_is_told_who_was_asked_what_came_out_and_what_is_wrong() -> None:
    warned = replace(error("is odd"), where="", severity="warning")

    lines = list(text(report_of(checked(warned, error(), of=offer(THROUGH)))))

    assert lines == [
        "an-honest-one: refused",
        "  openrouter/openai/gpt-y, gateway, n = 20, by A. Name",
        "  asked at       https://openrouter.ai/api/v1",
        "  claimed to be  GPT-Y on openai",
        "  next free tag  v1.0-GPT-Y",
        f"  verdict/PASS{' ' * 22} 0.250 [0.125, 0.500]",
        f"  verdict/invalid{' ' * 19} 0.500 (no interval)",
        "  manifest.json: is wrong [EPC-2.8]",
        "    fix: mend it",
        "  (the whole): warning: is odd [EPC-2.8]",
        "    fix: mend it",
        "Refused: 1 error.",
    ]


def test_a_hundred_findings_are_listed_and_the_rest_counted() -> None:
    (submission_report,) = report_of(
        checked(*(error(f"problem {n}") for n in range(103)))
    ).submissions

    assert len(submission_report.findings) == 101
    assert submission_report.findings[99].problem == "problem 99"
    assert submission_report.findings[100].problem == "3 more findings are not listed"
    assert submission_report.findings[100].severity == "warning"


def test_a_finding_s_text_has_four_hundred_characters_at_most() -> None:
    (submission_report,) = report_of(checked(error("x" * 400), error("y" * 401))).submissions

    assert [finding.problem for finding in submission_report.findings] == [
        "x" * 400,
        "y" * 397 + "...",
    ]
