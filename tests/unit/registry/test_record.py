"""Where recorded verdicts stand in public."""

import pytest

from epc.registry.record import Origin


@pytest.mark.parametrize(
    ("repository", "commit", "lines"),
    [
        ("https://x/y", "0abc", "git clone https://x/y CLONE\ngit -C CLONE checkout 0abc\n"),
        ("unknown", "0abc", ""),
        ("https://x/y", "unknown", ""),
    ],
)
def test_a_source_is_cloned_where_it_is_stated_what_to_get(
    repository: str, commit: str, lines: str
) -> None:
    assert Origin(name="s", repository=repository, commit=commit).clone == lines
