"""How fast replies are read: `python benchmarks/reading.py`.

Prints, on one core, the seconds for 100,000 typical replies of 200 characters a language, and the
milliseconds for the worst of several hostile megabytes. The promises are 10 s and 100 ms.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterable

from culturegate.scoring import read_choice, read_json_object, read_label, read_number

OPTIONS = {"A": "sticky rice parcel", "B": "mooncake", "C": "rice", "D": "lotus seed box"}
PROSE = {
    "en": (
        "The feast is held in autumn and the guests share round cakes; other dishes come later in "
        "the year, as the question says. That leaves only one of the options that were given. "
    ),
    "es": (
        "La fiesta se celebra en otoño y los invitados comparten pasteles redondos; los otros "
        "platos llegan más tarde en el año, como dice la pregunta. Queda una sola opción posible. "
    ),
    "hi": (
        "यह त्योहार शरद ऋतु में मनाया जाता है और मेहमान गोल मिठाई बाँटते हैं; बाकी व्यंजन साल में बाद में "
        "आते हैं, जैसा कि प्रश्न में कहा गया है। इसलिए केवल एक ही बात बचती है जो ठीक बैठती है। "
    ),
    "ja": "この祭りは秋に行われ、客たちは丸い菓子を分け合います。ほかの料理は年の後半に出てきます。"
    * 5,
    "th": ("งานเทศกาลจัดขึ้นในฤดูใบไม้ร่วงและแขกแบ่งขนมกลมกัน อาหารอื่นมาทีหลังในปีนั้น ตามที่คำถามบอกไว้ ") * 3,
    "zh": "这个节日在秋天举行，客人们分吃圆形的点心；其他食物在一年中稍晚的时候才出现。" * 5,
}
ANSWER = {"en": "The answer is {}.", "es": "La respuesta es {}.", "hi": "सही उत्तर {} है।",
          "ja": "答えは{}です。", "th": "คำตอบคือ {}",
          "zh": "因此答案是{}。"}  # fmt: skip
HOSTILE = ["<think>", "</think>", "<", "<|endoftext|>", "A, ", "1 ", "1/", "\\boxed{", "一", "的",
           "{", '{"a":', "$", "not ", "½", "~~", "answer: "]  # fmt: skip


def seconds(read: Callable[[str], object], replies: Iterable[str]) -> float:
    start = time.process_time()
    for reply in replies:
        read(reply)
    return time.process_time() - start


def typical(lang: str, count: int) -> list[str]:
    rng = random.Random(1)
    tails = [ANSWER[lang].format(rng.choice("ABCD")) for _ in range(count)]
    return [PROSE[lang][: 200 - len(tail)] + tail for tail in tails]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="Replies read a language")
    count = parser.parse_args().count
    for lang in PROSE:
        replies = typical(lang, count)

        def choose(reply: str, lang: str = lang) -> object:
            return read_choice(reply, options=OPTIONS, lang=lang)

        choose("B")
        took = seconds(choose, replies) * 100_000 / count
        right = sum(f"{r.value}" in reply[-20:] for reply in replies if (r := choose(reply)))
        print(f"choice {lang}: {took:5.1f} s for 100,000 replies ({right / count:.0%} read)")
    numbers = [reply[:-2] + "48." for reply in typical("en", count)]
    took = seconds(lambda reply: read_number(reply, lang="en"), numbers) * 100_000 / count
    print(f"number en: {took:5.1f} s for 100,000 replies")
    readers: dict[str, Callable[[str], object]] = {
        "choice": lambda text: read_choice(text, options=OPTIONS, lang="zh"),
        "number": lambda text: read_number(text, lang="zh"),
        "json": lambda text: read_json_object(text, {"a": "string"}),
        "label": lambda text: read_label(text, labels=["yes", "no"], lang="zh"),
    }
    for name, read in readers.items():
        read("B")
        worst = max(
            (seconds(read, [piece * (1_000_000 // len(piece))]), piece) for piece in HOSTILE
        )
        print(f"{name}: a hostile megabyte takes at most {worst[0] * 1000:.0f} ms ({worst[1]!r})")


if __name__ == "__main__":
    main()
