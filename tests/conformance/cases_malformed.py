"""Cases a conforming program must refuse, naming the place (EPC-2.8)."""

from __future__ import annotations

from case_building import Malformed

IDLE: dict[str, list[object]] = {
    "text": [],
    "visual": [],
    "text_to_visual": [],
    "visual_to_text": [],
}
NO_ROUNDS = '"phases": {"text": [], "visual": [], "text_to_visual": [], "visual_to_text": []}'


def bad(description: str, error: str, **changes: object) -> Malformed:
    """Change the smallest good case by whole top-level keys."""
    given = {"strategies": 3, "phases": IDLE, **changes}
    return Malformed(description=description, given=given, error=error)


def bad_round(description: str, error: str, **played: object) -> Malformed:
    """Put one bad round after a good one."""
    good = {"u": 0.5, "verdict": "A"}
    return bad(description, error, phases={**IDLE, "text": [good, played]})


def unread(description: str, text: str, error: str = "") -> Malformed:
    """Give the document as text, because its fault is lost on a JSON reader."""
    return Malformed(description=description, given=text, error=error)


def without(key: str, keys: dict[str, list[object]]) -> dict[str, list[object]]:
    """Copy without one key."""
    return {name: value for name, value in keys.items() if name != key}


NOT_JSON = [
    unread("an empty document", ""),
    unread("a document cut short", '{"strategies": 3'),
    unread("a comma too many", '{"strategies": 3, ' + NO_ROUNDS + ",}"),
    unread("text after the document", '{"strategies": 3, ' + NO_ROUNDS + "} {}"),
    unread("single quotes", "{'strategies': 3}"),
    unread("a comment", '{"strategies": 3, /* three */ ' + NO_ROUNDS + "}"),
    unread("a number with a leading zero", '{"strategies": 03, ' + NO_ROUNDS + "}"),
    unread(
        "a number without its leading zero",
        '{"strategies": 3, "config": {"alpha_win": .08}, ' + NO_ROUNDS + "}",
    ),
    unread(
        "NaN, which JSON does not know",
        '{"strategies": 3, "config": {"alpha_win": NaN}, ' + NO_ROUNDS + "}",
    ),
    unread(
        "Infinity, which JSON does not know",
        '{"strategies": 3, "config": {"alpha_win": Infinity}, ' + NO_ROUNDS + "}",
    ),
    unread(
        "minus Infinity, which JSON does not know",
        '{"strategies": 2, "initial_weights": [1, -Infinity], ' + NO_ROUNDS + "}",
    ),
    unread(
        "the same key twice with different values",
        '{"strategies": 3, "strategies": 4, ' + NO_ROUNDS + "}",
    ),
    unread(
        "the same key twice with the same value",
        '{"strategies": 3, "strategies": 3, ' + NO_ROUNDS + "}",
    ),
    unread(
        "the same key twice, deep in a round",
        '{"strategies": 3, "phases": {"text": [{"u": 0.1, "u": 0.2, "verdict": "A"}],'
        ' "visual": [], "text_to_visual": [], "visual_to_text": []}}',
    ),
    unread(
        "the same key twice, once written with an escape",
        '{"strategies": 3, "strat\\u0065gies": 3, ' + NO_ROUNDS + "}",
    ),
    unread("two thousand nested lists", "[" * 2000 + "]" * 2000),
    unread("a list instead of an object", "[]"),
    unread("null instead of an object", "null"),
    unread("a number instead of an object", "3"),
]

KEYS = [
    bad("an unknown key", "/seed", seed=1),
    bad("an unknown key in the wrong case", "/Config", Config={}),
    bad("an unknown key that needs escapes in a pointer", "/a~1b~0c", **{"a/b~c": 1}),
    bad("an unknown key of the configuration", "/config/alpha", config={"alpha": 0.08}),
    bad("an unknown phase", "/phases/text_to_text", phases={**IDLE, "text_to_text": []}),
    bad_round(
        "an unknown key of a round",
        "/phases/text/1/task",
        u=0.1,
        verdict="A",
        task=0,
    ),
    Malformed(description="no strategies", given={"phases": IDLE}, error=""),
    Malformed(description="no phases", given={"strategies": 3}, error=""),
    Malformed(description="an empty object", given={}, error=""),
    bad("no text phase", "/phases", phases=without("text", IDLE)),
    bad("no visual phase", "/phases", phases=without("visual", IDLE)),
    bad("no text_to_visual phase", "/phases", phases=without("text_to_visual", IDLE)),
    bad("no visual_to_text phase", "/phases", phases=without("visual_to_text", IDLE)),
    bad("phases that are a list", "/phases", phases=[]),
    bad("a phase that is null", "/phases/visual", phases={**IDLE, "visual": None}),
    bad("a phase that is an object", "/phases/text", phases={**IDLE, "text": {}}),
    bad("a round that is a list", "/phases/text/0", phases={**IDLE, "text": [[0, "A"]]}),
    bad("a configuration that is a list", "/config", config=[]),
]

STRATEGIES = [
    bad("no strategy at all", "/strategies", strategies=0),
    bad("a negative number of strategies", "/strategies", strategies=-3),
    bad("one strategy too many", "/strategies", strategies=10001),
    bad("true is not an integer", "/strategies", strategies=True),
    bad("a string is not an integer", "/strategies", strategies="3"),
    bad("null is not an integer", "/strategies", strategies=None),
    bad("a fraction of a strategy", "/strategies", strategies=2.5),
]

WEIGHTS = [
    bad("weights too few", "/initial_weights", initial_weights=[0.5, 0.5]),
    bad("weights too many", "/initial_weights", initial_weights=[0.25] * 4),
    bad("weights that are an object", "/initial_weights", initial_weights={"0": 1}),
    bad("a negative weight", "/initial_weights/1", initial_weights=[0.7, -0.2, 0.5]),
    bad("a weight in quotes", "/initial_weights/0", initial_weights=["0.5", 0.25, 0.25]),
    bad("a weight that is true", "/initial_weights/2", initial_weights=[0, 0, True]),
    bad("weights that sum to 0.9", "/initial_weights", initial_weights=[0.3, 0.3, 0.3]),
    bad("weights that are all zero", "/initial_weights", initial_weights=[0, 0, 0]),
    bad(
        "weights off a sum of 1 by 1e-8",
        "/initial_weights",
        initial_weights=[0.5, 0.25, 0.25000001],
    ),
    unread(
        "a weight too large for a double",
        '{"strategies": 2, "initial_weights": [0.5, 1e999], ' + NO_ROUNDS + "}",
        "/initial_weights/1",
    ),
]

CONFIG = [
    bad("a negative win rate", "/config/alpha_win", config={"alpha_win": -0.08}),
    bad("a negative loss rate", "/config/alpha_lose", config={"alpha_lose": -0.04}),
    bad("a floor of zero", "/config/weight_floor", config={"weight_floor": 0}),
    bad("a negative floor", "/config/weight_floor", config={"weight_floor": -0.001}),
    bad("a rate above 1e6", "/config/alpha_win", config={"alpha_win": 1000001}),
    bad("a floor above 1e6", "/config/weight_floor", config={"weight_floor": 1e7}),
    bad("a rate in quotes", "/config/alpha_lose", config={"alpha_lose": "0.04"}),
    bad("a rate that is null", "/config/alpha_win", config={"alpha_win": None}),
    bad("a rate that is true", "/config/alpha_win", config={"alpha_win": True}),
    unread(
        "a rate too large for a double",
        '{"strategies": 3, "config": {"alpha_win": 1e999}, ' + NO_ROUNDS + "}",
        "/config/alpha_win",
    ),
]

ROUNDS = [
    bad_round("a draw of 1", "/phases/text/1/u", u=1, verdict="A"),
    bad_round("a negative draw", "/phases/text/1/u", u=-0.1, verdict="A"),
    bad_round("a draw in quotes", "/phases/text/1/u", u="0.5", verdict="A"),
    bad_round("a draw that is false", "/phases/text/1/u", u=False, verdict="A"),
    bad_round("a draw that is null", "/phases/text/1/u", u=None, verdict="A"),
    bad_round("a strategy past the last", "/phases/text/1/strategy", strategy=3, verdict="A"),
    bad_round("a strategy before 0", "/phases/text/1/strategy", strategy=-1, verdict="A"),
    bad_round("a strategy in between", "/phases/text/1/strategy", strategy=0.5, verdict="A"),
    bad_round("a strategy that is true", "/phases/text/1/strategy", strategy=True, verdict="A"),
    bad_round("a strategy by name", "/phases/text/1/strategy", strategy="2", verdict="A"),
    bad_round("both a draw and a strategy", "/phases/text/1", u=0.5, strategy=1, verdict="A"),
    bad_round("neither a draw nor a strategy", "/phases/text/1", verdict="A"),
    bad_round("no verdict", "/phases/text/1", u=0.5),
    bad_round("a verdict in lower case", "/phases/text/1/verdict", u=0.5, verdict="a"),
    bad_round("a tie in capitals", "/phases/text/1/verdict", u=0.5, verdict="TIE"),
    bad_round("a verdict with a space", "/phases/text/1/verdict", u=0.5, verdict="A "),
    bad_round("an empty verdict", "/phases/text/1/verdict", u=0.5, verdict=""),
    bad_round("a verdict that is null", "/phases/text/1/verdict", u=0.5, verdict=None),
    bad_round("a verdict that is a number", "/phases/text/1/verdict", u=0.5, verdict=1),
    bad(
        "the first of two bad rounds is the one named",
        "/phases/visual_to_text/0/u",
        phases={
            **IDLE,
            "visual_to_text": [{"u": 2, "verdict": "A"}, {"u": 3, "verdict": "A"}],
        },
    ),
    bad(
        "a bad round in a later phase is found too",
        "/phases/text_to_visual/1/verdict",
        phases={
            **IDLE,
            "text_to_visual": [{"u": 0.2, "verdict": "B"}, {"u": 0.3, "verdict": "C"}],
        },
    ),
]

MALFORMED = [*NOT_JSON, *KEYS, *STRATEGIES, *WEIGHTS, *CONFIG, *ROUNDS]
