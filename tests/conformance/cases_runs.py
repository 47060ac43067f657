"""Cases for whole runs, altered rates and the metrics (EPC-2.3, EPC-2.5)."""

from __future__ import annotations

from case_building import (
    LARGEST_BELOW_ONE,
    STREAM,
    Vector,
    case,
    draws,
    lose,
    preferring,
    random_case,
    random_phase,
    spin,
    tie,
    win,
)

FIFTEEN = draws(15)
MIXED = [random_phase(FIFTEEN, 15, 0.45, 0.1) for _ in range(4)]
LONG = draws(11)

ROUNDS = [
    Vector(description="R = 0 in every phase", given=case(11)),
    Vector(
        description="R = 1 in every phase",
        given=case(
            11,
            spin("A", 0.02),
            spin("B", 0.5),
            spin("A", 0.98),
            spin("B", 0.3),
        ),
        worked="text chooses 0, visual 5; text_to_visual 10; in visual_to_text "
        "0.284 < 0.3, so index 3",
    ),
    Vector(
        description="R = 30, eleven strategies, a coin-flip evaluator",
        given=random_case(11, 1, 30),
        worked=STREAM + "x = 1; a draw to choose, a draw for the coin",
    ),
    Vector(
        description="R = 30, eleven strategies, another coin-flip run",
        given=random_case(11, 20260702, 30),
        worked=STREAM + "x = 20260702",
    ),
    Vector(
        description="R = 30, eleven strategies, a tenth of the rounds tied",
        given=random_case(11, 3, 30, wins=0.45, ties=0.1),
        worked=STREAM + "x = 3; A below 0.45, tie below 0.55, else B",
    ),
    Vector(
        description="R = 30, an evaluator that always prefers the strategy",
        given=random_case(11, 4, 30, wins=1.0),
        worked=STREAM + "x = 4, every second draw unused",
    ),
    Vector(
        description="R = 30, an evaluator that always prefers the baseline",
        given=random_case(11, 5, 30, wins=0.0),
        worked=STREAM + "x = 5, every second draw unused",
    ),
    Vector(
        description="R = 30, preferences that differ between the domains",
        given=preferring(11, 6, 30, set(range(8)), {8, 9, 10}),
        worked=STREAM + "x = 6, one draw a round; text likes 0 to 7, visual 8 to 10",
    ),
    Vector(
        description="R = 30, the same single preference in both domains",
        given=preferring(11, 7, 30, {4}, {4}),
        worked=STREAM + "x = 7, one draw a round; A for strategy 4 alone",
    ),
    Vector(
        description="R = 30, draws in the first half and fixed strategies in the rest",
        given=case(
            11,
            MIXED[0] + lose(*range(11)) + win(3, 3, 3, 9),
            MIXED[1] + win(*range(10, -1, -1)) + tie(0) + lose(0, 1, 2),
            MIXED[2] + tie(*range(11)) + win(10, 10, 0, 0),
            MIXED[3] + [r for s in range(5) for r in win(s) + lose(s) + tie(s)],
        ),
        worked=STREAM + "x = 15 for the fifteen draws that open each phase",
    ),
    Vector(
        description="R = 30 from weights that are not uniform",
        given=random_case(
            5,
            8,
            30,
            wins=0.5,
            ties=0.05,
            initial=[0.0, 0.7, 0.1, 0.1, 0.1],
        ),
        worked=STREAM + "x = 8",
    ),
    Vector(
        description="R = 50, eleven strategies, a coin-flip evaluator",
        given=random_case(11, 9, 50),
        worked=STREAM + "x = 9",
    ),
    Vector(
        description="R = 30, fifty strategies, many of them pressed to the floor",
        given=random_case(50, 10, 30, wins=0.2),
        worked=STREAM + "x = 10; A below 0.2, else B",
    ),
    Vector(
        description="R = 500 in the pure phases and thirty coupling rounds after them",
        given=case(4, *[random_phase(LONG, n, 0.4, 0.05) for n in (500, 500, 30, 30)]),
        worked=STREAM + "x = 11; A below 0.4, tie below 0.45, else B",
    ),
    Vector(
        description="R = 50, two strategies, nearly always losing",
        given=random_case(2, 12, 50, wins=0.05),
        worked=STREAM + "x = 12; A below 0.05, else B",
    ),
]

LEARNING_RATES = [
    Vector(
        description="the default rates written out change nothing",
        given=case(
            2,
            win(0) + lose(1),
            alpha_win=0.08,
            alpha_lose=0.04,
            weight_floor=0.001,
        ),
    ),
    Vector(
        description="an empty configuration means the default rates",
        given={**case(2, win(0) + lose(1)), "config": {}},
    ),
    Vector(
        description="symmetric rates of 0.06, one win and one loss",
        given=case(2, win(0), lose(0), alpha_win=0.06, alpha_lose=0.06),
        worked="text (0.56, 0.5) / 1.06; visual (0.44, 0.5) / 0.94",
    ),
    Vector(
        description="symmetric rates of 0.06 over thirty rounds",
        given=random_case(11, 13, 30, alpha_win=0.06, alpha_lose=0.06),
        worked=STREAM + "x = 13",
    ),
    Vector(
        description="alpha_win alone is altered",
        given=case(2, win(0) + lose(0), alpha_win=0.2),
        worked="0.7/1.2, then 0.7/1.2 - 0.04 over 0.96",
    ),
    Vector(
        description="alpha_lose alone is altered",
        given=case(2, win(0) + lose(0), alpha_lose=0.2),
        worked="0.58/1.08, then 0.58/1.08 - 0.2 over 0.8",
    ),
    Vector(
        description="weight_floor alone is altered",
        given=case(3, lose(0) + win(1), weight_floor=0.3),
        worked="max(0.3, 1/3 - 0.04) = 0.3; then max(0.3, (1/3)/(29/30) + 0.08)",
    ),
    Vector(
        description="a win rate of zero: wins move nothing",
        given=case(3, win(0, 1, 2), lose(0), alpha_win=0),
        worked="text stays 1/3",
    ),
    Vector(
        description="a loss rate of zero: losses move nothing",
        given=case(3, lose(0, 1, 2), win(0), alpha_lose=0),
        worked="text stays 1/3",
    ),
    Vector(
        description="both rates zero: no coupling, though no round was a tie",
        given=random_case(11, 14, 10, alpha_win=0, alpha_lose=0),
        worked=STREAM + "x = 14; every weight stays 1/11",
    ),
    Vector(
        description="a win rate of one halves what is left",
        given=case(2, win(0, 0), alpha_win=1),
        worked="(1.5, 0.5)/2 = (0.75, 0.25); then (1.75, 0.25)/2 = (0.875, 0.125)",
    ),
    Vector(
        description="a loss rate of one sends any strategy to the floor",
        given=case(4, lose(2), alpha_lose=1),
        worked="max(0.001, -0.75) = 0.001; sum 0.751",
    ),
    Vector(
        description="the largest rates allowed",
        given=case(3, win(0), lose(0), alpha_win=1000000, alpha_lose=1000000),
        worked="text (1000000 + 1/3, 1/3, 1/3) / 1000001; visual 0.001 / (0.001 + 2/3)",
    ),
    Vector(
        description="small rates are kept to full precision",
        given=case(2, win(0), lose(1), alpha_win=0.0001, alpha_lose=0.0003),
    ),
    Vector(
        description="losses weigh more than wins",
        given=random_case(3, 16, 40, wins=0.6, alpha_win=0.02, alpha_lose=0.15),
        worked=STREAM + "x = 16; A below 0.6, else B",
    ),
]

METRICS = [
    Vector(
        description="gamma and JSD of a single win against uniform",
        given=case(2, win(0)),
        worked="text_to_visual moves by (2/54, -2/54); |.| / sqrt(1/2) = 2/27",
    ),
    Vector(
        description="gamma divides by the norm of the pure phase, not of the coupled",
        given=case(2, win(0), alpha_win=1),
        worked="(0.75, 0.25) against (0.5, 0.5): text_to_visual sqrt(1/8)/sqrt(1/2) = "
        "1/2, visual_to_text sqrt(1/8)/sqrt(5/8) = 1/sqrt(5)",
    ),
    Vector(
        description="JSD is a divergence in nats and the same both ways round",
        given=case(2, win(0), win(1), alpha_win=1),
        worked="(0.75, 0.25) against (0.25, 0.75), m = (1/2, 1/2): "
        "3/4 ln(3/2) + 1/4 ln(1/2) (R9); gamma sqrt(1/2) / sqrt(5/8)",
    ),
    Vector(
        description="zero in one direction and not in the other",
        given=case(3, win(0), win(0), text_to_visual=win(1)),
        worked="visual_to_text = visual = text",
    ),
    Vector(
        description="JSD takes 0 log 0 as 0",
        given=case(3, visual=win(0), initial=[0.5, 0.5, 0]),
        worked="both vectors hold 0 for the last strategy, which adds nothing",
    ),
    Vector(
        description="JSD with weight where the pure phase has none",
        given=case(3, text_to_visual=win(2), alpha_win=1, initial=[0.5, 0.5, 0]),
        worked="(1/4, 1/4, 1/2) against (1/2, 1/2, 0): half of ln(2/3)/2 + ln(2)/2 + "
        "ln(4/3); gamma sqrt(3/8) / sqrt(1/2) = sqrt(3)/2",
    ),
    Vector(
        description="gamma near sqrt(K): all weight goes where there was none",
        given=case(
            5,
            text_to_visual=win(4, 4, 4, 4),
            alpha_win=1000000,
            initial=[0.25, 0.25, 0.25, 0.25, 0],
        ),
        worked="|(-1/4, -1/4, -1/4, -1/4, 1)| / (1/2) = sqrt(5); JSD = ln 2, both "
        "short of it by less than 1e-12",
    ),
    Vector(
        description="gamma near sqrt(K - 1): fifty strategies, one takes all",
        given=case(50, text_to_visual=win(*[21] * 4), alpha_win=1000000),
        worked="sqrt((49/50)^2 + 49/2500) / sqrt(1/50) = 7",
    ),
    Vector(
        description="opposite collapses: JSD near ln 2 and gamma near sqrt(2)",
        given=case(2, win(*[0] * 60), win(*[1] * 60), alpha_win=1),
        worked="a win halves the loser's weight: 2^-61 is left after sixty",
    ),
    Vector(
        description="opposite preferences at the protocol's own rates",
        given=case(11, win(*[0] * 90), win(*[10] * 90), win(10), win(0)),
        worked="the losers keep 1/1.08^90 of their weight before the coupling phases",
    ),
    Vector(
        description="both runs collapse onto one strategy: zero coupling (R8)",
        given=case(
            3,
            win(*[1] * 60),
            win(*[1] * 60),
            win(*[1] * 60),
            win(*[1] * 60),
            alpha_win=1,
        ),
        worked="the others hold 2^-60 / 3 at most, so gamma < 1e-12 although every "
        "round was counted",
    ),
    Vector(
        description="collapse onto one strategy at the protocol's own rates",
        given=case(2, win(*[0] * 450), win(*[0] * 450), win(0, 0), win(0)),
        worked="the loser holds 0.5 / 1.08^450 = 5e-16",
    ),
    Vector(
        description="collapse in both, but not yet below 1e-12",
        given=case(2, win(*[0] * 200), win(*[0] * 200), win(0, 0), win(0)),
        worked="the loser holds 0.5 / 1.08^200 = 1e-7 and loses a part of it",
    ),
    Vector(
        description="collapse onto one strategy by roulette draws",
        given=case(
            4,
            *[spin("A", *[0.85, 0.9, 0.95] * 20) for _ in range(4)],
            alpha_win=1,
        ),
        worked="strategy 3 holds 0.25, and every draw falls in its sector",
    ),
    Vector(
        description="a very small gamma is not zero coupling",
        given=case(2, text_to_visual=win(0), alpha_win=1e-09),
        worked="gamma is about 1e-9 > 1e-12; JSD, about 1e-19, vanishes in doubles",
    ),
    Vector(
        description="a gamma below 1e-12 is zero coupling even after an update (R8)",
        given=case(2, text_to_visual=win(0), alpha_win=1e-15),
        worked="gamma is about 1e-15 <= 1e-12",
    ),
    Vector(
        description="a single strategy cannot couple",
        given=case(1, win(0), lose(0), win(0), spin("B", LARGEST_BELOW_ONE)),
        worked="1 against 1 in every phase",
        boundary=True,
    ),
    Vector(
        description="wins that lead back do not cancel the memory of the first domain",
        given=case(3, win(0, 0, 0), win(1, 1, 1), win(1, 1, 1), win(0, 0, 0)),
    ),
]
