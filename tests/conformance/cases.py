"""The suite: every file of vectors, its clause and its cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cases_learning
import cases_malformed
import cases_rules
import cases_runs
import cases_updates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from case_building import Malformed, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """One file of vectors."""

    name: str
    clause: str
    cases: Sequence[Vector | Malformed]


SUITE = (
    Theme(name="start", clause="EPC-2.1", cases=cases_rules.START),
    Theme(name="roulette", clause="EPC-2.3", cases=cases_rules.ROULETTE),
    Theme(name="update", clause="EPC-2.3", cases=cases_updates.UPDATE),
    Theme(name="floor", clause="EPC-2.3(c)", cases=cases_updates.FLOOR),
    Theme(name="ties", clause="EPC-2.6(c)", cases=cases_updates.TIES),
    Theme(name="phases", clause="EPC-2.1", cases=cases_rules.PHASES),
    Theme(name="rounds", clause="EPC-2.3(d)", cases=cases_runs.ROUNDS),
    Theme(name="learning_rates", clause="EPC-2.3(b)", cases=cases_runs.LEARNING_RATES),
    Theme(name="metrics", clause="EPC-2.5", cases=cases_runs.METRICS),
    Theme(name="malformed", clause="EPC-2.8", cases=cases_malformed.MALFORMED),
    Theme(name="rule_bayes", clause="Reading R81", cases=cases_learning.LEARN_BAYES),
    Theme(
        name="rule_bradley_terry", clause="Reading R81", cases=cases_learning.LEARN_BRADLEY_TERRY
    ),
    Theme(name="rule_thompson", clause="Reading R81", cases=cases_learning.LEARN_THOMPSON),
)
