"""The documents against the program: what they claim is run."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import click
import pandas as pd
import pytest

from epc.audit import competence, drift, facts, probes, quality
from epc.cli.program import program
from epc.judge.mapping import read_mapping
from epc.protocol.metrics import ZeroCause
from epc.protocol.verdict import Verdict
from epc.records.conformance import answer_text, suite
from epc.records.recompute import load_manifest
from epc.records.schemas import findings as schema_findings
from epc.records.strict_json import disagreements
from epc.registry import expiry
from epc.registry.fetching import restore
from epc.registry.kinds.table import KINDS
from epc.registry.record import Trust
from epc.registry.tags import Tag
from epc.report.figure import draw
from epc.report.measurement_text import report as measurement_text
from epc.spec.epc_v1 import VARIANT_LABELS
from epc.spec.judge_v1 import FLAGS
from epc.spec.reference import EVALUATOR_PROMPT
from epc.statistics import e_process

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "site" / "docs"
README = (ROOT / "README.md").read_text("utf-8")
GLOSSARY = DOCS / "glossary.md"
# Pages that link a term to the glossary where they first use it.
FIRST_USES = [
    "about.md",
    "expiry.md",
    "getting-started.md",
    "machines.md",
    "protocol.md",
    "registry.md",
    "run-folder.md",
]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")])


def json_blocks(page: str) -> list[str]:
    return re.findall(r"```json\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


def test_the_worked_case_of_the_conformance_page_is_right() -> None:
    case, answer, of_judge, verdict = json_blocks("conformance.md")

    assert disagreements(json.loads(answer), answer_text(case.encode())) == []
    same = json.loads(of_judge)["given"]
    assert [c.expect for c in suite("judge") if json.loads(c.text)["given"] == same] == [
        json.loads(verdict)
    ]


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CHANGELOG.md"])
def test_the_number_of_cases_is_the_stated_one(page: Path) -> None:
    assert f"{len(suite())} language-neutral cases" in " ".join(page.read_text().split())


def test_judge_2_5_the_mapping_of_the_judging_page_is_a_mapping() -> None:
    document = json.loads(json_blocks("judge.md")[0])

    assert schema_findings("judge_mapping", document) == []
    assert read_mapping(document)[1] == []


def test_epc_2_8_the_suite_has_at_least_sixty_cases() -> None:
    assert len(suite()) >= 60
    assert len({case.id for case in suite()}) == len(suite())


def is_command(arguments: list[str]) -> bool:
    """Return whether the first words name a command, or a group."""
    command: click.Command | None = program
    for word in arguments:
        if not isinstance(command, click.Group):
            return True
        command = command.get_command(click.Context(command), word)
        if command is None:
            return False
    return True


def matches(pattern: str, pages: Iterable[Path] = PAGES) -> Iterator[tuple[Path, Any]]:
    """Yield what a pattern finds, with the page that it stands on, on one line."""
    for page in pages:
        for match in re.findall(pattern, " ".join(page.read_text("utf-8").split())):
            yield page.relative_to(ROOT), match


def test_every_command_that_a_page_names_exists() -> None:
    named = [*matches(r"(?:`|bin/)epc ([a-z]+(?: [a-z]+)*)")]

    assert [(page, words) for page, words in named if not is_command(words.split())] == []
    assert len(named) > 100


def test_every_link_into_the_repository_leads_somewhere() -> None:
    targets = [*matches(r"\]\(([^)#:]+)(?:#[^)]*)?\)")]

    assert [(p, to) for p, to in targets if not (ROOT / p.parent / to).exists()] == []
    assert len(targets) > 100


def anchors(page: Path) -> list[str]:
    """Return the anchors of a page's headings: their own, or as mkdocs makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#{1,6} (.*?)(?: \{ #([\w-]+) \})?$", text, re.MULTILINE)
    return [own or re.sub(r"[^\w\s-]", "", title).strip().lower() for title, own in headings]


@cache
def slugs(page: Path) -> set[str]:
    return {re.sub(r"[\s-]+", "-", anchor) for anchor in anchors(page)}


def test_every_link_to_a_heading_leads_to_one() -> None:
    links = [
        (page, ROOT / page.parent / target if target else ROOT / page, anchor)
        for page, (target, anchor) in matches(r"\]\(([^)#:]*\.md)?#([^)]+)\)")
    ]

    assert [(page, anchor) for page, there, anchor in links if anchor not in slugs(there)] == []
    assert len(links) > 100


def test_the_glossary_is_in_alphabetical_order_and_defines_each_term_once() -> None:
    _, *terms = anchors(GLOSSARY)

    assert terms == sorted(set(terms), key=lambda term: re.sub("[_-]", " ", term))


def test_an_anchor_of_the_glossary_stays() -> None:
    """Other sites may link to them: the list only grows."""
    listed = (Path(__file__).parent / "glossary_anchors.txt").read_text().split()

    assert set(listed) == slugs(GLOSSARY) - {"glossary"}


def test_the_glossary_defines_every_word_that_a_record_or_a_command_may_state() -> None:
    expected_words = {
        word
        for names in (
            facts.Word,  # the audit's words
            competence.Word,
            drift.State,
            e_process.State,
            expiry.Status,
            expiry.Reason,
            Trust,
            probes.Kind,
            quality.Word,
            ZeroCause,
        )
        for word in get_args(names)
    }
    # A and B are verdicts; their entry is "verdict".
    expected_words |= {*FLAGS, *VARIANT_LABELS, *(word for word in Verdict if not word.decided)}
    expected_words |= {f"{kind} snapshot" for kind in KINDS} - {
        "reported snapshot"  # its entry is "reported", a step of trust as well
    }

    defined = set(anchors(GLOSSARY))
    assert {word.lower() for word in expected_words} - defined == set()


def test_a_page_links_its_terms_to_the_glossary() -> None:
    assert [p for p in FIRST_USES if "](glossary.md#" not in (DOCS / p).read_text()] == []


def test_every_reading_that_the_code_names_is_explained() -> None:
    explained = set(re.findall(r"^\| (R\d+) ", (DOCS / "readings.md").read_text(), re.MULTILINE))
    code = "\n".join(path.read_text() for path in (ROOT / "epc").rglob("*.py"))

    named = set(re.findall(r"\bR\d{1,2}\b", " ".join(re.findall(r"Readings? R[\dR, and]+", code))))
    assert named <= explained
    assert {"R1", "R2", "R3", "R4", "R5", "R7", "R8", "R9", "R10", "R13", "R31"} <= named


def test_the_protocol_page_does_not_stand_for_the_prompt() -> None:
    """The prompt stands verbatim in one place, the specification."""
    copies = [p for p in (ROOT / "epc").rglob("*.py") if EVALUATOR_PROMPT[:40] in p.read_text()]

    assert [path.name for path in copies] == ["reference.py"]


def test_epc_2_4_c_the_protocol_page_shows_how_to_load_the_larger_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    [block] = re.findall(r"```python\n(.*?)```", (DOCS / "protocol.md").read_text(), re.DOTALL)

    exec(compile(block, "protocol.md", "exec"), {})  # noqa: S102 (the page's own lines)

    assert capsys.readouterr().out == "Why does bread dough rise before it is baked? kitchen\n"


def entry(term: str) -> str:
    """Return what the glossary says of a term, on one line."""
    page = " ".join(GLOSSARY.read_text().split())
    return page.split(f"## {term} ")[1].split(" ## ")[0]


def test_reading_r70_and_those_up_to_r76_stand_in_the_projects_own_words() -> None:
    rows = re.findall(r"^\| (R\d+) \| ", (DOCS / "readings.md").read_text(), re.MULTILINE)

    first = rows.index("R70")
    assert rows[first : first + 7] == ["R70", "R71", "R72", "R73", "R74", "R75", "R76"]


def test_reading_r71_the_glossary_says_what_the_words_take() -> None:
    coupled = entry("coupled")
    for part in ("(#redirected-choices)", "(#transfer-regret)", "0.05", "0.02", "(#group)"):
        assert part in coupled, part
    assert "0.02" in entry("no_coupling_beyond_margin")
    assert "not the word" in entry("preferences differ")


def test_reading_r70_the_glossary_gives_each_figure_its_unit() -> None:
    assert "From 0 to 1" in entry("redirected choices")
    assert "points" in entry("transfer regret")
    assert "against no first training" in entry("loss against no detour")
    assert "not part of the word" in entry("loss against no detour")


def test_reading_r74_the_glossary_tells_the_two_intervals_apart() -> None:
    assert "over seeds" in entry("these tasks")
    assert "over groups of tasks" in entry("this domain")


# What `coupled` does not mean since Reading R71, and what EPC never meant.
OLD_MEANINGS = (
    r"(domain|task)s?\b[^.]{0,40} never (saw|sees)",
    r"coupled`?:? (means|needs) (that )?(the )?(p at most|domains' preferences differ)",
    r"prefers other strategies in one domain than in the other",
    r"The excess (over the noise floor |tells )?(shows|shows? coupling|them apart)",
    r"shows coupling, if its interval",
)


def test_reading_r71_no_page_says_that_coupled_means_that_preferences_differ() -> None:
    templates = sorted((ROOT / "epc" / "site").rglob("*.j2"))
    pages = [*PAGES, *templates, ROOT / "epc/site/machines.py"]

    assert [match for old in OLD_MEANINGS for match in matches(old, pages)] == []


def opening() -> str:
    """Return the readme before its first fold, without commands, outputs and addresses."""
    text = (ROOT / "README.md").read_text("utf-8").partition("<details>")[0]
    text = re.sub(r"```.*?```|<!--.*?-->", "", text, flags=re.DOTALL)
    return re.sub(r"\]\([^)]*\)", "]", text)


def test_the_readme_is_short_before_its_first_fold() -> None:
    assert len(opening().split()) <= 350
    assert "It does not tell you whether its answers are better" in " ".join(opening().split())


def test_the_two_lines_that_set_all_up_stand_above_every_fold() -> None:
    above = README.partition("<details>")[0]

    assert 0 < above.index("\nmake measure ") < above.index("\nmake check ")
    assert above.index("What `make measure` gives") < above.index("## Three commands")


def test_a_sentence_of_the_readme_has_twenty_words_at_most() -> None:
    paragraphs = re.split(r"\n\n|\n- |\n#+ ", opening())
    sentences = [s for p in paragraphs for s in re.split(r"(?<=[.?:!])\**\s", " ".join(p.split()))]

    assert [s for s in sentences if len(s.split()) > 20 and not s.startswith("![")] == []


def test_the_picture_of_the_readme_and_the_lines_below_its_third_command_are_of_a_run_of_ours(
    tmp_path: Path,
) -> None:
    """The run is published: its picture is drawn again, and its figures are printed again."""
    restore(Tag.parse("v1.2-SmolLM2-135M-Likelihood"), tmp_path, location=str(ROOT), store=None)
    manifest = load_manifest(tmp_path)
    drawn, _ = draw(manifest, tmp_path)
    (match,) = re.findall(r"--out runs/first\n```\n\n```\n(.*?)```", README, re.DOTALL)
    printed = measurement_text(manifest)

    assert drawn.read_bytes() == (DOCS / "assets" / "analysis.svg").read_bytes()
    assert [line for line in match.splitlines() if line not in {"...", *printed.splitlines()}] == []


def test_the_figures_of_the_readme_s_verdicts_are_those_of_pandas() -> None:
    """What the others say, in one person's place, by a second program from the same file."""
    votes = pd.read_csv(DOCS / "data" / "votes.csv")
    names = ["human_1", "human_2", "human_3"]
    found = []
    for name in names:
        others = votes[[other for other in names if other != name]]
        most = others.mode(axis=1)
        clear = others.notna().any(axis=1) & votes[name].notna()
        clear &= most[1].isna() if 1 in most else True
        sides = [(votes[side] == most[0])[clear] for side in ("winner", name)]
        found.append(pd.concat(sides, axis=1).set_axis(["judge", "person"], axis=1))
    both = pd.concat(found)
    judge, person = both.mean()
    decided = votes[votes["winner"].isin(votes["model_a"]) | votes["winner"].isin(votes["model_b"])]
    decided = decided[decided["length_a"] != decided["length_b"]]
    a_is_longer = decided["length_a"] > decided["length_b"]
    longer = ((decided["winner"] == decided["model_a"]) == a_is_longer).mean()

    place = f"says what the others say in {judge:.0%}, that person in {person:.0%}: "
    assert f"{place}{100 * (judge - person):+.1f} points [" in README
    assert f"in the same {len(both):,} comparisons" in README
    assert f"share of verdicts for the longer answer {longer:.3f}" in " ".join(README.split())


# After an exhaustive run more seeds are free, and tell nothing more of the domain. A page that says
# the first alone invites a thousand seeds where only tasks help.
FREE_SEEDS = r"seeds( then)? costs? (nothing|no)|costs? nothing more|cost no call"


def test_reading_r74_no_page_or_help_text_praises_seeds_because_they_are_free() -> None:
    pages = [*PAGES, *sorted((ROOT / "epc" / "cli").rglob("*.py"))]

    assert [*matches(FREE_SEEDS, pages)] == []


def test_reading_r74_the_glossary_says_what_the_seeds_of_an_exhaustive_run_buy() -> None:
    text = entry("exhaustive run")

    assert "(#these-tasks), never the one for [this domain]" in text
