"""A pytest plugin: tests that rest on a judge, and how far a judge agrees. Unused it loads nothing.

`@pytest.mark.judge("openai/gpt-5.4-mini", until="served")` looks the judge up before the test.
"""

from collections.abc import Hashable, Sequence
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, get_args
from warnings import warn

if TYPE_CHECKING:
    import pytest

    from epc.registry.registry import Registry
    from epc.registry.scan.scan import ScanEntry
    from epc.statistics.figures import ClusteredFigure

Action = Literal["fail", "skip", "warn", "pass"]

ACTIONS: Final = get_args(Action)
SERVED: Final = "served"
_MARK: Final = (
    "judge(model, until='served', gone='fail', unsure='warn'): the test rests on this judge. "
    "`until` is 'served' or the last day, as '2027-01-31', that it has to be served. What the "
    "test does where the judge has ended by then (`gone`), or where its end is near or nobody "
    "confirms that it is served (`unsure`): 'fail', 'skip', 'warn' or 'pass'."
)
_UNSURE: Final = ("expiring", "unconfirmed", "unknown")


class JudgeWarning(UserWarning):
    """Something about a judge that lets a test pass, and that one should know."""


def pytest_configure(config: "pytest.Config") -> None:
    """Tell pytest of the mark."""
    config.addinivalue_line("markers", _MARK)


def pytest_runtest_setup(item: "pytest.Item") -> None:
    """Look up the judges of a test before it runs."""
    for mark in item.iter_markers("judge"):
        _hold(item, *mark.args, **mark.kwargs)


def assert_judge_agreement(
    votes: Sequence[Sequence[Hashable]],
    expected: Sequence[Hashable] | None = None,
    *,
    at_least: float = 0.8,
) -> "ClusteredFigure":
    """Fail if a judge is shown to agree less often than wanted, and return how often it does.

    `votes` has the verdicts of each item, asked several times. Two askings of one item are
    compared; with `expected`, one verdict an item, all are compared with that. It fails if the
    whole 95% interval lies below `at_least`, so a verdict that flips now and then fails nothing: a
    judge that agrees just as often as wanted fails in about 2.5% of runs. Where the interval
    holds `at_least` nothing is shown, which is a warning. Figure and interval are those of
    `epc audit`, which take the extra `measure`.

    Raises: AssertionError if it agrees too rarely; ValueError if the votes show nothing;
    MissingExtraError without NumPy.
    """
    __tracebackhide__ = True
    from epc.extras import MissingExtraError, lacking

    if "numpy" in lacking("measure"):
        raise MissingExtraError("measure", "numpy")
    from epc.analysis.verdicts_votes import agreement_of_votes
    from epc.statistics.figures import TOO_FEW

    agreement = agreement_of_votes(votes, expected)
    if agreement is None:
        raise ValueError("the votes show nothing: ask about each item twice or more")
    share = agreement.text(".1%", TOO_FEW)
    message = (
        f"the judge agrees in {share} of {agreement.items} items, at least {at_least:.1%} wanted"
    )
    low, high = agreement.ci95 or (0.0, 1.0)
    if high < at_least:
        raise AssertionError(message)
    if low < at_least:
        warn(f"{message}: neither is shown", JudgeWarning, stacklevel=2)
    return agreement


def _hold(
    item: "pytest.Item",
    model: str,
    until: str = SERVED,
    *,
    gone: Action = "fail",
    unsure: Action = "warn",
) -> None:
    import pytest

    from epc.registry.scan.forms import sentence

    for name, action in (("gone", gone), ("unsure", unsure)):
        if action not in ACTIONS:
            pytest.fail(f"judge: {name}={action!r} is none of {', '.join(ACTIONS)}", pytrace=False)
    named = _named(model, until)
    actions = [gone] * bool(named.broken) or [
        unsure for state in named.states if state.status in _UNSURE
    ]
    message = f"judge {sentence(named)}"
    if "fail" in actions:
        pytest.fail(message, pytrace=False)
    if "skip" in actions:
        pytest.skip(message)
    if "warn" in actions:
        item.warn(JudgeWarning(message))


def _named(model: str, until: str) -> "ScanEntry":
    """Return what the registry says of a judge today, in which an end by a day breaks the rule."""
    from epc.answers.scanning import answered
    from epc.engine.clock import now
    from epc.registry.scan.files import Rule

    today = now().date()
    rule = Rule(word="expired")
    if until != SERVED:
        rule = Rule(word="expiring", days=(date.fromisoformat(until) - today).days)
    return answered(_registry(), model, [rule], today)


@cache
def _registry() -> "Registry":
    from epc.registry.reading import open_registry

    return open_registry(None)
