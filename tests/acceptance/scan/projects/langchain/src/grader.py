"""Grade answers with two judges."""

from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI

JUDGE = ChatOpenAI(model="gpt-4-0613", temperature=0)
SECOND = ChatAnthropic(model_name="claude-sonnet-4-5", max_tokens=256)
REPEATED = ChatOpenAI(model="gpt-4o-2024-05-13")  # epc: ignore (repeats a figure of 2024)
