"""`epc data` and `epc.load`: all that is published as tables, and nothing that is not as sealed."""

import json
import re
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import duckdb
import fsspec
import pyarrow as pa
import pytest
import yaml
from pyarrow import dataset, parquet
from registry_support import ROOT, Checkout, commit, generation_record, git
from shared_support import shared
from site_support import epc as program
from site_support import measured

import epc
from epc.errors import MalformedError, UsageError
from epc.registry.data_rows import GROUP
from epc.registry.tables import TABLES
from epc.site.serving import SiteServer, _Handler

if TYPE_CHECKING:
    from epc.api.opening import TableName

AS_OF = "2026-11-23"
# Recorded verdicts as rows: 112,137 of before 2026-11-26, three pairs of each of Composo's 305,430
# lists and of 3 x 1,763 lists that reward models scored, and 1,754 pairs of the Arena; of judges of
# a retrieval five times 537 scores and 3 x 50, and 537; four times 400 runs of an agent; 35,527
# scores of images less 3,064 that could not be read; twice 120 choices between poems;
# 298 pairs of LLMBar in both orders, by two judges, 100 of them three times again, and 300 of
# PandaLM in both orders.
AS_ROWS = 112_137 + 3 * 305_430 + 3 * 3 * 1_763 + 1_754 + 799 + 5 * (537 + 150) + 537 + 4 * 400
AS_ROWS += 35_527 - 3_064 + 2 * 120 + 2 * (2 * 298) + 3 * 100 + 2 * 300
TABLE_FILES = {f"{name}.parquet" for name in TABLES}
DAYS = {"measured_from", "measured_to", "as_of", "since", "until", "date"}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, str]:
    """All data of this very registry, with what the command said on both streams."""

    def make(folder: Path) -> tuple[Path, Any, str]:
        out = folder / "data"
        arguments = ("data", "--out", str(out), "--as-of", AS_OF, "--format", "json")
        done = program(ROOT, *arguments)
        return out, json.loads(done.stdout), done.stderr

    return shared(tmp_path_factory, "exported data", make)


def cards() -> dict[str, tuple[Any, Any]]:
    homes = sorted((ROOT / "snapshots").glob("v*"))
    names = ("snapshot.json", "metrics.json")
    return {home.name: (*(json.loads((home / n).read_text()) for n in names),) for home in homes}


def test_every_table_is_a_file_and_the_command_says_how_large(
    exported: tuple[Path, Any, str],
) -> None:
    out, told, _ = exported

    assert {path.name for path in out.iterdir()} == {*TABLE_FILES, "README.md", "SHA256SUMS"}
    sums = (out / "SHA256SUMS").read_text()
    for table in told["tables"]:
        held = parquet.ParquetFile(out / table["path"])
        assert held.metadata.num_rows == table["rows"]
        assert (out / table["path"]).stat().st_size == table["bytes"]
        assert f"{table['sha256']}  {table['path']}\n" in sums
    assert told["as_of"] == AS_OF


def test_days_are_days_truth_values_are_booleans_and_repeated_texts_are_codes(
    exported: tuple[Path, Any, str],
) -> None:
    out, _, _ = exported
    for name in TABLES:
        schema = parquet.read_schema(out / f"{name}.parquet")
        kinds = {field.name: field.type for field in schema}
        assert {n for n, kind in kinds.items() if kind == pa.date32()} == DAYS & set(kinds)
        boolean = {"calibration", "failed"} & set(kinds)
        assert {n for n, kind in kinds.items() if kind == pa.bool_()} == boolean
        assert kinds["tag"] == kinds["model"] == pa.dictionary(pa.int32(), pa.string())
        assert pa.string() not in kinds.values()
        assert all(field.metadata[b"description"] for field in schema)


def pairs(card: Any) -> int:
    """Return how many rows a verdict is: four scores, the first of the right one, are three pairs.

    A pick of one of four is none: it stands in its snapshot's own file alone.
    """
    source = card["origin"]["name"]
    if source == "RewardBench 2, THEMIS' picks":
        return 3 if card["tag"].startswith(("v1.0-Skywork-Reward-V2", "v1.0-URM")) else 0
    return 3 if source == "RewardBench 2, Composo's scores" else 1


def test_it_holds_every_snapshot_every_kept_verdict_and_every_trial(
    exported: tuple[Path, Any, str],
) -> None:
    out, _, _ = exported
    known = cards()
    rows = {
        name: Counter(
            parquet.read_table(out / f"{name}.parquet", columns=["tag"])["tag"].to_pylist()
        )
        for name in TABLES
    }
    manifests = {
        tag: json.loads((ROOT / "snapshots" / tag / "manifest.json").read_text())
        for tag, (card, _) in known.items()
        if card["kind"] == "measured"
    }
    kept = {
        tag: figures["figures"]["n"] * pairs(card)
        for tag, (card, figures) in known.items()
        if card.get("kept") and pairs(card)
    }

    assert rows["snapshots"] == dict.fromkeys(known, 1)
    assert set(rows["figures"]) == set(known)
    assert rows["trials"] == {tag: m["raw"]["trials"]["rows"] for tag, m in manifests.items()}
    assert {tag: n for tag, n in rows["verdicts"].items() if tag in kept} == kept
    assert set(rows["verdicts"]) == set(kept) | set(manifests)
    assert rows["verdicts"]["v1.2-SmolLM2-135M-Likelihood"] == 11 * 2 * 8, "each pair asked once"


def test_what_is_not_here_is_said_with_counts_and_the_commands_that_make_it(
    exported: tuple[Path, Any, str],
) -> None:
    _, told, text = exported
    events = map(json.loads, (ROOT / "snapshots" / "events.jsonl").read_text().splitlines())
    older = {event["tag"] for event in events if event["event"] == "superseded"}
    absent = {
        tag: f["figures"]["n"]
        for tag, (c, f) in cards().items()
        if c.get("kept") is False and tag not in older
    }

    assert sum(part["verdicts"] for part in told["withheld"]) == sum(absent.values()) == 917_219
    assert {tag for part in told["withheld"] for tag in part["tags"]} == set(absent)
    assert "917,219 of 1,549,690 recorded verdicts are not here" in text
    assert "JudgeBench, licence unknown: 2,990 verdicts of 7 snapshots" in text
    assert "  epc observe import CLONE --shape judgebench --out verdicts.jsonl\n" in text
    assert "  git clone https://github.com/ScalerLab/JudgeBench CLONE\n" in text


def _with_n(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the figures of a published document of verdicts, by their names in the table."""
    for group in document.get("groups", ()):
        for name, figure in group["figures"].items():
            yield f"{name}/{group['settings'][0]}", figure


def test_each_figure_has_its_own_n_and_items(exported: tuple[Path, Any, str]) -> None:
    """By the published documents: what a figure of verdicts says of itself stands in its row."""
    folder, _, _ = exported
    rows = parquet.read_table(folder / "figures.parquet").to_pylist()
    own = {(row["tag"], row["figure"]): (row["figure_n"], row["items"]) for row in rows}
    differing = 0
    for tag, (_, document) in cards().items():
        for name, figure in _with_n(document["figures"]):
            if (tag, name) in own:
                assert own[tag, name] == (figure["n"], figure.get("items"))
                differing += figure["n"] != document["figures"]["n"]

    assert differing > 500
    assert all(row["figure_n"] is not None for row in rows)
    assert {row["kind"] for row in rows} >= {"measured", "observed", "loop"}
    card = (folder / "README.md").read_text()
    assert "or loop (an optimiser's gains)" in card
    assert "each list weighs alike" in card


def test_recorded_verdicts_are_those_of_the_store(exported: tuple[Path, Any, str]) -> None:
    out, _, _ = exported
    pointer = (ROOT / "snapshots/v1.0-PandaLM-7B/raw.dvc").read_text()
    folder = re.findall(r"md5: (\w+\.dir)", pointer)[0]
    store = ROOT / "snapshots/.store/files/md5"
    (entry,) = json.loads((store / folder[:2] / folder[2:]).read_text())
    kept = parquet.read_table(store / entry["md5"][:2] / entry["md5"][2:]).to_pylist()

    found = parquet.read_table(
        out / "verdicts.parquet", filters=[("tag", "=", "v1.0-PandaLM-7B")]
    ).to_pylist()

    assert len(found) == len(kept) == 993
    for left, right in zip(found, kept, strict=True):
        shared_names = right.keys() & left.keys() - {"date"}
        assert {n: left[n] for n in shared_names} == {n: right[n] for n in shared_names}
        people = [left[f"humans_{word}"] for word in ("a", "b", "tie")]
        votes = right.get("humans")
        assert people == [votes.count(w) if votes else None for w in ("a", "b", "tie")]
        assert (left["licence"], left["source"], left["times"]) == ("Apache-2.0", "PandaLM", 1)


def test_trials_come_a_group_at_a_time(exported: tuple[Path, Any, str]) -> None:
    out, _, _ = exported
    held_metadata = parquet.ParquetFile(out / "trials.parquet").metadata
    sizes = [
        held_metadata.row_group(place).num_rows for place in range(held_metadata.num_row_groups)
    ]

    assert max(sizes) <= GROUP
    assert len(sizes) > 1
    assert all(sum(pair) > GROUP for pair in pairwise(sizes)), "small snapshots share a group"


# What Hugging Face's documentation of dataset cards lists for the header of a README.
OF_CARDS = {
    *("annotations_creators", "configs", "dataset_info", "language", "language_creators"),
    *("language_details", "license", "license_details", "license_link", "license_name"),
    *("multilinguality", "paperswithcode_id", "pretty_name", "size_categories"),
    *("source_datasets", "tags", "task_categories", "task_ids", "thumbnail", "viewer"),
}
OF_CONFIGS = {"config_name", "data_files", "data_dir", "default", "drop_labels", "description"}
LICENCES = {"apache-2.0", "cc-by-4.0", "mit"}  # as the documentation spells those that stand here


def test_the_card_has_the_header_that_datasets_reads(exported: tuple[Path, Any, str]) -> None:
    out, told, _ = exported
    text = (out / "README.md").read_text()
    header = yaml.safe_load(text.split("---\n")[1])

    assert set(header) <= OF_CARDS
    assert set(header["license"]) == LICENCES
    assert header["size_categories"] == ["1M<n<10M"]
    assert [config["config_name"] for config in header["configs"]] == list(TABLES)
    for config in header["configs"]:
        assert set(config) <= OF_CONFIGS
        (part,) = config["data_files"]
        assert part["split"] == "train"
        assert (out / part["path"]).is_file()
    assert [config["config_name"] for config in header["configs"] if config.get("default")] == [
        "figures"
    ]
    for part in told["withheld"]:
        assert f"{part['source']}, licence {part['licence']}: {part['verdicts']:,}" in text


class _Counting(_Handler):
    """A server's handler that says how much of which file was sent."""

    sent: ClassVar[Counter[str]] = Counter()

    def _send_part(self, path: Path, first: str, last: str) -> None:
        self.sent[path.name] += int(last or path.stat().st_size) - int(first or 0)
        super()._send_part(path, first, last)


def test_duckdb_reads_a_part_of_a_table_over_http_through_fsspec(
    exported: tuple[Path, Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _, _ = exported
    monkeypatch.setattr("epc.site.serving._Handler", _Counting)
    with SiteServer(out, 0) as server, duckdb.connect() as database:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/verdicts.parquet"
        verdicts = dataset.dataset(address, filesystem=fsspec.filesystem("http", cache_type="none"))
        database.register("verdicts", verdicts)
        text = "select sum(times) from verdicts where kind = 'observed'"
        ((found,),) = database.sql(text).fetchall()
        server.shutdown()

    assert found == AS_ROWS
    assert 0 < _Counting.sent["verdicts.parquet"] < (out / "verdicts.parquet").stat().st_size / 2


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A repository that published a run, then, with a git tag on the first, a transcription."""

    def make(folder: Path) -> Checkout:
        checkout = Checkout(folder / "clone")
        measured(checkout)
        git(checkout.folder, "tag", "first")
        checkout.evaluator(generation_record())
        checkout.publish("v1.0-Judge-1")
        commit(checkout.folder, "publish another")
        return checkout

    return shared(tmp_path_factory, "small registry", make)


def copied(small: Checkout, folder: Path) -> Path:
    return Path(shutil.copytree(small.folder, folder / "clone", symlinks=True))


def test_the_same_content_gives_the_same_bytes(small: Checkout, tmp_path: Path) -> None:
    for name in ("one", "two"):
        program(small.folder, "data", "--out", str(tmp_path / name), "--as-of", AS_OF)

    for name in {*TABLE_FILES, "README.md", "SHA256SUMS"}:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize("at", ["first", "v1.0-CoinFlip"])
def test_at_a_git_tag_or_an_untagged_snapshot_it_is_as_it_was_there(
    small: Checkout, tmp_path: Path, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small.folder)
    day = git(
        small.folder, "show", "--no-patch", "--date=short-local", "--format=%cs", "first"
    ).strip()
    arguments = ("data", "--tables", "figures,trials", "--out", str(tmp_path / "data"), "--at", at)

    document = json.loads(program(small.folder, *arguments, "--format", "json").stdout)

    assert document["as_of"] == day
    assert [table["name"] for table in document["tables"]] == ["figures", "trials"]
    later_table = parquet.read_table(tmp_path / "data" / "figures.parquet")
    assert set(later_table["tag"].to_pylist()) == {"v1.0-CoinFlip"}
    assert set(epc.load("figures", at=at).tag) == {"v1.0-CoinFlip"}
    assert set(epc.load("figures").tag) == {"v1.0-CoinFlip", "v1.0-Judge-1"}
    assert len(epc.load("trials", at=at)) == document["tables"][1]["rows"] > 0


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ("v1.0-Judge-1/metrics.json", "snapshots/v1.0-Judge-1/metrics.json"),
        ("v1.0-CoinFlip/snapshot.json", "snapshots/v1.0-CoinFlip/snapshot.json"),
        ("v1.0-CoinFlip/SHA256SUMS", "snapshots/v1.0-CoinFlip/SHA256SUMS"),
        ("v1.0-CoinFlip/manifest.json", "snapshots/v1.0-CoinFlip/manifest.json"),
        (".store", "is raw/trials.jsonl with SHA-256"),
    ],
)
def test_nothing_is_given_out_that_is_not_as_it_was_sealed(
    small: Checkout, tmp_path: Path, changed: str, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = copied(small, tmp_path)
    path = clone / "snapshots" / changed
    if path.is_dir():  # the trials, in the store
        (path,) = (p for p in path.rglob("*") if p.is_file() and b'"u_task"' in p.read_bytes())
    path.write_bytes(path.read_bytes().replace(b"1", b"2", 1))

    done = program(clone, "data", "--out", str(tmp_path / "data"), code=2)

    assert found in done.stderr
    assert not (tmp_path / "data").exists()
    monkeypatch.chdir(clone)
    with pytest.raises(MalformedError, match=re.escape(found)):
        epc.load("trials")


def test_what_cannot_be_asked_for_is_misuse(small: Checkout, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for words, why in (
        (("--tables", "trails"), "there is no table 'trails'"),
        (("--at", "never"), "there is no tag never here"),
        (("--at", "first", "--registry", "https://a.example"), "has no tags"),
        (("--out", str(tmp_path / "there")), "exists already"),
    ):
        assert why in program(small.folder, "data", *words, code=2).stderr
    with pytest.raises(UsageError, match="are of tables"):
        epc.load("v1.0-CoinFlip", at="first")  # type: ignore[call-overload]  # what is refused


def test_an_address_gives_the_tables_of_the_checkout_that_it_publishes(
    small: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small.folder)
    names: tuple[TableName, ...] = ("figures", "verdicts", "trials")
    runs = {name: epc.load(name) for name in names}
    public = copied(small, tmp_path)
    (public / "registry.json").write_text(program(public, "admin", "snapshot", "export").stdout)
    with SiteServer(public, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        remote_runs = {name: epc.load(name, registry=address) for name in runs}
        server.shutdown()

    for name, table in runs.items():
        assert table.equals(remote_runs[name])
    assert runs["figures"].measured_to.dt.year.min() == 2026
    assert runs["figures"].failed.dtype == bool
    run = epc.load("v1.0-CoinFlip", registry=str(small.folder))
    assert runs["trials"].u_task.tolist() == run.trials.u_task.tolist()
    assert runs["trials"].question.tolist() == run.trials.question.tolist()
    counts = run.verdicts[["won", "lost", "tied"]].sum().tolist()
    assert (
        runs["verdicts"]
        .groupby("verdict")
        .times.sum()
        .reindex(["a", "b", "tie"])
        .fillna(0)
        .tolist()
        == counts
    )


def test_loading_verdicts_warns_of_those_that_are_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.warns(UserWarning, match="917,219 of 1,549,690 recorded verdicts are not here"):
        run = epc.load("verdicts", as_of=date(2026, 11, 23))

    assert run[run.kind == "observed"].times.sum() == AS_ROWS
    assert {part["source"] for part in run.attrs["withheld"]} == {
        "AlpacaEval",
        "AI Judgment Battery",
        "Auto-J",
        "Faithfulness judge",
        "Judge audit (choices)",
        "JudgeBench",
        "LLM debates",
        "LLM judge bias",
        "MT-Bench pairs, agreement harness",
        "WMT25 general translation",
    }
