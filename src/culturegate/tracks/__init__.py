"""How a case is asked and judged."""

from culturegate.tracks.adjudication import (
    DISPUTED,
    Decidable,
    Decision,
    adjudicate,
    hash_reply,
    unapplied,
)
from culturegate.tracks.base import Ask, Case, CaseFacts, Judgement, Record, Trial
from culturegate.tracks.myth import MythCase, myth_cases
from culturegate.tracks.planning import TRACKS, Plan
from culturegate.tracks.protocol import PROTOCOLS, MythProtocol, Protocol

__all__ = [
    "DISPUTED",
    "PROTOCOLS",
    "TRACKS",
    "Ask",
    "Case",
    "CaseFacts",
    "Decidable",
    "Decision",
    "Judgement",
    "MythCase",
    "MythProtocol",
    "Plan",
    "Protocol",
    "Record",
    "Trial",
    "adjudicate",
    "hash_reply",
    "myth_cases",
    "unapplied",
]
