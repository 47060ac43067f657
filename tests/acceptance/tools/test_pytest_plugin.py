"""The pytest plugin in a fresh installation: judges that tests rest on, and how far they agree."""

import json
import os
import random
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from engine_support import PATIENCE_S
from installed_support import Installed, further_environment
from records_support import epc

from epc.api.pytest_plugin import JudgeWarning, assert_judge_agreement

NEEDED = ("pytest", "iniconfig", "packaging", "pluggy", "pygments")
NOON = "1795694400"  # of 2026-11-26 in UTC
# OpenAI retired gpt-4-0613 on 2026-10-23, and states no end of gpt-5.4-mini.
TESTS = """
import pytest


@pytest.mark.judge("openai/gpt-5.4-mini", until="served")
def test_of_a_judge_that_is_served():
    pass


@pytest.mark.judge("openai/gpt-4-0613", until="served")
def test_of_a_judge_that_is_gone():
    pass


@pytest.mark.judge("openai/gpt-4-0613", gone="skip")
def test_that_is_skipped():
    pass


@pytest.mark.judge("openai/gpt-9-imagined")
def test_of_a_judge_that_nobody_knows():
    pass


@pytest.mark.judge("openai/gpt-9-imagined", unsure="fail")
def test_that_wants_to_be_sure():
    pass
"""


MISSPELLED = """
import pytest


@pytest.mark.judge("openai/gpt-4-0613", gone="error")
def test_of_a_word_that_is_no_action():
    pass


@pytest.mark.judge("openai/gpt-4-0613", gone=True)
def test_of_a_value_that_is_no_action():
    pass


@pytest.mark.judge("openai/gpt-9-imagined", unsure="raise")
def test_of_an_unknown_judge_and_no_action():
    pass
"""


@pytest.fixture(scope="module")
def fresh(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return further_environment(installed, tmp_path_factory.mktemp("pytest"), *NEEDED)


def run(fresh: Installed, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "SOURCE_DATE_EPOCH": NOON}
    command = (str(fresh.python), *arguments)
    return subprocess.run(
        command,
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


@pytest.mark.slow
def test_a_value_of_the_mark_that_is_no_action_fails_the_test(
    fresh: Installed, tmp_path: Path
) -> None:
    (tmp_path / "test_judged.py").write_text(MISSPELLED)

    done = run(fresh, tmp_path, "-m", "pytest", "--strict-markers")

    assert "3 errors" in done.stdout, done.stdout
    for words in ("gone='error'", "gone=True", "unsure='raise'"):
        assert f"judge: {words} is none of fail, skip, warn, pass\n" in done.stdout


@pytest.mark.slow
def test_a_mark_fails_skips_or_warns_by_the_state_of_the_judge(
    fresh: Installed, tmp_path: Path
) -> None:
    (tmp_path / "test_judged.py").write_text(TESTS)

    done = run(fresh, tmp_path, "-m", "pytest", "--strict-markers", "-rsw")

    assert "2 passed, 1 skipped, 1 warning, 2 errors" in done.stdout, done.stdout
    gone = "gpt-4-0613 (openai) expired since 2026-10-23 (retired). openai retired gpt-4-0613 on"
    assert f"\njudge openai/{gone}" in done.stdout
    assert f"judge openai/{gone}" in done.stdout.split("short test summary")[1]
    assert "JudgeWarning: judge openai/gpt-9-imagined unknown. not in this registry" in done.stdout


@pytest.mark.slow
def test_the_plugin_loads_nothing_where_no_test_uses_it(fresh: Installed, tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text("def test_other():\n    pass\n")
    code = (
        "import sys, pytest\n"
        "assert pytest.main(['-q']) == 0\n"
        "print(sorted(name for name in sys.modules if name.partition('.')[0] == 'epc'))"
    )

    done = run(fresh, tmp_path, "-c", code)

    loaded = ["epc", "epc.api", "epc.api.pytest_plugin", "epc.version"]
    assert done.stdout.splitlines()[-1] == str(loaded)


@pytest.mark.slow
def test_agreement_without_numpy_names_the_extra(fresh: Installed, tmp_path: Path) -> None:
    code = "import epc\nepc.assert_judge_agreement([['a', 'a']] * 9)"

    done = run(fresh, tmp_path, "-c", code)

    assert "this needs the extra `measure`; not installed: numpy" in done.stderr
    assert "pip install 'epc-registry[measure]'" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("until", "code"), [("2027-01-13", 0), ("2027-01-14", 1)])
def test_a_judge_has_to_be_served_until_a_day(
    until: str, code: int, fresh: Installed, tmp_path: Path
) -> None:
    """OpenAI says that it retires this one on 2027-01-14."""
    (tmp_path / "test_day.py").write_text(
        "import pytest\n"
        f"@pytest.mark.judge('openai/gpt-4o-2024-08-06', until='{until}', "
        "unsure='pass')\n"
        "def test_day():\n    pass\n"
    )

    assert run(fresh, tmp_path, "-m", "pytest", "-q").returncode == code


def test_repeats_agree_as_often_as_two_of_them_are_alike() -> None:
    """Of three askings aab one pair of three is alike; an item asked once shows nothing."""
    votes = [["a", "a", "b"], ["a", "a"], ["b", "a"], ["a"]]

    with pytest.warns(JudgeWarning, match=r"agrees in 44\.4% .* of 3 items.*: neither is shown"):
        figure = assert_judge_agreement(votes, at_least=0.8)

    assert figure.value == pytest.approx((1 / 3 + 1 + 0) / 3)


def test_of_one_item_each_verdict_is_held_against_the_expected_one() -> None:
    """Wilson's ends for 28 of 30 at 29 independent ones, by Student's t of 29: 0.775 and 0.983."""
    figure = assert_judge_agreement([[True] * 28 + [False] * 2], [True], at_least=0.7)

    assert figure.ci95 is not None
    assert [round(end, 3) for end in figure.ci95] == [0.775, 0.983]


def test_a_judge_that_is_shown_to_agree_too_rarely_fails() -> None:
    with pytest.raises(AssertionError, match=r"agrees in 50\.0% .*at least 80\.0% wanted"):
        assert_judge_agreement([["a", "b", "a", "b"]] * 30, ["a"] * 30)


def test_a_failure_is_the_line_of_the_test_and_one_sentence(tmp_path: Path) -> None:
    """No line of the plugin's own stands in between."""
    (tmp_path / "test_judge.py").write_text(
        "from epc import assert_judge_agreement\n\n"
        "def test_judge():\n"
        "    assert_judge_agreement([['a', 'b', 'a', 'b']] * 30, ['a'] * 30)\n"
    )
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_judge.py")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    failure = done.stdout.partition("= FAILURES =")[2].partition("short test summary")[0]
    told = [line for line in failure.splitlines() if line.startswith("E ")]
    # Wilson's interval of 15 of 30 with Student's t: 30 (1.96 / 2.045)^2 = 27.6 items count.
    sentence = "the judge agrees in 50.0% [32.5%, 67.5%] of 30 items, at least 80.0% wanted"
    assert told == [f"E       AssertionError: {sentence}"]
    assert "pytest_plugin.py" not in failure


def test_the_figure_is_that_of_an_audit_of_the_same_votes(tmp_path: Path) -> None:
    drawn = random.Random(3)
    votes = [["pass" if drawn.random() < 0.7 else "fail" for _ in range(3)] for _ in range(40)]
    expected = ["pass" if n % 3 else "fail" for n in range(40)]
    lines = [
        f"{n},{repeat},{vote},{expected[n]}"
        for n, asked in enumerate(votes)
        for repeat, vote in enumerate(asked)
    ]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["id,repeat,verdict,gold", *lines]) + "\n", "utf-8")
    found = json.loads(epc("audit", path, "--format", "json").stdout)["groups"][0]["figures"]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JudgeWarning)
        figures = [assert_judge_agreement(votes, right, at_least=0.3) for right in (expected, None)]

    for figure, name in zip(figures, ("agreement", "repeat_consistency_all"), strict=True):
        assert figure.value == pytest.approx(found[name]["value"])
        assert [*(figure.ci95 or ())] == pytest.approx(found[name]["ci95"])


def test_no_votes_show_nothing() -> None:
    with pytest.raises(ValueError, match="the votes show nothing"):
        assert_judge_agreement([["a"], ["b"]])


def test_a_judge_just_as_good_as_wanted_fails_in_about_one_run_of_forty() -> None:
    """The complaint: with a plain threshold such a judge turns every other run red.

    It fails with 19 of 30 or fewer, which a binomial of 0.8 has in 2.56%: 51 of 2,000 runs.
    """
    drawn = random.Random(5)
    runs = [[[drawn.random() < 0.8] for _ in range(30)] for _ in range(2_000)]

    failed = plain = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", JudgeWarning)
        for votes in runs:
            plain += sum(vote for (vote,) in votes) / 30 < 0.8
            try:
                assert_judge_agreement(votes, [True] * 30, at_least=0.8)
            except AssertionError:
                failed += 1

    assert 30 < failed <= 75
    assert plain > 700
