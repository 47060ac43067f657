"""Judges with known habits: what a pipeline is tried with before a real judge is paid.

They read their prompt as a model would: the meta object to copy, and the output between its
marks. Scores follow from the output's SHA-256 alone, so the same output always gets the same.
"""

import json
from typing import Final

from epc.engine.mocks import Mock, unit
from epc.engine.model import Prompt
from epc.judge.prompt import asked_in
from epc.protocol.config import Decoding
from epc.spec.judge_v1 import DIMENSIONS, OVERALL

_TOKENS: Final = 1200
_QUOTED: Final = 6  # words


class Judge(Mock):
    """Scores every output, in strict JSON, with quotes that it copied."""

    roles = frozenset({"judge"})

    def __init__(self, name: str = "judge") -> None:
        super().__init__(name, repeatable=True)

    def default_decoding(self, role: str) -> Decoding:  # noqa: ARG002  (a judge in any role)
        """Return a whole record's decoding."""
        return Decoding(temperature=0.0, max_tokens=_TOKENS)

    def _say(self, prompt: Prompt) -> str:
        record = self.record(prompt.text)
        return "I see nothing to judge." if record is None else json.dumps(record)

    def record(self, text: str) -> dict[str, object] | None:
        """Return the record for a prompt; None if the prompt is no judge's."""
        if (assignment := asked_in(text)) is None:
            return None
        output = assignment.output
        scores: dict[str, int] = {
            name: round(2 * unit(self.identity.model, name, output)) for name in DIMENSIONS
        }
        total = sum(scores.values())
        quote = " ".join(output.split()[:_QUOTED])
        return {
            "meta": assignment.meta,
            "scores": {**scores, OVERALL: total},
            "verdict": "FAIL" if total <= 3 else "PASS" if total >= 7 else "PARTIAL",  # noqa: PLR2004  (as a judge reads it in its prompt)
            "flags": [],
            "evidence": [
                {"dimension": name, "quote": quote, "reason": f"Worth {score}."}
                for name, score in scores.items()
            ],
        }


class CarelessJudge(Judge):
    """Does what real judges do wrong: about half of its replies are no valid evaluations."""

    def __init__(self) -> None:
        super().__init__("careless-judge")

    def _say(self, prompt: Prompt) -> str:
        record = self.record(prompt.text)
        slip = int(10 * unit("slip", prompt.text))
        if record is None or slip == 0:
            return "I'm sorry, but I can't evaluate this."
        if slip == 1:
            return f"```json\n{json.dumps(record, indent=2)}\n```"
        if slip == 2:  # noqa: PLR2004  (which slip)
            return json.dumps({**record, "scores": {**record["scores"], OVERALL: 8}})  # type: ignore[dict-item]  # JSON values are `object`
        if slip == 3:  # noqa: PLR2004  (which slip)
            item = {"dimension": DIMENSIONS[0], "quote": "It reads well.", "reason": "Style."}
            return json.dumps({**record, "evidence": [*record["evidence"], item]})  # type: ignore[misc]  # JSON values are `object`
        if slip == 4:  # noqa: PLR2004  (which slip)
            return json.dumps({**record, "evidence": []})
        return json.dumps(record)
