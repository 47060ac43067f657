"""Who is asked: a model as executor or evaluator, and what it may be asked."""

from functools import cached_property

from msgspec import Struct
from msgspec.structs import asdict

from epc.engine.mitigated import Mitigated
from epc.engine.model import Model
from epc.protocol.config import Decoding
from epc.protocol.mitigation import MEMBER
from epc.protocol.prompt import Pair
from epc.protocol.results import Json
from epc.records.layout import CallNames, decoding_json


class Role(Struct, frozen=True, kw_only=True, dict=True):
    """A model as executor or evaluator, with the decoding it is asked for."""

    name: str
    model: Model
    decoding: Decoding

    @cached_property
    def decoding_json(self) -> Json:
        """The decoding, as it stands in the manifest."""
        return decoding_json(self.decoding)

    @cached_property
    def members(self) -> "dict[int, Role]":
        """Every member of a wrapper by its number, as the role that it is asked in."""
        assert isinstance(self.model, Mitigated)
        return {
            number: Role(
                name=f"{MEMBER}{number}",
                model=member,
                decoding=self.model.decoding_of(number, self.decoding),
            )
            for number, member in enumerate(self.model.members, 1)
        }

    @cached_property
    def names(self) -> CallNames:
        """The names of what it is asked; of a wrapper's member, those that its own run gives."""
        role = "evaluator" if self.name.startswith(MEMBER) else self.name
        return CallNames(role, asdict(self.model.identity), self.decoding_json)


class Question(Struct, frozen=True, kw_only=True):
    """Something to ask a role. `side` tells the two answers of a round apart."""

    role: Role
    text: str
    side: str
    pair: Pair | None = None
