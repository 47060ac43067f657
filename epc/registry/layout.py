"""Places of the registry's files.

    snapshots/events.jsonl            what happened, one line an event; lines are only added
    snapshots/evaluators/NAME.json    the life of one evaluator generation
    snapshots/evaluators/catalogue.csv  models that lists alone know, a line a platform
    snapshots/evaluators/places.csv     which file of whose repository states which end, a line each
    snapshots/TAG/snapshot.json       what was measured, by whom, and what is wrong with it
    snapshots/TAG/metrics.json        its figures
    snapshots/TAG/manifest.json       measured ones: the run's manifest
    snapshots/TAG/judge.json          judged ones: the plan of the evaluation
    snapshots/TAG/run_log.json        judged ones: its log, with digests of records and calls
    snapshots/TAG/observed.json       observed ones: header and digest of the verdicts
    snapshots/TAG/loop.json           of loops: the optimiser, its starts, the recorded judges
    snapshots/TAG/raw.dvc             all of them: where the raw files are in the store
    snapshots/TAG/SHA256SUMS          digests of all of these, and of the raw files
    snapshots/.store/                 the raw files, by content, as DVC lays them out
    snapshots/.publish*/              what a publication is building, or taking out
    snapshots/dvc/TAG.json            headline figures again, for `dvc metrics`
    snapshots/gammas.json             gammas again, for `dvc plots`
    snapshots/choices.json            how often ways to decide are right, for `epc which`
    snapshots/agreements.json         how far judges agree with each other, for what replaces one
    snapshots/bank.parquet            scores of recorded judges, with gold, for `epc loop demo`
    snapshots/audits.json             what today's rule says of those published under an older one
    snapshots/sources.json            when the verdicts were published of snapshots without a day
    snapshots/intervals.json          today's intervals of verdicts published under an older rule
    params.yaml                       the expiry policy, what `epc which` compares, and where the
                                      repository is on the web; locked while a process writes

The same as one document is what the site publishes, `registry.json`. There SHA256SUMS and raw.dvc
of all snapshots are one file, `snapshots/joined.json`: texts by name, by tag.
"""

from typing import Final

from epc.records.layout import SEALED

FOLDER: Final = "snapshots"
EVALUATORS: Final = "evaluators"
CATALOGUE: Final = "catalogue.csv"
PLACES: Final = "places.csv"
EVENTS: Final = "events.jsonl"
LOG: Final = f"{FOLDER}/{EVENTS}"
CARD: Final = "snapshot.json"
FIGURES: Final = "metrics.json"
OBSERVED: Final = "observed.json"
VERDICTS: Final = "verdicts.jsonl"
POINTER: Final = SEALED
SUMS: Final = "SHA256SUMS"
STORE: Final = ".store"
ASIDE: Final = ".publish"
HEADLINES: Final = "dvc"
GAMMAS: Final = "gammas.json"
AUDITS: Final = "audits.json"
INTERVALS: Final = "intervals.json"
SOURCES: Final = "sources.json"
CHOICES: Final = "choices.json"
AGREEMENTS: Final = "agreements.json"
BANK: Final = "bank.parquet"
POLICY: Final = "params.yaml"
PUBLISHED: Final = "registry.json"
JOINED: Final = f"{FOLDER}/joined.json"
JOINED_NAMES: Final = (SUMS, POINTER)
DATA_LICENCE: Final = "CC-BY-4.0"  # LICENSE-DATA: of what carries none of its own
