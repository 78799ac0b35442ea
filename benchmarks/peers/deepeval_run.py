"""The benchmark's items for deepeval, which judges replies but asks nobody itself.

`python deepeval_run.py URL CONNECTIONS ITEMS`
"""

import asyncio
import json
import sys
from pathlib import Path

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig
from deepeval.metrics import ExactMatchMetric
from deepeval.test_case import LLMTestCase
from openai import AsyncOpenAI


async def ask(url: str, connections: int, items: list[dict]) -> list[LLMTestCase]:
    client = AsyncOpenAI(base_url=url)
    places = asyncio.Semaphore(connections)

    async def one(item: dict) -> LLMTestCase:
        options = zip("ABCD", item["options"], strict=True)
        text = "\n".join([item["question"], *(f"{a}. {b}" for a, b in options)])
        async with places:
            reply = await client.chat.completions.create(
                model="mock-2026-01-01",
                messages=[{"role": "user", "content": text}],
                temperature=0,
                max_tokens=32,
            )
        return LLMTestCase(
            input=text,
            actual_output=reply.choices[0].message.content,
            expected_output=item["answer"],
        )

    return await asyncio.gather(*map(one, items))


def main() -> None:
    url, connections, path = sys.argv[1:]
    items = [json.loads(line) for line in Path(path).read_text().splitlines()]
    evaluate(
        asyncio.run(ask(url, int(connections), items)),
        [ExactMatchMetric()],
        async_config=AsyncConfig(max_concurrent=int(connections)),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
    )


if __name__ == "__main__":
    main()
