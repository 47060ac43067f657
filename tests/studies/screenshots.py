"""Every kind of page of the published site as a picture, to be looked at.

    python tests/studies/screenshots.py

Builds the site of this checkout, and writes build/screenshots/KIND-WIDTH-SCHEME.png.
"""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from browser_support import chromium, served, visit

ROOT = Path(__file__).parent.parent.parent
PAGES = {
    "home": "",
    "which": "which/",
    "check": "check/?judge=gpt-4o,claude-haiku-4-5,gtp-4o",
    "maker": "makers/openai/",
    "judge-ending": "evaluators/gpt-4o/",
    "judge-measured": "evaluators/gpt-5.4-mini/",
    "judge-ended": "evaluators/gpt-4/",
    "expired": "expired/",
    "snapshots": "snapshots/",
    "evaluators": "evaluators/",
    "changes": "changes/",
    "compare": "compare/?a=v1.0-SmolLM2-135M-Likelihood&b=v1.1-SmolLM2-135M-Likelihood",
    "measured": "snapshots/v1.0-SmolLM2-135M-Likelihood/",
    "judged": "snapshots/v1.0-DigestJudge/",
    "calibration": "snapshots/v1.0-Scripted-Opposed/",
    "reported": "snapshots/v1.0-GPT4o-0806/",
    "evaluator": "evaluators/SmolLM2-135M-Likelihood/",
    "evaluator-reported": "evaluators/GPT4o-0806/",
    "evaluator-bare": "evaluators/claude-opus-5/",
    "document": "statistics/",
    "commands": "commands/",
    "reference-snapshot": "reference-snapshot/",
    "interpretation": "interpretation/",
    "clauses": "clauses/",
    "missing": "404.html",
}


def main() -> None:
    build, out = ROOT / "build" / "screenshots-site", ROOT / "build" / "screenshots"
    out.mkdir(parents=True, exist_ok=True)
    arguments = ("admin", "site", "build", "--out", str(build), "--base-url", "http://127.0.0.1/")
    subprocess.run([sys.executable, "-m", "epc", *arguments], cwd=ROOT, check=True)
    with served(build) as home, chromium() as browser:
        for scheme in ("light", "dark"):
            for width in (1440, 390):
                for name, path in PAGES.items():
                    with visit(browser, home, width=width, color_scheme=scheme) as page_visit:
                        page = page_visit.to(path)
                        page.evaluate("scrollTo(0, 0)")
                        page.wait_for_timeout(500)  # until the head has come back
                        file = out / f"{name}-{width}-{scheme}.png"
                        page.screenshot(path=file, full_page=True)
                        print(file)


if __name__ == "__main__":
    main()
