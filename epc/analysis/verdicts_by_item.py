"""Verdicts of judges by item and order, to be held against what others said elsewhere.

Two verdicts are about one item if question and candidates are equal by digest, in whichever file
they stand.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from pathlib import Path

from epc.analysis.verdicts_lists import with_pairs
from epc.analysis.verdicts_rows import TIE, rows_of, same_settings
from epc.arrays import np
from epc.digests import sha256
from epc.protocol.verdict import Verdict
from epc.records.calls import asked_by_run
from epc.records.manifest import Manifest
from epc.records.strict_json import dumps_line
from epc.records.typed import as_json
from epc.records.verdicts.columns import Verdicts
from epc.records.verdicts.types import UNKNOWN, Header, Judge, Prompt, Setting

Item = tuple[str, str, str]  # question, then the candidates in the order of their digests
Shares = tuple[float, float, float]  # of the first candidate by digest, of the second, of ties
Key = tuple[Item, int]  # with which of the two stood first: 0, 1, or -1 where it is not stated


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemVerdict:
    """Verdict of one judge on one item in one order: shares of its answers, and its mean score.

    `gold` is the better candidate by digest, -1 where nobody says so.
    """

    saying: Shares
    score: float | None
    gold: int
    subset: str
    answers: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """Verdicts that one judge gave when it was asked in one way, by item and order."""

    name: str
    sources: tuple[str, ...]
    setting: Setting
    verdicts: Mapping[Key, ItemVerdict]

    @property
    def model(self) -> str:
        """The model's name, or the judge's where the source does not state it."""
        return self.setting.judge.called

    @property
    def names(self) -> frozenset[str]:
        """The judge's names, in lower case."""
        judge = self.setting.judge
        return frozenset({judge.model.casefold(), judge.name.casefold()})

    @property
    def way(self) -> str:
        """The judge and how it was asked; ballots of one way are one, in whatever files."""
        prompt, decoding = self.setting.prompt, as_json(self.setting.decoding)
        prompt_id = prompt.name if prompt.sha256 == UNKNOWN else prompt.sha256
        return dumps_line([self.model.casefold(), prompt_id, decoding, self.setting.modality])


def ballots(header: Header, verdicts: Verdicts) -> Iterator[Ballot]:
    """Yield what each judge of a verdict file said; of chosen items only, it says nothing here."""
    verdicts = with_pairs(verdicts)
    rows, items = rows_of(verdicts), dict(_items(header.source.name, verdicts))
    names, subsets = verdicts.setting.names, [*verdicts.subset.names, ""]
    texts = verdicts.answer_sha256.names
    usable = np.flatnonzero(rows.readable | np.isfinite(rows.score))
    for group in same_settings(header.settings):
        setting = header.settings[group[0]]
        codes = [names.index(name) for name in group if name in names]
        if setting.note or not codes:
            continue
        judged = rows[usable[np.isin(verdicts.setting.codes[usable], codes)]]
        gathered: dict[Key, _Tally] = {}
        columns = (
            judged.item,
            judged.first,
            judged.verdict,
            judged.score,
            judged.gold,
            judged.subset,
            judged.answer,
        )
        for item, first, verdict, score, gold, subset, answer in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            key, turned = items[item]
            position = first if first < 0 else first ^ turned
            if (key, position) not in gathered:
                better = gold if gold < 0 else gold ^ turned
                gathered[key, position] = _Tally(gold=better, subset=subsets[subset])
            tally = gathered[key, position]
            if 0 <= verdict <= TIE:
                tally.counts[verdict if verdict == TIE else verdict ^ turned] += 1
            else:
                tally.scores.append(score)
            if answer >= 0:
                tally.answers.add(texts[answer])
        if gathered:
            by_key = {key: tally.item_verdict() for key, tally in gathered.items()}
            yield Ballot(
                name=group[0], sources=(header.source.name,), setting=setting, verdicts=by_key
            )


def ballot_of_run(judge: Judge, manifest: Manifest, folder: Path, *, source: str) -> Ballot:
    """Return what the evaluator of a run that reused its answers said of pairs of them.

    The kinds of task are the domains. Ties are left out: some are answers without a verdict.

    Raises: MalformedError at what does not fit; WorldError if a file cannot be read.
    """
    gathered: dict[Key, _Tally] = {}
    for (domain, _, task), entry in asked_by_run(manifest, folder).items():
        pair = entry.pair.response, entry.pair.baseline
        # Reading R72: only a decided verdict says anything of two answers.
        if None in pair or not entry.verdict.decided:
            continue
        a, b = (sha256(text or "") for text in pair)
        turned, verdict = int(b < a), int(entry.verdict is Verdict.B)
        key = (sha256(task), min(a, b), max(a, b)), turned
        tally = gathered.setdefault(key, _Tally(gold=-1, subset=domain))
        tally.counts[verdict ^ turned] += 1
    prompt = Prompt(name="evaluator_prompt", sha256=sha256(manifest.evaluator_prompt))
    decoding = as_json(manifest.evaluator.decoding)
    setting = Setting(judge=judge, prompt=prompt, decoding=decoding, date=UNKNOWN)
    by_key = {key: tally.item_verdict() for key, tally in gathered.items()}
    return Ballot(name=judge.name, sources=(source,), setting=setting, verdicts=by_key)


@dataclass(slots=True, kw_only=True)
class _Tally:
    """The answers of one judge about one item in one order, while they are counted."""

    gold: int
    subset: str
    counts: list[int] = field(default_factory=lambda: [0] * (TIE + 1))
    scores: list[float] = field(default_factory=list)
    answers: set[str] = field(default_factory=set)

    def item_verdict(self) -> ItemVerdict:
        total = max(1, sum(self.counts))
        a, b, tie = (count / total for count in self.counts)
        return ItemVerdict(
            saying=(a, b, tie),
            score=fsum(self.scores) / len(self.scores) if self.scores else None,
            gold=self.gold,
            subset=self.subset,
            answers=frozenset(self.answers),
        )


def _items(source: str, verdicts: Verdicts) -> Iterator[tuple[int, tuple[Item, int]]]:
    """Yield each item's code, the item by digests, and 1 where its a is the second by digest.

    A mirrored item is the same item. One without a stated question can be shared in its source
    alone, by the number that it has there.
    """
    columns = (verdicts.question_sha256, verdicts.a_sha256, verdicts.b_sha256)
    _, once = np.unique(verdicts.item.codes, return_index=True)
    for index in once.tolist():
        codes = [int(column.codes[index]) for column in columns]
        question, a, b = (
            column.names[code] if code >= 0 else ""
            for column, code in zip(columns, codes, strict=True)
        )
        code = int(verdicts.item.codes[index])
        named = question or f"{source} {verdicts.item.names[code]}"
        key = named, min(a, b), max(a, b)
        yield code, (key, int(b != "" and b < a))


def merged(all_ballots: Iterable[Ballot]) -> list[Ballot]:
    """Return one ballot for each judge and way of asking, in whatever files it was found.

    One that says just what another says is that one again, and counts once.
    """
    by_way: dict[str, list[Ballot]] = {}
    for ballot in all_ballots:
        by_way.setdefault(ballot.way, []).append(ballot)
    return [_merged(several) for several in by_way.values()]


def _merged(several: Sequence[Ballot]) -> Ballot:
    distinct: list[Mapping[Key, ItemVerdict]] = []
    together: dict[Key, ItemVerdict] = {}
    for ballot in several:
        if ballot.verdicts in distinct:
            continue
        distinct.append(ballot.verdicts)
        for key, verdict in ballot.verdicts.items():
            before = together.get(key)
            together[key] = verdict if before is None else _joined(before, verdict)
    sources = dict.fromkeys(source for ballot in several for source in ballot.sources)
    return replace(several[0], sources=tuple(sources), verdicts=together)


def _joined(left: ItemVerdict, right: ItemVerdict) -> ItemVerdict:
    """Return what a judge said of one item in two files: the mean of both."""
    if left == right:
        return left
    a, b, tie = ((x + y) / 2 for x, y in zip(left.saying, right.saying, strict=True))
    scores = [verdict.score for verdict in (left, right) if verdict.score is not None]
    return replace(
        left,
        saying=(a, b, tie),
        score=fsum(scores) / len(scores) if scores else None,
        answers=left.answers | right.answers,
    )
