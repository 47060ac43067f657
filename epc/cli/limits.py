"""The options that bound one sitting, for every command that asks models."""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import wraps
from typing import Any, Final

import click

from epc.cli.options import Finite

_QUIET: Final = "epc.quiet"
_BOUNDS: Final = ("max_calls", "max_cost", "max_time_s", "timeout_s", "concurrency")


class _Dollars(click.ParamType[Decimal]):
    """An amount of US dollars."""

    name = "dollars"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Decimal:
        try:
            amount = Decimal(str(value).removeprefix("$"))
        except InvalidOperation:
            amount = Decimal(-1)
        if not amount.is_finite() or amount < 0:
            self.fail(f"{value!r} is no amount of dollars such as 2.50", param, ctx)
        return amount


_quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, _, wanted: ctx.meta.update({_QUIET: wanted}),
    help="Show no progress, only what it ends in.",
)


timeout_option = click.option(
    "--timeout",
    "timeout_s",
    type=Finite(0, min_open=True),
    metavar="S",
    help="Wait so long for a reply. Default: 120, for the first 60; a server of your own 600.",
)


def is_quiet() -> bool:
    """Whether the user wants no progress from the command under way."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_QUIET))


def limit_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that bound one sitting; the command gets them as `limits`."""

    @wraps(command)
    def with_limits(**given: Any) -> None:
        from epc.engine.budget import Limits

        bounds = {name: given.pop(name) for name in _BOUNDS}
        limits = Limits(**bounds, cache=not given.pop("no_cache"))
        command(limits=limits, **given)

    options = (
        click.option("--max-calls", type=click.IntRange(1), help="Stop before one call more."),
        click.option(
            "--max-cost", type=_Dollars(), metavar="USD", help="Stop before this could be exceeded."
        ),
        click.option(
            "--max-time",
            "max_time_s",
            type=Finite(0, min_open=True),
            metavar="S",
            help="Stop after so many seconds.",
        ),
        timeout_option,
        click.option(
            "--concurrency",
            type=click.IntRange(1),
            help="Calls under way at once, each model (128; self-hosted up to 512).",
        ),
        click.option(
            "--no-cache",
            is_flag=True,
            help="Neither take nor keep answers of pinned weights for other runs.",
        ),
        _quiet_option,
    )
    bounded: Callable[..., None] = with_limits
    for option in reversed(options):
        bounded = option(bounded)
    return bounded


canary_option = click.option(
    "--canary/--no-canary",
    default=True,
    help="Ask an evaluator without pinned weights 24 pairs twice before the run, once after it and "
    "at each `epc resume`, which shows a swapped model. Default: --canary.",
)
