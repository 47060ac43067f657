"""The checkout that submissions are held against."""

from pathlib import Path

from registry_support import Checkout, day

from epc.registry.submissions.checked import Base


def test_the_next_id_of_a_generation_is_one_that_no_snapshot_has(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    checkout.publish("v1.0-Judge-1")

    base = Base.from_checkout(tmp_path, day("2026-04-01"))

    assert (base.checkout, base.today) == (tmp_path, day("2026-04-01"))
    assert base.next_tag("Judge-1") == "v1.1-Judge-1"
    assert base.next_tag("Judge-2") == "v1.0-Judge-2"
    assert base.next_tag("no generation") is None
