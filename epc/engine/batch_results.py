"""What came of a batch, line by line: answers to keep, and why there is none for the others."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct, field

from epc.engine.asking import TransientError
from epc.engine.batch_protocols import Batching, Failure, Standing
from epc.engine.budget import BATCH_SHARE
from epc.engine.calls import Caller
from epc.engine.model import CallError
from epc.engine.roles import Question

_SHOWN: Final = 5  # reasons
_FIX: Final = "\n  fix: "
_STRANGE: Final = (LookupError, TypeError, AttributeError, ValueError)  # no line of the protocol's


class Results(Struct, kw_only=True):
    """The lines of a batch, as they are read: its answers go to the caller, failures are kept."""

    protocol: Batching
    caller: Caller
    wanted: dict[str, Question]
    _failures: dict[str, Failure] = field(default_factory=dict)

    async def take(self, line: Any) -> None:
        """Journal an answered line, or note why it is none; what was not asked is left out."""
        try:
            name = self.protocol.name_of(line)
            question = self.wanted.get(name)
        except _STRANGE:
            return
        if question is None or self.caller.known(name) is not None:
            return
        try:
            answer = self.protocol.answer(line)
        except TransientError as failure:
            self._failures[name] = Failure(reason=str(failure))
        except CallError as failure:
            reason, _, remedy = str(failure).partition(_FIX)
            self._failures[name] = Failure(reason=reason, remedy=remedy)
        except _STRANGE:
            self._failures[name] = Failure(reason="the line holds no answer")
        else:
            await self.caller.take(name, question, answer, share=BATCH_SHARE)

    def why(self, left: Iterable[str], standing: Standing) -> "Why":
        """Return why these questions are left, after what became of their batch as a whole."""
        whole = standing.unanswered
        return Why(failures=Counter(self._failures.get(name, whole) for name in left))


class Why(Struct, frozen=True, kw_only=True):
    """Why questions of a batch have no answer, and how many for each reason."""

    failures: Counter[Failure]

    @property
    def remedies(self) -> list[str]:
        """What must be done before asking again can help; nothing where it may at once."""
        return list(dict.fromkeys(f.remedy for f in self.failures if f.remedy is not None))

    def __str__(self) -> str:
        common = self.failures.most_common()
        shown = [f"\n  {count} x {failure.reason}" for failure, count in common[:_SHOWN]]
        more = len(common) - _SHOWN
        return "".join(shown) + (f"\n  and {more} more reasons" if more > 0 else "")
