"""A bounded list that still counts."""

from epc.errors import Finding
from epc.records.findings import MAX_KEPT, Findings


def numbered(count: int) -> list[Finding]:
    return [Finding(clause="c", where=f"/{i}", problem="p", remedy="r") for i in range(count)]


def test_findings_keep_their_order_and_their_facts() -> None:
    findings = Findings()
    findings.add("EPC-2.2", "/a", "first", "mend it")
    findings.add("EPC-2.3", "/b", "second", "look at it", "warning")

    assert len(findings) == 2
    assert [f.as_json() for f in findings.as_list()] == [
        {
            "clause": "EPC-2.2",
            "where": "/a",
            "problem": "first",
            "remedy": "mend it",
            "severity": "error",
        },
        {
            "clause": "EPC-2.3",
            "where": "/b",
            "problem": "second",
            "remedy": "look at it",
            "severity": "warning",
        },
    ]


def test_the_list_may_be_full_without_a_word_about_more() -> None:
    findings = Findings()
    findings.extend(numbered(MAX_KEPT))

    assert [f.where for f in findings.as_list()] == [f"/{i}" for i in range(MAX_KEPT)]


def test_past_the_limit_only_the_count_grows() -> None:
    findings = Findings()
    findings.extend(numbered(MAX_KEPT + 1234))

    assert len(findings) == MAX_KEPT + 1234
    assert len(findings.as_list()) == MAX_KEPT + 1
    last = findings.as_list()[-1]
    assert last.problem == "1,234 more findings are not listed"
    assert last.severity == "error"


def test_what_is_kept_is_a_copy() -> None:
    findings = Findings()
    findings.add("c", "/a", "p", "r")
    findings.as_list().clear()

    assert len(findings.as_list()) == 1


def test_a_finding_reads_as_place_problem_clause_and_next_step() -> None:
    error = Finding(clause="EPC-2.5", where="/a/0", problem="says 1", remedy="say 2")
    warning = Finding(clause="EPC-2.5", where="", problem="thin", remedy="fill", severity="warning")

    assert str(error) == "/a/0: says 1 [EPC-2.5]\n  fix: say 2"
    assert str(warning) == "(the whole document): warning: thin [EPC-2.5]\n  fix: fill"
