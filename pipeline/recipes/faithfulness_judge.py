"""Claims held against a passage (sanlee-ys/faithfulness-judge): supported, partly, or not."""

from pathlib import Path
from typing import Any, Final

import msgspec
import yaml
from msgspec import Struct

from epc.records.verdicts.converting import FAILS, Conversion, Request, day_of, digest, file_of
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with data/claims.yaml, {claims: [{claim_id, context_id, variant, label}]}, and "
    "data/judgments_opus.yaml and data/judgments_sonnet.yaml, {meta: {judge_model, judged_at}, "
    "judgments: [{claim_id, judge_label}]}"
)
_REPOSITORY: Final = "https://github.com/sanlee-ys/faithfulness-judge"
_CLAIMS: Final = Path("data/claims.yaml")
_FILES: Final = "data/judgments_*.yaml"
_SCRIPT: Final = Path("src/judge.py")
_NO_CLAIM: Final = "na"
# The source counts what is partly supported as not supported.
_WORDS: Final = {"supported": "a", "partial": "b", "unsupported": "b"}
_TOKENS: Final = 64

FAULTS: Final = faults(
    {
        "one-labeller": "All labels are one person's, who read some of them again. Nothing says "
        "how far another person would agree.",
        "few-passages": "The 189 claims are of 12 passages. The passage is the item in every "
        "interval, so intervals are wide.",
        "partly-is-not": "A claim that is partly supported counts as not supported, as the source "
        "has it: 12 of the labels. On the 36 that are wholly unsupported both judges miss one.",
        "labels-moved": "Four labels were changed after the judges had been read: two in July, "
        "two in an audit in August 2026.",
        "own-family": "Claude Sonnet 5 wrote the answers that the claims are of, and judges them.",
        "traps-on-purpose": "Questions were made to provoke unsupported claims, on public texts "
        "of armed forces. Other texts are not tried.",
        "first-run-replaced": "The source asked a first time in free text, could not read much of "
        "it, and asked again with a forced choice. Only that is here.",
        "no-texts": "Digests are of names. No decoding is stated but 64 tokens at most.",
    },
    models={"own-family": ("claude-sonnet-5",)},
)


class _Claim(Struct, frozen=True):
    claim_id: str
    context_id: str
    variant: str
    label: str


class _Claims(Struct, frozen=True):
    claims: list[_Claim]


class _Judgment(Struct, frozen=True):
    claim_id: str
    judge_label: str | None


class _Meta(Struct, frozen=True):
    judge_model: str
    judged_at: str


class _Judged(Struct, frozen=True):
    """Labels of one judge, and when it gave them."""

    meta: _Meta
    judgments: list[_Judgment]


def convert(source: Path, request: Request) -> Conversion:
    """Return every label of a claim as pass (supported) or fail."""
    work = Work(source=source, request=request, expected=EXPECTED)
    document = _decoded(work, _CLAIMS, _Claims) if work.holds(_CLAIMS) else None
    claims = {claim.claim_id: claim for claim in document.claims} if document else {}
    for path in work.paths(_FILES):
        judged = _decoded(work, path, _Judged)
        if judged is None:
            continue
        model = judged.meta.judge_model
        work.settings[model] = setting_of(
            model,
            model,
            platform="anthropic",
            prompt="SYSTEM",
            sha256=work.digest_of(_SCRIPT),
            decoding={"max_tokens": _TOKENS},
        )
        for judgment in judged.judgments:
            claim = claims.get(judgment.claim_id)
            if claim is None or claim.label not in {*_WORDS, _NO_CLAIM}:
                work.wrong(f"{path}/{judgment.claim_id}", "is of no labelled claim")
            elif claim.label == _NO_CLAIM:
                work.left_out["labels of a sentence that is no claim"] += 1
            else:
                work.add(
                    f"{path}/{judgment.claim_id}",
                    item=judgment.claim_id,
                    setting=model,
                    file=path.as_posix(),
                    subset=claim.variant,
                    question_sha256=digest(f"{_REPOSITORY}/{claim.context_id}"),
                    a_sha256=digest(f"{_REPOSITORY}/{claim.claim_id}"),
                    b_sha256=FAILS,
                    verdict=_WORDS.get(judgment.judge_label or "", "unreadable"),
                    gold=_WORDS[claim.label],
                    date=day_of(judged.meta.judged_at),
                )
    return work.done(name="Faithfulness judge", repository=_REPOSITORY, identity="name")


def _decoded(work: Work, path: Path, kind: Any) -> Any:
    """Return a YAML file's value, or a finding and None; list it in the header."""
    content = work.read(path)
    try:
        value = msgspec.convert(yaml.safe_load(content), kind)
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        work.wrong(path.as_posix(), str(error))
        return None
    work.files[path.as_posix()] = file_of(path.as_posix(), content)
    return value


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
