from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match, model_graded_qa

GRADES = ["C", "C", "I", "C", "C", "C"]


def mock(name: str, *said: str) -> Model:
    outputs = [ModelOutput.from_content(model=name, content=each) for each in said]
    for output in outputs:  # or it downloads a tokenizer to count tokens
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return get_model(f"mockllm/{name}", custom_outputs=outputs)


@task
def sums() -> Task:
    grader = mock("gpt-4-0613", *(f"GRADE: {grade}" for grade in GRADES))
    dataset = [Sample(input=f"{n}+{n}?", target=str(2 * n), id=n) for n in (1, 2, 3)]
    return Task(
        model=mock("writer", *["some number"] * 6),
        dataset=dataset,
        scorer=[model_graded_qa(model=grader), match()],
    )
