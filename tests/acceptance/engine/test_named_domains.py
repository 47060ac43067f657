"""Reading R78: a design names its domains, two or more, and every command says those names."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from engine_support import epc
from oracle.recomputation import disagreements

from epc.records.layout import RAW
from epc.records.recompute import load_manifest
from epc.report.figure import band, panel

DOMAINS = ("art", "code", "law")
PAIRS = [f"{one}_to_{other}" for one, other in permutations(DOMAINS, 2)]
MODELS = ("--executor", "mock/deterministic", "--exhaustive", "--seeds", "0-9")
# In `code` the judge wants what it refuses in `law`; in `art` it is as in `law`.
SCRIPT = {
    "default": 0,
    "art": {"warm": 1},
    "law": {"warm": 1},
    "code": {"short": 1},
}


def design(domains: tuple[str, ...]) -> str:
    tasks = {name: [f"{name} question {index}" for index in range(8)] for name in domains}
    strategies = [{"name": name, "prompt": f"Be {name}."} for name in ("plain", "warm", "short")]
    return json.dumps(  # JSON is YAML
        {
            "schema_version": 2,
            "name": "mine",
            "rounds": 12,
            "baseline": "plain",
            "strategies": strategies,
            "evaluator_prompt": "{task} A: {response_A} B: {response_B} A or B?",
            "domains": tasks,
        }
    )


def measured(home: Path, name: str, domains: tuple[str, ...]) -> Path:
    path, script, run = home / f"{name}.yaml", home / f"{name}.json", home / name
    path.write_text(design(domains))
    script.write_text(json.dumps({k: v for k, v in SCRIPT.items() if k in {"default", *domains}}))
    evaluator = ("--evaluator", f"mock/scripted:{script}")
    done = epc("run", "--design", path, *evaluator, *MODELS, "--out", run)
    assert done.returncode == 0, done.stderr
    return run


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return measured(tmp_path_factory.mktemp("two"), "two", ("law", "code"))


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return measured(tmp_path_factory.mktemp("three"), "three", ("law", "code", "art"))


def manifest(run: Path) -> Any:
    return json.loads((run / "manifest.json").read_text("utf-8"))


def test_reading_r78_two_named_domains_are_no_variant_and_their_names_are_the_keys(
    two: Path,
) -> None:
    document = manifest(two)
    rows = [json.loads(line) for line in (two / RAW["trials"]).read_text().splitlines()]

    assert document["protocol_version"] == "EPC-v1.0-AltBaseline+AltPrompt+AltRounds+AltStrategies"
    assert set(document["results"]["summary"]["gamma"]) == {"code_to_law", "law_to_code"}
    assert [*dict.fromkeys(row["phase"] for row in rows)] == [
        "code",
        "law",
        "code_to_law",
        "law_to_code",
    ]
    assert "visual" not in (two / "manifest.json").read_text("utf-8")


def test_reading_r78_what_a_stranger_types_says_the_names(two: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"

    done = {
        name: epc(*words)
        for name, words in {
            "show": ("show", two),
            "page": ("show", two, "--html", page),
            "tasks": ("show", two, "--tasks"),
            "audit": ("audit", two),
            "validate": ("validate", two),
            "compare": ("compare", two, two),
            "plan": ("plan", two),
        }.items()
    }

    assert {name: each.returncode for name, each in done.items()} == dict.fromkeys(done, 0)
    assert "code to law" in done["show"].stdout
    assert "Training in law first redirects" in done["audit"].stdout
    assert "gamma, code to law" in done["compare"].stdout
    assert "law question 3" in done["tasks"].stdout
    assert "Training in law first redirects" in page.read_text("utf-8")
    assert "law, then code" in page.read_text("utf-8")
    for each in done.values():
        assert "visual" not in each.stdout


def test_reading_r78_three_domains_give_six_pairs_from_one_run(three: Path) -> None:
    document = manifest(three)
    summary = document["results"]["summary"]

    assert "AltDomains" in document["protocol_version"]
    for part in (summary["gamma"], summary["control"]["excess"], summary["transfer"]["directions"]):
        assert sorted(part) == PAIRS
    assert document["provenance"]["calls"] == {
        "executor": 72,
        "evaluator": 72,
    }  # 3 x 8 x 3, once each
    assert epc("validate", three).returncode == 0
    assert list(disagreements(document, three)) == []


def test_reading_r78_only_pairs_that_differ_cross_and_the_word_rests_on_them(three: Path) -> None:
    transfer = manifest(three)["results"]["summary"]["transfer"]
    p_values = {pair: test["p_value"] for pair, test in transfer["tests"].items()}

    assert {pair for pair, p in p_values.items() if p <= 0.05} == {
        pair for pair in PAIRS if "code" in pair
    }
    assert p_values["art_to_law"] == 1.0
    assert transfer["test"]["p_value"] == min(p_values.values())
    assert epc("audit", three).stdout.splitlines()[0].endswith(": coupled (rule 4)")


def test_reading_r78_a_pair_of_three_is_that_pair_alone_but_for_its_wider_interval(
    two: Path, three: Path
) -> None:
    alone, among = (manifest(run)["results"]["summary"]["transfer"] for run in (two, three))

    for pair in ("code_to_law", "law_to_code"):
        direction, of_three = alone["directions"][pair], among["directions"][pair]
        assert of_three["regret"] == direction["regret"]
        # Student's t at 7 degrees of freedom: 2.364624 for one figure of 95%, 3.635801 for six.
        wider = of_three["regret_ci95"][1] - of_three["regret"]
        narrow = direction["regret_ci95"][1] - direction["regret"]
        assert wider == pytest.approx(narrow * 3.6358 / 2.3646, rel=1e-4) or not narrow
        # Holm: the least of three p-values is worth three times as much.
        p = alone["test"]["p_value"]
        assert among["tests"][pair]["p_value"] in (pytest.approx(2 * p), pytest.approx(3 * p))


def test_reading_r78_show_has_the_matrix_and_the_page_its_picture(
    three: Path, tmp_path: Path
) -> None:
    lines = epc("show", three).stdout.splitlines()
    epc("show", three, "--html", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")

    head = lines.index("  transfer regret, points of win rate")
    assert lines[head + 1].split() == ["first,", "then", "art", "code", "law"]
    assert [line.split()[0] for line in lines[head + 2 : head + 5]] == list(DOMAINS)
    assert "  choices redirected, of 100" in lines
    assert "From each domain to each other" in page
    assert "30 rounds" not in "".join(lines)
    assert any("12 rounds in each of 9 phases" in line for line in lines)


def test_reading_r78_no_band_of_a_panel_lies_on_its_neighbour(three: Path) -> None:
    drawn = panel(
        "gamma",
        [band(pair, 1, 0, 2) for pair in PAIRS],
        [],
        load_manifest(three).results.summary.gamma,
    )

    assert drawn["width"] / len(PAIRS) > drawn["layer"][0]["mark"]["width"]


def test_reading_r78_a_measured_control_of_three_domains_has_streams_of_its_own(
    tmp_path: Path,
) -> None:
    path = tmp_path / "design.yaml"
    path.write_text(design(("a", "b", "c")))
    models = ("--evaluator", "mock/coin-flip", "--executor", "mock/deterministic")

    done = epc(
        "run", "--design", path, *models, "--control", "measured", "--seeds", "0-1", "--out",
        tmp_path / "run",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert len(manifest(tmp_path / "run")["results"]["per_seed"][0]["weights"]) == 15
    assert epc("validate", tmp_path / "run").returncode == 0


def test_reading_r78_recorded_verdicts_name_their_own_domains(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.csv"
    rows = [
        f"{strategy},{domain},{domain} {task},{'A' if strategy == 'warm' else 'B'}"
        for domain in ("legal", "tax")
        for task in range(8)
        for strategy in ("step_by_step", "warm", "short")
    ]
    file.write_text("strategy,domain,task,verdict\n" + "\n".join(rows) + "\n")

    done = epc("run", "--evaluator", f"recorded:{file}", "--seeds", "0-9", "--out", tmp_path / "r")

    assert done.returncode == 0, done.stderr
    assert sorted(manifest(tmp_path / "r")["tasks"]) == ["legal", "tax"]
    assert "legal to tax" in done.stdout


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda m: m["results"]["summary"]["gamma"].update(x_to_y=m["results"]["summary"]["mpci"]),
         "/results/summary/gamma/x_to_y"),
        (lambda m: m["results"]["per_seed"][0]["jsd"].pop("law_to_code"),
         "/results/per_seed/0/jsd"),
        (lambda m: m["results"]["per_seed"][0]["verdicts"].pop("law"),
         "/results/per_seed/0/verdicts"),
    ],
    ids=["one too many", "a pair lost", "a phase lost"],
)  # fmt: skip
def test_reading_r78_a_manifest_has_the_keys_of_its_own_domains_and_no_other(
    two: Path, tmp_path: Path, change: Any, where: str
) -> None:
    document = manifest(two)
    change(document)
    (tmp_path / "manifest.json").write_text(json.dumps(document))

    done = epc("validate", tmp_path, "--format", "json")

    assert done.returncode == 1
    assert where in {finding["where"] for finding in json.loads(done.stdout)["findings"]}


@pytest.mark.parametrize(
    ("domains", "problem"),
    [
        (("law", "Code"), "'Code' is no name of a domain"),
        (("law", "a_to_b"), "'a_to_b' is no name of a domain"),
        (("law",), "/domains"),
    ],
)
def test_reading_r78_a_design_with_a_bad_name_is_refused_with_its_line(
    tmp_path: Path, domains: tuple[str, ...], problem: str
) -> None:
    (tmp_path / "bad.yaml").write_text(design(domains))

    done = epc("design", "check", tmp_path / "bad.yaml")

    assert done.returncode == 1
    assert problem in done.stdout
