"""Tests of one way to write a number with its interval."""

import pytest

from epc.statistics.figures import Figure, Mean, figure_text, interval_text, number_text, range_text


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (".3f", "0.125 [-0.040, 0.250]"),
        ("+.2f", "+0.12 [-0.04, +0.25]"),
        (".1%", "12.5% [-4.0%, 25.0%]"),
        ("+.1p", "+12.5 points [-4.0, +25.0]"),
        (".0c", "12 [-4, 25]"),
    ],
)
def test_a_number_and_its_interval_have_one_form(form: str, said: str) -> None:
    assert f"{Figure(value=0.125, ci95=(-0.04, 0.25)):{form}}" == said


def test_what_has_no_interval_says_why_and_what_has_no_number_is_a_dash() -> None:
    assert Mean(value=0.5, ci95=None).text(absent="(one seed)") == "0.500 (one seed)"
    assert Figure(value=0.5, ci95=None).text(".0%") == "50%"
    assert Figure(value=None, ci95=None).text(".1%", "(too few)") == "-"
    assert Figure(value=None, ci95=(1, None)).text(".0f") == "- [1, or more]"  # type: ignore[arg-type]
    assert (interval_text(None, absent="none"), range_text(None, ".1%")) == ("none", "")
    assert range_text((0.12, 0.15), ".1%") == "12.0% to 15.0%"


def test_what_rounds_to_zero_has_no_minus() -> None:
    assert f"{Figure(value=-0.004, ci95=(-0.02, 0.01)):+.2f}" == "+0.00 [-0.02, +0.01]"
    assert f"{Figure(value=-0.0004, ci95=None):.1%}" == "0.0%"
    assert f"{Figure(value=-0.02, ci95=(-0.03, -0.001)):+.2f}" == "-0.02 [-0.03, -0.00]"  # below 0
    assert figure_text(1234, None, ",") == "1,234"
    assert [number_text(-0.0004, form) for form in ("+.3f", ".3f", "+.1p")] == [
        *("+0.000", "0.000", "+0.0"),
    ]
