"""Runs as users type them: the models that most are of, and what is read of their folders."""

from pathlib import Path
from typing import Any

from engine_support import RAW_FILES, environment, read_rows

MOCKS = ("--evaluator", "mock/deterministic", "--executor", "mock/deterministic")
COIN = ("--evaluator", "mock/coin-flip", "--executor", "mock/deterministic")
HOSTED = (*("--evaluator", "openai/judge-0806", "--executor", "openai/writer-0806"),)
RUN_FILES = (*RAW_FILES, "manifest.json", "run.json")
CANARY = "sk-canary-0123456789abcdef"


def models(provider: str) -> tuple[str, ...]:
    return ("--evaluator", f"{provider}/judge", "--executor", f"{provider}/writer")


def provider_environment(provider: str, url: str) -> dict[str, str]:
    prefix = provider.upper().replace("-", "_")
    return environment(**{f"{prefix}_BASE_URL": url, f"{prefix}_API_KEY": CANARY})


def hosted(url: str) -> dict[str, str]:
    return environment(OPENAI_BASE_URL=url, OPENAI_API_KEY=CANARY)


def journal_rows(folder: Path) -> int:
    path = folder / "journal.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def without_latency(folder: Path) -> list[dict[str, Any]]:
    return [{**call, "latency_s": 0} for call in read_rows(folder / "calls.jsonl")]


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]
