"""A checkout on its way into verdicts (Reading R77)."""

from pathlib import Path
from typing import Any

import pytest

from epc.records.verdicts.converting import Request, digest
from epc.records.verdicts.work import (
    Work,
    answered,
    as_text,
    decoding_of,
    graded,
    setting_of,
    turned,
)


@pytest.mark.parametrize(
    ("name", "text", "licence"),
    [
        ("LICENSE.md", "# MIT License\n", "MIT"),
        ("LICENSE.txt", "Apache License\n", "Apache-2.0"),
        ("LICENSE.md", "# Terms\n", "unknown"),
    ],
)
def test_reading_r77_a_licence_is_that_of_the_file_under_any_of_its_names(
    name: str, text: str, licence: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    work = Work(source=tmp_path, request=Request(), expected="rows")
    work.add("x:1", item="1", setting="j", file="f", a_sha256="0" * 64, a_score=1.0)

    header = work.done(name="s").header

    assert header is not None
    assert header.source.licence == licence


def begun(source: Path, **fields: Any) -> Work:
    return Work(source=source, request=Request(**fields), expected="what it should be")


def finding_places(work: Work) -> list[tuple[str, str]]:
    return [(finding.where, finding.problem) for finding in work.findings.as_list()]


def test_reading_r77_files_are_read_in_order_as_far_as_they_may_be(tmp_path: Path) -> None:
    for name in ("b.json", "a.json"):
        (tmp_path / name).write_text("{}")
    work = begun(tmp_path, paths=frozenset({"b.json"}))

    assert begun(tmp_path).paths("*.json") == [Path("a.json"), Path("b.json")]
    assert work.paths("*.json") == [Path("b.json")]
    assert finding_places(work) == []
    none, nowhere = begun(tmp_path), begun(tmp_path / "a.json")
    assert none.paths("*.csv") == nowhere.paths("*.json") == []
    assert finding_places(none) == [(str(tmp_path), "holds no *.csv")]
    assert none.findings.as_list()[0].remedy == "expected what it should be"
    assert finding_places(nowhere) == [(str(tmp_path / "a.json"), "holds no *.json")]
    assert (none.holds(Path("a.json")), none.holds(Path("c.json"))) == (True, False)
    assert finding_places(none)[1] == ("c.json", "is missing")
    assert none.digest_of(Path("a.json")) == digest("{}")
    assert none.digest_of(Path("c.json")) == "unknown"


def test_reading_r77_json_and_its_lines_are_decoded_and_listed_or_found_wrong(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf{"x": 1}')
    (tmp_path / "b.jsonl").write_text('{"x": 1}\n\n{"x": \n{"x": 2}\n')
    (tmp_path / "c.jsonl").write_text('{"x": 1}\n{"x": 2}\n')
    work = begun(tmp_path)

    assert work.decoded(Path("a.json"), dict[str, int]) == {"x": 1}
    assert work.files == {}
    assert work.decoded(Path("a.json"), dict[str, int], key="a") == {"x": 1}
    assert work.files["a"].path == "a.json"
    assert work.decoded(Path("c.jsonl"), dict[str, int]) == [{"x": 1}, {"x": 2}]
    assert finding_places(work) == []
    assert work.decoded(Path("a.json"), list[int], key="wrong") is None
    assert "wrong" not in work.files
    assert [*work.lines(Path("b.jsonl"), dict[str, int])] == [
        ("b.jsonl:1", {"x": 1}),
        ("b.jsonl:4", {"x": 2}),
    ]
    assert [where for where, _ in finding_places(work)] == ["a.json", "b.jsonl:3"]
    assert work.files["b.jsonl"].path == "b.jsonl"


def test_reading_r77_a_setting_that_is_another_one_gets_a_number(tmp_path: Path) -> None:
    work = begun(tmp_path)
    settings = [setting_of("j", model) for model in ("m", "n", "o")]

    keys = [work.setting("j", setting) for setting in (*settings, *settings)]

    assert keys == ["j", "j#2", "j#3"] * 2
    assert work.settings["j#2"].judge.model == "n"
    assert settings[0].decoding == setting_of("j", "m", decoding={}).decoding == "unknown"


def test_reading_r77_a_verdict_has_its_texts_digests_and_its_number_from_the_second_on(
    tmp_path: Path,
) -> None:
    work = begun(tmp_path)

    assert work.pair("q", "one", "three") == {
        "question_sha256": digest("q"), "a_sha256": digest("one"), "a_length": 3,
        "b_sha256": digest("three"), "b_length": 5,
    }  # fmt: skip
    assert begun(tmp_path, texts=True).candidate("a", "one")["a_text"] == "one"
    assert [work.repeat("x"), work.repeat("x"), work.repeat("y"), work.repeat("x")] == [
        *({}, {"repeat": 1}, {}, {"repeat": 2}),
    ]
    assert answered("A!") == {"answer_sha256": digest("A!"), "answer_length": 2}


def test_reading_r77_a_conversion_is_verdicts_or_findings_and_says_where_each_stood(
    tmp_path: Path,
) -> None:
    work = begun(tmp_path)
    work.setting("j", setting_of("j", "m"))
    work.add("f:1", item="1", setting="j", file="f", a_sha256="0" * 64, a_score=1.0)
    work.left_out["of nobody"] = 1234

    done = work.done(name="s", licence="MIT")

    assert done.header is not None
    assert (done.header.source.licence, done.header.left_out) == ("MIT", {"of nobody": 1234})
    assert done.place is not None
    assert done.place(0, "item") == "f:1/item"
    work.add("f:2", item="", setting="j", file="f")
    assert [f.where for f in work.done(name="s").findings] == ["f:2"]
    assert work.places == ["f:1"]
    empty = begun(tmp_path)
    empty.left_out["of nobody"] = 1234
    (finding,) = empty.done(name="s").findings
    assert finding.problem == "holds no verdict, but 1,234 of nobody"
    (bare,) = begun(tmp_path).done(name="s").findings
    assert bare.problem == "holds no verdict"


@pytest.mark.parametrize(
    ("value", "score"),
    [("C", 1.0), ("yes", 1.0), ("partial", 0.5), ("I", 0.0), ("n", 0.0), ("0.25", 0.25), (2, 2.0)],
)
def test_reading_r77_a_grade_is_a_score(value: Any, score: float) -> None:
    assert graded(value, {}) == {"a_score": score}


def test_reading_r77_what_is_no_grade_is_unreadable_or_nobody_s() -> None:
    assert graded(None, {}) == graded(" ", {}) == graded("inf", {}) == {"verdict": "unreadable"}
    assert graded("fine", {}) is None
    assert graded("fine", {"fine": "1"}) == {"a_score": 1.0}
    assert as_text({"b": 1, "a": "x"}) == '{"a":"x","b":1}'
    assert as_text("x") == "x"
    assert [turned(word, "b") for word in ("a", "b", "tie")] == ["b", "a", "tie"]
    assert turned("a", "a") == "a"
    stated = {"temperature": 0, "top_p": None, "api_key": "x", "seed": 7}
    assert decoding_of(stated) == {"temperature": 0, "seed": 7}
