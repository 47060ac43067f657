"""What is judged: a unit, and the same unit before one judge (JUDGE-0, JUDGE-1)."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from epc.digests import sha256
from epc.errors import Finding
from epc.spec.judge_v1 import CROSS, SELF, Method

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))


class Unit(Struct, frozen=True, kw_only=True):
    """The output of one model to one question under one prompt variant (JUDGE-0).

    `output_id` traces it back to the raw output, and is its own in the whole set.
    """

    question_id: str
    prompt_variant: str
    target_model: str
    output_id: str

    def before(self, judge_model: str) -> "Sample":
        """Return this unit as a judge meets it."""
        return Sample(
            question_id=self.question_id,
            prompt_variant=self.prompt_variant,
            target_model=self.target_model,
            output_id=self.output_id,
            judge_model=judge_model,
            method=method_of(judge_model, self.target_model),
        )


class Sample(Struct, frozen=True, kw_only=True):
    """A unit, who judges it, and by which method: what a record must say that it is about."""

    question_id: str
    prompt_variant: str
    target_model: str
    output_id: str
    judge_model: str
    method: Method

    @property
    def id(self) -> str:
        """Twenty hexadecimal digits of the SHA-256 of everything that makes it this sample.

        Names come from here and never from what a model wrote, so no text reaches a file name.
        """
        text = _ENCODER.encode(list(self.as_json().values()))
        return sha256(text)[:20]

    def as_json(self) -> dict[str, str]:
        """Return the sample as a plain JSON object."""
        return asdict(self)

    def blind(self) -> "Sample":
        """Return the sample as a judge meets it that shall not know whose output it scores.

        The name of an output tells whose it is as well, and so does the method.
        """
        digest = self.unit.before("").id[:12]
        return replace(
            self, target_model="target", judge_model="judge", method=CROSS, output_id=digest
        )

    @property
    def unit(self) -> Unit:
        """What is judged, whoever judges it."""
        return Unit(
            question_id=self.question_id,
            prompt_variant=self.prompt_variant,
            target_model=self.target_model,
            output_id=self.output_id,
        )


def method_of(judge_model: str, target_model: str) -> Method:
    """Return the method that a judge and a target amount to: equal names are the same model.

    Source: JUDGE-1.1, JUDGE-1.2.
    """
    return SELF if judge_model == target_model else CROSS


def repeats(units: Sequence[Unit]) -> Iterator[Finding]:
    """Yield every output id that is in a set more than once (JUDGE-7.2)."""
    for output_id, count in Counter(unit.output_id for unit in units).items():
        if count > 1:
            yield Finding(
                clause="JUDGE-7.2",
                where="",
                problem=f"the output id {output_id!r} stands {count} times",
                remedy="give each output an id of its own, and list it once",
            )


def gaps(units: Sequence[Unit]) -> Iterator[Finding]:
    """Yield every cell of question x variant x target that holds fewer outputs than the others.

    Source: JUDGE-7.1 ("aligned by question x variant x target_model").
    """
    cells = Counter((u.question_id, u.prompt_variant, u.target_model) for u in units)
    most = max(cells.values(), default=0)
    axes = [list(dict.fromkeys(cell[axis] for cell in cells)) for axis in range(3)]
    for question, variant, target in product(*axes):
        held = cells[question, variant, target]
        if held < most:
            cell = f"question {question!r}, variant {variant!r}, target {target!r}"
            yield Finding(
                clause="JUDGE-7.1",
                where="",
                problem=f"{cell}: {held} of {most} outputs",
                remedy="add what is missing, or plan with --allow-gaps",
            )
