"""Scores of answers and captions by judges that saw the image (divake/VLM-Judge-Uncertainty)."""

import csv
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from epc.records.verdicts.converting import Conversion, Request, digest, file_of
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import UNKNOWN, faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with results/v2*/features_s2.csv, columns sample_id, gt_score (1 to 5) and "
    "parsed_score (1 to 5, or -1), and results/v2/error_analysis.csv, columns sample_id and "
    "orig_dataset"
)
_REPOSITORY: Final = "https://github.com/divake/VLM-Judge-Uncertainty"
_DATASETS: Final = Path("results/v2/error_analysis.csv")
_UNREAD: Final = "-1"
_SCORES: Final = frozenset("12345")
_GEMINI: Final = "gemini-2.5-flash"
_LLAVA: Final = "lmms-lab/llava-critic-7b"
_PHI: Final = "microsoft/Phi-4-reasoning-vision-15B"
_LOCAL: Final = {"temperature": 0, "max_tokens": 1024}  # do_sample=False
_HOSTED: Final = {"temperature": 0, "max_tokens": 2048}


class _Run(Struct, frozen=True):
    """Scores of a judge on a set of images, and the script that asked it."""

    folder: str
    judge: str
    benchmark: str
    script: str
    way: str

    @property
    def path(self) -> Path:
        """Its file of scores."""
        return Path(f"results/{self.folder}/features_s2.csv")

    @property
    def setting(self) -> str:
        """The key of its setting."""
        return f"{self.judge.rpartition('/')[2]}/{self.way}"


_RUNS: Final = (
    _Run("v2_gemini", _GEMINI, "MLLM-Judge", "run_judge_gemini.py", "mllm-judge"),
    _Run("v2", _LLAVA, "MLLM-Judge", "run_judge_lean.py", "mllm-judge"),
    _Run("v2_phi4", _PHI, "MLLM-Judge", "run_judge_phi4.py", "mllm-judge"),
    _Run("v2_polaris", _LLAVA, "Polaris", "run_judge_polaris.py", "polaris"),
    _Run("v2_polaris_phi4", _PHI, "Polaris", "run_judge_phi4_polaris.py", "polaris"),
    _Run(
        "v2_polaris_phi4_think",
        _PHI,
        "Polaris, 924 of all grades",
        "run_judge_phi4_polaris_think.py",
        "polaris-think",
    ),
)

FAULTS: Final = faults(
    {
        "images-unnamed": "The source does not say which answers are of one image: MLLM-Judge has "
        "5,719 answers on 1,373 images. So each sample is an item, and intervals are too narrow.",
        "one-annotator": "Beside each answer of MLLM-Judge stands one person's grade. Beside each "
        "caption of Polaris stands the mean of three people or more, rounded to a grade by the "
        "source.",
        "unread-scores": "A score that was not found in the reply is -1, and so is a request that "
        "failed: of the 35,527 rows 3,064. They are left out, and which ones is no chance.",
        "mllm-judge-non-commercial": "MLLM-Judge is CC-BY-NC and Polaris CC-BY-4.0. Scores and "
        "ids are here, no image and no text.",
        "no-texts": "Digests are of names: set and sample. Lengths stand as 0.",
        "undated": "No day stands beside a score. The scores were published on 27 April 2026.",
        "unread-gemini": "308 of 5,717 scores are -1: 5.4%.",
        "polaris-zeros": "5,505 of the 8,726 captions of Polaris have a mean of exactly 0, so that "
        "a judge that tells these from the rest follows people closely.",
        "half-precision": "The weights ran in half precision. Their digests are not stated.",
        "repetition-penalty": "The judge was sampled greedily with a repetition penalty of 1.1.",
        "two-names": "The source's page names microsoft/Phi-4-reasoning, its scripts "
        "Phi-4-reasoning-vision-15B, which alone sees images.",
        "unread-without-thinking": "On Polaris without thinking 2,484 of 8,726 scores are -1: "
        "28%. With thinking, on 924 captions, 205 are.",
    },
    models={
        "unread-gemini": (_GEMINI,),
        "polaris-zeros": (_LLAVA, _PHI),
        "half-precision": (_LLAVA, _PHI),
        "repetition-penalty": (_LLAVA,),
        "two-names": (_PHI,),
        "unread-without-thinking": (_PHI,),
    },
)


def convert(source: Path, request: Request) -> Conversion:
    """Return every score that was found in a judge's reply."""
    work = Work(source=source, request=request, expected=EXPECTED)
    datasets = _datasets(work)
    for run in _RUNS:
        if work.holds(run.path):
            _add(work, run, datasets)
    return work.done(name="VLM judge uncertainty (images)", repository=_REPOSITORY, identity="name")


def _datasets(work: Work) -> Mapping[str, str]:
    """Return the set that a sample of MLLM-Judge was taken from."""
    if not work.holds(_DATASETS):
        return {}
    return {row["sample_id"]: row["orig_dataset"] for _, row in _rows(work, _DATASETS)}


def _rows(work: Work, path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the place and the cells of each row of a table, and list the file by its path."""
    content = work.read(path)
    work.files[path.as_posix()] = file_of(path.as_posix(), content)
    table = csv.DictReader(StringIO(content.decode("utf-8")), restval="")
    for number, row in enumerate(table, 2):
        yield f"{path}:{number}", row


def _add(work: Work, run: _Run, datasets: Mapping[str, str]) -> None:
    work.settings[run.setting] = setting_of(
        run.judge.rpartition("/")[2],
        run.judge,
        platform="google-vertex" if run.judge == _GEMINI else UNKNOWN,
        prompt=f"PROMPT_TEMPLATE ({run.way})",
        sha256=work.digest_of(Path("scripts") / run.script),
        decoding={**(_HOSTED if run.judge == _GEMINI else _LOCAL)},
        modality="image",
    )
    for where, row in _rows(work, run.path):
        if row["parsed_score"] == _UNREAD:
            work.left_out[f"scores of -1 in {run.path.as_posix()}"] += 1
            continue
        if row["parsed_score"] not in _SCORES:
            work.wrong(where, f"has the score {row['parsed_score']}")
            continue
        work.add(where, setting=run.setting, **_verdict(run, row, datasets))


def _verdict(run: _Run, row: Mapping[str, str], datasets: Mapping[str, str]) -> dict[str, Any]:
    is_of_set = run.benchmark == "MLLM-Judge"
    subset = datasets.get(row["sample_id"], "not stated") if is_of_set else run.benchmark
    item = f"{run.benchmark}/{row['sample_id']}"
    return {
        "item": item,
        "file": run.path.as_posix(),
        "subset": subset,
        "question_sha256": digest(f"image/{item}"),
        "a_sha256": digest(f"image/{item}/answer"),
        "a_score": float(row["parsed_score"]),
        "human_score": float(row["gt_score"]),
    }


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
