"""Parts of a submission, how large it may be, and the rules that findings cite.

    submissions/<slug>/submission.json    who offers it, under which licence, how it was asked
    submissions/<slug>/manifest.json      the run's manifest
    submissions/<slug>/trials.jsonl       the raw files that the manifest names
    submissions/<slug>/calls.jsonl
    submissions/<slug>/weights.jsonl
    submissions/<slug>/probes.jsonl       what the evaluator was asked beside it, if it was

A judge's evaluation, by its plan `judge.json`, is offered with the files that its plan and log need
(`epc.records.judging.documents`), with the evaluations that tested its judge, which stand beside it
(`epc.records.judging.competence`), and with `labels.jsonl`, in the folders that they have there.

Verdicts that others recorded are offered as `observed.json` and `verdicts.jsonl`.

Nothing else: what is not on this list is not read. The rules are explained one by one in
`site/docs/submissions.md`.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from epc.records.layout import CALLS, MANIFEST, PROBES, RAW
from epc.registry.layout import OBSERVED

FOLDER: Final = "submissions"
README: Final = "README.md"  # of the folder of all submissions
STATEMENT: Final = "submission.json"
LINES: Final = (*RAW.values(), PROBES)
FILES: Final = (STATEMENT, MANIFEST, *LINES)
OPTIONAL: Final = (PROBES,)

SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_SLUG: Final = 64
# Names that Windows gives to devices: a clone there could not hold them.
DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(10))}
)

# Sizes in bytes. The largest honest file, the calls of 30 seeds round by round with a measured
# control and whole replies of a hosted model, has about 45 MB; GitHub refuses files of 100 MB.
LARGEST: Final = {
    STATEMENT: 2**16,
    MANIFEST: 2**24,
    RAW["trials"]: 48 * 2**20,
    CALLS: 48 * 2**20,
    RAW["weights"]: 2**24,
    PROBES: 2**24,
    OBSERVED: 2**22,
}
LARGEST_LINES: Final = 48 * 2**20
LARGEST_TEXT: Final = 2**20  # an evaluation's other files
LARGEST_ALL: Final = 96 * 2**20
LONGEST_LINE: Final = 2**20

# Work that a manifest can ask for: everything else follows from these and from the sizes.
MOST_SEEDS: Final = 5_000
MOST_ROUNDS: Final = 10_000
MOST_STRATEGIES: Final = 64
MOST_TASKS: Final = 256
MOST_DOMAINS: Final = 6
MOST_SETTINGS: Final = 128  # of recorded verdicts: every two are held against each other
MOST_AUTHORS: Final = 512

ONE: Final = "Submission S1"  # one pull request adds one folder and touches nothing else
PLAIN: Final = "Submission S2"  # plain files of known names
SIZE: Final = "Submission S3"  # bounded sizes
NAMES: Final = "Submission S4"  # a slug that can be told from every other
TEXT: Final = "Submission S5"  # text that is only text
SECRETS: Final = "Submission S6"  # no secret
WHO: Final = "Submission S7"  # the statement: who, licence, conflicts
ENDPOINT: Final = "Submission S8"  # direct or through a gateway, and marked so
DATES: Final = "Submission S9"  # days that can be
SEEDS: Final = "Submission S10"  # one range of seeds without gaps
AGAIN: Final = "Submission S11"  # a second implementation agrees
NEW: Final = "Submission S12"  # neither published nor offered already
KNOWN: Final = "Submission S13"  # an evaluator generation that the registry knows
BASELINE: Final = "Submission S14"  # a baseline has counted verdicts and has not collapsed


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """The files of a kind of submission: `names`, those that it `needs`, in which `folders`.

    At most `limit` entries may be there.
    """

    names: re.Pattern[str]
    needs: frozenset[str]
    folders: re.Pattern[str] = re.compile(r"(?!)")
    limit: int = 50

    def admits(self, path: str) -> bool:
        """Return whether a file of this path belongs into a submission's folder."""
        return self.names.fullmatch(path) is not None


def plain_files(names: Collection[str], optional: Collection[str] = ()) -> Files:
    """Return a folder of some plain files, of which some need not be there."""
    pattern = re.compile("|".join(map(re.escape, names)))
    return Files(names=pattern, needs=frozenset(names) - frozenset(optional))


def largest(path: str) -> int:
    """Return how many bytes a file may have."""
    return LARGEST.get(path, LARGEST_LINES if path.endswith(".jsonl") else LARGEST_TEXT)
