"""`epc audit` of labels as a user meets it: the worked examples that need no option (R101)."""

import json
from pathlib import Path
from typing import Final

import pytest
from records_support import epc

EXAMPLES: Final = Path(__file__).parents[1] / "unit" / "analysis" / "audit_examples"
EXPECTED: Final = json.loads((EXAMPLES / "expected.json").read_text("utf-8"))
READ: Final = [name for name in EXPECTED if name[0] in "156"]


@pytest.mark.parametrize("name", READ)
def test_reading_r101_the_command_says_every_sentence(name: str) -> None:
    text = epc("audit", EXAMPLES / f"{name}.csv").stdout.decode()

    assert [line for line in EXPECTED[name]["sentences"] if f"- {line}\n" not in text] == []


@pytest.mark.parametrize(
    ("wanted", "code", "says"),
    [
        (["tpr=0.6"], 0, "gate     tpr 0.6 or more: shown, j has 0.781 [0.660, 0.868]"),
        (["tpr=0.7"], 1, "gate     tpr 0.7 or more: not shown, j has 0.781 [0.660, 0.868]"),
        (["tpr=0.6", "tnr=0.8"], 1, "gate     tnr 0.8 or more: not shown, j has 0.893 ["),
        (["weighted_kappa=0"], 1, "weighted_kappa 0 or more: not shown, j has none"),
        (["tpd=0.6"], 2, "--gate tpd: no such figure"),
        (["tpr=high"], 2, "--gate takes FIGURE=LEAST"),
    ],
)
def test_reading_r101_a_gate_passes_where_the_lower_end_shows_it(
    wanted: list[str], code: int, says: str
) -> None:
    options = [word for gate in wanted for word in ("--gate", gate)]

    done = epc("audit", EXAMPLES / "1c-three-answers-a-question.csv", *options)

    assert done.returncode == code, done.stderr
    assert says in (done.stdout + done.stderr).decode()
