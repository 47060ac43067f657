"""Asking judges about a labelled set of pairs: which answer is better, in one order or in both.

Every reply is kept in a folder beside the verdict file, so that the same command goes on where it
stopped; the verdict file has digests, lengths, verdicts and labels, and no text of the set.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Final

from epc.engine.budget import Limits, most_tokens, price_of
from epc.engine.cache import answer_cache
from epc.engine.calls import Watch
from epc.engine.catalog import open_judge
from epc.engine.forecast import Share, of_texts
from epc.engine.plan import asked_decoding, decoding_for
from epc.engine.roles import Question, Role
from epc.engine.sitting import asked_within
from epc.errors import UsageError, able_to
from epc.judge.pairs import pair_prompt
from epc.protocol.prompt import Pair
from epc.protocol.verdict import parse_verdict, says_tie
from epc.records.calls import call_of
from epc.records.judging.documents import role_of
from epc.records.judging.prompts import JudgePrompt
from epc.records.layout import decoding_json
from epc.records.pairs import LabelledPair, PairSet
from epc.records.rows import Call
from epc.records.verdicts.types import (
    UNKNOWN,
    Candidate,
    Header,
    Judge,
    Prompt,
    Row,
    Setting,
    Source,
)
from epc.records.verdicts.work import answered, turned

_FILE: Final = "pairs"  # the key of the set in the verdict file
_SIDE: Final = "pair"
_DOMAIN: Final = "pairs"
_REPLY: Final = 3  # tokens that a letter usually takes, with what ends it


@dataclass(frozen=True, kw_only=True)
class PairQuestion:
    """Question to a judge: a pair, the candidate that is shown first, the number of the asking."""

    pair: LabelledPair
    first: Candidate
    asking: int
    question: Question

    @property
    def place(self) -> str | None:
        """Place of a further asking; the first may be taken from the cache of pinned weights."""
        return f"asking/{self.asking}/{self.pair.item}/{self.first}" if self.asking else None


@dataclass(frozen=True, kw_only=True)
class PairAsking:
    """Judges, a set and how they are asked about it; `decoding` has the settings asked for.

    `source` says where the set comes from.
    """

    pair_set: PairSet
    judges: Sequence[str]
    prompt: JudgePrompt
    decoding: dict[str, Any]
    orders: Sequence[Candidate]
    askings: int
    source: Source

    @cached_property
    def roles(self) -> dict[str, Role]:
        """The judges, opened, by the name that they are asked for.

        Raises: UsageError if a model cannot be asked by a prompt, or would only repeat itself.
        """
        return {name: self._role(name) for name in dict.fromkeys(self.judges)}

    def _role(self, name: str) -> Role:
        model = open_judge(name)
        settings = {"evaluator": self.decoding} if self.decoding else {}
        decodings = asked_decoding(settings, {"evaluator": model})
        decoding = decoding_for(decodings, "evaluator", model)
        if self.askings > 1 and model.pinned and decoding.temperature == 0:
            raise UsageError(
                f"{name} gives the same answer each time at temperature 0, so --askings says "
                "nothing of it\n  fix: --temperature 0.7, or leave --askings out"
            )
        return Role(name=role_of(name), model=model, decoding=decoding)

    def questions_to(self, role: Role) -> Iterator[PairQuestion]:
        """Yield what a judge is asked: about each pair, in each order, as often as wanted."""
        for asking in range(self.askings):
            for pair in self.pair_set.pairs:
                for first in self.orders:
                    question = self._question(role, pair, first)
                    yield PairQuestion(pair=pair, first=first, asking=asking, question=question)

    def _question(self, role: Role, pair: LabelledPair, first: Candidate) -> Question:
        response, baseline = (pair.a, pair.b) if first == "a" else (pair.b, pair.a)
        text = pair_prompt(
            self.prompt.template, question=pair.question, first=response, second=baseline
        )
        comparison = Pair(
            domain=_DOMAIN, task=pair.question, strategy=first, response=response, baseline=baseline
        )
        return Question(role=role, text=text, side=_SIDE, pair=comparison)


def calls_folder(out: Path) -> Path:
    """Return the folder with every reply, beside a verdict file."""
    return out.with_name(f"{out.name}.calls")


def expect(asking: PairAsking) -> dict[str, Share]:
    """Return what each judge will be asked for, nothing being cached."""
    shares: dict[str, Share] = {}
    for name, role in asking.roles.items():
        texts = [request.question.text for request in asking.questions_to(role)]
        shares[name] = of_texts(
            [*map(len, texts)],
            sum(map(most_tokens, texts)),
            decoding=role.decoding,
            price=price_of(role.model.identity.model),
            reply=_REPLY,
        )
    return shares


async def ask_pairs(
    asking: PairAsking,
    out: Path,
    *,
    clock: Callable[[], datetime],
    watch: Watch,
    limits: Limits,
) -> tuple[Header, list[Row]]:
    """Ask what has no reply yet, and return the verdicts, in the order of the questions.

    Raises: StoppedError if something is left, which the same call goes on with; WorldError if the
    disk fails.
    """
    folder = calls_folder(out)
    with able_to("make", folder):
        folder.mkdir(parents=True, exist_ok=True)
    roles = [*asking.roles.values()]
    cache = answer_cache(limits)
    session = asked_within(roles, folder, clock=clock, watch=watch, limits=limits, cache=cache)
    wanted = [*chain.from_iterable(map(asking.questions_to, roles))]
    async with session as caller:
        places = [(request.question, request.place) for request in wanted]
        calls = [*map(call_of, await caller.ask_all("pairs", places))]
    rows = [_row(request, call) for request, call in zip(wanted, calls, strict=True)]
    return _header(asking, rows), rows


def _row(request: PairQuestion, call: Call) -> Row:
    counts = {"input_tokens": call.tokens_in, "output_tokens": call.tokens_out}
    facts: dict[str, Any] = {name: count for name, count in counts.items() if count is not None}
    if request.asking:
        facts["repeat"] = request.asking
    if call.answered_at:
        facts["date"] = call.answered_at[:10]
    return Row(
        setting=request.question.role.model.identity.model,
        file=_FILE,
        first=request.first,
        verdict=_verdict(call.answer, request.first),
        **request.pair.facts(),
        **answered(call.answer),
        **facts,
    )


def _verdict(reply: str, first: Candidate) -> Any:
    """Return the candidate that a reply names, by the place in which it was shown."""
    verdict = parse_verdict(reply)
    if verdict.decided:
        return turned(verdict.value.lower(), first)
    return "tie" if says_tie(reply) else "unreadable"


def _header(asking: PairAsking, rows: Sequence[Row]) -> Header:
    reference = asking.prompt.reference
    settings = {}
    for name, role in asking.roles.items():
        platform, _, model = name.partition("/")
        key = role.model.identity.model
        days = (row.date for row in rows if row.setting == key and isinstance(row.date, str))
        settings[key] = Setting(
            judge=Judge(name=name, model=model or name, platform=platform),
            prompt=Prompt(name=reference.id, sha256=reference.sha256),
            decoding=decoding_json(role.decoding) | _version(role),
            date=max(days, default=UNKNOWN),
        )
    files = {_FILE: asking.pair_set.file}
    return Header(schema_version=1, source=asking.source, files=files, settings=settings)


def _version(role: Role) -> dict[str, str]:
    """Return the weights or release that answered, where the model's identity has one."""
    version = role.model.identity.version
    return {"version": version} if version else {}
