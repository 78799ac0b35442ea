"""How fast the embedded model loads and answers, in a batch and one at a time, and what it holds.

    python benchmarks/embedded.py [PROMPTS]

Prints one JSON object: seconds to load, prompts and tokens a second both ways, their ratio, how
many replies differ (there must be none) and the peak memory in MB. Prompts have a common head, as
a track's prompts do, so the prefix cache counts; the two ways get different prompts of equal form.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time

from culturegate.models import EmbeddedConfig, EmbeddedModel, Message, Prompt, Reply

FORM = (
    "Read the question and answer with one letter.\n\nIn story number {number}, somebody {verb} "
    "the {thing} and is punished for many years. What does the punishment stand for?\n"
    "A) a debt that is never paid\nB) a promise that is kept\nC) a gift that costs its giver\n"
    "D) a door that closes\nAnswer:"
)
THINGS = ("fire", "hammer", "apple", "sea", "moon", "ring", "boat", "horse")


def prompts(count: int, verb: str) -> list[Prompt]:
    """Return `count` prompts of one form, none equal to another."""
    return [
        Prompt((Message("user", FORM.format(number=n, verb=verb, thing=THINGS[n % len(THINGS)])),))
        for n in range(count)
    ]


async def main(count: int) -> None:
    started = time.perf_counter()
    model = EmbeddedModel(EmbeddedConfig())
    await model.check()
    loaded = time.perf_counter() - started

    batch, single = prompts(count, "steals"), prompts(count, "keeps")
    started = time.perf_counter()
    together = await asyncio.gather(*map(model.ask, batch))
    batch_seconds = time.perf_counter() - started
    started = time.perf_counter()
    alone = [await model.ask(prompt) for prompt in single]
    single_seconds = time.perf_counter() - started
    again = await asyncio.gather(*map(model.ask, single))
    await model.aclose()

    result = {
        "prompts": count,
        "load_s": round(loaded, 2),
        "batch_prompts_per_s": round(count / batch_seconds, 2),
        "batch_reply_tokens_per_s": round(tokens(together) / batch_seconds, 1),
        "single_prompts_per_s": round(count / single_seconds, 2),
        "batch_over_single": round(single_seconds / batch_seconds, 2),
        "replies_that_differ": sum(a.text != b.text for a, b in zip(alone, again, strict=True)),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(result, indent=2))


def tokens(replies: list[Reply]) -> int:
    return sum(reply.usage.completion_tokens or 0 for reply in replies)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 64))
