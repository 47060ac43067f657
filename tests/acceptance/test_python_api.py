"""`import epc`: the program from Python and in notebooks, doing what the command line does."""

import asyncio
import doctest
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from datetime import date
from html import unescape
from pathlib import Path

import pytest
from budget_support import by_night
from engine_support import FIXED_CLOCK, RAW_FILES, environment, same_files
from engine_support import epc as program
from notebook_support import PICTURE, as_page, executed

import epc
from epc.api.measuring import done
from epc.api.published import JudgeChoice
from epc.errors import StoppedError, UsageError

ROOT = Path(__file__).parents[2]
MODELS = ("mock/coin-flip", "mock/deterministic")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> epc.Run:
    """Return a run of 3 seeds and 5 rounds, measured while an event loop ran."""
    folder = tmp_path_factory.mktemp("api") / "run"

    async def notebook() -> epc.Run:
        return epc.run(*MODELS, seeds=[2, 0, 1], rounds=5, out=folder)

    with pytest.MonkeyPatch.context() as patch:
        for name, value in FIXED_CLOCK.items():
            patch.setenv(name, value)
        return asyncio.run(notebook())


def test_import_loads_nothing_of_the_program() -> None:
    code = (
        "import sys, epc\n"
        "loaded = [name for name in sys.modules if name.startswith('epc.')]\n"
        "print(loaded, 'numpy' in sys.modules, 'run' in dir(epc), hasattr(epc, 'nonsense'))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )

    assert done.stdout == "['epc.version'] False True False\n"


def test_lists_of_models_make_a_campaign_within_an_event_loop(tmp_path: Path) -> None:
    async def notebook() -> epc.Campaign:
        return epc.run(
            ["mock/coin-flip", "mock/deterministic"],
            ["mock/deterministic"],
            seeds=range(3),
            rounds=5,
            out=tmp_path / "judges",
        )

    answer = asyncio.run(notebook())

    assert repr(answer) == "<epc.Campaign judges, 2 runs>"
    assert list(answer.runs) == ["coin-flip_on_deterministic", "deterministic_on_deterministic"]
    assert answer.comparison[["evaluator", "direction", "seeds"]].to_numpy().tolist() == [
        [evaluator, direction, 3]
        for evaluator in ("mock/coin-flip", "mock/deterministic")
        for direction in ("text_to_visual", "visual_to_text")
    ]
    assert answer.agreement[["left", "right"]].to_numpy().tolist() == [
        ["mock/coin-flip", "mock/deterministic"]
    ]
    assert program("show", tmp_path / "judges").stdout == f"{answer}\n"
    single = answer.runs["deterministic_on_deterministic"]
    assert single.trials.shape[0] == 3 * 4 * 5


def test_resume_finishes_what_a_limit_stopped_run_or_campaign(tmp_path: Path) -> None:
    models = ["mock/coin-flip", "mock/deterministic"]
    for evaluator, out in ((models[0], "run"), (models, "judges")):
        with pytest.raises(StoppedError, match="stopped at --max-calls 20"):
            epc.run(
                evaluator,
                "mock/deterministic",
                seeds=[0],
                rounds=5,
                max_calls=20,
                out=tmp_path / out,
            )

    run, campaign = epc.resume(tmp_path / "run"), epc.resume(tmp_path / "judges")

    assert isinstance(run, epc.Run)
    assert isinstance(campaign, epc.Campaign)
    assert (run.manifest.config.seeds, len(campaign.runs)) == ((0,), 2)
    assert repr(epc.resume(tmp_path / "judges")) == repr(campaign)  # complete already


def test_a_run_within_an_event_loop_writes_what_the_command_writes(
    measured: epc.Run, tmp_path: Path
) -> None:
    models = ("--evaluator", MODELS[0], "--executor", MODELS[1])
    arguments = (*models, "--seeds", "0-2", "--rounds", "5", "--out", tmp_path / "run")

    result = program("run", *arguments, env=environment())

    same_files(tmp_path / "run", measured.path, (*RAW_FILES, "manifest.json", "run.json"))
    assert result.stdout == f"{measured}\n"


def test_an_interrupt_within_a_notebook_stops_the_work_in_order() -> None:
    stopped: list[str] = []

    async def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.append("in order")
            raise

    async def notebook() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # as a notebook's kernel has it
        done(work())

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(notebook())
    assert stopped == ["in order"]


def test_tables_have_the_documented_columns_and_a_row_for_each(measured: epc.Run) -> None:
    trials, weights, verdicts = measured.trials, measured.weights, measured.verdicts

    assert list(trials)[:8] == [
        *("seed", "phase", "round", "domain", "strategy", "task", "question", "verdict"),
    ]
    assert len(trials) == 3 * 4 * 5
    assert set(trials.seed) == {0, 1, 2}
    assert set(trials[trials.phase == "text_to_visual"].domain) == {"visual"}
    assert trials.question[0] == measured.manifest.tasks["text"][trials.task[0]]
    assert list(weights) == ["seed", "phase", "strategy", "weight"]
    assert len(weights) == 3 * 4 * 11
    assert weights.groupby(["seed", "phase"]).weight.sum().round(12).eq(1).all()
    assert list(verdicts) == [
        *("domain", "strategy", "task", "question", "group", "won", "lost", "tied"),
    ]
    assert len(verdicts) == 2 * 11 * 8
    # A coin flip is asked afresh every round, and never ties.
    assert verdicts[["won", "lost", "tied"]].sum().tolist() == [
        *((trials.verdict == word).sum() for word in ("A", "B")),
        0,
    ]


def test_metrics_are_the_records_own_and_the_audits(measured: epc.Run) -> None:
    metrics = measured.metrics.set_index("figure")
    summary, audit = measured.manifest.results.summary, measured.audit()
    gamma = summary.gamma["text_to_visual"]

    assert metrics.loc["gamma/text_to_visual", "mean"] == gamma.mean
    ends = [metrics[end]["gamma/text_to_visual"] for end in ("ci95_low", "ci95_high")]
    assert ends == [*(gamma.ci95 or ())]
    assert audit.facts.transfer is not None
    assert audit.facts.transfer.directions is not None
    into = audit.facts.transfer.directions["visual_to_text"]
    assert metrics.loc["transfer/regret/visual_to_text", "mean"] == into.regret
    assert (
        audit.verdict
        == json.loads(program("audit", measured.path, "--format", "json").stdout)["verdict"]
    )


def test_a_picture_shows_itself_in_a_notebook_and_is_the_commands(
    measured: epc.Run, tmp_path: Path
) -> None:
    picture = measured.figure()

    assert picture._repr_svg_().startswith("<svg")
    assert picture.save(tmp_path) == [tmp_path / "figure.svg", tmp_path / "figure.png"]
    folder = tmp_path / "copy"
    shutil.copytree(measured.path, folder)
    program("show", folder)
    assert (folder / "figure.svg").read_bytes() == (tmp_path / "figure.svg").read_bytes()


def test_a_run_opens_by_its_path_and_a_snapshot_by_its_tag(
    measured: epc.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)

    repeated_run = epc.load(str(measured.path))
    alone = epc.load(measured.path / "manifest.json")
    published = epc.load("v1.0-Scripted-Opposed")

    assert repeated_run.trials.equals(measured.trials)
    assert alone.weights.equals(measured.weights)
    assert repr(published) == "<epc.Run EPC-v1.0, mock/scripted, 30 seeds>"
    assert published.audit().verdict == "coupled"
    assert len(published.trials) == 30 * 8 * 30  # with the phases of its measured control
    for name, problem in (
        ("v1.0-GPT4o-0806", "there are no raw files in the store"),
        ("v1.0-DigestJudge", "is no measurement"),
        ("runs/nowhere", "is no file or folder, no snapshot's tag, and no table"),
    ):
        with pytest.raises(UsageError, match=problem):
            epc.load(name)


def test_published_tables_are_those_of_the_commands_and_the_site(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)

    snapshots, figures = epc.snapshots(), epc.figures()

    listed = json.loads(program("snapshot", "list", "--format", "json", cwd=ROOT).stdout)
    assert snapshots.tag.tolist() == [row["tag"] for row in listed]
    assert snapshots.n.tolist() == [row["n"] for row in listed]
    assert snapshots.audit.dropna().tolist() == [r["audit"] for r in listed if r["audit"]]
    assert snapshots.calibration.dtype == bool
    assert list(snapshots) == list(figures)[: len(snapshots.columns)]
    assert set(figures.tag) == set(snapshots.tag)


def test_a_design_is_read_changed_and_measured(tmp_path: Path) -> None:
    design = epc.Design.load("reference-64")

    run = epc.run(
        "mock/deterministic",
        MODELS[1],
        design=design,
        seeds=[0],
        exhaustive=True,
        out=tmp_path / "run",
    )

    assert len(run.verdicts) == 2 * 11 * 64
    with pytest.raises(UsageError, match="the design has 30 rounds"):
        epc.run(*MODELS, design="reference-64", rounds=5, out=tmp_path / "other")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder where this registry is published, and nothing else is."""
    for name in ("snapshots", "params.yaml"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("checkout")
def test_the_page_says_what_its_examples_print() -> None:
    page = (ROOT / "site" / "docs" / "python.md").read_text("utf-8")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    texts: list[str] = []

    test = doctest.DocTestParser().get_doctest(examples, {}, "python.md", None, 0)
    found = doctest.DocTestRunner(verbose=False).run(test, out=texts.append)

    assert found.attempted > 12
    assert not texts, "".join(texts)


@pytest.mark.usefixtures("checkout")
@pytest.mark.filterwarnings("default:.*recorded verdicts are not here")
@pytest.mark.parametrize("name", ["analysis", *by_night(["verdicts"])])
def test_a_notebook_shows_what_its_cells_give(name: str) -> None:
    notebook = json.loads((ROOT / f"site/docs/assets/{name}.ipynb").read_text("utf-8"))

    assert executed(notebook) == notebook, "make docs-output, and read what changed"


def test_the_page_of_the_notebook_is_made_of_its_cells() -> None:
    docs = ROOT / "site" / "docs"
    notebook = json.loads((docs / "assets" / "analysis.ipynb").read_text("utf-8"))

    page = tuple((docs / name).read_text("utf-8") for name in ("notebook.md", PICTURE))
    assert page == as_page(notebook)


def test_a_picture_of_all_verdicts_takes_less_than_ten_lines() -> None:
    notebook = json.loads((ROOT / "site/docs/assets/verdicts.ipynb").read_text("utf-8"))
    (code,) = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")

    assert len(code["source"]) < 10
    drawn = "".join(code["outputs"][0]["data"]["image/svg+xml"])
    assert all(f">{name}<" in drawn for name in ("unknown/gpt-4", "unknown/pandalm-7b", "tie"))


def test_judges_are_the_list_of_the_command() -> None:
    listed = json.loads(
        program("evaluators", "list", "--as-of", "2026-11-26", "--format", "json").stdout
    )

    table = epc.judges(as_of=date(2026, 11, 26))

    fields = ("generation", "maker", "platform", "id", "status", "until", "listed")
    assert len(table) > 1_000
    assert [tuple(map(str, row)) for row in table[[*fields]].itertuples(index=False)] == [
        tuple(str(each[field]) for field in fields) for each in listed
    ]
    printed = program("evaluators", "list", "--as-of", "2026-11-26").stdout.splitlines()
    figures = table["figure"].tolist()
    assert all(line.endswith(text) for line, text in zip(printed, figures, strict=True))
    haiku = table[table["id"] == "claude-haiku-4-5-20251001"]["figure"].tolist()
    # ANSWERS' case 31, worked out by hand: asked 8 times, in April 2026 at the latest.
    assert haiku[0].startswith("right 84.1")
    assert haiku[0].endswith("by April 2026")


def test_a_scan_is_that_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("judge: openai/gpt-4-0613\nother: gpt-5.4-mini\n")
    arguments = ("--fail-on", "expired", "--fail-on", "unknown", "--as-of", "2026-11-26")

    printed = json.loads(program("scan", tmp_path, *arguments, "--format", "json").stdout)

    day = date(2026, 11, 26)
    scan_result = epc.scan(tmp_path, fail_on=("expired", "unknown"), as_of=day)
    assert json.loads(json.dumps(scan_result.as_json(), default=str)) == printed
    assert [scan_entry.name for scan_entry in scan_result.failing] == ["openai/gpt-4-0613"]
    text = program("scan", tmp_path, *arguments).stdout
    assert text.endswith(f"{scan_result}\n")
    shown_text = scan_result._repr_html_()
    assert shown_text.startswith(f"<p>{text.splitlines()[-1]}.</p>")
    assert shown_text.count("<tr>") == 1 + len(printed["names"])


def test_the_answer_to_which_judge_is_that_of_the_command_and_a_notebook_shows_it() -> None:
    arguments = ("which", "--domain", "math", "--budget", "20", "--as-of", "2026-11-26")

    judge_choice = epc.which("math", budget=20, as_of=date(2026, 11, 26))
    assert isinstance(judge_choice, JudgeChoice)

    text = program(*arguments).stdout
    assert text == f"{judge_choice}\n"
    assert judge_choice.as_json() == json.loads(program(*arguments, "--format", "json").stdout)
    shown_text = judge_choice._repr_html_()
    assert text.splitlines()[0] in unescape(shown_text.partition("</p>")[0])
    assert shown_text.count("<tr>") == 1 + len(judge_choice.short.options)


def test_what_a_scan_shows_in_a_notebook_never_becomes_markup(tmp_path: Path) -> None:
    (tmp_path / "<img src=x>.yaml").write_text("judge: openai/gpt-4-0613\n")

    text = epc.scan(tmp_path, as_of=date(2026, 11, 26))._repr_html_()

    assert "&lt;img src=x&gt;.yaml" in text
    assert "<img" not in text


def test_expiry_is_that_of_the_command() -> None:
    day = date(2026, 11, 26)
    arguments = ("gpt-4o-mini", "nobody", "--as-of", str(day), "--format", "json")

    states = epc.expiry("gpt-4o-mini", "nobody", as_of=day)

    assert [state.as_json() for state in states] == json.loads(program("expiry", *arguments).stdout)
    assert states[0].until == date(2027, 1, 14)
    assert states[-1].status == "unknown"
