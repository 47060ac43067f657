"""Lists of four answers counted a second time, by pandas and without a line of the program.

    python tests/studies/lists_of_four.py composo|themis SOURCE report.json

`report.json` is what `epc audit --format json` says of the checkout. It prints how many
values were compared and which differ, and exits 1 if one does.
"""

import json
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Values = dict[tuple[str, ...], float]  # of a setting, a subset ("" is all) and a figure
FAILED = ("max_retries_exceeded", "cli_error", "timeout", "json_parse_error")
MODELS = {
    (False, "full"): "gpt-5.4",
    (False, "mini"): "gpt-5.4-mini",
    (False, "nano"): "gpt-5.4-nano",
    (True, "full"): "claude-sonnet-4-6",
    (True, "mini"): "claude-haiku-4-5-20251001",
}


def of_composo(source: Path) -> pd.DataFrame:
    """Return a row for each asking of a question: setting, subset, id, repeat, four scores."""
    rows = []
    for path in sorted(source.glob("results/raw/*.jsonl")):
        prompt, _, rest = path.stem.partition("_")
        claude = "claude" in rest
        for line in map(json.loads, path.read_text().splitlines()):
            for size in ("full", "mini", "nano"):
                if f"{size}_scores" not in line:
                    continue
                parts = [MODELS[claude, size], prompt]
                if "_t" in rest and float(rest.partition("_t")[2]) != 1:
                    parts.append(f"t{float(rest.partition('_t')[2])}")
                tokens = line["cost"][f"{size}_input_tokens"]
                if claude and tokens / line["k"] / 4 > 15_000:
                    parts.append("client-context")
                failed = np.array(
                    [[str(e).startswith(FAILED) for e in each] for each in line[f"{size}_errors"]]
                ).any(axis=0)
                scores = np.array(line[f"{size}_scores"], float).T
                rows += [
                    ("/".join(parts), line["subset"], line["id"], *scores[asking])
                    for asking in np.flatnonzero(~failed)
                ]
    return pd.DataFrame(rows, columns=["setting", "subset", "id", 0, 1, 2, 3])


def best(scores: np.ndarray[Any, Any], k: int) -> float:
    """Return how far answer 0 has the highest mean of k successive askings, ties shared."""
    found = []
    for start in range(len(scores)):
        run = np.roll(scores, -start, axis=0)[:k]
        count = (~np.isnan(run)).sum(axis=0)
        mean = np.where(count, np.nansum(run, axis=0) / np.maximum(1, count), -np.inf)
        top = (mean >= mean.max() - 1e-9) & (count > 0)
        found.append(top[0] / max(1, top.sum()))
    return float(np.mean(found))


def composo(source: Path) -> Values:
    """Return every value of lists, by setting and subset, and what a panel of all is worth."""
    table = of_composo(source)
    pairs = pd.concat(
        [
            pd.DataFrame(
                {"right": table[0] > table[n], "tie": table[0] == table[n]}
                | {name: table[name] for name in ("setting", "subset", "id")}
                | {"item": n, "missing": table[[0, n]].isna().any(axis=1)}
            )
            for n in (1, 2, 3)
        ]
    )
    values: Values = {}
    for subset in ("", *table.subset.unique()):
        own_pair = pairs[pairs.subset == subset] if subset else pairs
        items = own_pair.groupby(["setting", "subset", "id", "item"])[
            ["right", "tie", "missing"]
        ].mean()
        for name, figure in (("accuracy", "right"), ("ties", "tie"), ("unreadable", "missing")):
            for setting, value in items[figure].groupby("setting").mean().items():
                values[str(setting), subset, name] = value
    errors = {}
    for setting, asked in table.groupby("setting"):
        lists = {
            key: part[[0, 1, 2, 3]].to_numpy() for key, part in asked.groupby(["subset", "id"])
        }
        largest = max(map(len, lists.values()))
        for k in range(1, largest + 1):
            won = pd.Series(
                {key: best(own_list, k) for key, own_list in lists.items() if len(own_list) >= k}
            )
            values[str(setting), "", f"best/{k}"] = won.mean()
            for subset, value in won.groupby(level=0).mean().items():
                values[str(setting), str(subset), f"best/{k}"] = value
        errors[str(setting)] = {
            key: np.array(
                [1 - best(own_list[index : index + 1], 1) for index in range(len(own_list))]
            )
            for key, own_list in lists.items()
        }
    return values | panels(errors) | effects(table)


def panels(errors: dict[str, dict[Any, Any]]) -> Values:
    """Return the correlation of single errors of every two settings of different models."""
    values: Values = {}
    for error, two_errors in combinations(sorted(errors), 2):
        common = sorted(errors[error].keys() & errors[two_errors].keys())
        if error.split("/")[0] != two_errors.split("/")[0] and common:
            both = [[errors[name][key] for key in common] for name in (error, two_errors)]
            means = np.array([[each.mean() for each in side] for side in both])
            spread = [np.mean([(e**2).mean() for e in side]) for side in both]
            middle = means.mean(axis=1)
            spread = [s - m**2 for s, m in zip(spread, middle, strict=True)]
            if min(spread) <= 0:  # one of them never errs, or always
                continue
            together = (means[0] * means[1]).mean() - middle.prod()
            alike = together / np.sqrt(np.prod(spread))
            values[error, two_errors, "error_correlation"] = alike
            values[error, two_errors, "independent_judges"] = 2 / (1 + alike)
    return values


def effects(table: pd.DataFrame) -> Values:
    """Return by how much more often each second setting of a model is right at once."""
    lists = table.groupby(["setting", "subset", "id"])[[0, 1, 2, 3]].apply(
        lambda part: best(part.to_numpy(), 1)
    )
    values: Values = {}
    for one, two in combinations(sorted(table.setting.unique()), 2):
        gap = (lists[two] - lists[one]).dropna()
        if one.split("/")[0] == two.split("/")[0] and len(gap):
            values[one, two, "best/1"] = gap.mean()
    return values


def themis(source: Path) -> Values:
    """Return every value of the picks with the original prompt on the benchmark's own answers."""
    rows: list[tuple[Any, ...]] = []
    seen = set()
    for path in sorted(source.glob("results/exp01/*.jsonl")):
        about, *lines = map(json.loads, path.read_text().splitlines())
        key = (about["model"], about["dataset"], about["ordering"])
        if about["dataset"] not in ("data/p2_o0", "data/control_o0") or key in seen:
            continue
        if "polarity_original" not in about["prompt"]:
            continue
        seen.add(key)
        for line in lines:
            at = "ABCD".find(line["parsed_letter"] or "-")
            picked = about["permutation"][at] if at >= 0 else -1
            place = about["permutation"].index(0)
            rows.append((about["model"], line["subset"], line["id"], about["ordering"], place, at))
            rows[-1] += (picked, line["judgement_text"] or "")
    names = ["model", "subset", "id", "order", "place", "at", "picked", "text"]
    table = pd.DataFrame(rows, columns=names)
    table["right"] = table.picked == 0
    values: Values = {}
    for subset in ("", *table.subset.unique()):
        own_table = table[table.subset == subset] if subset else table
        for model, asked in own_table.groupby("model"):
            for name, value in picks(asked, whole=not subset):
                values[f"{model!s}/polarity_original", subset, name] = value
    return values


def picks(table: pd.DataFrame, *, whole: bool) -> Iterator[tuple[str, float]]:
    """Yield what one judge's picks say; an item counts once at each place."""
    ids = ["subset", "id"]
    by_place = table.groupby(["place", *ids]).right.mean().groupby("place").mean()
    yield "best/1", by_place.mean()
    yield "unreadable", (table.picked < 0).groupby([table[name] for name in ids]).mean().mean()
    for place, value in by_place.items() if whole else ():
        yield f"place_right/{'ABCD'[int(str(place))]}", value
    read = table[table.picked >= 0]
    for place, letter in enumerate("ABCD") if whole else ():
        chosen = (read["at"] == place).groupby([read[name] for name in ("place", *ids)]).mean()
        yield f"place_picked/{letter}", chosen.groupby("place").mean().mean()
    first = table.drop_duplicates([*ids, "order"]).pivot_table(
        index=ids, columns="order", values="picked"
    )
    both = [first[[a, b]].dropna() for a, b in combinations(first, 2)]
    same = pd.concat([((p.iloc[:, 0] == p.iloc[:, 1]) & (p.iloc[:, 0] >= 0)) for p in both])
    yield "rearranged_consistency", same.groupby(level=[0, 1]).mean().mean()
    asked = read.groupby([*ids, "order"])
    said = [part[[*ids, "picked", "text"]].to_numpy().tolist() for _, part in asked]
    repeated_table = pd.DataFrame(
        [
            (*one[:2], one[2] == two[2], one[3] == two[3] and len(one[3]) >= 100)
            for part in said
            for one, two in combinations(part, 2)
        ],
        columns=[*ids, "same", "copied"],
    )
    for name, kept in (
        ("", repeated_table[~repeated_table.copied.astype(bool)]),
        ("_all", repeated_table),
    ):
        if len(kept) and (whole or not name):
            yield f"repeat_consistency{name}", kept.groupby(ids).same.mean().mean()


def report_values(report: Any) -> Values:
    """Return the values of a report under the same names."""
    values: Values = {}
    for group in report["groups"]:
        for subset, figures in {"": group["figures"], **group["by_subset"]}.items():
            for name, figure in figures.items():
                values[group["settings"][0], subset, name] = figure["value"]
    for part in (*report["panels"], *report["effects"]):
        for name, figure in part["figures"].items():
            values[*sorted(part["settings"]), name] = figure["value"]
    return values


def differences(shape: str, source: Path, report: Any) -> tuple[int, list[str]]:
    """Return how many values of a report were compared, and those that differ or are missing."""
    ours, theirs = {"composo": composo, "themis": themis}[shape](source), report_values(report)
    both_ours = [key for key in ours if key in theirs]
    apart = [f"{key}: {theirs[key]}, by pandas {ours[key]}" for key in both_ours]
    return len(both_ours), [
        line
        for key, line in zip(both_ours, apart, strict=True)
        if abs(ours[key] - theirs[key]) > 1e-9
    ]


if __name__ == "__main__":
    count, wrong = differences(
        sys.argv[1], Path(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text())
    )
    print("\n".join([f"{count:,} values compared, {len(wrong)} differ", *wrong]))
    sys.exit(bool(wrong))
