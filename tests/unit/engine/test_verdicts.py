"""Verdicts that exist already: `recorded:FILE` (Reading R13, AltEvaluator)."""

import asyncio
import hashlib
import json
from pathlib import Path

import pytest

from epc.engine.model import Prompt
from epc.engine.verdicts import RecordedVerdicts, read_table
from epc.errors import MalformedError, UsageError, WorldError
from epc.protocol.prompt import Pair
from epc.spec.domains import Domain
from epc.spec.reference import STRATEGIES, TASKS

HEADER = "strategy,domain,task,verdict\n"
GROUPED = """strategy,domain,task,verdict,group
bold,text,t1,A,cats
bold,text,t0,A,cats
bold,visual,v1,tie,cats
"""
SMALL = HEADER + "bold,text,t1,A\nshy,text,t1,B\nbold,visual,v1,tie\n"


def table(folder: Path, content: str | bytes) -> Path:
    path = folder / "verdicts.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def looked_up(model: RecordedVerdicts, strategy: str, domain: Domain, task: str) -> str:
    pair = Pair(domain=domain, task=task, strategy=strategy, response=None, baseline=None)
    completion = model.complete(Prompt(text="{}", pair=pair), model.default_decoding("evaluator"))
    return asyncio.run(completion).text


def test_reading_r72_verdicts_are_looked_up_and_a_missing_pair_has_none(tmp_path: Path) -> None:
    model = RecordedVerdicts(table(tmp_path, SMALL))

    assert looked_up(model, "bold", "text", "t1") == "A"
    assert looked_up(model, "shy", "text", "t1") == "B"
    assert looked_up(model, "bold", "visual", "v1") == "tie"
    assert not model.holds("shy", "visual", "v1")
    assert not model.holds("bold", "visual", "t1")  # a text task
    with pytest.raises(UsageError, match="holds no verdict about shy / visual / v1"):
        looked_up(model, "shy", "visual", "v1")


def test_reading_r73_strategies_and_tasks_are_the_file_s_in_an_order_of_their_own(
    tmp_path: Path,
) -> None:
    content = HEADER + "b,visual,v2,A\na,text,t1,B\nb,text,t0,A\na,visual,v1,A\nb,visual,v1,B\n"

    read = read_table(table(tmp_path, content))

    assert [strategy.name for strategy in read.strategies] == ["a", "b"]
    assert all((s.domain, s.prompt) == (None, "") for s in read.strategies)
    assert read.tasks == {"text": ("t0", "t1"), "visual": ("v1", "v2")}
    assert len(read.verdicts) == 5
    assert read.missing == 3


def test_epc_a_1_reference_names_stand_for_reference_prompts(tmp_path: Path) -> None:
    content = HEADER + "synthesis,text,t,A\nmine,visual,v,B\nstep_by_step,text,t,tie\n"

    strategies = read_table(table(tmp_path, content)).strategies

    by_name = {strategy.name: strategy for strategy in STRATEGIES}
    assert [strategy.name for strategy in strategies] == ["mine", "step_by_step", "synthesis"]
    assert strategies[0].prompt == ""
    assert strategies[1] == by_name["step_by_step"]
    assert strategies[2] == by_name["synthesis"]


def test_epc_a_1_the_whole_reference_set_keeps_its_order(tmp_path: Path) -> None:
    rows = [
        f'{s.name},{domain},"{task}",A\n'
        for s in reversed(STRATEGIES)
        for domain in ("visual", "text")
        for task in reversed(TASKS[domain])
    ]

    read = read_table(table(tmp_path, HEADER + "".join(rows)))

    assert read.strategies == STRATEGIES
    assert read.tasks == TASKS


def test_fields_may_be_quoted_with_commas_quotes_and_line_ends(tmp_path: Path) -> None:
    content = HEADER + '"a ""b"", c",text,"two\nlines, one task",A\nd,visual,v,B\n'

    model = RecordedVerdicts(table(tmp_path, content))

    assert looked_up(model, 'a "b", c', "text", "two\nlines, one task") == "A"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_blank_lines_and_a_byte_order_mark_are_no_content(
    tmp_path: Path, end: str
) -> None:
    written = "\ufeff" + SMALL.replace("\n", end) + end

    read = read_table(table(tmp_path, written))

    assert read.verdicts == read_table(table(tmp_path, SMALL)).verdicts


def test_epc_2_2_the_file_s_digest_and_size_are_its_identity(tmp_path: Path) -> None:
    path = table(tmp_path, SMALL)

    identity = RecordedVerdicts(path).identity

    assert identity.model == "recorded:verdicts.csv"
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    assert identity.details == {"sha256": sha256, "pairs": 3, "missing": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "verdicts.csv:1: no column is certain to hold what a judge said"),
        (b"strategy,domain\xff", "verdicts.csv:1: no CSV: the line is not UTF-8"),
        (SMALL.encode("utf-16-le"), "verdicts.csv:1: no CSV: the line holds a NUL"),
        ("a,b\n", "verdicts.csv: expected verdicts in 2 to 16 domains, and found are: none"),
        ("strategy,task,verdict\ns,t,A\n", "verdicts.csv:2: no domain: a row needs strategy, dom"),
        ('"strategy\n', "verdicts.csv:1: no CSV: unexpected end of data"),
        (HEADER, "verdicts.csv: expected verdicts in 2 to 16 domains, and found are: none"),
        (HEADER + "s,text,t,A\n", "expected verdicts in 2 to 16 domains, and found are: text"),
        (
            SMALL + "x,text,t1,C\n",
            "verdicts.csv:1: no column is certain to hold what a judge said: verdict may",
        ),
        (
            SMALL + "x,text,t1,\n",
            "verdicts.csv:5: has no verdict",
        ),
        (SMALL + "x,Audio,t1,A\n", "verdicts.csv:5: domain 'Audio', expected 1 to 32 of a-z"),
        (HEADER.replace("task", "domain"), "verdicts.csv:1: the column 'domain' appears twice"),
        (SMALL + "x,text,t1\n", "verdicts.csv:5: has 3 cells, and the header 4 columns"),
        (SMALL + "x,text,t1,A,note\n", "verdicts.csv:5: has 5 cells, and the header 4 columns"),
        (SMALL + ",text,t1,A\n", "verdicts.csv:5: no strategy: a row needs strategy, domain, task"),
        (SMALL + "x,text,,A\n", "verdicts.csv:5: no task: a row needs strategy, domain, task"),
        (
            SMALL + "\nbold,text,t1,B\n",
            "verdicts.csv:6: bold / text / t1 has the verdict 'B', and the verdict 'A' in line 2",
        ),
        (
            GROUPED + "shy,text,t1,B,pets\n",
            "verdicts.csv:5: text / t1 has the group 'pets', and the group 'cats' in line 2",
        ),
        (
            GROUPED + "bold,text,t1,A,pets\n",
            "verdicts.csv:5: text / t1 has the group 'pets', and the group 'cats' in line 2",
        ),
        (
            GROUPED + "shy,text,t1,B,\n",
            "verdicts.csv:5: no group, and the file has a column of groups",
        ),
        (
            GROUPED + "shy,text,t1,B\n",
            "verdicts.csv:5: has 4 cells, and the header 5 columns",
        ),
        (SMALL + 'x,text,"t1,A\n', "verdicts.csv:5: no CSV: unexpected end of data"),
        (SMALL + 'x,text,"t1"2,A\n', "verdicts.csv:5: no CSV: "),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_with_its_line(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    with pytest.raises((UsageError, MalformedError)) as refused:
        read_table(table(tmp_path, content))

    assert message in str(refused.value)


def test_recorded_verdicts_are_read_as_an_audit_reads_a_table(tmp_path: Path) -> None:
    """Other columns, other names and spellings of a label, other formats: one reader for both."""
    plain = read_table(table(tmp_path, SMALL)).verdicts
    noted = SMALL.replace("\n", ",note\n").replace(",A,", ",a,")
    rows = [
        dict(zip(("author", *HEADER.strip().split(",")[1:]), line.split(","), strict=True))
        for line in SMALL.split()[1:]
    ]
    lines = tmp_path / "verdicts.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)), "utf-8")

    assert read_table(table(tmp_path, noted)).verdicts == plain
    assert read_table(lines).verdicts == plain


def test_a_missing_file_is_the_disk_s_fault(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="cannot read"):
        read_table(tmp_path / "nowhere.csv")


def test_recorded_verdicts_write_no_answers(tmp_path: Path) -> None:
    model = RecordedVerdicts(table(tmp_path, SMALL))

    with pytest.raises(UsageError, match="they need no executor"):
        model.default_decoding("executor")
    with pytest.raises(UsageError, match="they write no answers"):
        asyncio.run(model.complete(Prompt(text="write"), model.default_decoding("evaluator")))
