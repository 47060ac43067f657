"""Issue 56, wanted 5: what lists of others lack, as patches that `git apply` takes.

The excerpts have facts of the lists as they were fetched, in their files' forms.
"""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest
from program_support import as_text, run_program
from registry_support import ROOT, Checkout

NAMES = ("claude-3-haiku-20240307", "claude-opus-4-8", "gpt-4-0613")
LITELLM = """{
    "sample_spec": {
        "deprecation_date": "date when the model becomes deprecated in the format YYYY-MM-DD",
        "litellm_provider": "one of https://docs.litellm.ai/docs/providers",
        "mode": "one of: chat, embedding, completion"
    },
    "gpt-4-0613": {
        "deprecation_date": "2025-06-06",
        "litellm_provider": "openai",
        "mode": "chat"
    },
    "claude-3-haiku-20240307": {
        "cache_read_input_token_cost": 3e-08,
        "litellm_provider": "anthropic",
        "mode": "chat",
        "search_context_cost_per_query": {
            "search_context_size_high": 0.01
        }
    },
    "claude-opus-4-8": {
        "litellm_provider": "anthropic",
        "mode": "chat"
    }
}
"""
TOML = """name = "Claude Haiku 3"
release_date = "2024-03-13"
open_weights = false

[cost]
input = 0.25
"""
PORTKEY = """{
  "name": "anthropic",
  "default": {
    "type": { "primary": "chat", "supported": ["cache_control"] }
  },
  "claude-3-haiku-20240307": {
    "type": { "primary": "chat", "supported": ["image", "tools"] }
  },
  "claude-opus-4-8": {
    "type": { "primary": "chat" }
  }
}"""
FILES = {
    "litellm": {"model_prices_and_context_window.json": LITELLM},
    "models.dev": {
        "providers/anthropic/models/claude-3-haiku-20240307.toml": TOML,
        "providers/anthropic/models/claude-opus-4-8.toml": TOML,
        "providers/openai/models/gpt-4-0613.toml": 'status = "beta"\n' + TOML,
    },
    "portkey": {"general/anthropic.json": PORTKEY},
}
# As in the list as it was fetched: a gateway's file is a link to the maker's.
LINKS = {"providers/vercel/models/anthropic/claude-3-haiku.toml": "claude-3-haiku-20240307.toml"}


def patched(tmp_path: Path, shape: str, *, linked: bool = False) -> tuple[Path, str, str]:
    """Apply the patch for a list to its clone; return the clone, the patch and the notes."""
    checkout, clone = Checkout(tmp_path / "registry"), tmp_path / "list"
    for name in NAMES:
        path = ROOT / "snapshots" / "evaluators" / f"{name}.json"
        (checkout.home / "evaluators" / path.name).write_bytes(path.read_bytes())
    for path_there, text in FILES[shape].items():
        (clone / path_there).parent.mkdir(parents=True, exist_ok=True)
        (clone / path_there).write_text(text)
    for path_there, name in LINKS.items() if linked else ():
        (clone / path_there).parent.mkdir(parents=True)
        (clone / path_there).symlink_to(f"../../../anthropic/models/{name}")
    git = ("git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "--all"), ("commit", "-q", "-m", "facts")):
        subprocess.run([*git, *words], check=True)
    day = () if shape == "litellm" else ("--as-of", "2026-11-29")
    arguments = ("--shape", shape, "--into", str(clone), *day)
    done = as_text(run_program("admin", "evaluators", "export", *arguments, cwd=checkout.folder))
    assert done.returncode == 0, done.stderr
    subprocess.run([*git, "apply", "--allow-empty"], input=done.stdout.encode(), check=True)
    return clone, done.stdout, done.stderr


def test_litellm_gets_the_days_that_it_lacks_and_keeps_its_own(tmp_path: Path) -> None:
    """OpenAI ends gpt-4-0613 on 2026-10-23; the maker of Claude 3 Haiku did on 2026-04-20."""
    clone, patch, notes = patched(tmp_path, "litellm")
    text = (clone / "model_prices_and_context_window.json").read_text()

    expected = json.loads(LITELLM)
    expected["claude-3-haiku-20240307"]["deprecation_date"] = "2026-04-20"
    assert json.loads(text) == expected, "what is not before a day, or differs, is left"
    keys = list(json.loads(text)["claude-3-haiku-20240307"])
    assert keys == sorted(keys)
    assert patch.count("\n+") == 2, "the head and one line"
    assert "  gpt-4-0613: 2025-06-06 there, 2026-10-23 here\n" in notes


def test_models_dev_gets_the_state_of_what_is_served_no_more(tmp_path: Path) -> None:
    clone, _, notes = patched(tmp_path, "models.dev")
    read = {
        path.stem: tomllib.loads(path.read_text()) for path in clone.glob("providers/*/models/*")
    }

    facts = tomllib.loads(TOML)
    assert read == {
        "claude-3-haiku-20240307": facts | {"status": "deprecated"},
        "claude-opus-4-8": facts,
        "gpt-4-0613": facts | {"status": "beta"},
    }
    assert notes.startswith("models that the patch changes: 1;")


def test_a_file_that_another_provider_links_to_is_left_and_named(tmp_path: Path) -> None:
    """With the state in it, models.dev's own program would call the gateway's model deprecated."""
    clone, patch, notes = patched(tmp_path, "models.dev", linked=True)

    assert patch == ""
    (link,) = LINKS
    assert tomllib.loads((clone / link).read_text()) == tomllib.loads(TOML)
    assert "claude-3-haiku-20240307.toml: left, for several providers share this file\n" in notes
    assert "models that the patch changes: 0;" in notes


def test_portkey_hides_what_is_served_no_more(tmp_path: Path) -> None:
    clone, _, _ = patched(tmp_path, "portkey")

    expected = json.loads(PORTKEY)
    expected["claude-3-haiku-20240307"]["disablePlayground"] = True
    assert json.loads((clone / "general/anthropic.json").read_text()) == expected


@pytest.mark.parametrize(
    "words", [("--shape", "litellm"), ("--shape", "portkey", "--into", "gone")]
)
def test_a_patch_takes_the_clone_that_it_is_for(tmp_path: Path, words: tuple[str, ...]) -> None:
    checkout = Checkout(tmp_path / "registry")
    done = as_text(run_program("admin", "evaluators", "export", *words, cwd=checkout.folder))

    assert done.returncode == 2
    assert "CLONE" in done.stderr or "gone is no clone and no wheel" in done.stderr


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("osv", "--into", "clone"), "--into"),
        (("model-eol", "--into", "clone"), "--into"),
        (("osv", "--as-of", "2026-01-01"), "--as-of"),
        (("litellm", "--into", "clone", "--maker", "maker"), "--maker"),
        (("portkey", "--into", "clone", "--maker", "maker"), "--maker"),
        (("litellm", "--into", "clone", "--as-of", "2026-01-01"), "--as-of"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    tmp_path: Path, words: tuple[str, ...], option: str
) -> None:
    checkout = Checkout(tmp_path / "registry")
    done = as_text(
        run_program("admin", "evaluators", "export", "--shape", *words, cwd=checkout.folder)
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert f"{option} " in done.stderr
    assert "fix: leave it out" in done.stderr
