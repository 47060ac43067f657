"""The options of `epc run` that say how each role decodes."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import click

from epc.cli.common import Finite

_NONE: Final = "none"
_SETTINGS: Final = ("temperature", "top_p", "max_tokens")


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


def decoding_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options; the command gets as `decoding` what was asked for, by role."""

    @wraps(command)
    def with_decoding(**given: Any) -> None:
        asked: dict[str, dict[str, Any]] = {}
        for role, prefix in (("evaluator", ""), ("executor", "executor_")):
            for setting in _SETTINGS:
                value = given.pop(f"{prefix}{setting}")
                if value is not None:
                    asked.setdefault(role, {})[setting] = None if value == _NONE else value
        command(decoding=asked, **given)

    with_options: Callable[..., None] = with_decoding
    for role, prefix in (("executor", "executor-"), ("evaluator", "")):
        for option in reversed(_options(role, prefix)):
            with_options = option(with_options)
    return with_options


def _options(role: str, prefix: str) -> list[Callable[..., Any]]:
    tag = "; any but 0 forbids reuse" if role == "executor" else "; any but 0 is an AltPrompt"
    return [
        click.option(
            f"--{prefix}temperature",
            type=_Temperature(),
            metavar="T|none",
            help=f"The {role}'s temperature. Default 0{tag}. `none` sends none.",
        ),
        click.option(
            f"--{prefix}top-p",
            type=Finite(0, 1, min_open=True),
            metavar="P",
            help=f"The {role}'s nucleus. Default: not sent.",
        ),
        click.option(
            f"--{prefix}max-tokens",
            type=click.IntRange(1, 100_000),
            metavar="N",
            help=f"The most tokens that the {role} may write. Default: "
            + ("10." if role == "evaluator" else "as the model needs for 300 characters."),
        ),
    ]
