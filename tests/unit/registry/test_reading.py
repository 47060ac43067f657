"""The expiry policy of a registry, and its folders."""

from pathlib import Path

import pytest

from epc.errors import MalformedError
from epc.registry.layout import FOLDER, POLICY
from epc.registry.reading import folders, policy


def written(home: Path, text: str) -> Path:
    (home / POLICY).write_text(text)
    return home


@pytest.mark.parametrize("days", [0, 365])
def test_a_policy_is_two_numbers_of_days_or_three(tmp_path: Path, days: int) -> None:
    two = f"expiry:\n  maximum_age_days: {days}\n  notice_days: 30\n  other: x\n"

    assert policy(written(tmp_path, two)) == {"maximum_age_days": days, "notice_days": 30}
    three = policy(written(tmp_path, two + "  confirmation_days: 7\n"))
    assert three["confirmation_days"] == 7


@pytest.mark.parametrize(
    "text",
    [
        "expiry:\n  maximum_age_days: -1\n  notice_days: 30\n",
        "expiry:\n  maximum_age_days: 1.5\n  notice_days: 30\n",
        "expiry:\n  maximum_age_days: true\n  notice_days: 30\n",
        "expiry:\n  notice_days: 30\n",
        "expiry: [\n",
        "other: 1\n",
    ],
)
def test_a_policy_that_says_nothing_usable_is_malformed(tmp_path: Path, text: str) -> None:
    with pytest.raises(MalformedError):
        policy(written(tmp_path, text))


def test_snapshots_are_folders_whose_names_begin_with_a_v(tmp_path: Path) -> None:
    for name in ("v1.0-B", "v1.0-A", "evaluators"):
        (tmp_path / FOLDER / name).mkdir(parents=True)
    (tmp_path / FOLDER / "v1.0-file").write_text("")

    assert [path.name for path in folders(tmp_path)] == ["v1.0-A", "v1.0-B"]
