"""Cases for the update, its floor and ties (EPC-2.3, EPC-2.6)."""

from __future__ import annotations

from case_building import STREAM, Vector, case, lose, random_case, spin, tie, win

UPDATE = [
    Vector(
        description="one win of two strategies",
        given=case(2, win(0)),
        worked="(0.58, 0.5) / 1.08 = (29/54, 25/54)",
    ),
    Vector(
        description="one loss of two strategies",
        given=case(2, lose(0)),
        worked="(0.46, 0.5) / 0.96 = (23/48, 25/48)",
    ),
    Vector(
        description="a win and then a loss of the same strategy",
        given=case(2, win(0) + lose(0)),
        worked="29/54 - 0.04 = 671/1350; with 625/1350 the sum is 1296/1350: (671, 625) / 1296",
    ),
    Vector(
        description="a loss and then a win of the same strategy ends at the same place",
        given=case(2, lose(0) + win(0)),
        worked="23/48 + 0.08 = 671/1200; with 625/1200 the sum is 1296/1200: "
        "(671, 625) / 1296, because nothing touched the floor",
    ),
    Vector(
        description="a win and a loss of the same strategy do not commute at the floor",
        given=case(2, win(0) + lose(0), lose(0) + win(0), initial=[0.02, 0.98]),
        worked="text: 0.1/1.08 = 0.0926, 0.0526/0.96; visual: 0.001/0.981, then "
        "(0.001/0.981 + 0.08)/1.08",
    ),
    Vector(
        description="a win of one strategy and then a loss of another",
        given=case(3, win(0) + lose(1)),
        worked="(31, 25, 25)/81; then 25/81 - 0.04 = 21.76/81, sum 77.76/81: "
        "(31, 21.76, 25) / 77.76",
    ),
    Vector(
        description="a loss of one strategy and then a win of another",
        given=case(3, lose(1) + win(0)),
        worked="(25, 22, 25)/72; then 25/72 + 0.08 = 30.76/72, sum 77.76/72: "
        "(30.76, 22, 25) / 77.76",
    ),
    Vector(
        description="renormalising divides every weight, not the chosen one alone",
        given=case(5, win(2)),
        worked="(0.2, 0.2, 0.28, 0.2, 0.2) / 1.08",
    ),
    Vector(
        description="all wins of one strategy",
        given=case(3, win(*[1] * 10)),
        worked="a win turns the rest 1 - w into (1 - w)/1.08: "
        "w = 1 - (2/3) / 1.08^10, the others (1/3) / 1.08^10",
    ),
    Vector(
        description="all wins, each strategy in turn",
        given=case(5, win(0, 1, 2, 3, 4), win(4, 3, 2, 1, 0)),
        worked="the latest winner holds most; the two pure phases mirror each other",
    ),
    Vector(
        description="all losses, each strategy in turn",
        given=case(5, lose(0, 1, 2, 3, 4), lose(4, 3, 2, 1, 0)),
        worked="each round divides by 0.96",
    ),
    Vector(
        description="a single strategy stays at 1 when it wins",
        given=case(1, win(0, 0, 0)),
        worked="1.08 / 1.08",
    ),
    Vector(
        description="a single strategy stays at 1 when it loses, even to the floor",
        given=case(1, lose(0, 0), lose(0), alpha_lose=5),
        worked="max(0.001, 1 - 5) = 0.001; 0.001 / 0.001 = 1",
    ),
    Vector(
        description="one win among the eleven strategies of the protocol",
        given=case(11, win(7)),
        worked="(1/11 + 0.08)/1.08 = 47/297, the others 25/297",
    ),
    Vector(
        description="one loss among the eleven strategies of the protocol",
        given=case(11, visual=lose(3)),
        worked="(1/11 - 0.04)/0.96 = 7/132, the others 25/264",
    ),
]

FLOOR = [
    Vector(
        description="the floor acts before renormalising (R3)",
        given=case(2, lose(0), initial=[0.01, 0.99]),
        worked="max(0.001, -0.03) = 0.001; (0.001, 0.99) / 0.991, so above 0.001",
    ),
    Vector(
        description="renormalising may take a final weight below the floor (R3)",
        given=case(2, lose(0) + win(1), initial=[0.02, 0.98]),
        worked="(0.001, 0.98)/0.981, then 1 wins: 0.001/0.981/1.08 = 0.00094",
    ),
    Vector(
        description="the floor acts on the chosen strategy only (R3)",
        given=case(3, lose(2), win(2), initial=[0.0005, 0.0005, 0.999]),
        worked="text: (0.0005, 0.0005, 0.959)/0.96; the others are not raised",
    ),
    Vector(
        description="a loss raises a weight that was below the floor",
        given=case(3, lose(0), initial=[0.0005, 0.4995, 0.5]),
        worked="max(0.001, 0.0005 - 0.04) = 0.001; sum 1.0005",
    ),
    Vector(
        description="a win starts from the weight below the floor, not from the floor",
        given=case(3, win(0), initial=[0.0005, 0.4995, 0.5]),
        worked="max(0.001, 0.0805) = 0.0805; sum 1.08",
    ),
    Vector(
        description="a win that adds nothing still raises a weight to the floor",
        given=case(3, win(0), alpha_win=0, initial=[0.0005, 0.4995, 0.5]),
        worked="max(0.001, 0.0005) = 0.001; sum 1.0005",
    ),
    Vector(
        description="a loss raises a weight of zero to the floor",
        given=case(3, lose(0), initial=[0, 0.5, 0.5]),
        worked="(0.001, 0.5, 0.5) / 1.001",
    ),
    Vector(
        description="all weights at the floor: a thousand strategies, all losing",
        given=case(1000, lose(0, 499, 999), lose(1), lose(2), lose(0)),
        worked="1/1000 = 0.001; a loss leaves 0.001 and the sum 1",
    ),
    Vector(
        description="all weights at the floor: one strategy wins and leaves it",
        given=case(1000, visual=win(999)),
        worked="(0.001, ..., 0.081) / 1.08",
    ),
    Vector(
        description="all weights at a raised floor: losses change nothing",
        given=case(5, lose(0, 1, 2, 3, 4), lose(2), weight_floor=0.2),
        worked="max(0.2, 0.16) = 0.2; the sum stays 1",
    ),
    Vector(
        description="all weights but one at the floor, and those lose",
        given=case(
            5,
            lose(0, 1, 2, 3),
            initial=[0.001, 0.001, 0.001, 0.001, 0.996],
        ),
        worked="max(0.001, -0.039) = 0.001 each time; nothing moves",
    ),
    Vector(
        description="all weights but one at the floor, and the dominant one loses",
        given=case(
            5,
            lose(4, 4, 4),
            initial=[0.001, 0.001, 0.001, 0.001, 0.996],
        ),
        worked="0.956/0.96 after one loss, the others 0.001/0.96",
    ),
    Vector(
        description="single-strategy dominance under thirty losses of the others",
        given=case(
            11,
            lose(*[s % 10 for s in range(30)]),
            lose(*[10] * 30),
            initial=[0.001] * 10 + [0.99],
        ),
        worked="text: the losers are kept at the floor; visual: the dominant "
        "strategy is worn down while nothing but renormalising lifts the others",
    ),
    Vector(
        description="single-strategy dominance over thirty rounds of draws",
        given=random_case(11, 17, 30, wins=0.7, initial=[0.9] + [0.01] * 10),
        worked=STREAM + "x = 17; A below 0.7, else B",
    ),
    Vector(
        description="repeated losses settle at the floor over the floor plus the rest",
        given=case(2, lose(*[0] * 20)),
        worked="once floored, w = 0.001 / (0.001 + 1 - w) each round; w = 0.001 is "
        "where that settles",
    ),
    Vector(
        description="a weight that lands on the floor exactly",
        given=case(2, lose(0), alpha_lose=0.25, weight_floor=0.25),
        worked="max(0.25, 0.5 - 0.25) = 0.25; (0.25, 0.5) / 0.75",
        boundary=True,
    ),
    Vector(
        description="a raised floor of 0.05",
        given=case(4, lose(0, 0, 0, 0, 0, 0, 0), lose(1, 1), weight_floor=0.05),
    ),
    Vector(
        description="a lowered floor of 1e-6",
        given=case(2, lose(0), weight_floor=1e-06, initial=[0.01, 0.99]),
        worked="(0.000001, 0.99) / 0.990001",
    ),
    Vector(
        description="a floor above every weight lifts whichever strategy is chosen",
        given=case(4, win(0), lose(1), weight_floor=2),
        worked="max(2, 0.33) = 2 and max(2, 0.21) = 2; (2, 0.25, 0.25, 0.25) / 2.75",
    ),
]

TIES = [
    Vector(
        description="all ties leave the uniform start alone (R4)",
        given=case(3, tie(0, 1), tie(2), spin("tie", 0.4), spin("tie", 0.8)),
        worked="no update anywhere; tie rate 5/5",
    ),
    Vector(
        description="exact ties throughout a phase of the protocol's thirty rounds",
        given=case(11, tie(*[s % 11 for s in range(30)]), win(*[8] * 30)),
        worked="text stays 1/11; tie rate 30/60",
    ),
    Vector(
        description="a tie does not renormalise (R4)",
        given=case(2, tie(0), tie(1), initial=[0.5, 0.5000000004]),
        worked="weights stay as given, with the sum 1.0000000004",
    ),
    Vector(
        description="a tie does not raise a weight to the floor",
        given=case(3, tie(0), tie(0), initial=[0, 0.5, 0.5]),
        worked="the weights stay (0, 0.5, 0.5)",
    ),
    Vector(
        description="a tie between two wins uses up its round and no more",
        given=case(2, win(0) + tie(0) + win(0), win(0) + win(0)),
        worked="text = visual; tie rate 1/5",
    ),
    Vector(
        description="a tied draw does not move the sectors of the next draw",
        given=case(2, spin("tie", 0.3) + spin("A", 0.51), spin("A", 0.3, 0.51)),
        worked="text: after the tie 0.51 still chooses 1; visual: 0.58/1.08 > 0.51, 0",
    ),
    Vector(
        description="the tie rate counts the rounds of all four phases",
        given=case(2, tie(0) + win(0), tie(1), win(1, 1, 1), lose(0)),
        worked="2 ties in 2 + 1 + 3 + 1 = 7 rounds",
    ),
    Vector(
        description="ties in the coupling phases alone: coupling from the pure phases",
        given=case(3, win(0), win(1), tie(0, 1, 2), tie(0, 1, 2)),
        worked="text_to_visual = text; tie rate 6/8",
    ),
    Vector(
        description="without rounds the tie rate is 0",
        given=case(2),
        worked="no rounds, no ties",
    ),
    Vector(
        description="without ties the tie rate is 0",
        given=case(2, win(0), lose(1)),
        worked="0/2",
    ),
]
