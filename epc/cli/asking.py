"""The options of every command that asks models: how a role decodes, what bounds a session."""

from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from functools import wraps
from typing import Any, Final

import click

from epc.cli.options import Finite, Whole, refuse_options
from epc.json_text import parse
from epc.protocol.config import REASONING

BOUNDS: Final = ("max_calls", "max_cost", "max_time_s", "timeout_s", "concurrency")
_OF_CALLS: Final = ("max_time_s", "timeout_s", "concurrency")  # and of no forecast
SETTINGS: Final = ("temperature", "top_p", "max_tokens", "reasoning", "body")


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


timeout_option = click.option(
    "--timeout",
    "timeout_s",
    type=Finite(0, min_open=True),
    metavar="S",
    help="Wait so long for a reply. Default: 120, for the first 60; a server of your own 600.",
)


dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Say what would be asked and cost; send nothing."
)


def bound_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that bound one session; the command gets them as `limits`."""

    @wraps(command)
    def with_limits(**options: Any) -> None:
        from epc.engine.budget import Limits

        if {"dry_run": True}.items() <= options.items():
            refuse_options(_OF_CALLS, "is of calls under way, and --dry-run sends none")
        bounds = {name: options.pop(name) for name in BOUNDS}
        command(limits=Limits(**bounds), **options)

    options = (
        click.option("--max-calls", type=Whole(1), help="Stop before one call more."),
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
            type=Whole(1),
            help="Calls under way at once, each model (128; self-hosted up to 512).",
        ),
    )
    bounded: Callable[..., None] = with_limits
    for option in reversed(options):
        bounded = option(bounded)
    return bounded


_NONE: Final = "none"
_MOST_BODY: Final = 20_000  # characters of a value
# Of each role: what a temperature means, the most tokens, and what reasoning means.
_MEANT: Final = {
    "evaluator": ("; any but 0 is an AltPrompt", "10", " Any but none is an AltPrompt."),
    "executor": ("; any but 0 forbids reuse", "as the model needs for 300 characters", ""),
    "judge": ("", "1200", ""),
}
Command = Callable[..., None]


class _Temperature(click.ParamType[float | str]):
    """A temperature, or `none` for a model that takes none."""

    name = "temperature"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        if value == _NONE:
            return _NONE
        try:
            number = float(str(value))
        except ValueError:
            number = -1.0
        if not 0 <= number <= 2:  # noqa: PLR2004  (no provider takes more)
            self.fail(f"{value!r} is no temperature from 0 to 2, nor {_NONE!r}", param, ctx)
        return number


class _BodyKey(click.ParamType[tuple[str, Any]]):
    """A key of a request's body and its value, such as `top_k=1`."""

    name = "body"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Any]:
        key, equals, text = str(value).partition("=")
        if not equals or not key.isidentifier():
            self.fail("expected KEY=JSON, such as top_k=1", param, ctx)
        parsed, problems = parse(text)
        if problems or len(text) > _MOST_BODY:
            self.fail(f"the value of {key} is no JSON that a record can hold", param, ctx)
        return key, parsed


def _joined(
    ctx: click.Context, param: click.Parameter, pairs: tuple[tuple[str, Any], ...]
) -> dict[str, Any] | None:
    body = dict(pairs)
    if len(body) < len(pairs):
        raise click.BadParameter("a key appears twice", ctx, param)
    return body or None


def _adding(
    roles: Mapping[str, str], most_tokens: str | None = None
) -> Callable[[Command], Command]:
    """Return what adds the options of roles; `roles` says with what their options begin.

    `most_tokens` is what they may write unless told otherwise, where it is not the usual.
    The command gets as `decoding` what was asked for: by role, or of the only role.
    """

    def add(command: Command) -> Command:
        @wraps(command)
        def with_decoding(**options: Any) -> None:
            decodings: dict[str, dict[str, Any]] = {}
            for role, prefix in roles.items():
                for setting in SETTINGS:
                    value = options.pop(f"{prefix}{setting}".replace("-", "_"))
                    if value is not None:
                        sent = None if (setting, value) == ("temperature", _NONE) else value
                        decodings.setdefault(role, {})[setting] = sent
            only_role = next(iter(roles)) if len(roles) == 1 else None
            asked_for = decodings if only_role is None else decodings.get(only_role, {})
            command(decoding=asked_for, **options)

        with_options: Command = with_decoding
        for role, prefix in reversed([*roles.items()]):
            for option in reversed(_options(role, prefix, most_tokens)):
                with_options = option(with_options)
        return with_options

    return add


def _options(role: str, prefix: str, most_tokens: str | None) -> list[Callable[..., Any]]:
    at_0, usual_tokens, reasons = _MEANT[role]
    tokens = most_tokens or usual_tokens
    return [
        click.option(
            f"--{prefix}temperature",
            type=_Temperature(),
            metavar="T|none",
            help=f"The {role}'s temperature. Default 0{at_0}. `none` sends none.",
        ),
        click.option(
            f"--{prefix}top-p",
            type=Finite(0, 1, min_open=True),
            metavar="P",
            help=f"The {role}'s nucleus. Default: not sent.",
        ),
        click.option(
            f"--{prefix}max-tokens",
            type=Whole(1, 100_000),
            metavar="N",
            help=f"The most tokens that the {role} may write. Default: {tokens}.",
        ),
        click.option(
            f"--{prefix}reasoning",
            type=click.Choice(REASONING),
            help=f"How much the {role} reasons before it answers. Default: not sent.{reasons}",
        ),
        click.option(
            f"--{prefix}body",
            type=_BodyKey(),
            multiple=True,
            callback=_joined,
            metavar="KEY=JSON",
            help=f"What else the {role}'s requests hold. May be given again. The record has it.",
        ),
    ]


decoding_options: Final = _adding({"evaluator": "", "executor": "executor-"})
evaluator_options: Final = _adding({"evaluator": ""})
judge_options: Final = _adding({"judge": ""})
pair_judge_options: Final = _adding({"judge": ""}, most_tokens="10")
