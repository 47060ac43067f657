"""`epc admin site`: the published site."""

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import click

from epc.cli.common import checkout_here, print_note, print_result
from epc.cli.groups import ALL
from epc.cli.options import NEW, Whole, as_of_option, format_option, with_default
from epc.errors import UsageError, able_to
from epc.extras import require


@click.group()
def command() -> None:
    """The published site: pages for people, files for programs."""


@command.command()
@with_default(
    "--out", NEW, Path("public"), "The folder to build. What an earlier build left there goes."
)
@click.option(
    "--base-url",
    metavar="URL",
    help="Where the site will be published; the sitemap, feeds, 404.html and commands need it.",
)
@as_of_option
@format_option
def build(out: Path, base_url: str | None, as_of: datetime, form: str) -> None:
    r"""Build the site of this checkout.

    The same registry, day and address give the same bytes. States are those of the day. A browser
    computes them again from the dates, so an old build does not mislead.

    Pages link to the repository that GITHUB_SERVER_URL and GITHUB_REPOSITORY name, else git's
    remote `origin`, else `repository` in params.yaml.

    \b
    Example:
      epc admin site build
      epc admin site build --base-url https://OWNER.github.io/NAME/
    """
    require("site")
    from epc.registry.repository import repository
    from epc.site.building import build as build_site

    checkout = checkout_here()
    built = build_site(
        checkout,
        out,
        address=_address(base_url),
        repository=repository(checkout, os.environ),
        as_of=as_of.date(),
        reference=reference_page,
        progress=print_note,
    )
    print_result(
        form,
        built.as_json,
        lambda: (
            f"{built.out}: {built.pages} pages of {built.snapshots} snapshots and "
            f"{built.evaluators} evaluators"
        ),
    )


def _address(address: str | None) -> str:
    """Return an address with its final slash; empty where none is given."""
    if address is None:
        print_note("no --base-url: there will be no sitemap, and feeds hold relative links")
        return ""
    if not address.startswith(("https://", "http://")):
        raise UsageError(f"{address} is no address\n  fix: begin it with https://")
    return f"{address.rstrip('/')}/"


@command.command()
@click.argument("folder", type=NEW, default=Path("public"))
@with_default("--port", Whole(0, 65535), 8000, "The port on 127.0.0.1; 0 takes a free one.")
def serve(folder: Path, port: int) -> None:
    r"""Serve a built site on this machine, until Ctrl-C.

    If the site was built for a folder of its host (--base-url), it is also served in that folder.

    \b
    Example:
      epc admin site serve
    """
    from epc.site.serving import SiteServer

    if not (folder / "index.html").is_file():
        raise UsageError(
            f"there is no built site in {folder}\n  fix: build it first: epc admin site build"
        )
    with able_to("listen on", f"127.0.0.1:{port}", fix="name another --port"):
        server = SiteServer(folder, port)
    with server:
        print_note(f"{folder} at http://127.0.0.1:{server.server_port}{server.home}")
        server.serve_forever()


def reference_page() -> str:
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
