"""When two measurements are the same one, whatever their dates and names say.

Pure: it takes manifests of valid shape. A measurement's *identity* is the digest of its evaluator,
endpoint, configuration, tasks and raw data.
"""

from typing import Final

from epc.digests import sha256
from epc.protocol.results import Json
from epc.records.layout import IDENTITY
from epc.records.manifest import Manifest, RawName
from epc.records.strict_json import dumps_line

_RAW: Final[tuple[RawName, ...]] = ("trials", "calls")


def identity(manifest: Manifest) -> str:
    """Return the digest of what was measured, how, and of what came of it; of no date."""
    document = manifest.document
    content = {
        "evaluator": _model(document["evaluator"]),
        "executor": _model(document["executor"]),
        "config": document["config"],
        "tasks": document["tasks"],
        "strategies": document["strategies"],
        "evaluator_prompt": document["evaluator_prompt"],
        "raw": {name: manifest.raw[name].sha256 if manifest.raw else None for name in _RAW},
    }
    return sha256(dumps_line(content))


def _model(model: Json | None) -> Json | None:
    if model is None:
        return None
    kept = ("method", "decoding", "prompt_template")
    return {key: model[key] for key in (*IDENTITY, *kept) if key in model}
