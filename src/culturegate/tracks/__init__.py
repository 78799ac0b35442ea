"""How a case is asked and judged."""

from culturegate.tracks.adjudication import (
    DISPUTED,
    Decidable,
    Decision,
    adjudicate,
    hash_reply,
    unapplied,
)
from culturegate.tracks.base import Ask, Case, CaseFacts, Record, Trial
from culturegate.tracks.myth import MythCase, myth_cases
from culturegate.tracks.protocol import PROTOCOLS, MythProtocol, Protocol

__all__ = [
    "DISPUTED",
    "PROTOCOLS",
    "Ask",
    "Case",
    "CaseFacts",
    "Decidable",
    "Decision",
    "MythCase",
    "MythProtocol",
    "Protocol",
    "Record",
    "Trial",
    "adjudicate",
    "hash_reply",
    "myth_cases",
    "unapplied",
]
