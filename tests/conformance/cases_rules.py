"""Cases for starts, roulette draws and the order of phases (EPC-2.1, EPC-2.3)."""

from __future__ import annotations

from case_building import LARGEST_BELOW_ONE, Vector, case, lose, spin, tie, win

START = [
    Vector(
        description="three strategies and no rounds: every phase stays uniform",
        given=case(3),
        worked="w = 1/3 everywhere; equal vectors, so gamma = JSD = 0",
    ),
    Vector(description="eleven strategies and no rounds", given=case(11)),
    Vector(description="a single strategy holds all the weight", given=case(1)),
    Vector(
        description="null initial weights mean uniform",
        given={**case(4, win(0)), "initial_weights": None},
        worked="text: (0.33, 0.25, 0.25, 0.25) / 1.08; visual stays 1/4",
    ),
    Vector(
        description="initial weights start both pure phases",
        given=case(3, initial=[0.5, 0.25, 0.25]),
        worked="no rounds: all four phases end at (0.5, 0.25, 0.25)",
    ),
    Vector(
        description="text_to_visual starts from the final text weights (R1)",
        given=case(2, win(0)),
        worked="text = text_to_visual = (0.58, 0.5) / 1.08; visual stays 1/2",
    ),
    Vector(
        description="visual_to_text starts from the final visual weights (R1)",
        given=case(2, visual=win(1)),
        worked="visual = visual_to_text = (0.5, 0.58) / 1.08; text stays 1/2",
    ),
    Vector(
        description="initial weights do not restart the coupling phases",
        given=case(
            3,
            win(1),
            lose(0),
            win(1),
            lose(0),
            initial=[0.5, 0.25, 0.25],
        ),
        worked="text = (0.5, 0.33, 0.25) / 1.08; text_to_visual then adds 0.08 to "
        "0.33/1.08 and divides by 1.08 again; visual = (0.46, 0.25, 0.25) / 0.96",
    ),
    Vector(
        description="visual starts afresh and inherits nothing from text",
        given=case(3, win(0, 0, 0), win(2)),
        worked="visual = (1/3, 1/3, 1/3 + 0.08) / 1.08",
    ),
    Vector(
        description="initial weights may miss a sum of 1 by less than 1e-9",
        given=case(
            2,
            win(0),
            win(1),
            alpha_win=0,
            initial=[0.5, 0.5000000004],
        ),
        worked="a win that adds nothing still renormalises: (0.5, 0.5000000004) / 1.0000000004",
    ),
]

ROULETTE = [
    Vector(
        description="u = 0 chooses the first strategy",
        given=case(4, spin("A", 0)),
        worked="0.25 > 0, so index 0: (0.33, 0.25, 0.25, 0.25) / 1.08",
    ),
    Vector(
        description="each quarter of [0, 1) chooses its own strategy",
        given=case(
            4,
            spin("A", 0.1),
            spin("A", 0.3),
            spin("A", 0.5),
            spin("A", 0.9),
        ),
        worked="text 0, visual 1; text_to_visual from (0.33, 0.25, 0.25, 0.25)/1.08 "
        "has running sums 0.306, 0.537, so 0.5 chooses 1; visual_to_text chooses 3",
    ),
    Vector(
        description="a draw equal to the first running sum chooses the next index",
        given=case(4, spin("A", 0.25)),
        worked="0.25 > 0.25 is false, 0.5 > 0.25 is true: index 1 (R2)",
        boundary=True,
    ),
    Vector(
        description="a draw equal to the second running sum chooses the next index",
        given=case(4, spin("A", 0.5)),
        worked="0.5 > 0.5 is false, 0.75 > 0.5 is true: index 2",
        boundary=True,
    ),
    Vector(
        description="a draw equal to the third running sum chooses the next index",
        given=case(4, spin("A", 0.75)),
        worked="0.75 > 0.75 is false, 1 > 0.75 is true: index 3",
        boundary=True,
    ),
    Vector(
        description="the largest double below a running sum stays with its index",
        given=case(4, spin("A", 0.24999999999999997)),
        worked="0.25 > 0.25 - 2^-55 is true: index 0",
        boundary=True,
    ),
    Vector(
        description="the smallest double above a running sum goes to the next index",
        given=case(4, spin("A", 0.25000000000000006)),
        worked="0.25 > 0.25 + 2^-54 is false: index 1",
        boundary=True,
    ),
    Vector(
        description="boundary draws between updates that stay exact in binary",
        given=case(
            4,
            spin("A", 0.25, 0.125, 0.875),
            spin("A", 0.5),
            spin("A", 0.4375),
            spin("A", 0.25),
            alpha_win=1,
        ),
        worked="text: index 1 gives (1, 5, 1, 1)/8; sums 1/8, 6/8, so 0.125 chooses 1 "
        "and gives (1, 13, 1, 1)/16; sums 1/16, 14/16, so 0.875 = 14/16 chooses 2",
        boundary=True,
    ),
    Vector(
        description="two equal weights: u = 0.5 belongs to the second",
        given=case(2, spin("B", 0.5)),
        worked="0.5 > 0.5 is false: index 1, (0.5, 0.46) / 0.96",
        boundary=True,
    ),
    Vector(
        description="the largest double below 1 chooses the last strategy",
        given=case(4, spin("A", LARGEST_BELOW_ONE)),
        worked="0.75 < u < 1: index 3",
        boundary=True,
    ),
    Vector(
        description="rounding leaves no strategy, so the last one is chosen",
        given=case(10, spin("A", LARGEST_BELOW_ONE)),
        worked="ten 0.1 added from left to right make 0.9999999999999999 = u, which "
        "is not above u: the last index, 9 (R2)",
        boundary=True,
    ),
    Vector(
        description="the last index is chosen for want of any, even without weight",
        given=case(
            11,
            spin("A", LARGEST_BELOW_ONE),
            initial=[0.1] * 10 + [0.0],
        ),
        worked="the running sum ends at 0.9999999999999999 = u: the last index, 10, "
        "goes from 0 to 0.08 (R2 to the letter)",
        boundary=True,
    ),
    Vector(
        description="running sums are added from left to right in doubles",
        given=case(10, spin("A", 0.7999999999999999)),
        worked="eight 0.1 make 0.7999999999999999 = u, not above u: index 8",
        boundary=True,
    ),
    Vector(
        description="a running sum rounded upwards exceeds its decimal",
        given=case(10, spin("A", 0.3)),
        worked="0.1 + 0.1 + 0.1 = 0.30000000000000004 > 0.3: index 2",
        boundary=True,
    ),
    Vector(
        description="u = 0 passes over a first strategy without weight",
        given=case(3, spin("A", 0), initial=[0, 0.5, 0.5]),
        worked="0 > 0 is false, 0.5 > 0 is true: index 1",
        boundary=True,
    ),
    Vector(
        description="a draw on a strategy without weight goes to the one after it",
        given=case(3, spin("A", 0.5), initial=[0.5, 0, 0.5]),
        worked="sums 0.5, 0.5, 1; the first above 0.5 is index 2",
        boundary=True,
    ),
    Vector(
        description="the largest draw does not reach a last strategy without weight",
        given=case(3, spin("A", LARGEST_BELOW_ONE), initial=[0.5, 0.5, 0]),
        worked="sums 0.5, 1, 1; the first above u is index 1",
        boundary=True,
    ),
    Vector(
        description="the wheel is turned with the current weights, not the first ones",
        given=case(2, spin("A", 0.4, 0.52), spin("B", 0.4, 0.49)),
        worked="text: 0 wins, 0.58/1.08 = 0.537 > 0.52, so 0 wins again; visual: "
        "0 loses, 0.46/0.96 = 0.479 < 0.49, so 1 loses",
    ),
    Vector(
        description="a fixed strategy is chosen whatever its weight",
        given=case(3, win(2, 2), initial=[0.5, 0.5, 0]),
        worked="0.08/1.08 after one win; (0.08/1.08 + 0.08)/1.08 after two",
    ),
    Vector(
        description="fixed strategies and draws may alternate in a phase",
        given=case(
            3,
            spin("A", 0.5) + win(2) + spin("B", 0.9) + lose(0),
            lose(1) + spin("A", 0.05) + tie(2) + spin("A", 0.05),
            spin("A", 0.35) + win(0),
            win(0) + spin("B", 0.99),
        ),
    ),
    Vector(
        description="with a single strategy every draw chooses it",
        given=case(1, spin("A", 0, 0.5), spin("B", 0.25, 0.9)),
        worked="1.08/1.08 = 0.96/0.96 = 1",
    ),
]

PHASES = [
    Vector(
        description="four phases of different lengths",
        given=case(3, (), win(0), win(1) + lose(2), tie(0) + win(2, 2)),
    ),
    Vector(
        description="rounds in text alone move both coupling values",
        given=case(4, win(3, 3)),
        worked="text_to_visual = text against uniform visual; visual_to_text = "
        "uniform against text",
    ),
    Vector(
        description="rounds in visual alone move both coupling values",
        given=case(4, visual=win(3, 3)),
    ),
    Vector(
        description="rounds in text_to_visual alone leave the other direction at zero",
        given=case(4, text_to_visual=win(3, 3)),
        worked="visual_to_text = text = uniform: gamma 0",
    ),
    Vector(
        description="rounds in visual_to_text alone leave the other direction at zero",
        given=case(4, visual_to_text=lose(1, 2)),
    ),
    Vector(
        description="the same rounds in every phase still couple",
        given=case(3, win(0), win(0), win(0), win(0)),
        worked="the coupling phases end two wins from the start, the pure ones one",
    ),
    Vector(
        description="identical pure phases and idle coupling phases do not couple",
        given=case(3, win(0) + lose(2), win(0) + lose(2)),
        worked="text = visual = text_to_visual = visual_to_text, though not uniform",
    ),
    Vector(
        description="identical pure phases with tied coupling phases do not couple",
        given=case(
            4,
            spin("A", 0.1, 0.6),
            spin("A", 0.1, 0.6),
            tie(0),
            tie(1),
        ),
    ),
    Vector(
        description="one domain against another",
        given=case(3, win(0, 0), lose(1), lose(1), win(0, 0)),
    ),
    Vector(
        description="the same with text and visual exchanged: the answers exchange too",
        given=case(3, lose(1), win(0, 0), win(0, 0), lose(1)),
    ),
    Vector(
        description="fifty strategies, phases of two to five rounds",
        given=case(
            50,
            spin("A", 0.013, 0.987),
            spin("B", 0.513, 0.257, 0.771),
            spin("A", 0.137, 0.611, 0.389, 0.903),
            spin("A", 0.99, 0.47) + spin("B", 0.31, 0.07) + spin("tie", 0.5),
        ),
    ),
]
