"""Asking models: each answer journalled before it is used, and asked for once."""

import asyncio
from dataclasses import asdict, dataclass, field

from epc.core.config import Decoding
from epc.core.prompt import Pair
from epc.core.results import Json
from epc.engine.journal import Journal
from epc.engine.model import Completion, Model, Occasion, Prompt
from epc.records.layout import call_id, decoding_json
from epc.records.strict_json import storable


@dataclass(kw_only=True)
class Progress:
    """Where a run stands. The engine counts, whoever shows it only reads."""

    stage: str = "starting"
    done: int = 0
    total: int = 0
    asked: int = 0
    reused: int = 0
    from_journal: int = 0
    ties: int = 0

    def begin(self, stage: str, total: int) -> None:
        """Enter the next stage of the run."""
        self.stage, self.done, self.total = stage, 0, total


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A model as executor or evaluator, with the decoding it is asked for."""

    name: str
    model: Model
    decoding: Decoding


@dataclass(kw_only=True)
class Caller:
    """Asks in the name of a run.

    Under reuse an answer's name is what was asked, so that equal prompts share one answer, also
    while it is still under way. Without reuse the round is part of the name.
    """

    journal: Journal
    reuse: bool
    progress: Progress
    answered: dict[str, Json] = field(default_factory=dict)
    _under_way: dict[str, "asyncio.Future[Json]"] = field(default_factory=dict)
    _places: dict[str, asyncio.Semaphore] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.answered.update((call["id"], call) for call in self.journal.calls)
        self.progress.from_journal = len(self.answered)

    async def ask(
        self,
        role: Role,
        text: str,
        *,
        pair: Pair | None = None,
        occasion: Occasion | None = None,
        side: str = "evaluation",
    ) -> Json:
        """Return the call (a row of calls.jsonl) that answers a prompt.

        Raises: CallError if there is no answer.
        """
        afresh = None if self.reuse else occasion
        place = f"{afresh.seed}/{afresh.phase}/{afresh.round}/{side}" if afresh else None
        name = call_id(
            role=role.name,
            model=asdict(role.model.identity),
            decoding=decoding_json(role.decoding),
            prompt=text,
            occasion=place,
        )
        if name in self.answered:
            self.progress.reused += 1
            return self.answered[name]
        if name in self._under_way:
            self.progress.reused += 1
            return await asyncio.shield(self._under_way[name])
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._under_way[name] = future
        try:
            async with self._place(role):
                prompt = Prompt(text=text, pair=pair, occasion=afresh)
                completion = await role.model.complete(prompt, role.decoding)
            call = _call(name, role, text, place, completion)
            self.journal.append(call)
        except BaseException as error:
            future.set_exception(error)
            future.exception()  # whoever waits gets it; nobody waiting is no second error
            raise
        finally:
            del self._under_way[name]
        self.answered[name] = call
        self.progress.asked += 1
        future.set_result(call)
        return call

    def _place(self, role: Role) -> asyncio.Semaphore:
        key = role.model.identity.model
        if key not in self._places:
            self._places[key] = asyncio.Semaphore(role.model.concurrency)
        return self._places[key]


def _call(name: str, role: Role, text: str, place: str | None, completion: Completion) -> Json:
    return {
        "id": name,
        "role": role.name,
        "model": role.model.identity.model,
        "served_model": completion.served_model,
        "system_fingerprint": completion.system_fingerprint,
        "prompt": text,
        "answer": storable(completion.text),
        "finish_reason": completion.finish_reason,
        "tokens_in": completion.tokens_in,
        "tokens_out": completion.tokens_out,
        "latency_s": completion.latency_s,
        "occasion": place,
    }
