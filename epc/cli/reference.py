"""The page about every command, from the commands themselves."""

from collections.abc import Iterator

import click

from epc.cli.groups import ALL


def page() -> str:
    """Return every command with its help, as one page of Markdown."""
    from epc.cli.program import program

    head = (
        "---\ntitle: Every command\ndescription: Every command of epc, as its own help says it.\n"
        "generated: true\n---\n# Every command\n\nMade from the program itself. What the "
        "commands are for, their exit codes and the environment: [the command line](cli.md).\n"
    )
    context = click.Context(program, info_name="epc", **program.context_settings)
    return head + "".join(_sections(program, context))


def _sections(command: click.Command, context: click.Context) -> Iterator[str]:
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _sections(inner, click.Context(inner, parent=context, info_name=name))
        return
    context.terminal_width = 78
    context.meta[ALL] = True
    yield f"\n## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
