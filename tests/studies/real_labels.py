"""How often intervals of 50 real labels hold the figure of all: three published sets, five judges.

PandaLM and LLMBar are read from the store. The scores are those of
https://github.com/divake/VLM-Judge-Uncertainty (MIT), of which a clone is given. Fifty items are
drawn with replacement a thousand times, so that a set stands for all there could be. Of PandaLM
there are two judges; each of its three people is held against the other two as well. Writes
`intervals-labels.csv`, which `site/docs/statistics.md` shows:
`nice .venv/bin/python tests/studies/real_labels.py CLONE --out intervals-labels.csv`.
"""

import csv
import subprocess
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it for the tests

from epc.records.checkout import ROOT
from epc.records.verdicts.verdict_file import rows_of
from epc.registry.fetching import snapshot_folder
from epc.registry.tags import Tag
from epc.registry.verdicts import verdicts_in
from epc.statistics.clusters import share_of_rows
from epc.statistics.earlier import INTERVALS as EARLIER
from epc.statistics.observed import TODAY
from epc.statistics.paired import paired_difference

Array = NDArray[np.float64]
Table = dict[str, Array]  # a row for each item
Ends = tuple[float, float] | None
PLAIN = "comparison/Vanilla.txt"
LABELS, DRAWS = 50, 1000
ANSWERS = ("a", "b", "tie")
LLMBAR = ("gpt-4", "gpt-3.5-turbo-0613", "gpt-3.5-turbo-0301", "Llama-2-70b-chat-hf",
          "falcon-180B-chat")  # fmt: skip
SCORED = ("v2", "v2_phi4", "v2_gemini", "v2_polaris", "v2_polaris_phi4")
HEAD = ("set", "figure", "judges", "cover before", "width before", "cover", "worst", "width")


def main() -> None:
    """Write a row for each figure of each set."""
    parser = ArgumentParser()
    parser.add_argument("clone", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    sets = {"PandaLM": pandalm(), "LLMBar": llmbar(), "scores of images": scored(options.clone)}
    with options.out.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(HEAD)
        for name, judges in sets.items():
            for row in _rows(name, judges):
                print(row, flush=True)
                table.writerow(row)


def lines_of(tag: str) -> list[Mapping[str, Any]]:
    """Return the published verdicts of a judge."""
    with snapshot_folder(Tag.parse(tag), location=str(ROOT)) as folder:
        document, verdicts = verdicts_in(folder)
    prompts = {name: setting.prompt.name for name, setting in document.header.settings.items()}
    rows = [{field: getattr(row, field) for field in row.__struct_fields__}
            for row in rows_of(verdicts)]  # fmt: skip
    return [row | {"prompt": prompts[row["setting"]]} for row in rows]


def _most(votes: list[str]) -> str | None:
    ranked = Counter(votes).most_common(2)
    return (
        None if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]) else ranked[0][0]
    )


def pandalm() -> Iterator[Table]:
    """Yield two judges, and three people as judges of what the other two say alike."""
    people: list[list[str]] = []
    for tag in ("v1.0-PandaLM-7B", "v1.0-gpt-3.5-turbo"):
        rows = [row for row in lines_of(tag) if row["humans"]]
        people = [list(row["humans"]) for row in rows]
        yield _answered([str(row["verdict"]) for row in rows], people)
    for person in range(3):
        others = [[*votes[:person], *votes[person + 1 :]] for votes in people]
        yield _answered([votes[person] for votes in people], others)


def _answered(said: list[str], people: list[list[str]]) -> Table:
    """Return a judge's answers beside the majority of people, where there is one."""
    both = [(one, votes, most) for one, votes in zip(said, people, strict=True)
            if (most := _most(votes)) and one in ANSWERS]  # fmt: skip
    eye = np.eye(3)
    return {
        "right": np.array([float(one == most) for one, _, most in both]),
        "votes": np.array([votes.count(one) / len(votes) for one, votes, _ in both]),
        "persons": np.array([float(len(votes)) for _, votes, _ in both]),
        "judge": np.array([eye[ANSWERS.index(one)] for one, _, _ in both]),
        "label": np.array([eye[ANSWERS.index(most)] for _, _, most in both]),
    }


def llmbar() -> Iterator[Table]:
    """Yield five judges, each asked in both orders with the plain prompt."""
    for judge in LLMBAR:
        orders: dict[str, dict[str, Mapping[str, Any]]] = {}
        for row in lines_of(f"v1.0-{judge}"):
            if row["prompt"] == PLAIN and "CaseStudy" not in row["subset"]:
                orders.setdefault(row["item"], {}).setdefault(row["first"], row)
        pairs = [(both["a"], both["b"]) for both in orders.values() if both.keys() == {"a", "b"}]
        said = [(str(one["verdict"]), str(two["verdict"])) for one, two in pairs]
        gold = [str(one["gold"]) for one, _ in pairs]
        right = np.array([[x == g, y == g] for (x, y), g in zip(said, gold, strict=True)]) * 1.0
        yield {
            "halves": np.mean(right, axis=1),
            "right": right[:, 0],
            "turned": right[:, 1],
            "same": np.array([float(x == y) for x, y in said]),
            "first": np.array([((x == "a") + (y == "b")) / 2 for x, y in said]),
            "judge": np.array([[float(x == "a"), float(x != "a")] for x, _ in said]),
            "label": np.array([[float(g == "a"), float(g != "a")] for g in gold]),
        }  # fmt: skip


def scored(clone: Path) -> Iterator[Table]:
    """Yield five judges' scores of 1 to 5 beside people's; what lies outside is left out."""
    for name in SCORED:
        path = f"HEAD:results/{name}/features_s2.csv"
        text = subprocess.run(
            ["git", "-C", str(clone), "show", path], capture_output=True, text=True, check=True
        ).stdout
        rows = [*csv.DictReader(text.splitlines())]
        both = np.array(
            [[float(row["parsed_score"] or -1), float(row["gt_score"])] for row in rows]
        )
        both = both[(both[:, 0] >= 1) & (both[:, 0] <= 5)]
        gap = both[:, 0] - both[:, 1]
        yield {"x": both[:, 0], "y": both[:, 1], "gap": gap, "near": (np.abs(gap) <= 1) * 1.0,
               "exact": (np.abs(gap) < 0.5) * 1.0}  # fmt: skip


def _figures(table: Table) -> dict[str, tuple[float, Ends, Ends]]:
    """Return each figure of some rows with its interval by the earlier rule and by today's."""
    n = len(next(iter(table.values())))
    item, ones = np.arange(n), np.ones(n)
    found: dict[str, tuple[float, Ends, Ends]] = {}
    for name, verdicts in (("right", n), ("halves", 2 * n), ("same", n), ("first", 2 * n),
                           ("near", n), ("exact", n)):  # fmt: skip
        if name in table:
            value, before = EARLIER.share(table[name], ones, item)
            found[name] = value, before, TODAY.share(table[name], ones, item, verdicts=verdicts)[1]
    if "votes" in table:
        value, before = EARLIER.share(table["votes"], ones, item)
        after = TODAY.share(table["votes"], ones, item, verdicts=float(table["persons"].sum()))[1]
        found["votes"] = value, before, after
    if "label" in table:
        found_kappa, before = EARLIER.kappa(table["judge"], table["label"], item)
        found["kappa"] = (
            found_kappa or 0.0,
            before,
            TODAY.kappa(table["judge"], table["label"], item)[1],
        )
        chosen = table["label"][:, 0] > 0
        if chosen.any():
            hits = table["judge"][chosen, 0]
            value, after = share_of_rows(hits, item[chosen])
            found["of those labelled a"] = (
                value,
                EARLIER.share(hits, hits**0, item[chosen])[1],
                after,
            )
    if "turned" in table:
        value, after = paired_difference(table["right"], table["turned"], item)
        before = EARLIER.mean(table["turned"] - table["right"], item)[1]
        found["difference of both orders"] = value, before, after
    if "gap" in table:
        value, before = EARLIER.mean(table["gap"], item)
        found["shift"] = value, before, TODAY.mean(table["gap"], item)[1]
        r, before = EARLIER.correlation(table["x"], table["y"], item)
        found["correlation"] = r or 0.0, before, TODAY.correlation(table["x"], table["y"], item)[1]
    return found


def _rows(name: str, judges: Iterator[Table]) -> Iterator[list[str]]:
    covers: dict[str, list[tuple[float, float, float, float]]] = {}
    for number, table in enumerate(judges):
        truth = _figures(table)
        size = len(next(iter(table.values())))
        seen: dict[str, list[tuple[float, float, float, float]]] = {}
        for draw in range(DRAWS):
            chosen = np.random.default_rng([number, draw]).integers(0, size, LABELS)
            for figure, (_, before, after) in _figures(
                {key: values[chosen] for key, values in table.items()}
            ).items():
                seen.setdefault(figure, []).append(
                    (*_held(before, truth[figure][0]), *_held(after, truth[figure][0]))
                )
        for figure, held in seen.items():
            covers.setdefault(figure, []).append(tuple(np.nanmean(held, axis=0)))
    for figure, found in covers.items():
        before, w0, after, w1 = np.mean(found, axis=0)
        worst = min(cover for _, _, cover, _ in found)
        yield [name, figure, f"{len(found)}", f"{100 * before:.1f}", f"{w0:.3f}",
               f"{100 * after:.1f}", f"{100 * worst:.1f}", f"{w1:.3f}"]  # fmt: skip


def _held(ends: Ends, truth: float) -> tuple[float, float]:
    """Return whether an interval holds the truth, and half its width; none holds nothing."""
    if ends is None:
        return 0.0, float("nan")
    return float(ends[0] - 1e-9 <= truth <= ends[1] + 1e-9), (ends[1] - ends[0]) / 2


if __name__ == "__main__":
    main()
