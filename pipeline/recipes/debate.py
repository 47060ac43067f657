"""Winners of debates (lechmazur/debate), as its reports in Markdown have them."""

import re
from pathlib import Path
from typing import Any, Final

from epc.records.verdicts.converting import Conversion, Request, digest, file_of
from epc.records.verdicts.recipes import main
from epc.records.verdicts.types import faults
from epc.records.verdicts.work import Work, setting_of

EXPECTED: Final = (
    "a folder with reports/debate_matchup_judgments/*/matchup-judgment-*.md, each with '## Debate "
    "A' and '## Debate B': a debate_id, 'roles: PRO = **model**, CON = **model**', and a table of "
    "| Judge | Winner | Signed Margin (PRO+) | Normalized | Entertainment |"
)
_REPOSITORY: Final = "https://github.com/lechmazur/debate"
_FILES: Final = "reports/debate_matchup_judgments/*/matchup-judgment-*.md"
_DEBATE: Final = re.compile(r"^## Debate [AB]$", re.MULTILINE)
_TOPIC: Final = re.compile(r"^- topic_id: `(.+)`$", re.MULTILINE)
_ID: Final = re.compile(r"^- debate_id: `(.+)`$", re.MULTILINE)
_ROLES: Final = re.compile(r"^- roles: PRO = \*\*(.+)\*\*, CON = \*\*(.+)\*\*$", re.MULTILINE)
_JUDGED: Final = re.compile(
    r"^\| (?!Judge \||---)(.+?) \| (.+?) \| ([+-]?[0-9.]+) \| .+? \| .+? \|$", re.MULTILINE
)
# The models that the labels name. A label of the reports is no id: see the faults.
_MODELS: Final = {
    "Kimi K2.6": "kimi-k2.6",
    "Qwen 3.6 Max Preview": "qwen3.6-max-preview",
    "Gemini 3.1 Pro Preview": "gemini-3.1-pro-preview",
    "Claude Sonnet 4.6 (high reasoning)": "claude-sonnet-4-6",
    "Grok 4.3": "grok-4.3",
    "GPT-5.5 (high reasoning)": "gpt-5.5",
}

FAULTS: Final = faults(
    {
        "role-is-no-place": "PRO and CON are roles in a debate, not places in a prompt, and what "
        "is exchanged is another debate. So nothing here is place consistency.",
        "no-truth": "Nobody says which side of a debate was better: no person, no gold label.",
        "labels-for-models": "Judges stand by a label, such as 'GPT-5.5 (high reasoning)'. Their "
        "ids, dates and platforms are not stated. The ids here are what the labels say in words.",
        "own-debates": "Kimi K2.6 judged 110 debates of its own, Qwen 3.6 Max Preview 56.",
        "panels-differ": "A debate was judged by two or three of six judges. Two judges share 64 "
        "to 1,110 debates, and not at random.",
        "reports-for-rows": "The verdicts are read from reports. The rows themselves are in two "
        "files too large for the mirror that was read.",
    },
    models={"own-debates": ("kimi-k2.6", "qwen3.6-max-preview")},
)


def convert(source: Path, request: Request) -> Conversion:
    """Return every winner that a report names as a verdict: a argued PRO, b argued CON."""
    work = Work(source=source, request=request, expected=EXPECTED)
    for path in work.paths(_FILES):
        content = work.read(path)
        work.files[path.as_posix()] = file_of(path.as_posix(), content)
        head, *debates = _DEBATE.split(content.decode())
        topic = _TOPIC.search(head)
        for part in debates:
            debate, roles = _ID.search(part), _ROLES.search(part)
            if not (topic and debate and roles):
                work.wrong(path, "has a debate without its topic, id or roles")
                continue
            pro, con = roles.groups()
            common: dict[str, Any] = {
                "item": debate[1],
                "file": path.as_posix(),
                "subset": topic[1],
                "question_sha256": digest(f"{_REPOSITORY}/{debate[1]}"),
                "a_sha256": digest(f"{debate[1]}/PRO"),
                "b_sha256": digest(f"{debate[1]}/CON"),
                "a_by": pro,
                "b_by": con,
            }
            for judge, winner, _ in _JUDGED.findall(part):
                model = _MODELS.get(judge, judge)
                work.settings.setdefault(judge, setting_of(judge, model, prompt="debate judge"))
                verdict = {pro: "a", con: "b"}.get(winner, "tie")
                work.add(f"{path}/{judge}", setting=judge, verdict=verdict, **common)
    return work.done(name="LLM debates", repository=_REPOSITORY, identity="name")


if __name__ == "__main__":
    main(convert, EXPECTED, FAULTS)
