"""The tables and pictures of the study: three CSV files, their tables for a page, three SVG files.

The same results give the same bytes.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from studies.words.candidates import ADOPTED, OLD, SAYS
from studies.words.cases import CROSSINGS, NULLS, UNDECLARED
from studies.words.pictures import coverage_figure, words_figure
from studies.words.points import WAYS, Size
from studies.words.results import Coverage, Words

from epc.errors import able_to
from epc.protocol.results import Json
from epc.records import strict_json
from epc.report.picture import svg
from epc.spec.coupling import LEVEL

_COMPARED: Final = ("0.7/0.4", "0.8/0.3", "0.8/0.3, 8 and 40 tasks", "scattered, sd 0.5")


def write(
    words: Sequence[Words], sizes: Mapping[str, Size], covered: Sequence[Coverage], folder: Path
) -> list[Path]:
    """Write the study's tables and pictures into a folder and return the files.

    Raises: WorldError if the disk fails.
    """
    texts = {
        "rejections.csv": words_csv(words),
        "sizes.csv": sizes_csv(sizes),
        "coverage.csv": coverage_csv(covered),
        "tables.txt": page_tables(words, sizes, covered),
    }
    for name, specification in (
        ("power.svg", words_figure(words, CROSSINGS, "How often a crossing preference is found")),
        ("calibration.svg", words_figure(words, NULLS, "How often a word is false")),
        ("coverage.svg", coverage_figure(covered)),
    ):
        texts[name] = described(specification)
    return write_texts(texts, folder)


def write_texts(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Write files of a study into a folder and return them.

    Raises: WorldError if the disk fails.
    """
    with able_to("make", folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        strict_json.write_text(folder / name, [text])
    return [folder / name for name in texts]


def described(specification: Json) -> str:
    """Return a picture that says its finding to those who cannot see it."""
    from xml.sax.saxutils import escape

    head, _, rest = svg(specification).partition(">")
    return f'{head} role="img"><title>{escape(specification["description"])}</title>{rest}'


def words_csv(rows: Iterable[Words]) -> str:
    """Return what every rule says of every evaluator, with the 99% interval of its share."""
    return _csv(
        (
            *("evaluator", "crosses", "reuse", "seeds", "rule"),
            *("runs", "coupled", "rate", "low", "high"),
        ),
        (
            (
                row.evaluator,
                "no" if row.evaluator in NULLS else "yes",
                row.reuse,
                row.seeds,
                rule,
                row.runs,
                row.coupled[rule],
                *(f"{share:.4f}" for share in (row.rate(rule), *row.interval(rule))),
            )
            for row in rows
            for rule in SAYS
        ),
    )


def sizes_csv(sizes: Mapping[str, Size]) -> str:
    """Return what truly crosses, by evaluator."""
    return _csv(
        ("evaluator", "redirected", "regret", "crossing"),
        (
            (name, *(f"{value:.4f}" for value in (one.redirected, one.regret, one.crossing)))
            for name, one in sizes.items()
        ),
    )


def page_tables(
    rows: Sequence[Words], sizes: Mapping[str, Size], covered: Sequence[Coverage]
) -> str:
    """Return the tables of the page: false words, what fails, power, the competition, coverage."""
    nulls = [row for row in rows if row.evaluator in NULLS]
    crossings = [row for row in rows if row.evaluator in CROSSINGS]
    tables = (
        _words_table(nulls, sizes),
        _failing(nulls, sizes),
        _words_table(crossings, sizes),
        _competition(nulls, crossings),
        _coverage_table(covered),
    )
    return "\n".join(line for table in tables for line in (*table, ""))


def failing(row: Words, rule: str = ADOPTED) -> bool:
    """Return whether false words of a null are surely more than the level allows."""
    return row.interval(rule)[0] > LEVEL


def _words_table(rows: Sequence[Words], sizes: Mapping[str, Size]) -> list[str]:
    ways = [f"{reuse}, {seeds}" if reuse == "fresh" else reuse for reuse, seeds in WAYS]
    heads = [f"rule {number}: {way}" for number in (1, 2) for way in ways]
    lines = _head("evaluator", "true regret", "of it crossing", *heads, "runs", "beyond no margin")
    for name in dict.fromkeys(row.evaluator for row in rows):
        own = [row for row in rows if row.evaluator == name]
        shares = [_percent(row, rule) for rule in (OLD, ADOPTED) for row in own]
        size, runs = sizes[name], sorted({row.runs for row in own})
        sized, beyond = (sum(getattr(row, key) for row in own) for key in ("sized", "beyond"))
        lines.append(
            _line(
                name,
                f"{size.regret:.3f}",
                f"{size.crossing:.3f}",
                *shares,
                " to ".join(map(str, runs)),
                f"{beyond} of {sized}" if sized else "-",
            )
        )
    return lines


def _percent(row: Words, rule: str) -> str:
    shown = f"{100 * row.rate(rule):.0f}"
    return f"**{shown}**" if row.evaluator in NULLS and failing(row, rule) else shown


def _failing(nulls: Sequence[Words], sizes: Mapping[str, Size]) -> list[str]:
    """Name each null that fails, with its rate and its true size."""
    failed = [row for row in nulls if failing(row)]
    if not failed:
        return [f"No null fails: no 99% interval of rule 2's false words begins above {LEVEL:.0%}."]
    lines = _head("what fails", "run", "called coupled", "99% interval", "true regret")
    return lines + [
        _line(
            row.evaluator,
            row.way,
            f"{row.rate(ADOPTED):.0%}",
            "{:.0%} to {:.0%}".format(*row.interval(ADOPTED)),
            f"{sizes[row.evaluator].regret:.3f}",
        )
        for row in failed
    ]


def _competition(nulls: Sequence[Words], crossings: Sequence[Words]) -> list[str]:
    """Hold the rules against each other, where nobody hides topics from them."""
    fair = [row for row in nulls if row.evaluator not in UNDECLARED]
    cells = {(row.evaluator, row.reuse, row.seeds): row for row in crossings}
    shown = [
        (f"{name}: {reuse}", (name, reuse, seeds))
        for name in _COMPARED
        for reuse, seeds in (WAYS[0], WAYS[-1])
        if (name, reuse, seeds) in cells
    ]
    lines = _head(
        "rule", "it looks at", "worst null", "nulls that fail", *(head for head, _ in shown)
    )
    for rule, looks_at in SAYS.items():
        worst = max(fair, key=lambda row: row.rate(rule))
        failed = {row.evaluator for row in fair if failing(row, rule)}
        lines.append(
            _line(
                rule,
                looks_at,
                f"{worst.evaluator}, {worst.way}: {worst.rate(rule):.0%}",
                f"{len(failed)} of {len({row.evaluator for row in fair})}",
                *(f"{100 * cells[cell].rate(rule):.0f}" for _, cell in shown),
            )
        )
    return lines


def _coverage_table(rows: Sequence[Coverage]) -> list[str]:
    """How often each interval holds the truth: for the evaluator where least, and where most."""
    lines = _head("interval", "run", "lowest", "of", "highest", "of", "intervals each")
    for interval, way in dict.fromkeys((row.interval, row.way) for row in rows):
        own = [row for row in rows if (row.interval, row.way) == (interval, way)]
        ends = (min(own, key=lambda row: row.rate), max(own, key=lambda row: row.rate))
        shown = [cell for row in ends for cell in (f"{100 * row.rate:.1f}", row.evaluator)]
        lines.append(_line(interval, way, *shown, str(own[0].runs)))
    return lines


def _head(*cells: str) -> list[str]:
    return [_line(*cells), "|" + "---|" * len(cells)]


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def coverage_csv(rows: Iterable[Coverage]) -> str:
    """Return the table of coverage."""
    return _csv(
        ("evaluator", "reuse", "seeds", "interval", "runs", "covered", "rate", "truth", "width"),
        (
            (
                row.evaluator,
                row.reuse,
                row.seeds,
                row.interval,
                row.runs,
                row.covered,
                *(f"{value:.4f}" for value in (row.rate, row.truth, row.width)),
            )
            for row in rows
        ),
    )


def _csv(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
