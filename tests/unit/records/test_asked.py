"""What a run asked, by pair."""

from epc.protocol.config import Configuration
from epc.records.calls import pair_keys
from epc.spec.reference import STRATEGIES


def test_pairs_go_by_domain_then_strategy_then_task() -> None:
    config = Configuration(
        strategies=STRATEGIES[:2], tasks={"text": ("t1", "t2"), "visual": ("v1",)}
    )
    first, second = (strategy.name for strategy in STRATEGIES[:2])

    assert pair_keys(config) == [
        ("text", first, "t1"),
        ("text", first, "t2"),
        ("text", second, "t1"),
        ("text", second, "t2"),
        ("visual", first, "v1"),
        ("visual", second, "v1"),
    ]
