"""Notebooks without a kernel: each cell run as one would run it, its last value shown.

A kernel would bring two dozen packages and sockets for what `ast` and `exec` do in forty lines.
"""

import ast
import asyncio
import contextlib
import io
from typing import Any, Final

Json = dict[str, Any]
PICTURE: Final = "assets/analysis.svg"
_SHOWN = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}


def executed(notebook: Json) -> Json:
    """Return a notebook with the outputs that its cells have, run in order in an event loop."""

    async def within_a_loop() -> Json:
        names: Json = {"__name__": "__main__"}
        cells = [
            cell if cell["cell_type"] != "code" else cell | _run("".join(cell["source"]), names)
            for cell in notebook["cells"]
        ]
        return notebook | {"cells": cells}

    return asyncio.run(within_a_loop())


def _run(source: str, names: Json) -> Json:
    tree, last = ast.parse(source), None
    if isinstance(end := tree.body[-1], ast.Expr):
        last = ast.Expression(end.value)
        tree.body.pop()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102  (our own notebook)
        value = None if last is None else eval(compile(last, "<cell>", "eval"), names)  # noqa: S307  (our own notebook)
    outputs: list[Json] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        outputs.append({"output_type": "display_data", "metadata": {}, "data": _data(value)})
    return {"outputs": outputs, "execution_count": None}


def _data(value: Any) -> Json:
    kinds = {
        kind: getattr(value, method)() for kind, method in _SHOWN.items() if hasattr(value, method)
    }
    bundle: Any = getattr(value, "_repr_mimebundle_", dict)()
    printed_kinds = (
        {"text/plain": repr(value)} | kinds | (bundle[0] if isinstance(bundle, tuple) else bundle)
    )
    return {kind: str(text).splitlines(keepends=True) for kind, text in printed_kinds.items()}


def as_page(notebook: Json) -> tuple[str, str]:
    """Return a notebook as a page: cells and what they give, and the picture that stands in it."""
    parts, picture = [], ""
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            given = output.get("data") or {"text/plain": output["text"]}
            told = "".join(given["text/plain"]).rstrip()
            if "image/svg+xml" in given:
                picture = "".join(given["image/svg+xml"])
                parts.append(f"![{told.removeprefix('<picture: ').removesuffix('>')}]({PICTURE})")
            else:
                parts.append(f"```text\n{told}\n```")
    return "\n\n".join(parts) + "\n", picture
