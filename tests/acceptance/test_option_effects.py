"""Each option of a command that measures, judges or reads has an effect, or is misuse."""

import json
from pathlib import Path
from typing import Final

import click
import pytest
from loop_support import log_rows, run_files, written
from records_support import epc

from epc.cli.program import program

MOCKS: Final = "--evaluator mock/deterministic --executor mock/deterministic --seeds 0-1"
TABLE: Final = "recorded:votes.csv"
ITEMS: Final = "items.jsonl"
PLAN: Final = "judge plan run --judge openai/gpt-4o-2024-08-06 --out made"
LONE: Final = "lone.loop.jsonl"  # a log that has a plan and no checks
SCORED: Final = "scored.loop.jsonl"  # and of one whose scores no judge gave
CHECK: Final = f"loop check {LONE} --execute answer.py"
OWN: Final = f"loop check {SCORED} --execute answer.py"
WATCH: Final = "watch run --no-ask"
NONE_ASKED: Final = "none is named as PROVIDER/MODEL"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run, a planned evaluation, logs of an optimiser, a bank, an export, and tables."""
    home = tmp_path_factory.mktemp("effects")
    votes = [f"{s},{d},{t},{'AB'[t % 2]}" for s in "abc" for d in "xy" for t in range(3)]
    (home / "votes.csv").write_text("\n".join(["strategy,domain,task,verdict", *votes]), "utf-8")
    (home / "pairs.csv").write_text("item,question,a,b\n1,q,x,y\n", "utf-8")
    scores = [f"{i},{r},{j},{i * r}" for i in range(12) for r in range(3) for j in ("j", "k")]
    (home / "bank.csv").write_text("\n".join(["item,response,judge,score", *scores]), "utf-8")
    export = {"evalId": "eval-1", "results": {"version": 3, "results": []}}
    (home / "promptfoo.json").write_text(json.dumps(export), "utf-8")
    items = [json.dumps({"id": f"x{n}", "text": f"item {n}"}) for n in range(120)]
    (home / ITEMS).write_text("\n".join(items), "utf-8")
    (home / "full").mkdir()
    (home / "full" / "file").touch()
    run_files(home)
    written(home / LONE, log_rows())
    written(home / SCORED, [row | {"judge": ""} for row in log_rows()])
    for words in (
        f"run {MOCKS} --exhaustive --out run",
        "judge plan run --judge openai/gpt-4o-2024-08-06 --out judged",
        f"loop plan {LONE} --test {ITEMS}",
        f"loop plan {SCORED} --test {ITEMS}",
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(home)
            done = epc(*words.split())
        assert done.returncode == 0, done.stderr
    return home


REFUSED: Final = [
    # What is typed, the option that would do nothing, and a part of the line that says why.
    (f"run --evaluator {TABLE} --reuse none", "--reuse", "reading again gives the same"),
    (f"run --evaluator {TABLE} --recheck 2", "--recheck", "reading again gives the same"),
    (f"run {MOCKS} --dry-run --out full", "--out", "full is not empty"),
    *[
        (f"{words} --dry-run {option} 5", option, "--dry-run sends none")
        for words in (f"run {MOCKS}", "judge run judged", "judge competence judged",
                      "judge pairs pairs.csv --judge openai/gpt-4o --out v.jsonl",
                      CHECK, "watch run")
        for option in ("--max-time", "--timeout", "--concurrency")
    ],
    *[
        (f"{WATCH} {option} 5", option, "--no-ask asks nothing")
        for option in ("--pairs", "--max-calls", "--max-cost", "--max-time", "--timeout",
                       "--concurrency")
    ],
    (f"{WATCH} --dry-run", "--dry-run", "--no-ask asks nothing"),
    *[
        (f"{PLAN} --recorded {words}", words.split()[0], "--recorded asks none")
        for words in (f"--prompt {ITEMS}", f"--self-prompt {ITEMS}", "--constrain json", "--named",
                      "--retry-malformed 1", "--temperature 1", "--top-p 0.5", "--max-tokens 9",
                      "--reasoning low", "--body top_k=1")
    ],
    (f"{PLAN} --methods cross --self-prompt {ITEMS}", "--self-prompt", "leaves out"),
    (f"{PLAN} --methods self --self-prompt {ITEMS} --prompt {ITEMS}", "--prompt", "leaves out"),
    (f"judge check judged --sample {ITEMS}", "--sample", "a folder has its own"),
    (f"judge check judged --output {ITEMS}", "--output", "a folder has its own"),
    ("judge pairs pairs.csv --judge openai/gpt-4o --out v.jsonl --map item=a --map item=b",
     "--map", "names 'item' twice"),
    (f"{CHECK} --dry-run --again unreadable", "--again", "--dry-run counts none"),
    *[
        (f"{OWN} {words}", words.split()[0], NONE_ASKED)
        for words in ("--again unreadable", "--temperature 1", "--top-p 0.5", "--max-tokens 9",
                      "--reasoning low", "--body top_k=1", "--max-calls 5", "--max-cost 1",
                      "--max-time 5", "--timeout 5")
    ],
    (f"loop report {LONE} --html r.html", "--html", f"{LONE} has no checks"),
    ("loop demo --model --registry .", "--registry", "--model asks the embedded model"),
    *[
        (f"observe import promptfoo.json --shape promptfoo --out v.jsonl {words}",
         words.split()[0], "of which it says nothing")
        for words in ("--label a=b", "--ignore a", "--rows r", "--scale 1-5")
    ],
    ("observe selection bank.csv --setting j --setting nobody", "--setting", "nobody: no judge"),
    ("observe transfer bank.csv --setting nobody", "--setting", "nobody: no judge"),
    ("validate bank.csv --write", "--write", "bank.csv holds verdicts"),
    ("data --tables snapshots,figures --store elsewhere", "--store", "need none"),
    ("snapshot show v1.0-gpt-4 --reference", "--reference", "name a snapshot, or --reference"),
    ("compare run v1.0-gpt-4 --margin 0.2", "--margin", "a snapshot has its figures"),
    ("compare run --reference --margin 0.2", "--margin", "a snapshot has its figures"),
    ("compare run run run --margin 0.2", "--margin", "only what a wrapper changes is said"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "option", "says"), REFUSED, ids=[case[0] for case in REFUSED])
def test_an_option_that_would_do_nothing_is_misuse_with_what_to_do(
    words: str, option: str, says: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)

    done = epc(*words.split())

    text = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b""), text
    message = text.rpartition("Error: ")[2]  # usage stands above what click refuses
    assert option in message
    assert says in message
    assert len(message.splitlines()) <= 2


def test_a_dry_run_says_whether_a_limit_would_stop_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 2 strategies or more no run asks but 1 call, and none asks a million."""
    monkeypatch.chdir(folder)

    for calls, says in (("1", "--max-calls 1 stops it"), ("1000000", "is enough")):
        done = epc(*f"run {MOCKS} --dry-run --max-calls {calls}".split())
        assert done.returncode == 0
        assert says in done.stderr.decode()


# Options that act wherever they are given, by command; the rest is refused somewhere above, or
# where the tests of the command say so.
ACTING: Final = {
    "loop plan": "--test --gold --margin --judge --judge-b --format",
    "loop check": "--execute --dry-run --concurrency --format",
    "loop report": "--format",
    "loop gate": "--unplanned --format",
    "loop drift": "--format",
    "loop demo": "--out --model",
    "run": "--evaluator --executor --seeds --design --rounds --reuse-answers-of --exhaustive"
    " --control --controls --gold --accuracy --probe --dry-run --max-calls --max-cost"
    " --format --temperature --top-p --max-tokens --reasoning --body"
    " --executor-temperature --executor-top-p --executor-max-tokens --executor-reasoning"
    " --executor-body --help-all",
    "judge plan": "--judge --out --methods --mapping --recorded --allow-gaps --labels-for --format",
    "judge competence": "--judge --pairs --named --ablation --retest --dry-run --max-calls"
    " --max-cost --format",
    "judge run": "--dry-run --max-calls --max-cost --format",
    "judge import": "--format",
    "judge label": "",
    "judge check": "--format",
    "judge report": "--html --labels --accuracy --format",
    "judge export": "--out",
    "judge pairs": "--judge --out --order --askings --prompt --repository --commit --licence"
    " --dry-run --temperature --top-p --max-tokens --reasoning --body --max-calls --max-cost"
    " --format",
    "observe import": "--shape --out --map --set --repository --commit --licence --texts --format",
    "observe selection": "--askings --pick --format",
    "observe transfer": "--judge --domains --rounds --format",
    "observe export": "--to --out",
    "data": "--out --tables --at --as-of --registry --format",
    "watch": "--history --no-ask --format",
    "snapshot list": "--as-of --format --registry",
    "snapshot show": "--as-of --format --registry",
    "snapshot verify": "--format",
    "snapshot fetch": "--out --from --store",
    "snapshot recompute": "--source --format",
    "submission new": "--judge --slug --contributor --login --licence --endpoint --conflicts"
    " --generation --platform --weights --source --replicates",
    "submission check": "--base --changed --merge --author --summary --format",
}


@pytest.mark.parametrize("name", ACTING)
def test_no_option_of_the_commands_is_forgotten(name: str) -> None:
    command: click.Command | None = program
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    context = click.Context(command)
    parameters = [p for p in command.get_params(context) if isinstance(p, click.Option)]
    options = {max(parameter.opts, key=len) for parameter in parameters} - {"--help"}
    refused = {option for words, option, _ in REFUSED if words.startswith(f"{name} ")}
    acting = {*ACTING[name].split()}

    assert options <= refused | acting
    assert acting <= options
