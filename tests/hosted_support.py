"""Helpers of the tests of hosted models: one question to one endpoint."""

import asyncio

from epc.engine.hosted import open_hosted
from epc.engine.model import Completion, Prompt
from epc.protocol.config import REFERENCE_DECODING, Decoding

CANARY = "sk-canary-0123456789abcdef"


def ask(
    text: str = "Evaluate.", decoding: Decoding = REFERENCE_DECODING, *, model: str = "gpt-4o-0806"
) -> Completion:
    async def asking() -> Completion:
        opened = open_hosted("openai", model)
        try:
            return await opened.complete(Prompt(text=text), decoding)
        finally:
            await opened.close()

    return asyncio.run(asking())
