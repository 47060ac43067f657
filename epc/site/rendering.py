"""The generated pages: Markdown from templates, every value in it escaped."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from functools import partial
from itertools import combinations
from typing import Any, Final

from markupsafe import Markup

from epc.analysis.succession import best_of_each
from epc.answers.service import life_state
from epc.answers.snapshot_status import snapshot_states
from epc.audit.coupling import Into
from epc.protocol.config import Configuration
from epc.registry.expiry import Expiry
from epc.registry.figures import figures_by_name, rank
from epc.registry.kinds.table import KINDS, About
from epc.registry.lifecycles import ServiceTerm
from epc.registry.showing import TABLES, reference_rows
from epc.report import succession_text
from epc.report.figure_names import FIGURES
from epc.report.judge_card_text import conditions, faults, sections, sentence
from epc.simulation.training import coin_bands
from epc.site import citing, describing, front, judge_sizes, profile, snapshot_lines, which
from epc.site.charts.forest import drawn
from epc.site.charts.results import result_chart, stated_chart
from epc.site.front import part
from epc.site.guessing import badge_alternative, has_calendar, is_followed, platforms
from epc.site.living import living
from epc.site.loop_gains import loop_gains, picture, sharpest
from epc.site.pages import EvaluatorPage, Platform, Row, Site, SnapshotPage, bands_of
from epc.site.social import has_card
from epc.site.telling import no_baseline, result_box, story
from epc.site.templating import environment
from epc.spec.domains import Pair
from epc.spec.judge_v1 import DIMENSIONS, VERDICTS

REFERENCE_TABLES: Final = "<!-- the site puts the tables of the day here -->\n"
_TELLING: Final = ("coupled", "no_coupling_beyond_margin", "no_detectable_coupling")
_MONTHS: Final = 12


def lists(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the generated pages that are of no one snapshot or evaluator."""
    evaluator_names = frozenset(page.name for page in site.evaluators)

    def page(template: str, **context: Any) -> str:
        return _page(template, site, evaluator_names, **context)

    gains = loop_gains(site)
    good = [gain for gain in gains if gain.start == "good"]
    worst = sharpest(good)
    yield "index.md", page("home", **front.context(site), worst=worst)
    current, expired = snapshot_lines.current(site), snapshot_lines.expired(site)
    yield (
        "expired.md",
        page(
            "expired",
            lines=expired,
            marks=snapshot_lines.marks_of(expired),
            current=len(current),
            reasons=snapshot_lines.counts(line.reason for line in expired),
            reason_meanings=snapshot_lines.REASON_MEANINGS,
        ),
    )
    yield (
        "snapshots/index.md",
        page(
            "snapshots",
            lines=current,
            marks=snapshot_lines.marks_of(current),
            expired=len(expired),
            kinds=snapshot_lines.counts(line.kind for line in current),
            states=snapshot_lines.counts(line.status for line in current),
            kind_meanings=snapshot_lines.KIND_MEANINGS,
            state_meanings=snapshot_lines.STATE_MEANINGS,
            example=_example(_rows(site, "coupling")),
        ),
    )
    makers = front.makers(site)
    yield (
        "evaluators/index.md",
        page(
            "evaluators",
            makers=makers,
            platforms=platforms(site),
            **front.table(site.registry, front.measured(site)),
        ),
    )
    for maker, pages in makers.items():
        yield (
            f"makers/{part(maker)}/index.md",
            page("maker", maker=maker, **_by_state(front.with_chief(pages))),
        )
    yield "evaluators/catalogue/index.md", page("catalogue", makers=_listed(site))
    for name, served in platforms(site).items():
        yield f"evaluators/{name}/index.md", page("platform", platform=name, **_by_state(served))
    yield (
        "compare.md",
        page(
            "compare",
            pair=_pair(site),
            rows=_ranked(s.row for s in site.snapshots),
            titles={s.row.tag: snapshot_lines.title_of(site, s) for s in site.snapshots},
            figure_words=dict(FIGURES),
        ),
    )
    yield (
        "loops.md",
        page(
            "loops",
            gains=gains,
            judges=len(good),
            worse=sum(gain.is_worse for gain in good),
            worst=worst,
            picture=picture(gains),
            drawn=drawn,
        ),
    )
    comparison = judge_sizes.judge_sizes(site)
    yield (
        "coupling.md",
        page(
            "coupling",
            comparison=comparison,
            picture=judge_sizes.picture(comparison) if comparison else None,
            drawn=drawn,
        ),
    )
    yield "which.md", page("which", **which.context(site))
    yield "succession.md", page("succession", **_succession())
    yield (
        "changes.md",
        page("changes", instead_at=front.instead_at, months=front.months(site, _MONTHS)),
    )


def _by_state(
    pages: Iterable[tuple[EvaluatorPage, Platform | None]],
) -> dict[str, list[tuple[EvaluatorPage, Platform | None]]]:
    """Return who is served, of whom nobody confirms it, and who has ended: two are folded."""
    by_state: dict[str, list[tuple[EvaluatorPage, Platform | None]]]
    by_state = {"served": [], "unconfirmed": [], "ended": []}
    names = {"unconfirmed": "unconfirmed", "expired": "ended"}
    for page, platform in pages:
        status = platform.standing.state.status if platform else ""
        by_state[names.get(status, "served")].append((page, platform))
    return by_state


def _listed(site: Site) -> dict[str, list[tuple[str, ServiceTerm, Expiry]]]:
    """Return what lists alone say of models, by maker: the model, its life and its state."""
    makers: dict[str, list[tuple[str, ServiceTerm, Expiry]]] = {}
    registry = site.registry
    for generation in (*registry.generations.values(), *registry.catalogue.values()):
        for life in generation.lives:
            if life.is_listed and not life.versions:
                state = life_state(registry, life.model, life, site.as_of)
                makers.setdefault(generation.maker, []).append((generation.name, life, state))
    return dict(sorted(makers.items()))


def with_tables(text: str, site: Site) -> str:
    """Return a document with the reference snapshot's tables of the day where it asks for them."""
    if REFERENCE_TABLES not in text:
        return text
    pages = {page.row.tag: page for page in site.snapshots}
    states = snapshot_states(site.registry, site.as_of)
    rows = [(r, pages[str(r.snapshot.tag)]) for r in reference_rows(site.registry, states)]
    tables = _page("reference", site, frozenset(), rows=rows, tables=TABLES)
    # Three of the theme's columns are too narrow for the paper's tables.
    return "---\nhide: [toc]\n---\n" + text.replace(REFERENCE_TABLES, tables)


def pages(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the page of each evaluator and each snapshot, with its folder."""
    evaluator_names, remaining = (
        frozenset(page.name for page in site.evaluators),
        _comparison_tags(site),
    )

    def text(template: str, **context: Any) -> str:
        return _page(template, site, evaluator_names, **context)

    for page in site.evaluators:
        yield page.place, text("evaluator", **_evaluator(site, page))
    for snapshot in site.snapshots:
        about, comparison_tag = snapshot.row.about, remaining.get(snapshot.row.tag)
        if about == "judgments":
            context = _judged(site, snapshot, evaluator_names)
            yield snapshot.place, text("judged", **context, other=comparison_tag)
        elif KINDS[snapshot.card.kind].verdict_file:
            yield (
                snapshot.place,
                text(
                    "observed", **_observed(site, snapshot, evaluator_names), other=comparison_tag
                ),
            )
        else:
            yield (
                snapshot.place,
                text(
                    "snapshot", **_snapshot(site, snapshot, evaluator_names), other=comparison_tag
                ),
            )


def _comparison_tags(site: Site) -> dict[str, str]:
    """Return what each snapshot is compared with first: the newest other one of its evaluator."""
    alike: dict[tuple[str, About], list[str]] = {}
    for page in site.snapshots:
        alike.setdefault((page.row.snapshot.tag.generation, page.row.about), []).append(
            page.row.tag
        )
    several = [tags for tags in alike.values() if len(tags) > 1]
    return {tag: tags[-2] if tag == tags[-1] else tags[-1] for tags in several for tag in tags}


def _page(template: str, site: Site, evaluator_names: frozenset[str], **context: Any) -> str:
    common_context = {"site": site, "known": evaluator_names}
    return environment().get_template(f"{template}.md.j2").render(common_context | context)


def _rows(site: Site, about: About) -> list[Row]:
    """Return the rows of one table: gammas, judges' shares and others' records have each one."""
    return _ranked(page.row for page in site.snapshots if page.row.about == about)


def _ranked(rows: Iterable[Row]) -> list[Row]:
    """Return rows in their order, those of failed runs behind all others."""
    return sorted(rows, key=lambda row: row.failed)


def _pair(site: Site) -> list[str]:
    """Return the two tags to compare first: of one source, with the most figures in common.

    Without such a pair they are an evaluator's first two, or else any.
    """
    standing = [page for page in site.snapshots if page.row.standing.holds and not page.row.failed]
    names = {p.row.tag: set(figures_by_name(p.row.snapshot)) for p in standing if p.card.origin}
    pairs = combinations((page for page in standing if page.card.origin), 2)
    alike = [pair for pair in pairs if _is_of_one_source(*pair)]

    def common(pair: tuple[SnapshotPage, SnapshotPage]) -> int:
        left, right = pair
        return len(names[left.row.tag] & names[right.row.tag])

    best = max(alike, key=common, default=None)
    if best and common(best):
        return [page.row.tag for page in best]
    groups = [[s for s in page.baselines if not s.row.failed] for page in site.evaluators]
    several = [baselines for baselines in groups if len(baselines) > 1]
    ranked = sorted(site.snapshots, key=lambda p: (p.row.failed, p.row.about != "coupling"))
    chosen = several[0] if several else ranked
    return [page.row.tag for page in chosen[:2]]


def _is_of_one_source(left: SnapshotPage, right: SnapshotPage) -> bool:
    """Return whether one source recorded the verdicts of two judges."""
    judges = (left.row.snapshot.tag.generation, right.row.snapshot.tag.generation)
    return left.card.origin == right.card.origin and judges[0] != judges[1]


def _example(rows: list[Row]) -> tuple[Row, Pair, Into] | None:
    """Return the measurement that is read aloud: the newest of those whose word says most."""
    candidates = [
        row
        for row in rows
        if row.standing.holds and not row.snapshot.calibration
        if row.verdict in _TELLING and any(d.into for d in row.directions)
    ]
    if not candidates:
        return None
    candidates.sort(key=lambda row: (row.snapshot.last_day or date.min, row.tag), reverse=True)
    row = min(candidates, key=lambda row: _TELLING.index(row.verdict or ""))
    into = {d.name: d.into for d in row.directions if d.into}
    name = max(into, key=lambda name: into[name].regret)
    return row, Pair.parse(name), into[name]


def _evaluator(site: Site, page: EvaluatorPage) -> dict[str, Any]:
    meant = front.page_of(site, page.card.means)
    bearer = next(
        (evaluator_page for evaluator_page in site.evaluators if evaluator_page.name == meant), page
    )
    records = sorted(bearer.records, key=lambda record: -record.row.n)
    result = next(filter(None, (bearer.newest, *records, *bearer.judgments[::-1])), None)
    newest = _result(site, result) if result else {"told": None, "picture": ""}
    return {
        **newest,
        "result": result,
        "no_baseline": no_baseline,
        "page": page,
        "badge": badge_alternative(page) if page.has_badge else "",
        "followed": is_followed(site, page),
        "dated": has_calendar(site, page),
        "baselines": _ranked(snapshot.row for snapshot in page.baselines),
        "names": [page.name, *page.aliases],
        "linked": partial(_linked, site),
        **profile.context(site, page),
        "card": page.name if has_card(page) else "",
        "drawn": drawn,
        "sentence": sentence(page.card),
        "sections": list(sections(page.card)),
        "asked": list(conditions(page.card)),
        "faults": list(faults(page.card)),
        "succeeded": next(
            (succession_text.sentence(s) for s in site.successions if s.name == page.plain), None
        ),
    }


def _succession() -> dict[str, Any]:
    return {
        "best": best_of_each,
        "page_of": front.page_of,
        "sentence": succession_text.sentence,
        "prompt_of": succession_text.prompt_of,
        "shifts": succession_text.SHIFTS,
        "elsewhere": succession_text.ELSEWHERE,
    }


def _linked(site: Site, names: tuple[str, ...]) -> Markup | str:
    """Return links to evaluators' pages, from the page of another one."""
    links = [describing.link(site.registry.plain_name(name), f"../{name}/") for name in names]
    return Markup(", ").join(links) if links else "none"


def _snapshot(site: Site, page: SnapshotPage, evaluator_names: frozenset[str]) -> dict[str, Any]:
    evidence = site.evidence.get(page.row.tag)
    return {
        **_any_snapshot(site, page, evaluator_names),
        "evidence": evidence,
        "living": living(page),
        # What a coin flip gives in its setting, or else in the protocol's own.
        "coin": evidence.coin if evidence else coin_bands(Configuration()),
    }


def _observed(site: Site, page: SnapshotPage, evaluator_names: frozenset[str]) -> dict[str, Any]:
    groups = page.row.snapshot.figures["groups"]
    why = Counter(pair for group in groups for pair in group["left_out"].items())
    return {
        **_any_snapshot(site, page, evaluator_names),
        "names": sorted({name for group in groups for name in group["figures"]}, key=rank),
        "crossing": [group for group in groups if group["transfer"]],
        "left_out": [(*pair, count) for pair, count in sorted(why.items())],
        "flat": describing.flat,
    }


def _judged(site: Site, page: SnapshotPage, evaluator_names: frozenset[str]) -> dict[str, Any]:
    return {
        **_any_snapshot(site, page, evaluator_names),
        "verdicts": VERDICTS,
        "dimensions": DIMENSIONS,
        "provenance": list(describing.judging(page.judging)) if page.judging else [],
    }


def _any_snapshot(
    site: Site, page: SnapshotPage, evaluator_names: frozenset[str]
) -> dict[str, Any]:
    name = page.row.snapshot.tag.generation
    return {
        "page": page,
        "title": snapshot_lines.title_of(site, page),
        **_result(site, page),
        "story": list(story(page)),
        "recorded": list(describing.recorded(page.card)),
        "unit": KINDS[page.card.kind].unit,
        "evaluator": describing.link(site.registry.plain_name(name), f"../../evaluators/{name}/")
        if name in evaluator_names
        else name,
        "model": describing.model,
        "measured": describing.measured,
        "asked_as": describing.asked_as,
        "by": describing.by,
        "commands": list(describing.commands(site, page)),
        "cited": citing.plain(site, page),
        "bibtex": citing.bibtex(site, page),
    }


def _result(site: Site, page: SnapshotPage) -> dict[str, Any]:
    """Return the top of a result's page: what it says in plain words, and its one picture."""
    bands = bands_of(page.row.snapshot, site.evidence.get(page.row.tag))
    coin = bands["gamma"] if bands else None
    chart = result_chart(page.row, coin)
    if chart is None and not page.row.failed:
        chart = stated_chart(page.figures, KINDS[page.card.kind].origin_phrase)
    return {
        "told": result_box(page, coin, snapshot_lines.month_of(site, page)),
        "picture": drawn(chart),
    }
