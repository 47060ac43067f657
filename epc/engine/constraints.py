"""Output that a provider can be told to keep to: its native JSON mode, or a schema.

A constraint is a name in the decoding, so that it stands in call names and records; what it means
on the wire is said here, in the form that OpenAI-compatible endpoints and llama.cpp share.
"""

import copy
from functools import cache
from typing import Final

from epc.protocol.results import Json
from epc.records.schemas import schema

JSON_MODE: Final = "json"
_SCHEMAS: Final = ("judge_reply",)


def response_format(constraint: str | None) -> Json | None:
    """Return the `response_format` of a constraint; None if it is none of these."""
    if constraint == JSON_MODE:
        return {"type": "json_object"}
    if constraint in _SCHEMAS:
        inner = {"name": constraint, "strict": True, "schema": _required_only(constraint)}
        return {"type": "json_schema", "json_schema": inner}
    return None


@cache
def _required_only(name: str) -> Json:
    """Return a schema without its optional keys, which strict modes refuse."""
    shown: Json = copy.deepcopy(schema(name))
    for key in ("$schema", "$id", "title", "description"):
        shown.pop(key, None)
    shown["properties"] = {key: shown["properties"][key] for key in shown["required"]}
    return shown
