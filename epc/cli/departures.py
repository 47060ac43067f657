"""Departures: commands, options, fields and words that left `epc`, with what to do instead."""

from typing import Final, Literal, NamedTuple

import click

Kind = Literal["command", "option", "field", "word"]


class Departure(NamedTuple):
    """Name of a thing that left, and what to do instead.

    `name` is what people typed: `epc merge`, `epc run --batch`; of a field, the document and the
    key. Names of models that left are answered where names are read (`engine.catalog`).
    """

    kind: Kind
    name: str
    instead: str


def _below_admin(group: str, *names: str) -> list[Departure]:
    """Return the commands of a group that stand below `epc admin` now."""
    rows = []
    for name in names:
        path = " ".join(filter(None, (group, name)))
        rows.append(Departure("command", f"epc {path}", f"type `epc admin {path}`"))
    return rows


_WATCH: Final = "type `epc watch RUN`, which says whether an evaluator still answers as it did"
_RECOMPUTED: Final = "read `recomputed`, which `epc snapshot verify` derives from the files"
_ATTESTATION: Final = "ask GitHub: gh attestation verify FILE --repo OWNER/NAME"
_HALF_PRICE: Final = (
    "leave it out; --body 'service_tier=\"flex\"' asks OpenAI for half the price, and "
    "OPENAI_COMPATIBLE_BASE_URL can name a gateway that batches, such as llm-proxy"
)

_CORRECTED: Final = "read passes.figures.corrected_pass_share, which always has an interval"

_CACHE: Final = "leave it out: kept answers are those of fixed weights, which repeat themselves"
_CORES: Final = "leave it out: all cores work; `taskset -c 0` before the command leaves it one"

DEPARTURES: Final = (
    Departure("command", "epc recompute", "type `epc validate --write`"),
    Departure(
        "command",
        "epc study",
        "run the script of a clone: python tests/studies/learning_rules/command.py",
    ),
    Departure(
        "command", "epc verify", "type `epc snapshot fetch TAG --out RUN`, then `epc watch RUN`"
    ),
    Departure("command", "epc merge", "measure all seeds in one run: `epc run --seeds 0-29`"),
    Departure("command", "epc submission comment", "type `epc submission check --summary FILE`"),
    Departure(
        "command", "epc admin submission comment", "type `epc submission check --summary FILE`"
    ),
    Departure(
        "command", "epc admin github comment", "read the report in the summary of the check's job"
    ),
    Departure("command", "epc admin github artifact", "type `gh run download`"),
    Departure("command", "epc snapshot diff", "type `epc compare A B`"),
    Departure(
        "command", "epc snapshot changes", "read the site's feed.xml, which lists them by day"
    ),
    Departure("command", "epc snapshot checked", "type `epc admin snapshot drift TAG`"),
    Departure("command", "epc admin snapshot checked", "type `epc admin snapshot drift TAG`"),
    Departure("command", "epc snapshot witness", "fetch into a mirror, which refuses rewrites"),
    Departure(
        "command", "epc admin snapshot witness", "fetch into a mirror, which refuses rewrites"
    ),
    *_below_admin("", "github", "site", "upkeep", "cache"),
    *_below_admin("evaluators", "check", "sync", "show", "export"),
    *_below_admin("submission", "publish"),
    *_below_admin(
        "snapshot", *("publish", "withdraw", "drift", "expire", "headlines", "tags", "export")
    ),
    Departure("option", "epc run --batch", _HALF_PRICE),
    Departure("option", "epc resume --batch", _HALF_PRICE),
    Departure("option", "epc run --canary", _WATCH),
    Departure("option", "epc run --no-canary", "leave it out: no run has a canary"),
    Departure("option", "epc judge run --canary", "leave it out: no evaluation has a canary"),
    Departure("option", "epc judge run --no-canary", "leave it out: no evaluation has a canary"),
    Departure("option", "epc watch --spot-check", "type `epc snapshot fetch TAG --out RUN` first"),
    Departure("option", "epc watch --model", "leave it out: RUN names its evaluator"),
    Departure("option", "epc watch --out", "name the file of the days: --history FILE"),
    *(
        Departure("option", f"epc loop demo {option}", "run `epc.loop.record` round your own work")
        for option in ("--judge", "--start", "--seed")
    ),
    *(
        Departure("option", f"epc plan {option}", "see `epc run --dry-run` and `epc doctor MODEL`")
        for option in ("--latency", "--concurrency")
    ),
    Departure(
        "option",
        "epc judge run --competence-first",
        "type `epc judge competence FOLDER && epc judge run FOLDER`",
    ),
    Departure("option", "epc judge run --anyway", "leave it out: it tests no judge"),
    *(
        Departure("option", f"epc {path} --no-cache", _CACHE)
        for path in ("run", "resume", "judge competence", "judge pairs", "judge run")
    ),
    *(
        Departure("option", f"epc {path} {option}", "leave it out: a log has few lines of progress")
        for option in ("-q", "--quiet")
        for path in (
            *("run", "resume", "audit", "watch", "loop check"),
            *("judge competence", "judge pairs", "judge run"),
        )
    ),
    *(
        Departure("option", f"epc {name} --runs", "leave it out: a power has an interval")
        for name in ("plan", "design show")
    ),
    Departure("option", "epc plan --strategies", "see `epc design show FILE --power` of a design"),
    *(
        Departure("option", f"epc show {option}", "leave it out: it draws where `charts` is there")
        for option in ("--figure", "--no-figure")
    ),
    Departure("option", "epc observe import --like", "see `epc snapshot recompute --source`"),
    Departure("option", "epc simulate --stream", "leave it out, or take more --seeds"),
    Departure("option", "epc evaluators succeed --kinds", "read them with --format json"),
    *(
        Departure("option", f"epc {path} {option}", _CORES)
        for path in ("design show", "plan", "simulate")
        for option in ("--jobs", "--cluster")
    ),
    Departure("word", "attested", _RECOMPUTED),
    Departure("word", "spot-checked", _RECOMPUTED),
    Departure("word", "replicated", "read `replicates` on the later card"),
    Departure("word", "SWAPPED", _WATCH),
    Departure("word", "extra attest", _ATTESTATION),
    Departure("word", "extra inspect", "install nothing: Anthropic, Gemini and Bedrock need none"),
    Departure("word", "AWS_ACCESS_KEY_ID", "set AWS_BEARER_TOKEN_BEDROCK and AWS_REGION"),
    Departure("word", "origin batch", "read it in older records; new ones have none"),
    Departure("field", "manifest.json canary", _WATCH),
    Departure("field", "manifest.json calibration", "ask in both places: balanced:MODEL"),
    Departure("field", "epc audit --format json swapped", _WATCH),
    Departure("field", "epc snapshot show --format json attested", _ATTESTATION),
    Departure("field", "epc snapshot show --format json spot_checks", _WATCH),
    Departure("field", "snapshots/TAG/ CITATION.cff", "cite the page's text or BibTeX"),
    Departure(
        "field", "snapshots/TAG/ JSON-LD", "read croissant.json or api/v1/snapshots/TAG.json"
    ),
    Departure(
        "field",
        "snapshots/TAG/pictures/ noise-floor, win-rates, ties, position-bias, verdicts",
        "read the page's tables or figures.csv",
    ),
    Departure("field", "snapshots/TAG/pictures/*.csv, *.vl.json", "read pictures.json beside it"),
    Departure("field", "snapshots/TAG/ SHA256SUMS, raw.dvc", "read snapshots/joined.json"),
    Departure(
        "field", "compare/TAG.json", "read api/v1/snapshots/TAG.json; of recorded verdicts it stays"
    ),
    Departure(
        "field",
        "evaluators/NAME/pictures/ gamma-history, excess-history, jsd-history",
        "read the page's History or figures.csv",
    ),
    Departure("field", "epc submission check --format json dossier.attestation", _ATTESTATION),
    Departure("field", "epc audit --format json threshold/0.05, kept/0.05", "read `alone`"),
    *(
        Departure("field", f"epc judge report --format json {name}", _CORRECTED)
        for name in ("rogan_gladen", "prediction_powered")
    ),
)
_TYPED: Final = {row.name: row for row in DEPARTURES}


def departure_of(path: str) -> str | None:
    """Return the error for a command or option that left, by what was typed, or None."""
    row = _TYPED.get(path)
    return f"`{row.name}` is no longer there: {row.instead}" if row else None


def departed_option(error: click.NoSuchOption) -> str | None:
    """Return the error for an option that left the command it was given to, or None."""
    path = error.ctx.command_path if error.ctx else "epc"
    return departure_of(f"{path} {error.option_name}")
