"""What a judge said, offered by whoever asked it: made, checked, published, and forged."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attack_support import attacks
from judge_support import grid, write_rows
from program_support import as_text, run_program
from registry_support import Checkout, commit, git
from site_support import evaluated

from epc.records.layout import digest
from epc.records.strict_json import dumps_line
from epc.registry.submissions.making import make, subject_of
from epc.registry.submissions.statement import Statement

Json = dict[str, Any]
WHO = ("--contributor", "A. Name", "--login", "a-name", "--licence", "CC-BY-4.0")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A registry with one judged submission in it, which no test changes."""
    home = tmp_path_factory.mktemp("judged")
    registry = Checkout(home / "registry")
    registry.init()
    run = evaluated(home / "judged")
    done = as_text(
        run_program("submission", "new", run, *WHO, "--conflicts", "none", cwd=registry.folder)
    )
    assert done.returncode == 0, done.stderr
    commit(registry.folder, "offer")
    return registry.folder


def check(folder: Path, *arguments: str) -> Json:
    done = run_program(
        "submission", "check", folder, "--format", "json", *arguments, cwd=folder.parents[1]
    )
    value: Json = json.loads(done.stdout)
    return value


def test_a_judged_result_is_offered_checked_and_published_as_a_run_is(folder: Path) -> None:
    checkout = folder.parents[1]

    summary = checkout.parent / "summary.md"
    value = check(folder, "--author", "a-name", "--summary", str(summary))
    (submission,) = value["submissions"]
    summary_text = summary.read_text("utf-8")
    done = as_text(run_program("admin", "submission", "publish", cwd=checkout))

    assert value["ok"] is True, value
    assert "### This submission can be published." in summary_text
    assert "- `may the outputs that were judged be given away?`" in summary_text
    assert (submission["tag"], submission["n"]) == ("v1.0-CarelessJudge", 12)
    assert "judge: mock/careless-judge at mock" in submission["dossier"]["recorded"]
    assert (
        "first implementation: every record follows from its raw reply"
        in (submission["dossier"]["recomputed"])
    )
    assert [figure["name"] for figure in submission["figures"]][-1] == "verdict/invalid"
    assert done.stdout == "v1.0-CarelessJudge\n", done.stderr
    card = json.loads((checkout / "snapshots/v1.0-CarelessJudge/snapshot.json").read_text())
    assert (card["kind"], card["login"], card["contributor"]) == ("judged", "a-name", "A. Name")
    assert not folder.exists()
    assert git(checkout, "status", "--porcelain") == ""
    verified = run_program("snapshot", "verify", cwd=checkout)
    assert verified.returncode == 0, verified.stdout


def test_an_offer_has_what_tested_the_judge_and_labels_and_is_published_with_both(
    tmp_path: Path,
) -> None:
    """A judge that failed is offered as any other; what stands beside its evaluation is checked."""
    registry = Checkout(tmp_path / "registry")
    registry.init()
    rows = [{**row, "output": f"{row['output']} {row['output']}"} for row in grid("12345678", "A")]
    run = evaluated(tmp_path / "tested", rows=rows)
    assert run_program("judge", "competence", run, cwd=tmp_path).returncode == 1
    labels = [{"output_id": row["output_id"], "verdict": "PASS"} for row in rows]
    table = write_rows(tmp_path / "labels.jsonl", labels)
    assert run_program("judge", "label", table, run, cwd=tmp_path).returncode == 0
    arguments = ("submission", "new", run, *WHO, "--conflicts", "none")
    done = as_text(run_program(*arguments, cwd=registry.folder))
    assert done.returncode == 0, done.stderr
    (offered,) = (registry.folder / "submissions").iterdir()
    assert check(offered)["ok"] is True
    forged = shutil.copytree(tmp_path / "registry", tmp_path / "forged")
    (planted,) = (forged / "submissions" / offered.name / "competence").glob("*/planted")
    path = planted / "samples.jsonl"
    path.write_text(path.read_text().replace('"kind":"padded"', '"kind":"truncated"', 1))
    (planted / "notes.txt").write_text("x")
    strange = check(planted.parents[2])
    (planted / "notes.txt").unlink()
    untrue = check(planted.parents[2])
    commit(registry.folder, "offer")
    tag = as_text(run_program("admin", "submission", "publish", cwd=registry.folder)).stdout.strip()

    figures = json.loads((registry.folder / "snapshots" / tag / "metrics.json").read_text())
    assert figures["figures"]["competence"]["word"] == "incapable"
    assert figures["figures"]["labels"]["outputs"] == 8
    problems = [[f["problem"] for f in s["submissions"][0]["findings"]] for s in (strange, untrue)]
    assert any("no such file belongs here" in problem for problem in problems[0])
    assert any("is not what was planned" in problem for problem in problems[1]), problems[1]


def document(folder: Path, name: str, change: Callable[[Any], object]) -> None:
    value = json.loads((folder / name).read_text("utf-8"))
    change(value)
    (folder / name).write_text(json.dumps(value), "utf-8")


def with_statement(**fields: Any) -> Callable[[Path], None]:
    return lambda folder: document(folder, "submission.json", lambda said: said.update(fields))


def logged(**fields: Any) -> Callable[[Path], None]:
    return lambda folder: document(folder, "run_log.json", lambda log: log.update(fields))


def first_record(folder: Path) -> Path:
    path = folder / "valid_evaluations" / "cross_judge" / "records.jsonl"
    assert path.read_text("utf-8")
    return path


def turned(folder: Path) -> None:
    path = first_record(folder)
    head, *remaining_text = path.read_text("utf-8").splitlines(keepends=True)
    record = json.loads(head)
    record["verdict"] = "PASS" if record["verdict"] != "PASS" else "FAIL"
    path.write_text("".join([json.dumps(record) + "\n", *remaining_text]), "utf-8")


def one_output(folder: Path) -> Path:
    return min((folder / "outputs").glob("*.txt"))


def linked(folder: Path) -> None:
    path = one_output(folder)
    path.unlink()
    path.symlink_to("/etc/passwd")


def renamed_judge(folder: Path) -> None:
    def change(plan: Any) -> None:
        plan["judges"][0]["model"] = "openai/gpt-4o-2024-08-06"
        plan["judges"][0]["identity"]["model"] = "openai/gpt-4o-2024-08-06"

    document(folder, "judge.json", change)


def crowded(folder: Path) -> None:
    for number in range(300):
        (folder / "outputs" / f"{number:064x}.txt").write_text("x")


def with_html(folder: Path) -> None:
    """Offer an evaluation that is true to itself, of a variant that a page would show."""
    checkout = folder.parents[1]
    run = evaluated(checkout.parent / "marked", rows=grid("12", ["<img src=x>"]))
    said = json.loads((folder / "submission.json").read_text())
    statement = {key: value for key, value in said.items() if key != "schema"}
    statement["identity"] = subject_of(run).identity
    shutil.rmtree(folder)
    arguments = ("--slug", folder.name, "--conflicts", "none", *WHO)
    done = run_program("submission", "new", run, *arguments, cwd=checkout)
    assert (done.returncode, b"reads as HTML" in done.stderr) == (2, True)
    make(folder.parent, run, folder.name, Statement(**statement), {})


def prompt_outside(folder: Path) -> None:
    def change(plan: Any) -> None:
        for prompt in plan["prompts"].values():
            prompt["id"] = "../../secret"

    document(folder, "judge.json", change)


def offered_twice(folder: Path) -> None:
    shutil.copytree(folder, folder.with_name("another"))


def copied_with_other_times(folder: Path) -> None:
    """Offer what is offered already, as if it had been asked again at another speed."""
    copy = folder.with_name("a-copy")
    shutil.copytree(folder, copy)
    path = copy / "calls.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text("".join(dumps_line({**row, "latency_s": 1.5}) for row in rows), "utf-8")
    document(copy, "run_log.json", lambda log: log["files"].update({"calls.jsonl": digest(path)}))
    document(copy, "submission.json", lambda said: said.update(login="b-name"))


def published_before(folder: Path) -> None:
    kept_folder = folder.parents[2] / "kept"
    shutil.copytree(folder, kept_folder)
    assert run_program("admin", "submission", "publish", cwd=folder.parents[1]).returncode == 0
    shutil.copytree(kept_folder, folder)


# What is done to a submission, and clause, place and words of what is said of it.
ATTACKS: dict[str, tuple[Callable[[Path], object], tuple[str, str, str]]] = {
    "a verdict that was turned": (
        turned,
        ("JUDGE-7.3", "cross_judge/0/verdict", "recomputed"),
    ),
    "a reply that is missing": (
        lambda folder: first_record(folder).write_text(""),
        ("JUDGE-7.1", "", "has no record"),
    ),
    "totals that were bettered": (
        logged(totals={}),
        ("JUDGE-7.4", "totals/cross_judge", "says nothing, recomputed"),
    ),
    "imported replies": (logged(origin="import"), ("JUDGE-7.4", "judge.json", "imported replies")),
    "a log of no day": (
        logged(time={"from": "2026-02-30T00:00:00Z", "to": "2026-02-30T00:00:00Z"}),
        ("Submission S9", "run_log.json", "no day"),
    ),
    "judged tomorrow": (
        logged(time={"from": "2999-01-01T00:00:00Z", "to": "2999-01-01T00:00:00Z"}),
        ("Submission S9", "run_log.json/time", "judged"),
    ),
    "another judge's name": (
        renamed_judge,
        ("JUDGE-7.3", "calls/0/role", "names no judge:mock/careless-judge"),
    ),
    "another generation": (
        with_statement(generation="GPT4o-0806"),
        ("Submission S13", "submission.json/generation", "CarelessJudge"),
    ),
    "a direct endpoint that is called a gateway": (
        with_statement(endpoint="gateway"),
        ("Submission S8", "judge.json/judges/0", "is no gateway"),
    ),
    "weights of a mock": (
        with_statement(weights=f"sha256:{'0' * 64}"),
        ("Submission S13", "submission.json/weights", "states weights"),
    ),
    "a source of what was asked": (
        with_statement(source="the annotators of study A"),
        ("Reading R77", "submission.json/source", "states a source"),
    ),
    "a replication": (
        with_statement(replicates="v1.0-CarelessJudge"),
        ("Submission S7", "submission.json/replicates", "replicates none"),
    ),
    "a statement about another evaluation": (
        with_statement(identity="0" * 64),
        ("Submission S12", "submission.json/identity", "the record gives"),
    ),
    "one evaluation offered twice": (
        offered_twice,
        ("Submission S12", "judge.json", "is the same as submission another"),
    ),
    "a copy with other times": (
        copied_with_other_times,
        ("Submission S12", "judge.json", "is the same as submission a-copy"),
    ),
    "what is published already": (
        published_before,
        ("Submission S12", "judge.json", "is the same as v1.0-CarelessJudge"),
    ),
    "a key in an output": (
        lambda folder: one_output(folder).write_text("sk-" + "proj-Ab3dEf6hIj9kLm2nOp5qRs8t"),
        ("Submission S6", "outputs/", "holds"),
    ),
    "an output that links out of the folder": (linked, ("Submission S2", "outputs/", "symbolic")),
    "a prompt outside of the folder": (prompt_outside, ("JUDGE-7.4", "prompts", "../../secret")),
    "an output of no sample": (
        lambda folder: (folder / "outputs" / f"{0:064x}.txt").write_text("x"),
        ("Submission S2", "outputs/", "is of no sample"),
    ),
    "a script among the outputs": (
        lambda folder: (folder / "outputs" / "conftest.py").write_text("raise SystemExit"),
        ("Submission S2", "outputs/conftest.py", "no such file"),
    ),
    "a folder among the outputs": (
        lambda folder: (folder / "outputs" / "deeper").mkdir(),
        ("Submission S2", "outputs/deeper", "is a folder"),
    ),
    "hundreds of outputs": (crowded, ("Submission S3", "", "more than 250 entries")),
    "an output of 2 MB": (
        lambda folder: one_output(folder).write_text("x" * 2**21),
        ("Submission S3", "outputs/", "expected at most 1,048,576"),
    ),
    "a prompt that is missing": (
        lambda folder: next((folder / "prompts").iterdir()).unlink(),
        ("Submission S2", "prompts/", "is missing"),
    ),
    "no log": (
        lambda folder: (folder / "run_log.json").unlink(),
        ("Submission S2", "run_log.json", "is missing"),
    ),
    "a plan of brackets": (
        lambda folder: (folder / "judge.json").write_text('{"a":' * 100_000),
        ("RFC 8259", "", "nested more than 64 deep"),
    ),
    "HTML as a variant": (with_html, ("Submission S5", "samples.jsonl", "reads as HTML")),
}
KINDS = attacks(
    ATTACKS,
    "publication",
    execution=("a script among the outputs",),
    outside=(
        "an output that links out of the folder",
        "a prompt outside of the folder",
        "a folder among the outputs",
    ),
    bounds=("hundreds of outputs", "an output of 2 MB", "a plan of brackets"),
    rendering=("HTML as a variant",),
)


@pytest.mark.parametrize("case", KINDS)
def test_a_forged_judgement_is_refused_with_the_finding_that_says_why(
    case: str, folder: Path
) -> None:
    build, (clause, place, problem) = ATTACKS[case]
    build(folder)

    value = check(folder)

    (submission,) = value["submissions"]
    errors = [f for f in submission["findings"] if f["severity"] == "error"]
    assert value["ok"] is False
    assert [
        f
        for f in errors
        if f["clause"].startswith(clause) and place in f["where"] and problem in f["problem"]
    ], errors
    assert "sk-proj" not in json.dumps(value)


def test_a_judged_result_is_its_contributor_s(folder: Path) -> None:
    value = check(folder, "--author", "mallory")

    assert "the pull request is mallory's" in value["submissions"][0]["findings"][0]["problem"]


def test_a_pull_request_of_one_judged_result_touches_nothing_else(
    folder: Path, tmp_path: Path
) -> None:
    paths = [p for p in folder.rglob("*") if p.is_file()]
    changed = tmp_path / "changed"
    changed.write_text("\n".join(str(p.relative_to(folder.parents[1])) for p in paths))

    assert check(folder, "--changed", str(changed))["ok"] is True
