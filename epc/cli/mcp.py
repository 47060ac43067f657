"""`epc mcp`."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from epc.cli.options import registry_option
from epc.errors import EpcError

if TYPE_CHECKING:
    from epc.api.answers import Answer


@click.command()
@registry_option
def command(registry: str | None) -> None:
    r"""Answer agents about judges over the Model Context Protocol, on standard input and output.

    A client starts it and asks: until when is a model served, how was it measured as a judge,
    which judge for a kind of task, who may replace one, which models does a text name. Each answer
    is the program's own sentence with its values as JSON, their sources, and the day on which the
    copy of the registry ends. Nothing is sent anywhere, unless --registry names an address.
    A client takes it by a line such as `claude mcp add epc -- epc mcp`.

    \b
    Example:
      epc mcp
    """
    from mcp_types import ToolAnnotations

    from epc.api.answers import Answers
    from epc.cli.mcp_wire import Server
    from epc.version import __version__

    answers = Answers(registry)
    server = Server("epc", version=__version__, log_level="WARNING")
    for tool in (
        answers.judge_status,
        answers.judge_card,
        answers.which_judge,
        answers.successor,
        answers.scan,
    ):
        server.add_tool(
            _as_tool(tool),
            annotations=ToolAnnotations(read_only_hint=True),
            structured_output=False,
        )
    server.run("stdio")


def _as_tool(tool: "Callable[..., Answer]") -> Callable[..., Any]:
    """Return a tool whose answer stands in the protocol's form: the words, and the values."""
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import CallToolResult, TextContent

    @wraps(tool)
    def call_tool(**arguments: Any) -> CallToolResult:
        try:
            answer = tool(**arguments)
        except EpcError as error:
            raise ToolError(str(error)) from error
        text_content = TextContent(type="text", text=answer.text)
        return CallToolResult(content=[text_content], structured_content=answer.document)

    return call_tool
