"""Findings of a design file: all of them at once, each with its line.

First the text, then the schema, then the meaning. Meaning is checked of whatever has the right
type, so one wrong type hides nothing else.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import comb
from typing import Any, Final

from epc.errors import Finding, UsageError
from epc.json_text import pointer
from epc.protocol.results import Json
from epc.protocol.rules import RULES, Rule, rates_of, rule_of
from epc.protocol.weights import UpdateRule
from epc.records.findings import Findings
from epc.records.schemas import findings as schema_findings
from epc.records.strict_yaml import Document
from epc.spec.coupling import FEWEST_SPLITS
from epc.spec.domains import NAME, PAIRED, SHAPE, Domain, Domains
from epc.spec.epc_v1 import BASELINE, MIN_TASKS
from epc.spec.reference import EVALUATOR_PROMPT, STRATEGIES

_PLACEHOLDER: Final = re.compile(r"\{(\w+(?:\[[^\[\]{}]*\])?)\}")
_NAME: Final = re.compile(r"(\w+)(?:\[:(\d+)\])?")
_NEEDED: Final = {
    "evaluator_prompt": ("task", "response_A", "response_B"),
    "executor_prompt": ("strategy_prompt", "task"),
}
_ADMITTED: Final = {"evaluator_prompt": ("strategy_name",), "executor_prompt": ()}
_CLAUSES: Final = {"evaluator_prompt": "EPC-2.6(a)", "executor_prompt": "EPC-2.8(3)"}
_SHOWN: Final = 60
_NAMED_GROUP: Final = "write group: NAME, a topic, above the tasks that belong together"


def written_rule(text: str) -> Rule:
    """Return the learning rule that is written `name:rate=value,...`.

    Raises: UsageError with every finding.
    """
    name, _, rates = text.partition(":")
    pairs = [part.partition("=")[::2] for part in filter(None, rates.split(","))]
    rule: Json = {"name": name}
    for rate, value in pairs:
        try:
            rule[rate.strip()] = int(value) if value.strip().isdigit() else float(value)
        except ValueError:
            raise UsageError(f"{text}: {rate}={value} is no rate such as step=0.5") from None
    problems = [
        str(finding)
        for finding in findings_of(Document(value={"rule": rule}))
        if finding.where.startswith("/rule")
    ]
    if problems:
        raise UsageError(f"{text} is no learning rule\n" + "\n".join(problems))
    return rule_of(rule)


def findings_of(document: Document) -> list[Finding]:
    """Return everything that is wrong with a document, in the order of its lines."""
    findings = Findings()
    findings.extend(document.findings.as_list())
    if isinstance(document.value, dict):
        findings.extend(_domains(document.value))  # says more than the schema of the same place
    if isinstance(document.value, dict) or not findings:
        unusable = {finding.where for finding in findings.as_list()}
        unnamed = _groupless(document.value)
        unusable.update(unnamed, (f"{where}/group" for where in unnamed))
        shape = schema_findings("design", document.value, clause="EPC-2.8")
        findings.extend(finding for finding in shape if finding.where not in unusable)
    if isinstance(document.value, dict):
        for rule in (_rule, _tasks, _groups, _numbers, _strategies, _baseline, _prompts):
            findings.extend(rule(document.value))
    return sorted(findings.as_list(), key=lambda finding: document.line(finding.where) or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    where: str
    text: str
    group: str | None


def _tasks_of(value: Json, domain: Domain) -> Iterator[_Task]:
    """Yield the tasks that are text."""
    for index, item in enumerate(_domains_of(value)[domain]):
        where = f"/domains/{domain}/{index}"
        if isinstance(item, str):
            yield _Task(where=where, text=item, group=None)
        elif isinstance(item, dict) and isinstance(item.get("tasks"), list):
            for number, task in enumerate(item["tasks"]):
                if isinstance(task, str):
                    group = item.get("group")
                    name = group if isinstance(group, str) else where
                    yield _Task(where=f"{where}/tasks/{number}", text=task, group=name)


def _names(value: Json) -> tuple[Domain, ...]:
    """Return the names of the domains that are lists of tasks."""
    domains = _domains_of(value)
    return Domains.from_names(name for name in domains if isinstance(domains[name], list)).names


def _domains_of(value: Json) -> Json:
    """Return what stands under each domain's name, whatever that is."""
    match value:
        case {"domains": dict(domains)}:
            return domains
    return {}


def _domains(value: Json) -> Iterator[Finding]:
    """Find domains of no such name, and strategies of no domain."""
    names = _names(value)
    for name in _domains_of(value):
        if not NAME.fullmatch(name):
            problem = f"{_short(name)} is no name of a domain: expected {SHAPE}"
            where = f"/domains{pointer(name)}"
            yield Finding("Reading R78", where, problem, "rename the domain")
    for where, strategy in _strategies_of(value):
        match strategy:
            case {"name": name, "domain": str(named)} if named not in names:
                is_reference = any(
                    (reference.name, reference.domain) == (name, named) for reference in STRATEGIES
                )
                if not is_reference:
                    problem = f"{_short(named)} is no domain of this design"
                    remedy = f"write {' or '.join(names)}, or leave it out"
                    yield Finding("EPC-2.2", f"{where}/domain", problem, remedy)


def _rule(value: Json) -> Iterator[Finding]:
    """Find rates of another learning rule, and a best strategy that wins no more than others."""
    rule = value.get("rule")
    if not isinstance(rule, dict):
        return
    name = rule.get("name", UpdateRule.name)
    if not isinstance(name, str) or name not in RULES:
        return  # as the schema says
    rates = rates_of(RULES[name]())
    for rate in rule.keys() & set().union(
        *(rates_of(rule_class()) for rule_class in RULES.values())
    ):
        if rate not in rates:
            problem = f"{rate} is no rate of the rule {name}: it has {', '.join(rates)}"
            remedy = "leave it out, or name its rule"
            yield Finding("EPC-2.7", f"/rule/{rate}", problem, remedy)
    high, low = (rule.get(rate, rates.get(rate)) for rate in ("high", "low"))
    if isinstance(high, int | float) and isinstance(low, int | float) and not low < high:
        problem = f"low is {low:g} and high {high:g}: the best strategy wins more than the others"
        yield Finding("EPC-2.7", "/rule", problem, "state a low below high")


def _tasks(value: Json) -> Iterator[Finding]:
    """Find tasks that stand twice, in any domain, whatever their case and punctuation."""
    first: dict[str, str] = {}
    for domain in _names(value):
        for task in _tasks_of(value, domain):
            if (before := first.setdefault(_folded(task.text), task.where)) != task.where:
                problem = f"{_short(task.text)} appears twice: {before} asks the same"
                yield Finding("EPC-2.4(b)", task.where, problem, "keep one of them")


def _groupless(value: Json) -> list[str]:
    """Return the places of lists of tasks that name no group."""
    return [
        f"/domains/{domain}/{index}"
        for domain, items in _domains_of(value).items()
        if isinstance(items, list)
        for index, item in enumerate(items)
        if isinstance(item, dict) and "tasks" in item and item.get("group") is None
    ]


def _groups(value: Json) -> Iterator[Finding]:
    """Find groups that stand twice in a domain, and tasks without one beside others (R74)."""
    for domain in _names(value):
        first: dict[str, str] = {}
        for index, item in enumerate(_domains_of(value)[domain]):
            group = item.get("group") if isinstance(item, dict) else None
            where = f"/domains/{domain}/{index}/group"
            if isinstance(group, str) and first.setdefault(group.casefold(), where) != where:
                problem = f"the group {_short(group)} appears twice: {first[group.casefold()]}"
                yield Finding("Reading R74", where, problem, "put its tasks into one group")
    if groupless := _groupless(value):
        lists = "a list" if len(groupless) == 1 else f"{len(groupless)} lists"
        problem = f"{lists} of tasks without its group"
        yield Finding("Reading R74", groupless[0], problem, _NAMED_GROUP)
    all_tasks = [task for domain in _names(value) for task in _tasks_of(value, domain)]
    single = [task for task in all_tasks if task.group is None]
    if single and len(single) < len(all_tasks):
        problem = f"{len(single)} of {len(all_tasks)} tasks have no group: {_short(single[0].text)}"
        yield Finding("Reading R74", single[0].where, problem, _NAMED_GROUP)


def _numbers(value: Json) -> Iterator[Finding]:
    """Find too few tasks, and too few units for any word of the audit."""
    units: dict[Domain, int] = {}
    for domain in _names(value):
        tasks = list(_tasks_of(value, domain))
        units[domain] = len({task.where if task.group is None else task.group for task in tasks})
        if 0 < len(tasks) < MIN_TASKS:
            problem = f"{len(tasks)} tasks, expected at least {MIN_TASKS}"
            yield Finding("EPC-2.4(a)", f"/domains/{domain}", problem, "add tasks", "warning")
    # Reading R74: with fewer ways to deal the groups out there is no word but `inconclusive`.
    for left, right in combinations([units[domain] for domain in units if units[domain]], PAIRED):
        if (ways := _splits(left, right)) >= FEWEST_SPLITS:
            continue
        problem = (
            f"{left} and {right} groups can be dealt out to two domains in {ways} ways "
            f"only, expected {FEWEST_SPLITS}: the audit can say nothing but `inconclusive`"
        )
        yield Finding("Reading R74", "/domains", problem, "add groups, such as 4 a domain")


def _splits(first: int, second: int) -> int:
    """Return in how many distinct ways units could be dealt out to two domains (Reading R74)."""
    ways = comb(first + second, first)
    return ways // 2 if first == second else ways


def _strategies(value: Json) -> Iterator[Finding]:
    """Find two strategies of one name, or of one text."""
    names: dict[str, str] = {}
    prompts: dict[str, str] = {}
    for where, strategy in _strategies_of(value):
        name, prompt = strategy.get("name"), strategy.get("prompt")
        if isinstance(name, str) and names.setdefault(name.casefold(), where) != where:
            problem = f"the strategy {_short(name)} appears twice: {names[name.casefold()]}"
            yield Finding("EPC-2.2", f"{where}/name", problem, "give each its own name")
        if isinstance(prompt, str) and prompt.strip():
            before = prompts.setdefault(_folded(prompt), where)
            if before != where:
                problem = f"the same text as {before}: two names for one strategy"
                yield Finding("EPC-2.2", f"{where}/prompt", problem, "keep one", "warning")


def _baseline(value: Json) -> Iterator[Finding]:
    """Find a baseline that is no strategy, or that the prompt calls by another name."""
    baseline = value.get("baseline", BASELINE)
    if not isinstance(baseline, str):
        return
    names = [strategy.get("name") for _, strategy in _strategies_of(value)]
    if "strategies" not in value:
        names = [strategy.name for strategy in STRATEGIES]
    where = "/baseline" if "baseline" in value else ""
    if baseline not in names:
        problem = f"the baseline {_short(baseline)} is not among the strategies"
        yield Finding("EPC-2.3(a)", where, problem, "name one of them")
    prompt = value.get("evaluator_prompt", EVALUATOR_PROMPT)
    if baseline != BASELINE and isinstance(prompt, str) and re.search(rf"\b{BASELINE}\b", prompt):
        problem = f"it calls B {BASELINE}, and the baseline is {_short(baseline)}"
        location = "/evaluator_prompt" if "evaluator_prompt" in value else where
        remedy = "state an evaluator_prompt that names the baseline, or none"
        yield Finding("EPC-2.6(a)", location, f"the evaluator's prompt: {problem}", remedy)


def _prompts(value: Json) -> Iterator[Finding]:
    """Find placeholders that are missing, or that nothing fills."""
    for key, needed in _NEEDED.items():
        prompt = value.get(key)
        if not isinstance(prompt, str):
            continue
        note = partial(Finding, _CLAUSES[key], f"/{key}")
        present = set()
        for inner in _PLACEHOLDER.findall(prompt):
            match = _NAME.fullmatch(inner)
            if match is None or match[1] not in (*needed, *_ADMITTED[key]):
                expected = ", ".join(f"{{{name}}}" for name in (*needed, *_ADMITTED[key]))
                yield note(f"nothing fills {{{_short(inner)}}}", f"write {expected}")
                continue
            present.add(match[1])
        for name in needed:
            if name not in present:
                yield note(f"the placeholder {{{name}}} is missing", f"write {{{name}}} into it")


def _strategies_of(value: Mapping[str, Any]) -> Iterator[tuple[str, Json]]:
    listed = value.get("strategies")
    for index, strategy in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(strategy, dict):
            yield f"/strategies/{index}", strategy


def _folded(text: str) -> str:
    tokens = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(tokens) or text


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
