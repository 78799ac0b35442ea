"""Who answers a session: the model under test, and beside it the judge where one is named."""

from __future__ import annotations

from dataclasses import replace

from culturegate.models import (
    EndpointConfig,
    EndpointModel,
    Fetching,
    Judged,
    Model,
    Recording,
    ReplayModel,
)
from culturegate.options import Settings
from culturegate.shards import share


def connect(settings: Settings, recording: Recording | None, worker: tuple[int, int]) -> Model:
    """Return who is asked.

    Args:
        settings: The session's.
        recording: What `--replay` reads from another tool's file; None without one.
        worker: Index and number of the processes that share connections and rates.
    """
    model = _model(settings, recording, worker)
    if settings.judge_model is None or settings.replay is not None:
        return model
    judge = _endpoint(
        settings,
        worker,
        EndpointConfig(
            base_url=settings.judge_endpoint,
            model=settings.judge_model,
            api_key=settings.judge_key,
            key_variable="CULTUREGATE_JUDGE_API_KEY",
        ),
    )
    return Judged(model, judge)


def _model(settings: Settings, recording: Recording | None, worker: tuple[int, int]) -> Model:
    if settings.replay is not None:
        return ReplayModel(settings.replay, recording)
    if settings.endpoint is None:
        from culturegate.models.embedded import EmbeddedConfig, EmbeddedModel

        return EmbeddedModel(EmbeddedConfig(progress=Fetching()))
    return _endpoint(
        settings,
        worker,
        EndpointConfig(
            base_url=settings.endpoint,
            model=settings.model,
            api_key=settings.api_key,
            stream=settings.stream,
        ),
    )


def _endpoint(settings: Settings, worker: tuple[int, int], config: EndpointConfig) -> EndpointModel:
    """Return an endpoint that keeps to this process's part of the session's limits."""
    _, workers = worker
    return EndpointModel(
        replace(
            config,
            timeout=settings.request_timeout,
            max_connections=share(settings.max_connections, *worker),
            rpm=settings.rpm and settings.rpm / workers,
            tpm=settings.tpm and settings.tpm / workers,
        )
    )
