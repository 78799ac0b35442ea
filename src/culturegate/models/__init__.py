"""Who is asked, and the engine that asks."""

from __future__ import annotations

from culturegate.models.base import Message, Model, ModelInfo, Prompt, Reply, Usage
from culturegate.models.budget import Budget, Limits, Price
from culturegate.models.embedded import EmbeddedConfig, EmbeddedModel
from culturegate.models.endpoint import EndpointConfig, EndpointModel
from culturegate.models.engine import Engine
from culturegate.models.judged import Judged
from culturegate.models.progress import Fetching, Progress, Snapshot
from culturegate.models.recording import Recording, read_recording
from culturegate.models.replay import ReplayModel
from culturegate.models.store import ReplyStore

__all__ = [
    "Budget",
    "EmbeddedConfig",
    "EmbeddedModel",
    "EndpointConfig",
    "EndpointModel",
    "Engine",
    "Fetching",
    "Judged",
    "Limits",
    "Message",
    "Model",
    "ModelInfo",
    "Price",
    "Progress",
    "Prompt",
    "Recording",
    "ReplayModel",
    "Reply",
    "ReplyStore",
    "Snapshot",
    "Usage",
    "read_recording",
]
