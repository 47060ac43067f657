"""Records of models' lives from public lists, added to `snapshots/evaluators/` (see expiry.md).

    PYTHONPATH=tests python -m studies.lifecycles.records MIRRORS AZURE_TABLE

MIRRORS holds bare clones, as OWNER+NAME/repo, of the repositories that `feeds.py` and
`catalogues.py` name; AZURE_TABLE is Microsoft's table of retirements as NAME@COMMIT.md. What stands
in a record stays as it is: a date gains the lists that state the same day (`also`) or another one
(`others`), a generation gains platforms, and a model that has no record gets one. Running it again
changes nothing.
"""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final, Literal

from studies.lifecycles import catalogues, feeds, judges
from studies.lifecycles.feeds import Word

from epc.records.strict_json import dumps
from epc.records.typed import as_json
from epc.registry.lifecycles import (
    OPEN_WEIGHTS,
    Agreeing,
    Checked,
    GenerationRecord,
    Kind,
    LifeRecord,
    Other,
    Stated,
)
from epc.registry.reading import of_folder

ROOT: Final = Path(__file__).parents[3]
FOLDER: Final = ROOT / "snapshots" / "evaluators"
STAGES: Final = ("released", "deprecated", "retires")
Served = dict[tuple[str, str], tuple[GenerationRecord, LifeRecord]]

# What judges no text: pictures, sound, vectors, guards, and the parts of products.
OTHER_USE: Final = re.compile(
    r"embed|image|imagen|veo|dall|tts|whisper|transcri|realtime|audio|speech|moderat|rerank|guard|ocr"
    r"|sora|video|voice|-live|live-|search|computer-use|robot|lyria|canvas|reel|sonic|flux|wan-?ai"
    r"|\bwan|kling|voxtral|parakeet|orpheus|safety|safeguard|-asr|-mt-|clip|gte-|bge|bert|router"
    r"|translat|vidu|seed|kolors|stable|ideogram|pixverse|hailuo|recraft|nano-banana|deep-research"
    r"|text-ada|babbage|curie|cushman|codex|coder|code-|compound|tsuzumi|time|-code|devstral|codestral"
    r"|starcoder|container|omni|aqa|learnlm|nova-act|build|multi-agent|learn|retrieval|privacy"
    r"|-completions$|-base$|lora|-reference$|-pt$|specdec|ishan|nova-3|rank|document|parse|character"
    r"|minimax-h|leanstral|tool-use|270m|lite-pro|0\.5b|0\.6b|1\.5b|1\.7b|-1b|-2b|-3b|customtools",
    re.IGNORECASE,
)
MAKERS: Final = {
    "openai": r"gpt|chatgpt|o1|o3|o4|davinci|text-davinci",
    "anthropic": r"claude",
    "google": r"gemini|gemma|palm|text-bison|chat-bison",
    "mistral": r"mistral|mixtral|magistral|ministral|pixtral|open-mi|labs-",
    "xai": r"grok",
    "deepseek": r"deepseek",
    "alibaba": r"qwen|qwq|qvq",
    "zai": r"glm",
    "moonshot": r"kimi|moonshot",
    "minimax": r"minimax|m2-her",
    "cohere": r"command|c4ai|aya|north|cohere",
    "meta": r"llama|meta-llama|muse",
    "amazon": r"nova|titan-text",
    "microsoft": r"phi|wizardlm",
    "nvidia": r"nemotron|llama-3\.\d-nemotron",
    "ai21": r"jamba|j2",
    "writer": r"palmyra",
    "perplexity": r"sonar|r1-1776",
}
_SPEED: Final = r"-(turbo|lite|tput|fp8|bf16|versatile|instant|maas|fp4|int4|awq|hf)$"
_HOME: Final = {"google": {"google-gemini-api"}, "alibaba": {"alibaba-model-studio"}}


def plain(model: str, platform: str = "") -> str:
    """Return a model's name without what a platform adds to it."""
    name = model.casefold()
    if platform == "aws-bedrock":
        name = re.sub(r"^(us|eu|apac|au|jp|global)\.", "", name)
        name = re.sub(r"^[a-z0-9]+\.(?=[a-z])", "", name)
        name = re.sub(r"(-v?\d+)?(:\d+)+$|-v\d+$", "", name)
        name = re.sub(r"^llama(\d)", r"llama-\1", name)
    name = name.rpartition("/")[2].removesuffix("@default")
    if platform == "fireworks":
        name = re.sub(r"(?<=\d)p(?=\d)", ".", name)
    if platform == "nebius":
        name = name.removesuffix("-fast")
    name = re.sub(r"^meta-llama", "llama", name.replace("-v2@", "@").replace("@", "-"))
    while platform not in {"openai", "alibaba-model-studio", "mistral"}:
        shorter = re.sub(_SPEED, "", name)
        if shorter == name:
            break
        name = shorter
    return re.sub(r"[._:]", "-", name)


def maker_of(model: str) -> str | None:
    """Return who made a model, by how its name begins; None if nobody here knows."""
    name = model.casefold()
    bare = re.sub(r"^(us\.|eu\.)?[a-z0-9]+\.(?=[a-z])", "", name.rpartition("/")[2])
    return next((who for who, begin in MAKERS.items() if re.match(rf"({begin})", bare)), None)


def is_makers(word: Word) -> bool:
    """Whether the platform is the maker's own, so that the model's release is the platform's."""
    maker = maker_of(word.model)
    return word.platform in _HOME.get(maker or "", {maker}) or word.platform == OPEN_WEIGHTS


def admitted(words: Iterable[Word]) -> list[Word]:
    """Return the words on models that can judge, one of each list on each model."""
    newest: dict[tuple[str, str, str], list[Word]] = defaultdict(list)
    for given in words:
        word = given
        known = maker_of(word.model) and not OTHER_USE.search(word.model)
        if not known and word.model not in judges.MAKERS:
            continue
        if not is_makers(word) and word.by.startswith(("anomalyco", "inspect_ai")):
            word = replace(word, released=None)  # the model's day, not this platform's
        kept = newest[word.by, word.platform, word.model.casefold()]
        if kept and kept[0].seen < word.seen:
            kept.clear()
        if not kept or kept[0].seen == word.seen:
            kept.append(word)
    # Where one list gives a name two ends at once, it means versions that the name leaves out.
    return [k[0] for k in newest.values() if len({word.retires for word in k}) == 1]


def stage_of(words: Sequence[Word], stage: str) -> Stated | None:
    """Return one date of a life: the newest word's, with who agrees and who does not."""
    told = [(day, word) for word in words if (day := getattr(word, stage))]
    if not told:
        return None
    backed = Counter(day for day, _ in told)
    newest = max(told, key=lambda pair: (pair[1].seen, backed[pair[0]], -pair[0].toordinal()))
    if stage != "retires":  # nothing moves what has been: the most sources count
        newest = max(told, key=lambda pair: (backed[pair[0]], pair[1].seen))
    used, word = newest
    kind: Kind = word.kind if stage == "retires" else "exact"
    made = Stated(date=used, kind=kind, source=word.source, seen=word.day, others=())
    return joined(made, [w for w in words if w is not word], stage)


def joined(stated: Stated, words: Sequence[Word], stage: str) -> Stated:
    """Return a date with the lists that state the same one, or another."""
    also, others = list(stated.also), list(stated.others)
    known = {(other.by, other.date) for other in others}
    for word in sorted(words, key=lambda word: word.by):
        day = getattr(word, stage)
        if day == stated.date and word.by not in {a.by for a in also}:
            also.append(Agreeing(by=word.by, seen=word.day))
        elif day and day != stated.date and (word.by, day) not in known:
            others.append(Other(date=day, by=word.by, seen=word.day, settled=_why(stated, word)))
    return replace(stated, also=tuple(also), others=tuple(others))


def _why(stated: Stated, word: Word) -> str:
    """Say why another date is not the one used."""
    if stated.seen is None:
        return "the used day is of the source that the record names"
    if word.seen < stated.seen:
        return f"older: the used day was seen on {stated.seen}"
    return "a list against the source that the record names; look it up"


def life_of(words: Sequence[Word]) -> LifeRecord:
    """Return the record of a model on a platform that had none."""
    newest = max(words, key=lambda word: (word.retires is not None, word.seen))
    dates = {stage: stage_of(words, stage) for stage in STAGES}
    notes = list(dict.fromkeys(word.note for word in words if word.note))
    ends, told = dates["retires"], dates["deprecated"]
    if told and ends and told.date > ends.date:
        notes.append(f"{told.source} states {told.date} as its deprecation, after its end.")
        dates["deprecated"] = told = None
    begun = dates["released"]
    first = min((d.date for d in (told, ends) if d), default=date.max)
    if begun and begun.date > first:
        notes.append(f"{begun.source} states {begun.date} as its release, after another stage.")
        dates["released"] = None
    lists = sorted({word.by for word in words})
    agreed = ends is not None and ends.sources > 1
    confidence: Literal["high", "medium", "low"] = "medium" if ends or len(lists) > 1 else "low"
    return LifeRecord(
        platform=words[0].platform,
        model=newest.model,
        aliases=tuple(sorted({a for word in words for a in word.aliases} - {newest.model})),
        pinned=False,
        released=dates["released"],
        deprecated=dates["deprecated"],
        retires=ends,
        replacement=next((w.replacement for w in (newest, *words) if w.replacement), None),
        routes=(),
        confidence="high" if agreed else confidence,
        checked=Checked(
            source=newest.source,
            via=", ".join(lists),
            seen=max((word.day for word in words if word.serves and word.day), default=None),
        ),
        notes=tuple(notes),
    )


def grown(life: LifeRecord, words: Sequence[Word], taken: set[str]) -> LifeRecord:
    """Return a life that stood already, with what lists say of its dates and names.

    `taken` are names that mean another life on the platform.
    """
    words = [word for word in words if word.by not in life.checked.via]  # each is heard once
    released, deprecated, retires = (
        joined(stated, words, stage) if stated else None for stage, stated in life.stages.items()
    )
    told = [word for word in words if word.serves]
    seen = max((word.day for word in told if word.day), default=None)
    by = ", ".join(sorted({word.by for word in told}))
    checked = life.checked
    # What had no day on which it was seen, or an older one, is seen by these lists.
    if seen and (life.seen is None or (not life.retires and seen > life.seen)):
        via = checked.via if by in checked.via else f"{checked.via}; {by}"
        checked = replace(checked, via=via, seen=seen)
    known = {name.casefold() for name in (life.model, *life.aliases)}
    new = {name for word in words for name in word.aliases if name.casefold() not in known | taken}
    return replace(
        life,
        released=released,
        deprecated=deprecated,
        retires=retires,
        checked=checked,
        aliases=(*life.aliases, *sorted(new)) if new else life.aliases,
    )


def named(generation: str) -> str:
    """Return a file's name for a model."""
    bare = re.sub(r"^(us|eu)?\.?[a-z0-9]+\.(?=[a-z])", "", generation.rpartition("/")[2])
    bare = re.sub(r"-v\d+(:\d+)?$|:\d+$", "", bare).removesuffix("@default")
    return re.sub(r"-{2,}", "-", re.sub(r"[^A-Za-z0-9.]+", "-", bare)).strip("-.")


def extended(records: Sequence[GenerationRecord], words: Sequence[Word]) -> list[GenerationRecord]:
    """Return the records with all that the lists add to them."""
    by_model: dict[tuple[str, str], str] = {}
    by_name: dict[str, str] = {}
    kept = {record.generation: record for record in records}
    for record in records:
        by_name.setdefault(plain(record.generation), record.generation)
        for life in record.platforms:
            for name in (life.model, *life.aliases):
                by_model[life.platform, name.casefold()] = record.generation
            by_name.setdefault(plain(life.model, life.platform), record.generation)
    told: dict[tuple[str, str], list[Word]] = defaultdict(list)
    for word in words:
        told[word.platform, word.model.casefold()].append(word)
    for (listed, model), mine in sorted(told.items(), key=lambda item: _own_first(item[1])):
        older = ("azure-openai", model)
        platform = "azure-openai" if listed == "azure-foundry" and older in by_model else listed
        life = life_of(mine)
        known = by_model.get((platform, model))
        home = known or by_name.get(plain(life.model, platform))
        if known:
            taken = {name for where, name in by_model if where == platform}
            lives = tuple(
                grown(life, mine, taken) if _is(life, platform, model) else life
                for life in kept[known].platforms
            )
        elif not any(word.serves for word in mine):
            continue
        elif home and any(other.platform == platform for other in kept[home].platforms):
            # One life a platform: further spellings are aliases of it.
            lives = tuple(_with_alias(other, life, mine) for other in kept[home].platforms)
        elif home:
            lives = (*kept[home].platforms, life)
        else:
            home, lives = named(life.model), (life,)
            by_name[plain(life.model, platform)] = home
            maker = maker_of(life.model) or judges.MAKERS[life.model]
            kept[home] = GenerationRecord(generation=home, maker=maker, platforms=())
        assert home
        kept[home] = replace(kept[home], platforms=lives)
    return list(kept.values())


def _is(life: LifeRecord, platform: str, model: str) -> bool:
    """Whether a name means a life on a platform."""
    names = {name.casefold() for name in (life.model, *life.aliases)}
    return life.platform == platform and model in names


def _own_first(words: Sequence[Word]) -> tuple[bool, str, str]:
    return not is_makers(words[0]), words[0].platform, words[0].model.casefold()


def _with_alias(life: LifeRecord, spelt: LifeRecord, words: Sequence[Word]) -> LifeRecord:
    """Return a life with another spelling, unless the two end on different days."""
    same = not (life.retires and spelt.retires) or life.retires.date == spelt.retires.date
    if life.platform != spelt.platform or not same:
        return life
    known = {name.casefold() for name in (life.model, *life.aliases)}
    new = [name for name in (spelt.model, *spelt.aliases) if name.casefold() not in known]
    return grown(replace(life, aliases=tuple(sorted([*life.aliases, *new]))), words, set())


def main(mirrors: Path, table: Path) -> None:
    """Write what the lists add, and print how much."""
    words = [
        *feeds.modeldeprecations(mirrors),
        *feeds.observed(mirrors),
        *feeds.quora(mirrors),
        *feeds.model_eol(mirrors),
        *catalogues.models_dev(mirrors),
        *catalogues.litellm(mirrors),
        *catalogues.inspect_models(),
        *catalogues.anthropic_sdk(),
        *feeds.azure(table),
        *judges.words(),
    ]
    records = of_folder(ROOT).records
    for record in (after := extended(records, admitted(words))):
        path = FOLDER / f"{record.generation}.json"
        text = dumps(as_json(record))
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    lives = [life for record in after for life in record.platforms]
    names = sum(len(life.aliases) + len(life.points_to) + len(life.routes) for life in lives)
    sys.stdout.write(f"{len(after)} generations, {len(lives)} lives, {names} aliases and routes\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
