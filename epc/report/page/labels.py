"""Page on which a person labels answers: it works from disk, blind to the judge's verdicts."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from markupsafe import Markup

from epc.analysis.label_draw import SEED, LabelDraw
from epc.report.page.markup import environment
from epc.version import __version__

_FOLDER: Final = Path(__file__).parent
_STYLE: Final = "\n" + "".join(
    (_FOLDER / name).read_text("utf-8") for name in ("style.css", "labels.css")
)
_SCRIPT: Final = "\n" + (_FOLDER / "labels.js").read_text("utf-8")
_TAB: Final = 4
LABELS: Final = "labels.csv"


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


_POLICY: Final = (
    f"default-src 'none'; style-src {_digest(_STYLE)}; script-src {_digest(_SCRIPT)}; "
    "base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRow:
    """An answer to label, with its question where the file has one.

    `item` is its name in the file of labels.
    """

    item: str
    question: str
    answer: str


def label_page(
    rows: Sequence[LabelRow],
    draw: LabelDraw,
    *,
    file: str,
    sha256_of_file: str,
    judge: str,
    command: str,
    clustered: bool,
) -> str:
    """Return the page as one HTML document.

    The rows were drawn by the verdicts of `judge`, which the saved file says. `command` takes the
    file that the page saves. `clustered`: the rows stand in groups, so that their labels say less
    than as many single ones.
    """
    return (
        environment()
        .get_template("labels.j2")
        .render(
            rows=[(row.item, _shown(row.question), _shown(row.answer)) for row in rows],
            draw=draw,
            seed=SEED,
            file=file,
            digest=sha256_of_file,
            labels=LABELS,
            judge=judge,
            command=command,
            clustered=clustered,
            policy=Markup(_POLICY),  # noqa: S704  (our own)
            style=Markup(_STYLE),  # noqa: S704  (our own)
            script=Markup(_SCRIPT),  # noqa: S704  (our own)
            version=__version__,
        )
    )


def _shown(text: str) -> str:
    return text.expandtabs(_TAB)
