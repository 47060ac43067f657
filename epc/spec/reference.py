"""The reference strategies, tasks and evaluator prompt, verbatim (EPC-2.6, EPC-A.1, EPC-A.2)."""

from typing import Final

from msgspec import Struct

from epc.spec.domains import Domain


class Strategy(Struct, frozen=True, kw_only=True):
    """A natural-language prompt prefix (EPC-2.2).

    `domain` says which one it was designed for; None where a record does not tell.
    """

    name: str
    domain: Domain | None
    prompt: str


def _strategy(name: str, domain: Domain, prompt: str) -> Strategy:
    return Strategy(name=name, domain=domain, prompt=prompt)


# EPC-A.1, Table 4
STRATEGIES: Final = (
    _strategy(
        "step_by_step",
        "text",
        "Solve this step by step, showing each intermediate reasoning step.",
    ),
    _strategy("critical_check", "text", "First give an answer, then critically review and revise."),
    _strategy("first_principles", "text", "Derive the answer from first principles."),
    _strategy("creative_leap", "text", "Think outside the box; seek innovative solutions."),
    _strategy("analogy_meta", "text", "Explain using analogies and concrete examples."),
    _strategy("evidence_cite", "text", "Cite specific factual knowledge and evidence."),
    _strategy("synthesis", "text", "Synthesize multiple perspectives for a balanced answer."),
    _strategy("counterfactual", "text", "Consider counterfactual scenarios and edge cases."),
    _strategy(
        "visual_grounding",
        "visual",
        "First construct a visual mental image, then reason from details.",
    ),
    _strategy(
        "spatial_decompose", "visual", "Decompose the spatial problem into geometric components."
    ),
    _strategy("aesthetic_frame", "visual", "Evaluate systematically from an aesthetic framework."),
)

# EPC-A.2
TASKS: Final[dict[Domain, tuple[str, ...]]] = {
    "text": (
        "Explain why the sky is blue.",
        "What are pros and cons of remote work?",
        "Describe how a computer processes information.",
        "Why do leaves change color in autumn?",
        "Explain the concept of supply and demand.",
        "What is the difference between weather and climate?",
        "How does a vaccine work?",
        "Explain the water cycle in nature.",
    ),
    "visual": (
        "Describe composing a sunset photograph.",
        "Explain how to recognize symmetry in architecture.",
        "What makes a painting visually balanced?",
        "Describe how colors interact in a color wheel.",
        "How would you explain perspective in drawing?",
        "What visual elements make a logo memorable?",
        "Visual difference between a circle and a sphere.",
        "How does lighting affect the mood of a photograph?",
    ),
}

# EPC-2.6. The placeholders are the paper's own; `epc.protocol.prompt` fills them.
EVALUATOR_PROMPT: Final = (
    "Evaluate. Task: {task} A ({strategy_name}): {response_A[:300]} "
    "B (step_by_step): {response_B[:300]} Better? Output only A or B."
)

# Reading R31: the paper calls a strategy "a natural-language prompt prefix" and prints no template.
EXECUTOR_PROMPT: Final = "{strategy_prompt}\n\n{task}"
