"""Issue 56: the nightly report says how old sightings are."""

from datetime import date
from pathlib import Path

from epc.registry.reading import of_folder
from epc.registry.upkeep.sightings import sightings

ROOT = Path(__file__).parents[4]


def test_ages_are_counted_from_the_last_day_on_which_a_list_had_a_model() -> None:
    """A hundred days later what was seen last is old, too; by then nothing is left to age."""
    registry = of_folder(ROOT)
    first = sightings(registry, date(2026, 11, 29))
    later = sightings(registry, date(2026, 11, 29).replace(year=2027))

    assert first.newest == later.newest
    assert 0 < first.old < first.lives
    assert (later.old, later.aging) == (later.lives, 0)
    assert next(iter(first.lines)).startswith(
        f"models on platforms without a stated end: {first.lives};"
    )
