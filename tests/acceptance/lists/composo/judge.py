"""Prompts in the places where the source's script has its own: what they say counts for nothing."""

RATING_PROMPT = "Score the answer from 1 to 10."
RATING_PROMPT_TIES = "Score the answer from 1 to 10; several may be right."
TASK_CRITERIA = {"Math": "Is every step right?"}
RATING_PROMPT_CRITERIA = "Score the answer from 1 to 10. {criteria}"
RATING_PROMPT_CALIBRATION = "This answer got {score}: {example}. Score the next one from 1 to 10."
RATING_PROMPT_CALIBRATION_BOTH = "One answer got {high}, one {low}. Score the next one up to 10."
