"""How a case is asked and judged."""

from culturegate.tracks.base import Ask, Case, CaseFacts, Record, Trial
from culturegate.tracks.myth import MythCase, myth_cases
from culturegate.tracks.protocol import PROTOCOLS, MythProtocol, Protocol

__all__ = [
    "PROTOCOLS",
    "Ask",
    "Case",
    "CaseFacts",
    "MythCase",
    "MythProtocol",
    "Protocol",
    "Record",
    "Trial",
    "myth_cases",
]
