"""What programs read: shapes, digits, addresses."""

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlparse
from urllib.request import Request, urlopen
from xml.etree import ElementTree as ET

import pytest
from openapi_spec_validator import validate as validate_openapi
from pyarrow import parquet
from site_support import ADDRESS, AS_OF, BuiltSite, epc

from epc.digests import file_sha256
from epc.records.schemas import findings as schema_findings
from epc.registry.tables import TABLES


def document(site: BuiltSite, path: str) -> Any:
    return json.loads(site.text(path))


SCHEMAS = {
    "api/v1/index.json": "api_index",
    "api/v1/expiry.json": "api_expiry",
    "api/v1/changes.json": "api_changes",
    "api/v1/succession.json": "api_succession",
    "api/v1/snapshots/*.json": "api_snapshot",
    "api/v1/evaluators/**/*.json": "api_evaluator",
}


def test_every_answer_has_the_shape_that_is_published(site: BuiltSite) -> None:
    seen = {site.out / "api" / "v1" / "openapi.json"}
    for pattern, name in SCHEMAS.items():
        paths = list(site.out.glob(pattern))
        assert paths, pattern
        for path in paths:
            assert schema_findings(name, json.loads(path.read_text())) == [], path
        seen |= set(paths)
        assert document(site, f"schemas/v1/{name}.json")["$id"] == f"urn:epc:schema:v1:{name}"
    others = {site.out / "api/v1/osv.json", *site.out.glob("api/v1/model-eol/*.json")}
    assert len(others) > 1, "in shapes of others, which `test_exports.py` holds to theirs"
    assert set(site.out.glob("api/v1/**/*.json")) == seen | others, "an answer without a schema"


def test_the_openapi_document_is_one_and_names_every_answer(site: BuiltSite) -> None:
    input_document = document(site, "api/v1/openapi.json")
    validate_openapi(input_document)

    assert input_document["servers"] == [{"url": f"{ADDRESS}api/v1"}]
    for path, does in input_document["paths"].items():
        assert ("404" in does["get"]["responses"]) == ("{" in path)
        place = path.format(tag="v1.1-Judge-1", name="Judge-1")
        assert (site.out / "api" / "v1" / place.removeprefix("/")).is_file(), path


def numbers(given: Any, prefix: str = "") -> Iterator[tuple[str, float]]:
    for key, value in given.items():
        if isinstance(value, dict) and isinstance(value.get("mean"), int | float):
            yield f"{prefix}{key}", value["mean"]
        elif isinstance(value, dict):
            yield from numbers(value, f"{prefix}{key}/")


def shown_figures(given: Any) -> dict[str, float]:
    """Return a snapshot's figures and those of its audit by the names that the table has."""
    named = dict(numbers(given["figures"]))
    for direction, into in given.get("audit", {}).get("transfer", {}).items():
        for name in ("chance", "crossing", "harm", "redirected", "regret"):
            named[f"transfer/{name}/{direction}"] = into[name]
        for name in ("redirected", "regret"):
            named[f"transfer/these_tasks/{name}/{direction}"] = into["these_tasks"][name]
    return named


def test_page_answer_table_and_command_line_hold_the_same_digits(site: BuiltSite) -> None:
    with (site.out / "figures.csv").open(newline="") as file:
        table = {(row["tag"], row["figure"]): row["mean"] for row in csv.DictReader(file)}
    compared = 0
    for tag in ("v1.1-Judge-1", "v1.0-CoinFlip", "v1.0-CarelessJudge"):
        arguments = ("snapshot", "show", tag, "--as-of", AS_OF, "--format", "json")
        figures = shown_figures(json.loads(epc(site.checkout.folder, *arguments).stdout))
        answered = shown_figures(document(site, f"api/v1/snapshots/{tag}.json"))
        page = site.text(f"snapshots/{tag}/index.html")
        assert figures == answered
        for name, value in figures.items():
            digits = json.dumps(value)
            assert table[tag, name] == digits, (tag, name)
            assert f'<data value="{digits}">' in page, (tag, name)
            compared += 1
        assert {name for row_tag, name in table if row_tag == tag} == set(figures)
    assert compared > 20


def test_parquet_holds_the_doubles_of_the_table(site: BuiltSite) -> None:
    with (site.out / "figures.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = parquet.read_table(site.out / "figures.parquet").to_pydict()

    assert columns["mean"] == [float(row["mean"]) for row in rows]
    assert columns["figure"] == [row["figure"] for row in rows]
    assert columns["ci95_low"] == [float(r["ci95_low"]) if r["ci95_low"] else None for r in rows]
    assert columns["failed"] == [row["failed"] == "true" for row in rows]
    days = [date.fromisoformat(row["until"]) if row["until"] else None for row in rows]
    assert columns["until"] == days
    same_content = (site.out / "data" / "figures.parquet").read_bytes()
    assert (site.out / "figures.parquet").read_bytes() == same_content


def test_croissant_names_each_table_by_its_digest_and_its_columns(site: BuiltSite) -> None:
    input_document = document(site, "croissant.json")

    assert [each["@id"] for each in input_document["recordSet"]] == [*TABLES]
    for file, table in zip(
        input_document["distribution"], input_document["recordSet"], strict=True
    ):
        path = site.out / file["contentUrl"].removeprefix(ADDRESS)
        assert file["sha256"] == file_sha256(path)
        assert file["contentSize"] == f"{path.stat().st_size} B"
        named = [field["source"]["extract"]["column"] for field in table["field"]]
        assert named == parquet.read_schema(path).names


READ = {
    "sc:Float": float,
    "sc:Integer": int,
    "sc:Date": date,
    "sc:Text": str,
    "sc:Boolean": bool,
}


def test_every_cell_of_a_table_is_of_the_type_that_croissant_states(site: BuiltSite) -> None:
    input_document = document(site, "croissant.json")

    for table in input_document["recordSet"]:
        held = parquet.read_table(site.out / "data" / f"{table['@id']}.parquet").to_pydict()
        assert held["tag"]
        for field in table["field"]:
            assert field["source"]["fileObject"] == {"@id": f"{table['@id']}.parquet"}
            cells = {type(cell) for cell in held[field["source"]["extract"]["column"]]}
            assert cells <= {READ[field["dataType"]], type(None)}, field["@id"]


def test_the_feed_tells_every_change_under_an_id_of_its_own(site: BuiltSite) -> None:
    atom = {"a": "http://www.w3.org/2005/Atom"}
    feed = ET.fromstring(site.text("feed.xml"))
    entries = feed.findall("a:entry", atom)
    ids = [entry.findtext("a:id", "", atom) for entry in entries]
    changes = document(site, "api/v1/changes.json")["changes"]

    assert len(entries) == len(changes) == len(set(ids))
    told = [entry.findtext("a:title", "", atom) for entry in entries]
    assert told == [f"{c['tag']}: {c['what']}" for c in reversed(changes)]
    assert feed.findtext("a:updated", "", atom) == f"{changes[-1]['date']}T00:00:00Z"


def test_a_badge_states_a_day_so_that_a_cached_one_stays_true(site: BuiltSite) -> None:
    badge = ET.fromstring(site.text("badges/Judge-1.svg"))

    assert badge.get("aria-label") == "EPC judge-1: v1.1 until 2026-06-30"
    assert not (site.out / "badges/Judge-2.svg").exists(), "it has no baseline"


def test_the_site_is_a_registry_for_the_command_line(
    site: BuiltSite, address: str, tmp_path: Path
) -> None:
    arguments = ("expiry", "--as-of", AS_OF, "--format", "json")
    output = epc(site.checkout.folder, *arguments, code=1).stdout

    assert epc(tmp_path, *arguments, "--registry", address, code=1).stdout == output
    assert document(site, "api/v1/expiry.json")["snapshots"] == json.loads(output)


def test_a_run_is_fetched_from_the_site_and_recomputes(
    site: BuiltSite, address: str, tmp_path: Path
) -> None:
    repeated_folder = tmp_path / "again"
    # In this registry's own checkout: outside it the published v1.0-CoinFlip would be meant.
    epc(
        site.checkout.folder,
        "snapshot",
        "fetch",
        "v1.0-CoinFlip",
        "--from",
        address,
        "--out",
        str(repeated_folder),
    )

    epc(tmp_path, "validate", str(repeated_folder))
    place = document(site, "api/v1/snapshots/v1.0-CoinFlip.json")["files"]
    raw = {f["name"].removeprefix("raw/"): f for f in place if f["name"].startswith("raw/")}
    for name, file in raw.items():
        with urlopen(file["address"].replace(ADDRESS, address)) as answer:
            assert answer.read() == (repeated_folder / name).read_bytes(), name
    assert set(raw) == {"trials.jsonl", "calls.jsonl", "weights.jsonl"}


def test_dvc_reads_the_site_as_a_remote(site: BuiltSite, address: str, tmp_path: Path) -> None:
    def dvc(*arguments: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "dvc", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    dvc("init", "--no-scm", "--quiet")
    dvc("remote", "add", "--default", "published", f"{address}snapshots/.store")
    source = site.checkout.folder / "snapshots" / "v1.0-CoinFlip" / "raw.dvc"
    (tmp_path / "raw.dvc").write_bytes(source.read_bytes())
    dvc("pull", "raw.dvc", "--quiet")

    assert (tmp_path / "raw" / "trials.jsonl").stat().st_size > 0


def test_the_server_compresses_for_those_who_take_it_and_has_a_page_for_what_is_missing(
    address: str,
) -> None:
    import gzip

    with urlopen(Request(address, headers={"Accept-Encoding": "gzip"})) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
        small = answer.read()
    with urlopen(address) as answer:
        assert answer.headers["Content-Encoding"] is None
        assert gzip.decompress(small) == answer.read()
    with pytest.raises(HTTPError) as missing:
        urlopen(f"{address}nothing/")
    assert missing.value.code == 404
    assert b"EPC registry" in missing.value.read()


@pytest.mark.parametrize(
    ("wanted", "part"),
    [("4-7", slice(4, 8)), ("-8", slice(-8, None)), ("4-", slice(4, None))],
)
def test_the_server_sends_a_part_of_a_file(
    site: BuiltSite, address: str, wanted: str, part: slice
) -> None:
    whole_content = (site.out / "data" / "figures.parquet").read_bytes()
    asked = Request(f"{address}data/figures.parquet", headers={"Range": f"bytes={wanted}"})

    with urlopen(asked) as answer:
        assert answer.status == 206
        assert answer.headers["Content-Range"].endswith(f"/{len(whole_content)}")
        assert answer.read() == whole_content[part]


def test_the_server_says_how_long_a_file_is_that_ends_before_the_part(
    site: BuiltSite, address: str
) -> None:
    size = (site.out / "data" / "figures.parquet").stat().st_size
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(f"{address}data/figures.parquet", headers={"Range": "bytes=9999999-"}))

    refused.value.close()
    assert refused.value.code == 416
    assert refused.value.headers["Content-Range"] == f"bytes */{size}"


def test_the_sitemap_lists_every_page_and_no_time(site: BuiltSite) -> None:
    space = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
    root = ET.fromstring(site.text("sitemap.xml"))
    places = {place.text or "" for place in root.findall("s:url/s:loc", space)}
    found = [*site.out.rglob("index.html")]
    pages = {p.relative_to(site.out).parent.as_posix() for p in found}

    assert places == {f"{ADDRESS}{page}/".replace("/./", "/") for page in pages}
    assert "lastmod" not in site.text("sitemap.xml")
    assert f"Sitemap: {ADDRESS}sitemap.xml" in site.text("robots.txt")
    for place in [
        w for line in site.text("llms.txt").split("](")[1:] for w in [line.split(")")[0]]
    ]:
        if place == "https://github.com/lab/registry":
            continue
        path = urlparse(place).path.removeprefix("/epc/")
        target = site.out / path
        assert (target / "index.html" if path.endswith("/") else target).is_file(), place


def test_an_evaluator_has_the_card_that_the_command_prints_in_the_api_and_on_its_page(
    site: BuiltSite,
) -> None:
    arguments = ("evaluators", "card", "Judge-1", "--as-of", AS_OF, "--format", "json")
    card = json.loads(epc(site.checkout.folder, *arguments).stdout)

    assert document(site, "api/v1/evaluators/Judge-1.json")["card"] == card
    assert card["sentence"].startswith("judge-1: served at maker until 2026-07-01. ")
    page = unescape(site.text("evaluators/Judge-1/index.html"))
    assert f"{card['sentence']} (As of" in page
    assert "; counts for no requirement: withdrawn: a cache</td>" in page
