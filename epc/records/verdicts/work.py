"""A checkout on its way into verdicts: what every shape of files reads, collects and finds."""

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from epc.digests import sha256
from epc.errors import able_to
from epc.json_text import storable
from epc.records.findings import Findings
from epc.records.verdicts.checking import CLAUSE
from epc.records.verdicts.converting import Conversion, Request, digest, file_of
from epc.records.verdicts.types import (
    UNKNOWN,
    Header,
    Judge,
    Modality,
    Prompt,
    Row,
    Setting,
    SourceFile,
)

_DECODING: Final = (
    *("temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "seed"),
    *("frequency_penalty", "presence_penalty", "reasoning_effort", "reasoning_tokens", "logprobs"),
)
# As Inspect's own metrics read a grade, whatever the pattern that took it from the answer.
_GRADES: Final = {
    **dict.fromkeys(("c", "correct", "yes", "true"), 1.0),
    **dict.fromkeys(("p", "partial"), 0.5),
    **dict.fromkeys(("i", "incorrect", "n", "no", "false"), 0.0),
}
_LICENCES: Final = {"MIT License": "MIT", "Apache License": "Apache-2.0"}
_LICENCE_FILES: Final = ("LICENSE", "LICENSE.md", "LICENSE.txt")


@dataclass(slots=True, kw_only=True)
class Work:
    """Conversion so far. Paths are those inside the source."""

    source: Path
    request: Request
    expected: str
    files: dict[str, SourceFile] = field(default_factory=dict)
    settings: dict[str, Setting] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    findings: Findings = field(default_factory=Findings)
    _askings: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def wrong(self, where: object, problem: str) -> None:
        """Note a departure from the shape, with the shape."""
        self.findings.add(CLAUSE, str(where), problem, f"expected {self.expected}")

    def paths(self, pattern: str) -> list[Path]:
        """Return the files of a pattern in order; none is a finding."""
        files = sorted(self.source.glob(pattern)) if self.source.is_dir() else []
        if not files:
            self.wrong(self.source, f"holds no {pattern}")
        chosen = self.request.paths
        inside = [path.relative_to(self.source) for path in files]
        return [path for path in inside if not chosen or path.as_posix() in chosen]

    def holds(self, path: Path) -> bool:
        """Return whether a file is there; its absence is a finding."""
        exists = (self.source / path).is_file()
        if not exists:
            self.wrong(path.as_posix(), "is missing")
        return exists

    def read(self, path: Path) -> bytes:
        """Return a file's content.

        Raises: WorldError if it cannot be read.
        """
        with able_to("read", self.source / path):
            return (self.source / path).read_bytes()

    def digest_of(self, path: Path) -> str:
        """Return the SHA-256 of a file's content, or `unknown` where there is no such file."""
        exists = (self.source / path).is_file()
        return sha256(self.read(path)) if exists else UNKNOWN

    def decoded(self, path: Path, kind: Any, *, key: str | None = None) -> Any:
        """Return a JSON file's value, or a finding and None; `key` lists it in the header.

        A file `.jsonl` gives a list with a value for each line.
        """
        content = self.read(path)
        plain = content.removeprefix(BOM_UTF8)
        decoder = msgspec.json.Decoder(kind)
        try:
            is_lines = path.suffix == ".jsonl"
            value = decoder.decode_lines(plain) if is_lines else decoder.decode(plain)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            self.wrong(path.as_posix(), str(error))
            return None
        if key is not None:
            self.files[key] = file_of(path.as_posix(), content)
        return value

    def lines(self, path: Path, kind: Any) -> Iterator[tuple[str, Any]]:
        """Yield the place and value of each line of a file, and list the file by its path."""
        content, decoder = self.read(path), msgspec.json.Decoder(kind)
        self.files[path.as_posix()] = file_of(path.as_posix(), content)
        for number, line in enumerate(content.removeprefix(BOM_UTF8).splitlines(), 1):
            if not line.strip():
                continue
            try:
                yield f"{path}:{number}", decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                self.wrong(f"{path}:{number}", str(error))

    def setting(self, name: str, setting: Setting) -> str:
        """Return the key of a setting, which is the name, numbered where that names another."""
        key, number = name, 1
        while self.settings.setdefault(key, setting) != setting:
            number += 1
            key = f"{name}#{number}"
        return key

    def add(self, where: str, **values: Any) -> None:
        """Add a verdict, or note why it is none."""
        try:
            self.rows.append(msgspec.convert(values, Row))
            self.places.append(where)
        except msgspec.ValidationError as error:
            self.wrong(where, str(error))

    def pair(self, question: str, a: str, b: str) -> dict[str, Any]:
        """Return what a verdict says of a question and its two candidates."""
        fields = {"question_sha256": digest(storable(question))}
        return fields | self.candidate("a", a) | self.candidate("b", b)

    def candidate(self, name: str, text: str) -> dict[str, Any]:
        """Return what a verdict says of a candidate's text."""
        text = storable(text)
        return digested(name, text) | ({f"{name}_text": text} if self.request.texts else {})

    def repeat(self, *key: str) -> dict[str, Any]:
        """Return the field `repeat` of a further asking of the same; the first has none."""
        before = self._askings[key]
        self._askings[key] += 1
        return {"repeat": before} if before else {}

    def done(
        self,
        *,
        name: str,
        repository: str = UNKNOWN,
        licence: str | None = None,
        identity: Literal["text", "name"] = "text",
    ) -> Conversion:
        """Return the verdicts, or the findings where there are any.

        The licence is that of the file LICENSE, unless the data have one of their own.
        """
        if not self.rows and not len(self.findings):
            left = "; ".join(f"{count:,} {why}" for why, count in self.left_out.items())
            self.wrong(self.source, f"holds no verdict{left and f', but {left}'}")
        if len(self.findings):
            return Conversion(findings=self.findings.as_list())
        header = Header(
            schema_version=1,
            source=self.request.source(
                name=name, repository=repository, licence=licence or self._licence()
            ),
            files=self.files,
            settings=self.settings,
            left_out=dict(self.left_out),
            identity=identity,
        )
        return Conversion(
            header=header,
            rows=self.rows,
            place=lambda row, name: f"{self.places[row]}/{name}",
        )

    def _licence(self) -> str:
        """Return the licence that a file of that name begins with, where it is a known one."""
        paths = [Path(name) for name in _LICENCE_FILES if (self.source / name).is_file()]
        text = self.read(paths[0]).decode("utf-8", "replace").lstrip("# \t\r\n") if paths else ""
        return next(
            (spdx for begins, spdx in _LICENCES.items() if text.startswith(begins)), UNKNOWN
        )


def setting_of(
    judge: str,
    model: str,
    *,
    platform: str = UNKNOWN,
    prompt: str = UNKNOWN,
    sha256: str = UNKNOWN,
    decoding: dict[str, Any] | str = UNKNOWN,
    note: str | None = None,
    modality: Modality = "text",
) -> Setting:
    """Return who was asked how, as far as a source says; of when it says nothing."""
    return Setting(
        judge=Judge(name=judge, model=model, platform=platform),
        prompt=Prompt(name=prompt, sha256=sha256),
        decoding=decoding or UNKNOWN,
        date=UNKNOWN,
        note=note,
        modality=modality,
    )


def decoding_of(options: Any) -> dict[str, Any]:
    """Return the known fields of a request's options: others may hold an address or a key."""
    return {name: options[name] for name in _DECODING if options.get(name) is not None}


def graded(value: Any, labels: Mapping[str, str]) -> dict[str, Any] | None:
    """Return a grade or number as a score, or None for a word that nobody says the worth of.

    A score that is not there is unreadable.
    """
    word = "" if value is None else str(value).strip()
    word = labels.get(word, word).lower()
    try:
        score = _GRADES[word] if word in _GRADES else float(word or "nan")
    except ValueError:
        return None
    return {"a_score": score} if isfinite(score) else {"verdict": "unreadable"}


def as_text(value: Any) -> str:
    """Return a text, or what else stands in its place as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()


def turned(word: str, first: str) -> str:
    """Return the candidate of a word that named a place as if a had stood first."""
    return word if first == "a" else {"a": "b", "b": "a"}.get(word, word)


def answered(text: str) -> dict[str, Any]:
    """Return what a verdict says of the judge's answer."""
    return digested("answer", storable(text))


def digested(name: str, text: str) -> dict[str, Any]:
    """Return a text's digest and length as a verdict's fields of that name."""
    return {f"{name}_sha256": digest(text), f"{name}_length": len(text)}
