"""Scores of judges that saw images, as verdicts (Reading R77)."""

from pathlib import Path
from typing import Final

from recipes import vlm_judge

from epc.records.verdicts.converting import Request

_HEADER: Final = "sample_id,s2_lp1,gt_score,parsed_score\n"


def _source(folder: Path) -> Path:
    for run in vlm_judge._RUNS:
        path = folder / run.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{_HEADER}0,-1.5,3.0,4\n1,-0.1,2.0,-1\n")
    datasets = folder / "results/v2/error_analysis.csv"
    datasets.write_text("sample_id,gt_score,orig_dataset\n0,3.0,coco\n")
    return folder


def test_reading_r77_vlm_judge_scores_of_minus_one_are_left_out_and_images_are_said(
    tmp_path: Path,
) -> None:
    done = vlm_judge.convert(_source(tmp_path), Request())

    assert done.header is not None
    actual_rows = [row for row in done.rows or () if row.setting.startswith("llava")]
    assert [(r.setting, r.item, r.subset, r.a_score, r.human_score) for r in actual_rows] == [
        ("llava-critic-7b/mllm-judge", "MLLM-Judge/0", "coco", 4, 3),
        ("llava-critic-7b/polaris", "Polaris/0", "Polaris", 4, 3),
    ]
    assert set(done.header.left_out.values()) == {1}
    assert len(done.header.left_out) == 6
    assert {setting.modality for setting in done.header.settings.values()} == {"image"}


def test_reading_r77_vlm_judge_a_score_that_is_none_is_a_finding(tmp_path: Path) -> None:
    source = _source(tmp_path)
    path = source / "results/v2/features_s2.csv"
    path.write_text(f"{_HEADER}0,-1.5,3.0,7\n")

    (finding,) = vlm_judge.convert(source, Request()).findings

    assert "has the score 7" in finding.problem
