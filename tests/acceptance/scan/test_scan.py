"""Issue 22, "in anybody's CI": `epc scan` finds the models that a project names, and is a gate."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from registry_support import ROOT, Checkout, git
from scan_support import NAMES, TODAY, expected, project, scan, scanned_names, unindented
from site_support import epc

EXPIRED = 'judge = "gpt-4-0613"\n'
NEAR = 'judge = "claude-sonnet-4-5"\n'  # ends on 2026-11-30, a week after the project's day


def wrote(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_project_gets_a_place_and_an_answer_for_each_name(
    name: str, tmp_path: Path
) -> None:
    done = scan(project(name, tmp_path))

    assert unindented(done.stdout) == expected(name)
    assert done.returncode == 1
    assert done.stderr.startswith("not read, of kinds that are no source or configuration: .")


def test_the_sentence_is_that_of_epc_expiry_with_the_replacement(tmp_path: Path) -> None:
    wrote(tmp_path, "judge.py", EXPIRED)

    (name,) = scanned_names(tmp_path).values()
    document = json.loads(
        epc(
            ROOT, "expiry", "openai/gpt-4-0613", "--as-of", "2026-11-23", "--format", "json", code=1
        ).stdout
    )
    assert name["instead"] == document[0].pop("instead")
    assert name["instead"]["name"] == "gpt-5.6-sol"
    assert name["states"] == [document[0] | {"id": "gpt-4-0613"}]
    assert name["replacements"] == ["gpt-5.6-sol"]
    line, reason, *_ = scan(tmp_path).stdout.splitlines()
    assert line == "judge.py:1:10: gpt-4-0613 (openai) expired since 2026-10-23 (retired)"
    assert reason == f"  {document[0]['note']} [{document[0]['source']}]"


def test_it_says_which_published_measurements_a_retirement_ends(tmp_path: Path) -> None:
    """Its figures are of May and June 2026, and `deepseek-chat` went on 2026-07-24."""
    wrote(tmp_path, "judges.yaml", "judges: [deepseek-chat, gpt-4, gpt-4o-2024-08-06]\n")

    named = scanned_names(tmp_path)

    tags = ["v1.0-DeepSeekChat-0526", "v1.1-DeepSeekChat-0526", "v1.2-DeepSeekChat-0526"]
    assert named["deepseek-chat"]["invalidates"] == tags
    # Reading R103: the last of these was measured on 2024-06-01, the model went on 2026-10-23.
    assert named["gpt-4"]["invalidates"] == [], "its figures were stale before"
    # Reading R103: measured on 2026-06-27, stale on 2026-12-24; the model goes on 2027-01-14.
    assert named["gpt-4o-2024-08-06"]["invalidates"] == [], "its figures are stale before"
    assert f"  Its end also ends the published {', '.join(tags)}" in scan(tmp_path).stdout


@pytest.mark.parametrize(
    ("text", "rules", "code"),
    [
        (EXPIRED, [], 1),
        (NEAR, [], 0),
        (NEAR, ["expired"], 0),
        (NEAR, ["expiring"], 1),
        (NEAR, ["expiring:7d"], 1),
        (NEAR, ["expiring:6d"], 0),
        (EXPIRED, ["expiring:6d"], 1),
        (EXPIRED, ["unknown"], 0),
        (EXPIRED, ["unknown", "expired"], 1),
        ('judge = "gpt-4o-2024-08-60"\n', [], 0),
        ('judge = "gpt-4o-2024-08-60"\n', ["unknown"], 1),
        ('judge = "azure/gemini-2.5-pro"\n', ["unknown"], 1),
        ('judge = "wandb/zai-org/GLM-5-FP8"\n', ["unconfirmed"], 1),
        ('judge = "wandb/zai-org/GLM-5-FP8"\n', ["unknown"], 0),
        # Reading R103: published on 2023-10-29, so stale from 2024-04-26.
        ('judge = "v1.0-gpt-4"\n', [], 1),
        # Reading R103: last measured on 2026-06-27, so stale from 2026-12-24, a month away.
        ('judge = "v1.0-GPT4o-0806"\n', [], 0),
        ('judge = "v1.0-GPT4o-0806"\n', ["expiring"], 1),
        ("nothing = 'to see'\n", ["expired", "unknown", "unconfirmed", "drifted"], 0),
    ],
)
def test_it_fails_by_the_rules_that_are_given(
    tmp_path: Path, text: str, rules: list[str], code: int
) -> None:
    wrote(tmp_path, "judge.py", text)

    done = scan(tmp_path, *(word for rule in rules for word in ("--fail-on", rule)))

    assert done.returncode == code, done.stdout


def test_a_model_fails_as_drifted_if_its_published_figure_did(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "registry")
    checkout.publish()
    wrote(tmp_path, "project/judge.py", 'judge = "judge-1"\n')
    arguments = ("--as-of", "2026-03-10", "--fail-on", "drifted")
    assert scan(tmp_path / "project", *arguments, registry=checkout.folder).returncode == 0

    drifted = {"date": "2026-03-01", "event": "drifted", "tag": "v1.0-Judge-1"}
    checkout.tell(drifted | {"reason": "it answers otherwise"})

    assert scan(tmp_path / "project", *arguments, registry=checkout.folder).returncode == 1


def test_where_the_maker_has_a_record_no_other_platform_fails_a_bare_name(tmp_path: Path) -> None:
    """Azure's record of gpt-4-0613 ended sixteen months before OpenAI's own."""
    wrote(tmp_path, "judge.py", EXPIRED)
    assert scan(tmp_path, "--as-of", "2026-10-22").returncode == 0

    wrote(tmp_path, "judge.py", 'judge = "azure-foundry/gpt-4-0613"\n')
    assert scan(tmp_path, "--as-of", "2026-10-22").returncode == 1


def test_what_git_ignores_is_not_read_and_without_git_it_is(tmp_path: Path) -> None:
    folder = project("langchain", tmp_path)
    wrote(folder, "build/old.py", EXPIRED)
    wrote(folder, ".venv/lib/model.py", EXPIRED)
    assert "build/old.py:1:10" in scan(folder).stdout

    git(folder, "init", "--quiet")

    done = scan(folder)
    assert "build/old.py" not in done.stdout
    assert ".venv/lib/model.py:1:10" in done.stdout, "git does not ignore it"
    git(folder, "add", "--force", "build/old.py")
    assert "build/old.py:1:10" in scan(folder).stdout, "what is committed counts"
    (folder / "build" / "old.py").unlink()
    assert scan(folder).returncode == 1
    assert scan(folder, "src/grader.py", "src").stdout.count("gpt-4-0613 (openai)") == 1


def test_binaries_large_files_links_and_pipes_are_passed_over_and_counted(tmp_path: Path) -> None:
    wrote(tmp_path, "judge.py", EXPIRED)
    (tmp_path / "weights.py").write_bytes(b"\x7fELF\0" + EXPIRED.encode())
    (tmp_path / "big.json").write_text(EXPIRED + "x" * (5 * 2**20))
    (tmp_path / "again.py").symlink_to("judge.py")
    (tmp_path / "around").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\nx = 'gpt-4-0613'\n")

    done = scan(tmp_path)

    assert [line.split(" ")[0] for line in unindented(done.stdout)[:-1]] == [
        "judge.py:1:10:",
        "latin.py:2:6:",
    ]
    told = ["a link: 1", "larger than 5 MiB: 1", "no plain file: 1", "not text: 1"]
    assert done.stderr.splitlines() == [f"not read, {why}" for why in told]


def test_documents_are_read_only_if_they_are_named(tmp_path: Path) -> None:
    folder = project("langchain", tmp_path)

    assert "CHANGELOG" not in scan(folder).stdout
    assert "CHANGELOG.md:3:26: gpt-3.5-turbo-0301" in scan(folder, "CHANGELOG.md").stdout


def test_a_hostile_name_of_a_file_forges_nothing(tmp_path: Path) -> None:
    name = "a\n::error::x,line=9|`<b>%0A.py"
    wrote(tmp_path, name, EXPIRED)
    table = tmp_path / "summary.md"

    done = scan(tmp_path, "--format", "github", "--summary", table)

    first, last = done.stdout.splitlines()
    assert first.startswith(
        "::error file=a\\u{000a}%3A%3Aerror%3A%3Ax%2Cline=9|`<b>%250A.py,line=1,col=10,"
    )
    assert last.startswith("1 name in 1 file")
    rows = [line for line in table.read_text().splitlines() if line.startswith("| **fails**")]
    assert len(rows) == 1
    assert rows[0].count("|") == 6
    assert "`a\\u{000a}::error::x,line=9¦'<b>%0A.py:1:10`" in rows[0]
    assert len(scan(tmp_path).stdout.splitlines()) == 4
    (place,) = scanned_names(tmp_path)["gpt-4-0613"]["places"]
    assert place == {"path": name, "line": 1, "column": 10}


def test_a_name_with_colons_is_printed_as_it_stands_and_passed_over_by_what_is_printed(
    tmp_path: Path,
) -> None:
    """Two colons begin a workflow's command only where they begin a line."""
    arn = "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-sonnet-20240229-v1:0"
    wrote(tmp_path, "judge.py", f"x = '{arn}'\n")
    wrote(tmp_path, "::error::.py", EXPIRED)
    table = tmp_path / "summary.md"

    printed = scan(tmp_path, "--summary", table).stdout.splitlines()

    assert not any(line.lstrip().startswith("::") for line in printed)
    (line,) = [line for line in printed if line.startswith("judge.py:1:6: ")]
    name = line.split(" ")[1]
    assert name == arn
    assert f"`{arn}`" in table.read_text()
    assert [*scanned_names(tmp_path, "--ignore", name)] == ["gpt-4-0613"]


def test_sarif_has_the_same_places_and_levels(tmp_path: Path) -> None:
    folder = project("langchain", tmp_path)
    wrote(folder, "a b.py", NEAR)

    (run,) = json.loads(scan(folder, "--format", "sarif").stdout)["runs"]

    entries = [
        (
            result["level"],
            (place := result["locations"][0]["physicalLocation"])["artifactLocation"]["uri"],
            place["region"],
        )
        for result in run["results"]
    ]
    assert entries == [
        ("error", "src/grader.py", {"startLine": 6, "startColumn": 27}),
        ("warning", "a%20b.py", {"startLine": 1, "startColumn": 10}),
        ("warning", "src/grader.py", {"startLine": 7, "startColumn": 36}),
        ("warning", ".github/workflows/eval.yml", {"startLine": 6, "startColumn": 20}),
    ]
    assert {result["ruleId"] for result in run["results"]} == {
        rule["id"] for rule in run["tool"]["driver"]["rules"]
    }


def test_names_paths_and_lines_can_be_passed_over(tmp_path: Path) -> None:
    folder = project("langchain", tmp_path)
    assert "gpt-4o-2024-05-13" not in scan(folder).stdout, "its line says so"

    assert scan(folder, "--ignore", "GPT-4-0613").returncode == 0
    assert scan(folder, "--exclude", "src/*").returncode == 0
    wrote(folder, ".epc.toml", '[scan]\nignore = ["gpt-4-0613"]\n')
    assert scan(folder).returncode == 0
    assert scan(folder, "--fail-on", "expiring").returncode == 1
    (folder / ".epc.toml").unlink()
    table = '\n[tool.epc.scan]\nfail-on = ["unknown"]\nexclude = [".github/*"]\n'
    text = (folder / "pyproject.toml").read_text() + table
    wrote(folder, "pyproject.toml", text)
    done = scan(folder)
    assert (done.returncode, ".github" in done.stdout) == (0, False)
    assert scan(folder, "--fail-on", "expired").returncode == 1


@pytest.mark.parametrize(
    ("words", "settings", "said"),
    [
        (["--fail-on", "soon"], "", "'soon' is no rule"),
        (["--fail-on", "expired:3d"], "", "'expired:3d' is no rule"),
        (["gone.py"], "", "there is no gone.py"),
        ([], "[scan]\nfail_on = []\n", "has fail_on"),
        ([], "[scan]\nignore = 'x'\n", "is no list of texts"),
        ([], "[scan\n", "is no TOML"),
        ([], f"a = {'[' * 3000}{']' * 3000}\n", "is no TOML"),
    ],
)
def test_misuse_exits_2_and_says_what_is_wanted(
    tmp_path: Path, words: list[str], settings: str, said: str
) -> None:
    wrote(tmp_path, ".epc.toml", settings)

    done = scan(tmp_path, *words)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_published_registry_answers_as_its_clone_does(tmp_path: Path) -> None:
    published = tmp_path / "registry.json"
    published.write_text(epc(ROOT, "admin", "snapshot", "export").stdout)
    folder = project("promptfoo", tmp_path)

    assert scan(folder, registry=published).stdout == scan(folder).stdout


def test_a_name_that_is_not_utf_8_is_printed(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text(EXPIRED)

    for form in ("text", "json", "github", "sarif"):
        done = scan(tmp_path, "--format", form)
        assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.own_process
def test_an_answer_loads_nothing_heavy(tmp_path: Path) -> None:
    wrote(tmp_path, "judge.py", EXPIRED)
    code = (
        "import sys; from epc.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print({'numpy', 'pandas', 'aiohttp', 'rich'} & set(sys.modules))"
    )
    arguments = ("-c", code, "scan", "--registry", str(ROOT))
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tmp_path,
        env=os.environ | {"SOURCE_DATE_EPOCH": TODAY},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "set()"
