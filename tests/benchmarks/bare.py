"""The least that sending requests can take: aiohttp alone, in a process that imports nothing else.

`bare.py PORT FILE CONCURRENCY` sends the bodies in FILE, a JSON list, and reads the answers.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import aiohttp


async def send(port: int, bodies: list[dict[str, Any]], concurrency: int) -> None:
    """Send the bodies, so many at once, and read what was answered."""
    url = f"http://127.0.0.1:{port}/v1/chat/completions"
    waiting = iter(bodies)
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def one() -> None:
            for body in waiting:
                async with session.post(url, json=body) as reply:
                    json.loads(await reply.read())["choices"][0]["message"]["content"]

        await asyncio.gather(*(one() for _ in range(concurrency)))


if __name__ == "__main__":
    port, file, concurrency = sys.argv[1:]
    asyncio.run(send(int(port), json.loads(Path(file).read_bytes()), int(concurrency)))
