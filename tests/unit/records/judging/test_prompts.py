"""Judge prompts as files (JUDGE-9.1)."""

import hashlib
from pathlib import Path

import pytest

from epc.errors import MalformedError, UsageError
from epc.judge.prompt import template_problem
from epc.records.judging.prompts import JudgePrompt, read_prompt, write_prompts


def test_judge_9_1_without_a_file_it_is_the_packages_own_prompt() -> None:
    prompt = read_prompt(None)

    assert prompt.id == "judge-v1"
    assert template_problem(prompt.template) is None
    assert prompt.reference.sha256 == hashlib.sha256(prompt.template.encode()).hexdigest()


def test_judge_9_1_a_file_is_named_after_itself(tmp_path: Path) -> None:
    text = read_prompt(None).template
    (tmp_path / "mine.txt").write_text(text, "utf-8")
    (tmp_path / "My Prompt.txt").write_text(text, "utf-8")
    (tmp_path / "latin.txt").write_bytes(b"\xff")
    (tmp_path / "empty.txt").write_text("nothing to fill", "utf-8")

    assert read_prompt(tmp_path / "mine.txt") == JudgePrompt(id="mine", template=text)
    with pytest.raises(UsageError, match="name a prompt file"):
        read_prompt(tmp_path / "My Prompt.txt")
    for name in ("latin", "empty"):
        with pytest.raises(MalformedError):
            read_prompt(tmp_path / f"{name}.txt")


def test_judge_9_1_two_prompts_cannot_share_an_id(tmp_path: Path) -> None:
    own_judge_prompt = read_prompt(None)
    other_judge_prompt = JudgePrompt(
        id=own_judge_prompt.id, template=own_judge_prompt.template + " "
    )

    with pytest.raises(UsageError, match="two prompts are called judge-v1"):
        write_prompts(tmp_path, {"cross_judge": own_judge_prompt, "self_judge": other_judge_prompt})
