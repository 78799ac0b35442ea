"""The benchmark's items as an inspect-ai task: `python inspect_run.py URL CONNECTIONS ITEMS`."""

import sys

from inspect_ai import Task, eval, task  # noqa: A004  # its own name
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice


def sample(item: dict) -> Sample:
    return Sample(input=item["question"], choices=item["options"], target=item["answer"])


@task
def bench(items: str) -> Task:
    return Task(dataset=json_dataset(items, sample), solver=multiple_choice(), scorer=choice())


def main() -> None:
    url, connections, path = sys.argv[1:]
    eval(
        bench(path),
        model="openai/mock-2026-01-01",
        model_base_url=url,
        model_args={"responses_api": False},
        max_connections=int(connections),
        max_samples=2 * int(connections),
        display="none",
        log_dir="logs",
    )


if __name__ == "__main__":
    main()
