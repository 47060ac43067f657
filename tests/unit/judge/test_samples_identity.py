"""Identifiers from names of files and from several fields (JUDGE-2.5), apart and together."""

import pytest

from epc.judge.samples import FILE_NAME, Identity, Pattern, problems, read_identity

FORMS = ("{question_id}_{part}_{prompt_variant}.txt", "{question_id}.txt")


def of_file(*forms: str, **templates: str) -> Identity:
    return read_identity(patterns=[{"source": FILE_NAME, "forms": forms}], templates=templates)


def test_judge_2_5_a_text_is_taken_apart_by_the_first_form_that_it_has() -> None:
    pattern = Pattern(source=FILE_NAME, forms=FORMS)

    assert pattern.names == {"question_id", "part", "prompt_variant"}
    assert pattern.parts("q3_weak_B.txt") == {
        "question_id": "q3",
        "part": "weak",
        "prompt_variant": "B",
    }
    assert pattern.parts("q3.txt") == {"question_id": "q3"}


@pytest.mark.parametrize("text", ["", "q3.pdf", ".txt", "q3_weak_Bxtxt"])
def test_judge_2_5_a_text_of_none_of_the_forms_has_no_parts(text: str) -> None:
    assert Pattern(source=FILE_NAME, forms=FORMS).parts(text) == {}


def test_judge_2_5_a_text_of_300_characters_is_taken_apart_and_no_longer_one() -> None:
    pattern = Pattern(source=FILE_NAME, forms=["{question_id}.txt"])

    assert pattern.parts("q" * 296 + ".txt") == {"question_id": "q" * 296}
    assert pattern.parts("q" * 297 + ".txt") == {}


def test_judge_2_5_identifiers_are_put_together_of_parts_and_of_the_sources_fields() -> None:
    identity = of_file(*FORMS, output_id="{part}-{/variant}", judge_model="{/by}")

    assert identity.derived == {"question_id", "prompt_variant", "output_id", "judge_model"}
    assert identity.sources() == {FILE_NAME, "/variant", "/by"}
    assert identity.identifiers({FILE_NAME: "q3_weak_B.txt", "/variant": "9"}) == {
        "question_id": "q3",
        "prompt_variant": "B",
        "output_id": "weak-9",  # and no judge, as nothing says who it is
    }


@pytest.mark.parametrize("part", ["part", "/variant"])
def test_judge_2_5_a_template_takes_parts_of_a_pattern_and_pointers(part: str) -> None:
    assert list(problems(of_file(*FORMS, output_id=f"x-{{{part}}}"))) == []


def test_judge_2_5_a_part_that_no_pattern_yields_is_named() -> None:
    ((where, problem, remedy),) = problems(of_file(*FORMS, output_id="{part}{variant}"))

    assert where == "/templates/output_id"
    assert "'variant', which no pattern yields" in problem
    assert "{/variant}" in remedy


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ("a.txt", "names no parts"),
        ("{a}_{a}.txt", "or one twice"),
        ("{A}.txt", "names no parts"),
        ("{a}{b}.txt", "nothing between them"),
    ],
)
def test_judge_2_5_a_form_that_makes_no_sense_is_named(form: str, says: str) -> None:
    ((where, problem, _),) = problems(of_file("{question_id}.txt", form))

    assert where == "/patterns/0"
    assert repr(form) in problem
    assert says in problem
