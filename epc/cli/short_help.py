"""A command whose `--help` shows what people use, and whose `--help-all` shows every option."""

from typing import Any, Final

import click

ALL: Final = "epc.help.all"  # the context's mark that every option is wanted
_HELP: Final = {"--help", "--help-all"}


class ShortHelp(click.Command):
    """A command that shows the options named in `shown`, unless all are asked for."""

    def __init__(self, *args: Any, shown: tuple[str, ...], **kwargs: Any) -> None:
        """Take what click takes. `shown` has the names of options, as `max_calls`."""
        super().__init__(*args, **kwargs)
        self._shown = {*shown}
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
