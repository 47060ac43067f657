"""Evaluators, executors and judges with known habits: the protocol's calibration weights (EPC-2.8).

Their answers follow from SHA-256 alone, so they are the same on every machine and in any order
of asking. They answer in no time, so `latency_s` is 0. Judges are what a pipeline is tried with
before a real judge is paid: they read their prompt as a model would, the meta object to copy and
the output between its marks.
"""

import hashlib
import json
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from epc.digests import sha256
from epc.engine.model import Completion, Identity, Occasion, Prompt
from epc.errors import UsageError
from epc.json_text import is_number
from epc.judge.prompt import asked_in
from epc.protocol.config import REFERENCE_DECODING, Decoding
from epc.protocol.prompt import Pair
from epc.records import strict_json
from epc.spec.domains import NAME
from epc.spec.epc_v1 import Method
from epc.spec.judge_v1 import DIMENSIONS, OVERALL

_EXECUTOR_DECODING: Final = Decoding(temperature=0.0, max_tokens=80)
_UNIT: Final = 2**53


def unit(*parts: object) -> float:
    """Return a number in [0, 1) that depends on the parts alone, spread evenly by SHA-256."""
    text = "|".join(str(part) for part in parts)
    return (int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 11) / _UNIT


class Mock:
    """Base of all mocks: no network, no state, no time."""

    method: Method = "prompt"
    pinned = False  # there are no weights, and asking again is as quick as keeping
    concurrency = 10_000
    roles: frozenset[str] = frozenset({"evaluator"})

    def __init__(
        self, name: str, *, repeatable: bool, details: dict[str, Any] | None = None
    ) -> None:
        self.identity = Identity(
            model=f"mock/{name}", version="1", endpoint="mock", details=details or {}
        )
        self.repeatable = repeatable

    def default_decoding(self, role: str) -> Decoding:
        """Return the reference decoding for an evaluator, a short answer for an executor."""
        return REFERENCE_DECODING if role == "evaluator" else _EXECUTOR_DECODING

    async def complete(self, prompt: Prompt, decoding: Decoding) -> Completion:
        """Answer at once."""
        text = self._say(prompt)
        return Completion(
            text=text,
            served_model=self.identity.model,
            finish_reason="stop",
            tokens_in=len(prompt.text.split()),
            tokens_out=min(len(text.split()), decoding.max_tokens),
            latency_s=0.0,
        )

    async def close(self) -> None:
        """Nothing is held."""

    def _say(self, prompt: Prompt) -> str:
        raise AssertionError(prompt)


class Deterministic(Mock):
    """Answers from the prompt alone.

    As an executor it writes a short text that differs from prompt to prompt. As an evaluator it
    says A or B by the digest of the prompt: arbitrary, but fixed, preferences.
    """

    roles = frozenset({"evaluator", "executor"})

    def __init__(self) -> None:
        super().__init__("deterministic", repeatable=True)

    def _say(self, prompt: Prompt) -> str:
        u = unit("deterministic", prompt.text)
        if prompt.pair is not None:
            return "A" if u < 0.5 else "B"  # noqa: PLR2004  (even odds)
        digest = sha256(prompt.text)[:12]
        return f"Answer {digest} to: {prompt.text}"


class CoinFlip(Mock):
    """Tosses a coin in every round, whatever is shown to it: no preference at all.

    The coin is a digest of seed, phase and round, so a run is the same whenever it is made. It
    is not repeatable by prompt: a reused toss would be a preference.
    """

    def __init__(self) -> None:
        super().__init__("coin-flip", repeatable=False)

    def _say(self, prompt: Prompt) -> str:
        occasion = _needs_round(prompt, self.identity.model)
        u = unit("coin-flip", occasion.seed, occasion.phase, occasion.round)
        return "A" if u < 0.5 else "B"  # noqa: PLR2004  (even odds)


class Scripted(Mock):
    """Prefers strategies as a file says.

    The file is a JSON object: `default` is the probability of A where nothing else is said,
    each domain's name gives it by strategy, as in
    `{"default": 0.1, "text": {"synthesis": 0.95}, "visual": {"aesthetic_frame": 0.95}}`.
    """

    def __init__(self, path: Path) -> None:
        self._odds = _read_script(path)
        certain = all(p in (0, 1) for p in _all_odds(self._odds))
        self._path = path
        super().__init__("scripted", repeatable=certain, details={"script": self._odds})

    def require(self, strategies: Sequence[str], domains: Sequence[str]) -> None:
        """Refuse odds for what there is not: they would never be used, without a word.

        Raises: UsageError.
        """
        for domain in _tables(self._odds):
            if domain not in domains:
                raise UsageError(
                    f"{self._path}: there is no domain {json.dumps(domain)}; expected "
                    f"{', '.join(domains)}"
                )
        for name in (name for table in _tables(self._odds).values() for name in table):
            if name not in strategies:
                expected = get_close_matches(name, strategies, n=1) or strategies
                raise UsageError(
                    f"{self._path}: there is no strategy {json.dumps(name)}; expected "
                    f"{', '.join(expected)}"
                )

    def _say(self, prompt: Prompt) -> str:
        pair = _needs_pair(prompt, self.identity.model)
        name = pair.against or pair.strategy  # in an exchanged pair the strategy stands as B
        odds = self._odds.get(pair.domain, {}).get(name, self._odds["default"])
        if pair.against is not None:
            odds = 1 - odds
        if odds in (0, 1):
            return "A" if odds else "B"
        occasion = _needs_round(prompt, self.identity.model)
        u = unit("scripted", occasion.seed, occasion.phase, occasion.round)
        return "A" if u < odds else "B"


def _needs_pair(prompt: Prompt, name: str) -> Pair:
    if prompt.pair is None:
        raise UsageError(f"{name} is an evaluator: use mock/deterministic as the executor")
    return prompt.pair


def _needs_round(prompt: Prompt, name: str) -> Occasion:
    _needs_pair(prompt, name)
    if prompt.occasion is None:
        raise UsageError(f"{name} answers each round afresh: use `--reuse none`")
    return prompt.occasion


def _all_odds(script: dict[str, Any]) -> list[float]:
    return [script["default"], *(p for table in _tables(script).values() for p in table.values())]


def _tables(script: dict[str, Any]) -> dict[str, Any]:
    """Return what a script says by domain."""
    return {key: table for key, table in script.items() if key != "default"}


def _read_script(path: Path) -> dict[str, Any]:
    value, problems = strict_json.read(path)
    shape = "an object with `default` and, for each domain, probabilities by strategy"
    if problems:
        raise UsageError(f"{path}: {problems[0].problem}; expected {shape}")
    if not isinstance(value, dict) or "default" not in value or not all(map(NAME.fullmatch, value)):
        raise UsageError(f"{path}: expected {shape}")
    for domain, table in _tables(value).items():
        if not isinstance(table, dict):
            raise UsageError(f"{path}: `{domain}` is a table of probabilities by strategy")
    for odds in _all_odds(value):
        if not is_number(odds) or not 0 <= odds <= 1:
            raise UsageError(f"{path}: {json.dumps(odds)} is no probability from 0 to 1")
    return value


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
