"""`epc judge plan|run|check|report|import`."""

from pathlib import Path

import click

from epc.cli.common import echo_json, format_option
from epc.errors import ExitCode


@click.group()
def command() -> None:
    """Have models score outputs in strict JSON with evidence, and keep what is valid apart."""


@command.command()
@click.argument("response", type=click.Path(exists=True, path_type=Path))
@click.option("--sample", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--output", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@format_option
@click.pass_context
def check(
    ctx: click.Context, response: Path, sample: Path | None, output: Path | None, form: str
) -> None:
    r"""Check a judge's RESPONSE against its sample and the output that it judged.

    Lists every flag that applies and every finding, and our verdict beside the judge's. SAMPLE is
    a JSON object of question_id, prompt_variant, target_model, output_id, judge_model and method.
    Exits 0 if the reply is a valid evaluation and 1 if not.

    \b
    Example:
      epc judge check reply.json --sample sample.json --output answer.txt
    """
    from epc.records.judging.single import check_files

    if sample is None or output is None:
        raise click.UsageError("a reply is checked against --sample and --output: name both")
    checked = check_files(response, sample, output)
    if form == "json":
        echo_json(checked.as_json())
    else:
        click.echo(f"{response}: {', '.join(checked.flags) or 'valid'}")
        click.echo(f"verdict {checked.verdict}, the judge's {checked.judge_verdict}")
        for fault in checked.faults:
            click.echo(str(fault.finding))
    ctx.exit(ExitCode.CLEAN if checked.valid else ExitCode.FINDINGS)
