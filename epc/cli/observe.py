"""`epc observe import|selection|transfer|export`."""

from pathlib import Path
from typing import Any

import click

from epc.cli.common import exit_with, now, print_findings, print_note, print_result
from epc.cli.groups import CommandGroup
from epc.cli.options import (
    FILE,
    NEW,
    NEW_FILE,
    THERE,
    Whole,
    format_option,
    origin_options,
    setting_option,
    table_options,
    with_default,
)
from epc.spec.epc_v1 import ROUNDS


@click.group(cls=CommandGroup, second_names={"check": "validate", "report": "audit"})
def command() -> None:
    """Verdicts that others recorded: convert them, and what a choice by their judges gains."""


@command.command(name="import")
@click.argument("source", type=THERE)
@click.option(
    "--shape",
    required=True,
    metavar="SHAPE",
    help="How SOURCE is laid out: csv, or a source's name; an unknown one lists all.",
)
@click.option("--out", required=True, type=NEW_FILE)
@table_options
@origin_options
@click.option("--texts", is_flag=True, help="Keep the candidates' texts: if the licence lets you.")
@format_option
def import_(
    source: Path,
    shape: str,
    out: Path,
    table: dict[str, Any],
    origin: dict[str, Any],
    texts: bool,
    form: str,
) -> None:
    r"""Convert recorded verdicts to a verdict file (.jsonl or .parquet).

    Texts become digests and lengths. What SOURCE does not state is `unknown`. With a finding,
    nothing is written and the exit code is 1. Of a table, --map says which column holds a field,
    --label what a label means (`--label =unreadable`: an empty one), and --set what no column says.

    \b
    Example:
      epc observe import LLMBar --shape llmbar --out llmbar.parquet
      epc observe import votes.csv --shape csv --map item=id --map verdict=winner \
        --label model_a=a --label model_b=b --set prompt=v1 --out votes.jsonl
    """
    from epc.records.findings import CheckResult
    from epc.records.verdicts.converting import Request
    from epc.records.verdicts.shapes import faults_of, write_converted
    from epc.records.verdicts.verdict_file import require_kind
    from epc.registry.history import commit_of

    require_kind(out)
    request = Request(
        **{"commit": commit_of(source)} | origin,
        texts=texts,
        **table,
    )
    done = write_converted(shape, source, request, out)
    for note in done.column_choice.notes:
        print_note(note)
    if done.header and not done.findings:
        print_note(f"written  {out}: {len(done.rows):,} verdicts\n  next: epc audit {out}")
        models = {setting.judge.model for setting in done.header.settings.values()}
        for fault in faults_of(shape, models):
            print_note(f"  known fault {fault.id}: {fault.says}")
    checked = CheckResult(path=str(source), findings=done.findings)
    print_findings(checked, form, verdicts=len(done.rows), written=checked.ok)
    exit_with(clean=checked.ok)


@command.command()
@click.argument("bank", type=FILE)
@setting_option
@click.option(
    "--askings",
    type=Whole(1),
    metavar="K",
    help="How often the agent asks about an answer. Default: once; by the bound half of them.",
)
@with_default(
    "--pick",
    click.Choice(["mean", "lower"]),
    "mean",
    "Rank answers by the mean of the askings, or by its lower 95% bound.",
)
@format_option
def selection(
    bank: Path, settings: tuple[str, ...], askings: int | None, pick: str, form: str
) -> None:
    r"""Say what picking the best of n answers by a judge gains, and how much of it is luck.

    BANK is a verdict file with lists of answers, or a CSV or Parquet file of scores, a row each:
    item, response, judge, score; and where known domain, gold, asking, group. Every subset of the
    answers and every combination of the askings is averaged. Gains are over an answer at random:
    believed by the askings that picked it, fresh by the others, and by gold.

    \b
    Example:
      epc observe selection composo.parquet --setting 'gpt-5.4-*/base'
      epc observe selection bank.csv --askings 4 --pick lower
      epc observe selection snapshots/bank.parquet
    """
    from epc.analysis.selection import banks_in, selections
    from epc.records.typed import as_json
    from epc.report.document import printed
    from epc.report.selection_text import document

    done = [*selections(banks_in(bank, settings), askings, lower=pick == "lower")]
    print_result(form, lambda: as_json(done), lambda: printed(document(done)))


@command.command()
@click.argument("bank", type=FILE)
@setting_option
@click.option(
    "--judge", metavar="NAME", help="Only what this judge teaches. Default: each of them."
)
@click.option("--domains", metavar="A,B", help="Default: the two with most items.")
@with_default("--rounds", Whole(1, 100_000), ROUNDS, "Rounds in a phase.")
@format_option
def transfer(
    bank: Path,
    settings: tuple[str, ...],
    judge: str | None,
    domains: str | None,
    rounds: int,
    form: str,
) -> None:
    r"""Say what an agent gains by gold that a judge trains, and what a detour costs it.

    Strategies are the other judges' picks: hand in what judge s scores highest. The judge that
    trains sees how many other answers it scores lower; gold says whether the pick is right. BANK is
    as for `epc observe selection`. Agents are trained on half of the items and valued by gold on
    the other half.

    \b
    Example:
      epc observe transfer composo.parquet --setting '*/base' --domains 'Math,Precise IF'
      epc observe transfer bank.csv --judge gpt-5.4-mini
    """
    from epc.analysis.selection import banks_in, pickers_quality
    from epc.records.typed import as_json
    from epc.report.document import printed
    from epc.report.quality_text import of_pickers

    names = domains.split(",") if domains else []
    done = [*pickers_quality(banks_in(bank, settings), judge, names, rounds=rounds)]
    print_result(form, lambda: as_json(done), lambda: printed(of_pickers(done)))


@command.command()
@click.argument("file", type=FILE)
@click.option(
    "--to", "form", required=True, type=click.Choice(["parquet", "jsonl", "every-eval-ever"])
)
@click.option("--out", required=True, type=NEW, metavar="PATH")
def export(file: Path, form: str, out: Path) -> None:
    r"""Write a verdict FILE in its other form, or its figures for Every Eval Ever.

    PATH is a file of that form, or for Every Eval Ever a folder: a document for each judge.

    \b
    Example:
      epc observe export llmbar.parquet --to jsonl --out llmbar.jsonl
      epc observe export llmbar.parquet --to every-eval-ever --out datastore
    """
    from epc.analysis.verdicts import measure
    from epc.records.findings import CheckResult
    from epc.records.strict_json import write as write_json
    from epc.records.verdicts.verdict_file import present, read, require_kind, stored, write
    from epc.report.every_eval_ever import documents

    if form != "every-eval-ever":
        require_kind(out, f".{form}")
    header, verdicts, findings = read(file)
    if findings or header is None or verdicts is None:
        print_findings(CheckResult(path=str(file), findings=findings), "text")
        exit_with(clean=False)
    if form != "every-eval-ever":
        write(out, header, stored(file), present(header, verdicts))
        print_note(f"written  {out}: {len(verdicts):,} verdicts")
        return
    for path, document in documents(measure(header, verdicts), now()):
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        write_json(out / path, document)
        print_note(f"written  {out / path}")
