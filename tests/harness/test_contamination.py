"""Items looked for in a corpus."""

import gzip
import json
import os
import random
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from culturegate.contamination import (
    Asked,
    Passage,
    Searcher,
    documents,
    find_contamination,
    search,
)
from culturegate.contamination.letters import letters
from culturegate.errors import CulturegateError

QUESTION = (
    "The owner of a bakery chain has just signed the plan his managers put before him. In the "
    "corridor Ines murmurs that he got the stone in baby clothes. What does she think happened?"
)
KEY = "He was handed a sham and took it for the thing he wanted"
ITEM = Asked("bakery-en", QUESTION, KEY)
CHINESE = Asked(
    "bakery-zh",
    "连锁面包店的老板刚刚签字批准了经理们递上的方案，伊内丝低声说了一句话",
    "他拿到的是假货",
)
SHOUTED = QUESTION.upper().replace(",", " --").replace(". ", "!\n\n")
NOISE = "Nothing in this line is about bread, stones or anybody's clothes at all. " * 40


def found(tmp_path, text, *asked, name="corpus.txt", **settings):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return find_contamination(asked or (ITEM,), [path], **settings)


def plain(text: str) -> str:
    return letters(text).tobytes().decode("utf-32-le")


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (NOISE, "clean"),
        (f"{NOISE}{QUESTION} {NOISE}", "contaminated"),
        (f"{NOISE}{SHOUTED}", "contaminated"),
        (f"{NOISE}{QUESTION[: len(QUESTION) // 2]}{NOISE}", "clean"),
        (f"{NOISE}{KEY}{NOISE}", "clean"),
    ],
    ids=["absent", "verbatim", "other punctuation", "half quoted", "the key alone"],
)
def test_an_item_is_tagged_where_its_question_stands_in_one_stretch(tmp_path, text, state):
    assert found(tmp_path, text).tags["bakery-en"].state == state


def test_a_translation_is_another_text(tmp_path):
    tags = found(tmp_path, NOISE + CHINESE.question + NOISE, ITEM, CHINESE).tags
    assert (tags["bakery-en"].state, tags["bakery-zh"].state) == ("clean", "contaminated")


def test_grams_scattered_over_many_documents_are_pooled_and_no_contamination(tmp_path):
    words = QUESTION.split()
    lines = [
        json.dumps({"text": f"{NOISE[:200]} {' '.join(words[n : n + 5])} {NOISE[:200]}"})
        for n in range(len(words) - 4)
    ]
    overlap = found(tmp_path, "\n".join(lines), name="corpus.jsonl").tags["bakery-en"]
    assert overlap.state == "clean"
    assert overlap.overlaps["question"].pooled == 1.0
    assert overlap.overlaps["question"].window < 0.3


def test_grams_scattered_over_one_long_document_are_no_contamination(tmp_path):
    words = QUESTION.split()
    text = NOISE.join(" ".join(words[n : n + 5]) for n in range(len(words) - 4))
    assert found(tmp_path, text).tags["bakery-en"].state == "clean"


def test_an_item_is_found_where_two_pieces_of_a_large_file_meet(tmp_path):
    piece = 1 << 20
    for before in (piece - 60, piece - 5, 2 * piece - 90):
        text = ("x7 " * piece)[:before] + QUESTION + "y9 " * 5000
        assert found(tmp_path, text).tags["bakery-en"].state == "contaminated"


def test_an_item_of_few_letters_is_too_short_and_not_clean(tmp_path):
    short = Asked("short", "Who?", "Ra")
    assert found(tmp_path, "Who? Ra " * 50, short).tags["short"].state == "too short"


def test_thirteen_words_in_a_row_are_counted_for_comparison(tmp_path):
    words = QUESTION.split()
    quoted = found(tmp_path, NOISE + " ".join(words[3:17]) + NOISE).tags["bakery-en"]
    assert quoted.overlaps["question"].words == pytest.approx(2 / (len(words) - 12))
    assert quoted.overlaps["key"].words is not None or len(KEY.split()) < 13


def test_size_and_threshold_can_be_set(tmp_path):
    half = NOISE + QUESTION[: len(QUESTION) // 2] + NOISE
    assert found(tmp_path, half, least=0.4).tags["bakery-en"].state == "contaminated"
    strict = found(tmp_path, NOISE + QUESTION, size=20)
    assert strict.tags["bakery-en"].overlaps["question"].window == 1.0


def test_folders_gzip_and_lines_of_json_are_read_alike(tmp_path):
    folder = tmp_path / "corpus" / "deep"
    folder.mkdir(parents=True)
    (tmp_path / "corpus" / ".hidden").write_text(QUESTION)
    with gzip.open(folder / "part.jsonl.gz", "wt") as file:
        file.write(json.dumps({"a": "x"}) + "\n" + json.dumps({"m": [{"text": QUESTION}]}) + "\n")
    result = find_contamination([ITEM], [tmp_path / "corpus"])
    assert result.documents == 2
    tag = result.tags["bakery-en"]
    assert tag.state == "contaminated"
    assert tag.overlaps["question"].place == f"{folder / 'part.jsonl.gz'}:2"


@pytest.mark.parametrize("name", ["missing.txt", "empty", "broken.txt.gz"])
def test_a_corpus_that_cannot_be_read_is_named(tmp_path, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.txt.gz").write_bytes(gzip.compress(b"x" * 9000)[:-12])
    with pytest.raises(CulturegateError, match=rf"--corpus .*{name}"):
        find_contamination([ITEM], [tmp_path / name])


def test_a_line_that_is_no_json_is_read_as_text(tmp_path):
    text = f"{QUESTION}\n{'[' * 100_000}\n"
    assert found(tmp_path, text, name="corpus.jsonl").tags["bakery-en"].state == "contaminated"


@pytest.mark.parametrize("pad", range(8))
def test_escapes_in_a_file_of_json_are_resolved_also_where_pieces_meet(tmp_path, pad):
    text = json.dumps([{"text": CHINESE.question.replace("，", "\n")}])
    begin = " " * ((1 << 20) - len(text) // 2 - pad)
    tag = found(tmp_path, begin + text, CHINESE, name="corpus.json").tags["bakery-zh"]
    assert tag.overlaps["question"].window == 1.0


def test_utf_16_and_gzip_are_known_by_their_beginning(tmp_path):
    (tmp_path / "wide.txt").write_bytes(CHINESE.question.encode("utf-16"))
    (tmp_path / "packed.txt").write_bytes(gzip.compress(QUESTION.encode()))
    tags = find_contamination([ITEM, CHINESE], [tmp_path]).tags
    assert {tag.state for tag in tags.values()} == {"contaminated"}


@pytest.mark.parametrize(
    ("start", "kind"), [(b"PAR1", "Parquet"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"PK\x03\x04", "zip")]
)
def test_what_is_packed_otherwise_is_refused_and_not_called_clean(tmp_path, start, kind):
    (tmp_path / "part-0").write_bytes(start + b"\0" * 50)
    with pytest.raises(CulturegateError, match=rf"part-0: holds {kind}, not text"):
        find_contamination([ITEM], [tmp_path])


def test_linked_folders_are_read_once_and_pipes_passed_over(tmp_path):
    corpus, shard = tmp_path / "corpus", tmp_path / "shard"
    corpus.mkdir()
    shard.mkdir()
    (shard / "part.txt").write_text(QUESTION)
    (shard / "again").symlink_to(corpus)
    (corpus / "shard").symlink_to(shard)
    os.mkfifo(corpus / "pipe")
    result = find_contamination([ITEM], [corpus])
    assert (result.documents, result.tags["bakery-en"].state) == (1, "contaminated")


def test_a_folder_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "b").mkdir()
    for name in ("a.txt", "b/c.txt"):
        (tmp_path / name).write_text(NOISE)
    reading = documents([tmp_path])
    _, pieces = next(reading)
    list(pieces)
    shutil.rmtree(tmp_path / "b")
    with pytest.raises(CulturegateError, match="/b: cannot be read: No such file"):
        next(reading)


def test_a_long_string_comes_in_pieces(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps({"text": "x" * (5 << 20)}) + "\n")
    assert [max(len(piece) for piece in pieces) for _, pieces in documents([path])] == [1 << 20]


def test_many_small_strings_are_gathered_without_copying_all_of_them_each_time(
    tmp_path, monkeypatch
):
    copied = 0
    real = search.np.concatenate

    def counted(arrays, *rest, **named):
        nonlocal copied
        found = real(arrays, *rest, **named)
        copied += len(found)
        return found

    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps(["abcde"] * 20_000 + [QUESTION]) + "\n")
    monkeypatch.setattr(search.np, "concatenate", counted)
    assert find_contamination([ITEM], [path]).tags["bakery-en"].state == "contaminated"
    assert copied < 1_000_000


def test_letters_and_digits_of_every_script_stay_and_nothing_else():
    assert plain("Ａ-b, Ç! 中文。हिन्दी १२ ٣ ½") == "abç中文हिन्दी१२٣12"


WORDS = st.lists(st.sampled_from("ab"), min_size=4, max_size=30).map("".join)


@given(WORDS, WORDS)
def test_the_window_is_what_counting_every_stretch_gives(passage, document):
    size = 4
    wanted = {passage[n : n + size] for n in range(len(passage) - size + 1)}
    width = max(int(len(passage) * 1.25) - size + 1, 1)
    starts = [n for n in range(len(document) - size + 1) if document[n : n + size] in wanted]
    most = max(
        (len({document[n : n + size] for n in starts if s <= n < s + width}) for s in starts),
        default=0,
    )
    pieces = iter([document[:7], document[7:]])
    overlap = Searcher([Passage("p", passage)], size).search([("d", pieces)]).overlaps[0]
    assert overlap.window == pytest.approx(most / len(wanted))


def test_memory_does_not_grow_with_the_corpus():
    searcher = Searcher([Passage("q", QUESTION)])
    draw = random.Random(1)
    text = " ".join(draw.choices(QUESTION.split(), k=20_000))
    sizes = []
    original = searcher._look

    def look(name, codes):
        sizes.append(len(codes))
        original(name, codes)

    searcher._look = look
    searcher.search([("long", iter([text] * 40))])
    assert max(sizes) < 1_000_000
