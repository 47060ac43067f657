"""What belongs into a submission's folder, and how large it may be."""

import pytest

from epc.registry.kinds.adapter import adapter
from epc.registry.submissions.layout import LONGEST_LINE, largest

PART = "competence/0123456789ab/planted"
TEXT = f"outputs/{'0a' * 32}.txt"


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("submission.json", 65_536),  # 64 KiB
        ("manifest.json", 16_777_216),  # 16 MiB
        ("trials.jsonl", 50_331_648),  # 48 MiB
        ("calls.jsonl", 50_331_648),
        ("weights.jsonl", 16_777_216),
        ("probes.jsonl", 16_777_216),
        ("observed.json", 4_194_304),  # 4 MiB
        ("verdicts.jsonl", 50_331_648),
        (f"{PART}/calls.jsonl", 50_331_648),
        (TEXT, 1_048_576),  # 1 MiB
        ("judge.json", 1_048_576),
    ],
)
def test_submission_s3_each_file_has_its_bound_in_bytes(path: str, most: int) -> None:
    assert largest(path) == most


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("submission.json", {"measured", "judged", "observed"}),
        ("manifest.json", {"measured"}),
        ("attestation.json", set()),
        ("probes.jsonl", {"measured"}),
        ("calls.jsonl", {"measured", "judged"}),
        ("observed.json", {"observed"}),
        ("verdicts.jsonl", {"observed"}),
        ("verdicts.parquet", set()),
        ("judge.json", {"judged"}),
        ("labels.jsonl", {"judged"}),
        (TEXT, {"judged"}),
        (TEXT.replace("0a", "0A"), set()),
        (f"{PART}/judge.json", {"judged"}),
        (f"{PART}/labels.jsonl", set()),
        ("competence/0123456789ab/retest-2026-07-02/samples.jsonl", {"judged"}),
        ("competence/0123456789ab/retest-2026-7-2/samples.jsonl", set()),
        ("prompts/cross_judge.txt", {"judged"}),
        ("prompts/../judge.json", set()),
        ("README.md", set()),
    ],
)
def test_submission_s2_each_file_belongs_to_the_kinds_that_have_it(
    path: str, kinds: set[str]
) -> None:
    every = ("measured", "judged", "observed")

    assert {kind for kind in every if adapter(kind).FILES.admits(path)} == kinds


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("competence", True),
        ("competence/0123456789ab", True),
        (PART, True),
        (f"{PART}/outputs", True),
        ("outputs", True),
        ("competence/0123456789a", False),
        ("outputs/outputs", False),
        ("..", False),
    ],
)
def test_submission_s2_an_evaluation_has_its_own_folders_and_no_others(
    path: str, *, known: bool
) -> None:
    assert (adapter("judged").FILES.folders.fullmatch(path) is not None) is known


def test_submission_s3_a_line_has_a_mebibyte_at_the_most() -> None:
    assert LONGEST_LINE == 1_048_576
