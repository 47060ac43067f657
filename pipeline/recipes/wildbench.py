"""WildBench's scores (allenai/WildBench): one response, one score of 1 to 10.

A later release holds most scores of an earlier one again, under the same request number. Those
are copies and no second askings. What was asked again is what the earlier release had cut: it is
another prompt, and so another setting.
"""

from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from epc.json_text import storable
from epc.records.verdicts.converting import Conversion, Request, digest
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import UNKNOWN, Row, Setting, faults
from epc.records.verdicts.work import Work, answered, setting_of

EXPECTED: Final = (
    "a folder with eval_results/RELEASE/score.v2/eval=JUDGE/MODEL.json, a list of {session_id, "
    "model_test, model_output, score: '1' to '10', parsed_result: {...}, meta_data: {batch_req_id}}"
)
_SCORES: Final = "eval_results/*/score.*/eval=*/*.json"
_PAIRWISE: Final = "eval_results/*/pairwise.*/**/*.json"
_REPOSITORY: Final = "https://github.com/allenai/WildBench"
_COPIES: Final = "scores of an earlier release, copied: same request number, same score"
_UNREAD: Final = "files of comparisons, which this shape does not read"
# What the script says: which template is whose. The one of its own has been deleted, and only of
# the last release do we know that the other one stands as it was asked.
_TEMPLATE: Final = Path("evaluation/eval_template.score.v2.md")
_OWN: Final = {"gpt-4-turbo-2024-04-09": "eval_template.score.v2.0522.md"}
_STATED: Final = "v2.0625"
_NOTE: Final = "without the scores that are copies of an earlier release's"
_SCALE: Final = frozenset(str(score) for score in range(1, 11))

FAULTS: Final = faults(
    {
        "copied-release": "Of the 8,181 scores of release v2.0625, 7,548 (92%) are those of "
        "v2.0522: the same request number, text and score. They are left out. Counted as repeats "
        "they would show a judge that never changes its mind.",
        "cut-texts": "In release v2.0522 histories, queries and responses stand cut at 1,000 "
        "words (397 of its responses end in '(truncated)'). Its prompt is not the prompt of "
        "v2.0625, which asked 633 cut ones again in full. So no score is a repeat of one in the "
        "other release.",
        "scores-only": "One response, one score. There is no place, no gold label and no human "
        "label, so the scores say nothing of place consistency and nothing of accuracy.",
        "few-repeats": "A judge was asked the same twice only where two models gave the same "
        "response: 38 items, 63 further askings, mostly of short, refused or empty responses.",
        "empty-responses": "111 scores are of an empty response. They are the judge's, but they "
        "say little of it.",
        "unequal-blanks": "The files of one judge keep blanks around a response that those of the "
        "other lack. Responses are taken without them, otherwise the judges would share no item "
        "of three of their six common models.",
        "incomplete": "138 files of scores and all 156 files of comparisons in the source's list "
        "are too large for the mirror that was read. The judge claude-3-5-sonnet-20240620 is in "
        "none of the files that are there.",
        "two-prompts": "By the script, gpt-4-turbo-2024-04-09 had a template of its own, now "
        "deleted; in the history it asks for three reasons of a comparison that there is not. So "
        "a difference between the two judges may be one between prompts.",
        "prompt-unstated": "The files name no prompt. Only of release v2.0625 does a script name "
        "a template that is there; the digest of the others is unknown.",
        "decoding-unstated": "The files state no decoding and no date. The program beside them "
        "has defaults (temperature 0, 1,024 tokens); nothing says that they were used. The scores "
        "were published from 26 May to 26 June 2024, so they are no younger.",
        "unread-dropped": "The source's converter drops every answer that it cannot parse. So no "
        "score is unreadable here, and up to 6 of 1,024 are missing in each file.",
        "no-categories": "The files name no task and hold no query, only a conversation's number.",
    },
    models={
        "copied-release": ("gpt-4o-2024-05-13",),
    },
)


class _Request(Struct, frozen=True):
    """What the platform said of an answer; its number is the answer's own."""

    batch_req_id: str


class _Entry(Struct, frozen=True):
    """One score."""

    session_id: str
    model_test: str
    model_output: str
    score: str
    parsed_result: dict[str, Any]
    meta_data: _Request


def convert(source: Path, request: Request) -> Conversion:
    """Return every score that is no copy as a verdict."""
    work = Work(source=source, request=request, expected=EXPECTED)
    seen: dict[str, tuple[str, str]] = {}
    paths = work.paths(_SCORES)
    for path in paths:
        _convert_file(path, seen, work)
    if unread := len(list(source.glob(_PAIRWISE))):
        work.left_out[_UNREAD] = unread
    return work.done(name="WildBench", repository=_REPOSITORY)


def _convert_file(path: Path, seen: dict[str, tuple[str, str]], work: Work) -> None:
    _, release, _, folder, _ = path.parts
    judge = folder.removeprefix("eval=")
    name = f"{judge}/{release}"
    key = f"{name}/{path.stem}"
    entries: list[_Entry] | None = work.decoded(path, list[_Entry], key=key)
    for index, entry in enumerate(entries or ()):
        number, rating = entry.meta_data.batch_req_id, (entry.session_id, entry.score)
        if number in seen:
            if seen[number] != rating:
                work.wrong(f"{path}/{index}", f"request {number} has another score elsewhere")
            work.left_out[_COPIES] += 1
            continue
        seen[number] = rating
        work.settings.setdefault(name, _setting(judge, release, work))
        # The files of one judge keep the blanks around a response, those of another do not.
        output = storable(entry.model_output.strip())
        item = f"{entry.session_id}/{digest(output)[:16]}"
        score = {"a_score": float(entry.score)}
        work.rows.append(
            Row(
                item=item,
                setting=name,
                file=key,
                **work.candidate("a", output),
                a_by=entry.model_test,
                **(score if entry.score in _SCALE else {"verdict": "unreadable"}),
                **work.repeat(name, item),
                **answered(msgspec.json.encode(entry.parsed_result).decode()),
            )
        )


def _setting(judge: str, release: str, work: Work) -> Setting:
    """Return what is stated of a judge: by its folder, and by a release's script."""
    is_known = release == _STATED and judge not in _OWN
    return setting_of(
        judge,
        judge,
        prompt=_OWN.get(judge, _TEMPLATE.name),
        sha256=work.digest_of(_TEMPLATE) if is_known else UNKNOWN,
        note=_NOTE if release == _STATED else None,
    )


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
