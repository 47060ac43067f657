"""A rebuilt verdict file: files that were left out whole are not read again (Reading R77)."""

from dataclasses import replace

from registry_support import ROOT

from epc.registry.observed import document_of, rebuilt_header

STATED = document_of(ROOT / "snapshots" / "v1.2-claude-sonnet-4-6").header


def test_reading_r77_a_smaller_count_is_that_of_files_that_are_not_read_again() -> None:
    assert STATED.left_out == {"answers of a trial run on two pairs": 4}
    assert rebuilt_header(replace(STATED, left_out={}), STATED) == STATED


def test_reading_r77_a_larger_count_or_another_one_is_a_difference() -> None:
    for count in ({"answers of a trial run on two pairs": 5}, {"answers of somebody": 1}):
        assert rebuilt_header(replace(STATED, left_out=count), STATED) != STATED
