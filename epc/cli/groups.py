"""Groups of commands: loaded when called, in sections, and knowing where a command has gone."""

import importlib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

import click

from epc.cli.departures import departure_of
from epc.errors import UsageError
from epc.extras import require


class CommandGroup(click.Group):
    """Group whose departed commands end in an error that says what to do instead."""

    def __init__(
        self, *args: Any, second_names: Mapping[str, str] | None = None, **kwargs: Any
    ) -> None:
        """Take what click takes.

        `second_names` has the module below `epc.cli` of a command that a name stands for, which is
        listed under its first name alone.
        """
        super().__init__(*args, **kwargs)
        self._second_names = second_names or {}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, or None."""
        if module := self._second_names.get(cmd_name):
            return command_of(f"epc.cli.{module}")
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the words name.

        Raises: click.UsageError if there is none; UsageError if it left.
        """
        if message := departure_of(f"{ctx.command_path} {args[0]}"):
            raise UsageError(message)
        return super().resolve_command(ctx, args)


class LazyGroup(CommandGroup):
    """Group that imports a command's module only when the command is called."""

    def __init__(
        self,
        *args: Any,
        package: str,
        sections: Mapping[str, Mapping[str, str]],
        unlisted: tuple[str, ...] = (),
        needs: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        """Take what click takes.

        `sections` has each command's line of help by the heading that it stands below; its module
        is below `package`. `unlisted` commands work and stand below none. `needs` names the extra
        that a command cannot begin without.
        """
        super().__init__(*args, **kwargs)
        self._package, self._sections, self._needs = package, sections, needs or {}
        self._names = [name for section in sections.values() for name in section] + [*unlisted]

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click hands it over)
        """Return every command's name."""
        return self._names

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  (click hands it over)
        """Return a command from its module, or None."""
        if cmd_name not in self._names:
            return None
        return command_of(f"{self._package}.{cmd_name}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click hands it over)
        """Write the sections of the help."""
        for heading, commands in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl(list(commands.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the words name.

        Raises: click.UsageError if there is none; MissingExtraError if it cannot begin.
        """
        name = args[0]
        asks_help = {*ctx.help_option_names} & {*args} or ctx.resilient_parsing
        if name in self._needs and not asks_help:
            require(self._needs[name])
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:
            close = get_close_matches(name, self._names, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"See `{ctx.command_path} --help`."
            raise click.UsageError(f"There is no command {name!r}. {hint}", ctx) from error


def command_of(module: str) -> click.Command:
    """Return the command of a module."""
    return with_blocks(importlib.import_module(module).command)


def with_blocks(command: click.Command) -> click.Command:
    """Let help texts keep the lines of a block, and a group's list the whole first sentences.

    Click marks such a block by a backspace character; our raw docstrings spell it as two.
    """
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            with_blocks(inner)
            inner.short_help = inner.get_short_help_str(_WHOLE)
    return command


_WHOLE: Final = 10_000  # characters, so that no sentence is cut
ALL: Final = "epc.help.all"  # the context's mark that every option is wanted
_HELP: Final = {"--help", "--help-all"}


class ShortHelp(click.Command):
    """A command that shows the options named in `option_names`, unless all are asked for."""

    def __init__(self, *args: Any, option_names: tuple[str, ...], **kwargs: Any) -> None:
        """Take what click takes. `option_names` has the names of options, as `max_calls`."""
        super().__init__(*args, **kwargs)
        self._shown = {*option_names}
        self.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
                help="Show every option and exit.",
            )
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        wanted = [
            param
            for param in self.get_params(ctx)
            if ctx.meta.get(ALL) or param.name in self._shown or _HELP & {*param.opts}
        ]
        records = filter(None, (param.get_help_record(ctx) for param in wanted))
        with formatter.section("Options"):
            formatter.write_dl([*records])


def _show_all(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
