"""One executor's answers for many evaluators: the runs of a campaign (Reading R76)."""

import asyncio

from msgspec import Struct, field

from epc.engine.calls import Caller, Question
from epc.engine.model import Occasion
from epc.errors import EpcError
from epc.protocol.results import Json


class SharedAnswers(Struct, kw_only=True):
    """One executor's answers, asked once for all runs of a campaign (Reading R76).

    `caller` asks, and keeps them in a journal of the campaign's; each run then keeps its own
    copy. Once every run of `runs` has stopped for an error, nothing more is asked.
    """

    caller: Caller
    runs: int
    _under_way: dict[str, "asyncio.Task[Json]"] = field(default_factory=dict)
    _left: set[int] = field(default_factory=set)

    async def ask(self, question: Question, occasion: Occasion | None) -> Json:
        """Return the call that answers a question; a run that stops takes it from no other.

        Raises: as `Caller.ask`.
        """
        name = self.caller.name(question, self.caller.place(question, occasion))
        task = self._under_way.get(name)
        if task is None:
            task = asyncio.create_task(self.caller.ask(question, occasion))
            self._under_way[name] = task
            task.add_done_callback(lambda done: self._end(name, done))
        return await asyncio.shield(task)

    def leave(self, run: object, error: EpcError) -> None:
        """Note that a run wants no more, because of an error."""
        self._left.add(id(run))
        if len(self._left) == self.runs:
            self.caller.stop(error)

    async def close(self) -> None:
        """Give up what is still under way, and see what was answered onto the disk."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.caller.close()

    def _end(self, name: str, task: "asyncio.Task[Json]") -> None:
        del self._under_way[name]
        if not task.cancelled():
            task.exception()  # whoever waits gets it; nobody waiting is no second error
