"""A small mirror bank in two regions, and replies to it that are right or wrong as one asks."""

from __future__ import annotations

import asyncio
import copy
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from suites import CANARY

from culturegate.bank.mirror import MirrorBank
from culturegate.bank.mirror_reading import load_mirror
from culturegate.models.base import Prompt, Reply
from culturegate.tracks.base import Record
from culturegate.tracks.mirror import MirrorCase, mirror_cases
from culturegate.tracks.protocol import MirrorProtocol

TASKS = ("arithmetic", "commonsense", "deduction", "decision")
ELEMENTS = ("scene", "knowledge", "norm")
REGIONS = {"china": "zh", "mexico": "es"}
LINES = {
    "en": ("Answer:", "Confidence:"),
    "zh": ("答案：", "把握："),
    "es": ("Respuesta:", "Confianza:"),
}
ASK_ALL = MirrorProtocol(None, samples=3, max_tokens=100)

_SHOP = {
    "en": "{who} buys {kilos} kilos at {price} dollars each, {off}% off. What does it cost?",
    "zh": "{who}买了{kilos}公斤，每公斤{price}元，优惠{off}%。一共多少元？",
    "es": "{who} compra {kilos} kilos a {price} pesos, con {off}% menos. ¿Cuánto paga?",
}
_PARCEL = {
    "en": ("{who} must sign for the parcel. Nobody is home before {hour}. When should it come?",
           ("in the morning", "at noon", "in the evening", "at night")),
    "zh": ("{who}必须签收包裹。{hour}点以前家里没人。应该什么时候送来？",
           ("上午送来", "中午送来", "傍晚送来", "半夜送来")),
    "es": ("{who} debe firmar el paquete. No hay nadie en casa antes de las {hour}. ¿Cuándo llega?",
           ("por la mañana", "al mediodía", "por la tarde", "por la noche")),
}  # fmt: skip
_NAMES = {"en": "Emily", "zh": "小林", "es": "Lupita"}
_TRANSLATED = {"zh": "艾米莉", "es": "Emilia"}


def family(region: str, number: int, kind: str = "number") -> dict[str, Any]:
    """Return one family as its file has it, all arms sound."""
    lang = REGIONS[region]
    shift = number + 50 * list(REGIONS).index(region)  # no two families share a text
    arms = {}
    for arm in ("original", "literal", "localized", "native"):
        spoken = "en" if arm == "original" else lang
        who = _TRANSLATED[lang] if arm == "literal" else _NAMES[spoken]
        entities = {"buyer": who}
        if kind == "number":
            # Each arm has values of its own, but for the translation.
            first = 200 + shift
            price = first + 1000 * {"original": 0, "literal": 0, "localized": 1, "native": 2}[arm]
            text = _SHOP[spoken]
            full = price * 4
            arms[arm] = {
                "text": text.format(who=who, kilos=4, price=price, off=25),
                "values": {"price": price, "kilos": 4, "off": 25},
                "results": {"full": full, "answer": full * 75 / 100},
                "unit": "dollars" if arm == "original" else {"zh": "元", "es": "pesos"}[lang],
                "entities": entities,
            }
        else:
            text, options = _PARCEL[spoken]
            hour = str(10 * shift + 1 + ("original", "literal", "localized", "native").index(arm))
            whole = text.format(who=who, hour=hour)
            parts = re.split(r"(?<=[.。])\s*", whole)
            turned = options[-(number % 4) :] + options[: -(number % 4)] if number % 4 else options
            arms[arm] = {
                "text": whole,
                "premises": {"p1": parts[0], "p2": parts[1]},
                "options": dict(zip("abcd", turned, strict=True)),
                "answer": "abcd"[turned.index(options[2])],
                "entities": entities,
            }
            if kind == "text":
                del arms[arm]["options"]
                arms[arm]["answer"] = options[2]
    skeleton: dict[str, Any]
    if kind == "number":
        skeleton = {
            "conditions": {"price": "of one kilo", "kilos": "bought", "off": "percent off"},
            "steps": [
                {"name": "full", "formula": "price * kilos"},
                {"name": "answer", "formula": "full * (100 - off) / 100"},
            ],
        }
    else:
        skeleton = {
            "premises": {"p1": "it must be signed for", "p2": "nobody is home before"},
            "inference": "deliver after that hour",
        }
    return {
        "id": f"{region}-{kind}-{number}",
        "task": TASKS[number % 4],
        "element": ELEMENTS[number % 3],
        "difficulty": 1 + number % 3,
        "public": True,
        "answer_type": kind,
        "skeleton": skeleton,
        "arms": arms,
    }


def document(region: str, families: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a whole file of a region."""
    return {
        "canary": CANARY,
        "region": region,
        "title": {"en": region.title()},
        "lang": REGIONS[region],
        "authors": ["tests"],
        "families": copy.deepcopy(families),
    }


def write(folder: Path, documents: Mapping[str, dict[str, Any]]) -> Path:
    """Write files by name into `folder/mirror` and return the folder."""
    (folder / "mirror").mkdir(parents=True, exist_ok=True)
    for name, data in documents.items():
        text = yaml.dump(data, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False)
        (folder / "mirror" / name).write_text(text, encoding="utf-8")
    return folder


def bank(
    folder: Path, families: int = 8, kinds: tuple[str, ...] = ("number", "choice")
) -> MirrorBank:
    """Return a sound bank of both regions, with so many families each."""
    found, problems = load_mirror(
        [
            write(
                folder,
                {
                    f"{region}.yaml": document(
                        region, [family(region, n, kinds[n % len(kinds)]) for n in range(families)]
                    )
                    for region in REGIONS
                },
            )
        ]
    )
    assert problems == []
    return found


def said(case: MirrorCase, sample: int, right: bool, sure: int = 70) -> str:
    """Return a whole reply to a case: reasoning, answer, confidence."""
    answer, confidence = LINES[case.arm.lang]
    order = case.order(sample)
    if order:
        key = order.index(case.arm.answer)
        given = "ABCD"[key if right else (key + 1) % len(order)]
    else:
        given = case.expected if right else "77777" if case.arm.values else "zzz"
    return f"4 × 3 = 12.\n{answer} {given}\n{confidence} {sure}%"


def asked(
    case: MirrorCase,
    right: Callable[[MirrorCase, int], bool],
    judge: Callable[[Prompt], str] | None = None,
    sure: int = 70,
) -> tuple[Record, list[Prompt]]:
    """Ask a case of a model that is right where `right(case, sample)` says so."""
    prompts: list[Prompt] = []

    async def ask(prompt: Prompt) -> Reply:
        prompts.append(prompt)
        if prompt.judge:
            assert judge is not None
            return Reply(judge(prompt), "stop", key=f"judge {prompt.sample}")
        text = said(case, prompt.sample, right(case, prompt.sample), sure)
        return Reply(text, "stop", key=f"{case.facts.case} {prompt.sample}")

    return asyncio.run(case.run(ask)), prompts


def records(
    found: MirrorBank,
    right: Callable[[MirrorCase, int], bool],
    *,
    home: str | None = None,
    sure: int = 70,
) -> list[Record]:
    """Return the records of a run over the whole bank."""
    cases = mirror_cases(found, ASK_ALL, seed=0, home=home)
    return [asked(case, right, sure=sure)[0] for case in cases]
