"""The limits to compare with; `python bare_loop.py aiohttp|openai URL CONNECTIONS ITEMS.jsonl`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

Ask = Callable[[str], Awaitable[None]]
MODEL = "mock-2026-01-01"


def prompts(items: Path) -> Iterator[str]:
    """Yield the prompts that a plain loop would send for the items."""
    with items.open(encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            options = "\n".join(f"{'ABCD'[n]}. {text}" for n, text in enumerate(item["options"]))
            yield f"{item['question']}\n\n{options}\n\nAnswer with one letter."


async def consume(items: Path, connections: int, ask: Ask) -> None:
    """Ask all prompts over so many connections."""
    queue = prompts(items)

    async def consumer() -> None:
        for prompt in queue:
            await ask(prompt)

    await asyncio.gather(*(consumer() for _ in range(connections)))


async def with_aiohttp(url: str, connections: int, items: Path) -> None:
    """Post plain JSON."""
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=connections)) as session:

        async def ask(prompt: str) -> None:
            body = {
                "model": MODEL,
                "messages": [{"role": "user", "content": prompt}],
                "temperature": 0,
                "max_tokens": 32,
            }
            async with session.post(f"{url}/chat/completions", json=body) as response:
                (await response.json())["choices"][0]["message"]["content"]

        await consume(items, connections, ask)


async def with_openai(url: str, connections: int, items: Path) -> None:
    """Call `chat.completions.create` as the client's own documentation does."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    async with AsyncOpenAI(
        base_url=url, api_key="none", http_client=DefaultAioHttpClient()
    ) as client:

        async def ask(prompt: str) -> None:
            await client.chat.completions.create(
                model=MODEL,
                messages=[{"role": "user", "content": prompt}],
                temperature=0,
                max_tokens=32,
            )

        await consume(items, connections, ask)


if __name__ == "__main__":
    loop = {"aiohttp": with_aiohttp, "openai": with_openai}[sys.argv[1]]
    asyncio.run(loop(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])))
