"""Neighbours of the public cases: corrections, denials, ticks and wrappers in every language."""

from __future__ import annotations

import pytest

from culturegate.scoring import read_choice, read_json_object

OPTIONS = {"A": "tea", "B": "soup", "C": "rice", "D": "fish"}

REPLIES = [
    ("en", "B... wait, no, C.", "C"),
    ("en", "A. Wait, no. C.", "C"),
    ("en", "The answer is A. Scratch that, it's D.", "D"),
    ("en", "B. On second thought, C.", "C"),
    ("es", "B. No, espera, C.", "C"),
    ("es", "La respuesta es B... perdón, es C.", "C"),
    ("fr", "B. Attendez, non, C.", "C"),
    ("fr", "Réponse : B. Non, plutôt C.", "C"),
    ("de", "B. Nein, warte, C.", "C"),
    ("de", "Antwort: B. Moment, nein, C.", "C"),
    ("pt", "B. Não, espere, C.", "C"),
    ("pt", "Resposta: B, ou melhor, C.", "C"),
    ("ru", "B. Нет, подождите, C.", "C"),
    ("ru", "Ответ: B. Хотя нет, C.", "C"),
    ("tr", "B. Hayır, bekle, C.", "C"),
    ("tr", "Cevap: B, daha doğrusu C.", "C"),
    ("id", "B. Tidak, tunggu, C.", "C"),
    ("id", "Jawaban: B. Maaf, C.", "C"),
    ("vi", "B. Không, khoan đã, C.", "C"),
    ("vi", "Đáp án: B. Xin lỗi, C.", "C"),
    ("sw", "B. Hapana, subiri, C.", "C"),
    ("sw", "Jibu: B. Samahani, ni C.", "C"),
    ("ar", "B. لا، انتظر، C.", "C"),
    ("ar", "الجواب: ب. عفوا، ج.", "C"),
    ("fa", "B. نه، صبر کن، C.", "C"),
    ("fa", "پاسخ: B. ببخشید، C.", "C"),
    ("hi", "B. नहीं, रुको, C.", "C"),
    ("hi", "उत्तर: B. दरअसल C.", "C"),
    ("bn", "B. না, দাঁড়ান, C.", "C"),
    ("bn", "উত্তর: B. দুঃখিত, C.", "C"),
    ("th", "B ไม่ใช่ เดี๋ยวก่อน C", "C"),
    ("th", "ตอบ B ขอแก้เป็น C", "C"),
    ("ko", "B. 아니, 잠깐, C.", "C"),
    ("ko", "정답: B. 정정합니다, C.", "C"),
    ("ja", "B。いや、待って、C。", "C"),
    ("ja", "答えはB。訂正します、C。", "C"),
    ("zh", "B。不，等等，C。", "C"),
    ("zh", "答案是B，不，应该是C。", "C"),
    ("zh", "选B。抱歉，是C。", "C"),
    ("zh", "選B…等等，改為C。", "C"),
    ("en", "Sorry, I can't help with that.", "refused"),
    ("en", "Sorry, I don't know.", "abstained"),
    ("en", "The answer is C. Sorry for the long text.", "C"),
    ("es", "Perdón, no lo sé.", "abstained"),
    ("ja", "申し訳ありませんが、わかりません。", "abstained"),
    ("zh", "抱歉，我不知道。", "abstained"),
    ("ko", "죄송합니다. 모르겠습니다.", "abstained"),
    ("en", "The answer is B, not A.", "B"),
    ("zh", "答案是B,不是A。", "B"),
    ("ja", "答えはBで、Aではない。", "B"),
    ("ko", "정답은 B이고 A가 아닙니다.", "B"),
    ("th", "คำตอบคือ B ไม่ใช่ A", "B"),
    ("hi", "उत्तर B है, A नहीं।", "B"),
    ("de", "Die Antwort ist B, nicht A.", "B"),
    ("tr", "Cevap B, A değil.", "B"),
    ("vi", "Đáp án là B, không phải A.", "B"),
    ("ar", "الإجابة هي B وليست A.", "B"),
    ("fa", "پاسخ B است، نه A.", "B"),
    ("ru", "Ответ B, а не A.", "B"),
    ("fr", "La réponse est B, pas A.", "B"),
    ("es", "La respuesta es B, no A.", "B"),
    ("pt", "A resposta é B, não A.", "B"),
    ("id", "Jawabannya B, bukan A.", "B"),
    ("sw", "Jibu ni B, si A.", "B"),
    ("bn", "উত্তর B, A নয়।", "B"),
    ("en", "<answer>\nC\n</answer>", "C"),
    ("en", "\\[ \\boxed{D} \\]", "D"),
    ("en", "> **C**", "C"),
    ("en", "- [ ] A\n- [x] C", "C"),
    ("en", "*Answer*: `C`", "C"),
    ("zh", "《C》", "C"),
    ("ja", "【答え】Ｃ", "C"),
    ("ko", "「C」", "C"),
    ("en", "🅲", "C"),
    ("en", "Ⓒ", "C"),
    ("en", "C️⃣", "C"),
    ("en", "<b>C</b>", "C"),
    ("en", "“C”", "C"),
    ("ar", "\u200fC\u200f", "C"),
    ("fr", "« C »", "C"),
    ("en", "</think>C", "C"),
    ("en", "<|channel|>final<|message|>C<|end|>", "C"),
    ("en", "[THINK]A[/THINK]C", "C"),
    ("en", "Assistant: C", "C"),
    ("en", "C<|im_end|>", "C"),
    ("en", "A) tea ❌\nB) soup ❌\nC) rice ✅\nD) fish ❌", "C"),
    ("en", "- [x] A\n- [x] C\n- [ ] B", "ambiguous"),
    ("en", "✅ C", "C"),
    ("en", "☐ A. tea\n☑ B. soup", "B"),
    ("en", "✅ The answer is C.", "C"),
    ("zh", "❌ A. tea\n✅ B. soup", "B"),
    ("en", "A is correct. B: soup is a drink.", "A"),
    ("en", "A is correct. B.", "A"),
    ("th", "A ไม่ใช่คำตอบ คำตอบคือ C", "C"),
    ("th", "A ไม่ใช่ B ไม่ใช่ คำตอบคือ C", "C"),
    ("ar", "A ليست الإجابة، بل B.", "B"),
    ("hi", "तो ख", "B"),
    ("ru", "Итак, Б.", "B"),
    ("fa", "پس ج.", "C"),
    ("zh", "A不是B不是,C是答案", "C"),
    ("en", "A is not B. Answer: C", "C"),
    ("en", "**Final Answer:** \\(\\boxed{\\text{C}}\\)", "C"),
    ("en", "It's tempting to say A, but the correct choice is actually D.", "D"),
    ("en", "My first thought was B. On reflection, however, C fits better. So C.", "C"),
    ("en", "The answer isn't A; it's C.", "C"),
    ("en", "I would eliminate A and D. Between B and C, I choose B.", "B"),
    ("en", "The answer is neither A nor B. It is D.", "D"),
    ("en", "Answer: Option (b)", "B"),
    ("en", "Both A and C are correct.", "ambiguous"),
    ("en", "A. tea\nB. soup\nC. rice\nD. fish\n\nAnswer: D", "D"),
    ("zh", "我排除A和B,最终选D。", "D"),
    ("zh", "正确答案不是B,应该是C。", "C"),
    ("zh", "答案:【C】", "C"),
    ("zh", "經過分析,選項Ｂ最符合題意。", "B"),
    ("zh", "我一开始以为是A,后来改选C。", "C"),
    ("zh", "以上都不对", "abstained"),
    ("zh", "選擇（丙）", "C"),
    ("ja", "答えは「C」です。", "C"),
    ("ja", "Aではなく、Dが正しいです。", "D"),
    ("ja", "正解：ウ", "C"),
    ("ja", "最初はBと思いましたが、正解はCです。", "C"),
    ("ja", "該当するものはありません。", "abstained"),
    ("ko", "정답은 C번입니다.", "C"),
    ("ko", "A가 아니라 D입니다.", "D"),
    ("ko", "처음에는 B라고 생각했지만 답은 C입니다.", "C"),
    ("ar", "الإجابة الصحيحة هي (ج).", "C"),
    ("ar", "ليست A بل D.", "D"),
    ("ar", "الجواب: ب", "B"),
    ("fa", "پاسخ صحیح گزینه «ج» است.", "C"),
    ("fa", "گزینه A نه، بلکه D.", "D"),
    ("hi", "सही उत्तर विकल्प (C) है।", "C"),
    ("hi", "A नहीं, बल्कि D सही है।", "D"),
    ("hi", "उत्तर: ग", "C"),
    ("bn", "সঠিক উত্তর হলো (গ)।", "C"),
    ("bn", "A নয়, D সঠিক।", "D"),
    ("th", "คำตอบที่ถูกต้องคือ ข้อ ค.", "C"),
    ("th", "ไม่ใช่ A แต่เป็น D", "D"),
    ("th", "ตอบ: ข", "B"),
    ("vi", "Đáp án đúng là: C.", "C"),
    ("vi", "Không phải A mà là D.", "D"),
    ("vi", "Tôi chọn phương án B.", "B"),
    ("id", "Jawaban yang benar adalah C.", "C"),
    ("id", "Bukan A, melainkan D.", "D"),
    ("es", "La respuesta correcta es la opción C.", "C"),
    ("es", "No es la A, sino la D.", "D"),
    ("pt", "A resposta correta é a letra C.", "C"),
    ("pt", "Não é A, mas sim D.", "D"),
    ("fr", "La bonne réponse est la C.", "C"),
    ("fr", "Ce n'est pas A, mais D.", "D"),
    ("de", "Die richtige Antwort lautet C.", "C"),
    ("de", "Nicht A, sondern D.", "D"),
    ("de", "Ich hätte erst A gesagt, aber es ist C.", "C"),
    ("ru", "Не A, а D.", "D"),
    ("ru", "Верный вариант: C", "C"),
    ("tr", "Doğru yanıt C şıkkıdır.", "C"),
    ("tr", "A değil, D.", "D"),
    ("tr", 'Cevap: "C"', "C"),
    ("sw", "Jibu sahihi ni C.", "C"),
    ("sw", "Si A bali D.", "D"),
    ("en", "<think>maybe B\n</think>\n\nC", "C"),
    ("en", "<thinking>A</thinking> Sure! The best answer is **(d)**.", "D"),
    ("en", '{"answer": "C"}', "C"),
    ("en", '```json\n{"answer": "B"}\n```', "B"),
    ("en", "ANSWER:C", "C"),
    ("en", "Answer - c", "C"),
    ("en", "The answer is: C. rice, not B. soup", "C"),
    ("en", "I'm torn between A and B.", "ambiguous"),
    ("es", "Ninguna de las anteriores.", "abstained"),
    ("fr", "Je ne sais pas.", "abstained"),
    ("ru", "Ни один из вариантов не подходит.", "abstained"),
    ("id", "Saya tidak tahu jawabannya.", "abstained"),
    ("sw", "Sijui.", "abstained"),
    ("fa", "نمی\u200cدانم", "abstained"),
    ("bn", "আমি জানি না।", "abstained"),
    ("pt", "Nenhuma das alternativas.", "abstained"),
    ("de", "Keine der Antworten ist richtig.", "abstained"),
    ("vi", "Không có đáp án nào đúng.", "abstained"),
    ("th", "ไม่มีข้อใดถูก", "abstained"),
    ("ko", "정답이 없습니다.", "abstained"),
    ("en", "Correct answer: ~~A~~ B", "B"),
    ("en", "C is wrong, B is wrong, so the only one left is D.", "D"),
    ("fr", "Réponse : la B, car la C est fausse.", "B"),
    ("es", "Descarto A, B y C; la respuesta es D.", "D"),
    ("tr", "A ve B yanlış, doğru cevap D.", "D"),
    ("id", "A dan B salah; jawabannya D.", "D"),
    ("zh", "A、B错误,C正确", "C"),
    ("ja", "AとBは誤りで、Cが正しい。", "C"),
    ("hi", "मुझे लगता है कि B, नहीं रुको, C", "C"),
    ("en", "(A) tea is wrong because it's a drink. (C) rice is right.", "C"),
]


@pytest.mark.parametrize(("lang", "reply", "expected"), REPLIES)
def test_a_neighbour_of_a_public_case_is_read_as_a_person_would(
    lang: str, reply: str, expected: str
) -> None:
    reading = read_choice(reply, options=OPTIONS, lang=lang)
    assert (reading.value or reading.status) == expected


# Each sentence names one letter, without a word that announces it.
PLAIN_MENTIONS = [
    ("ja", "いろいろ考えましたが、最後に出した答えは{}です。"),
    ("ja", "私は{}という選択肢がふさわしいと考えました。"),
    ("ja", "結局のところ{}に落ち着きました。"),
    ("ja", "{}を選びました。なぜなら季節が合うからです。"),
    ("zh", "经过长时间的思考，我觉得{}比较符合这个故事。"),
    ("zh", "综合来看应当为{}选项，因为季节相符。"),
    ("zh", "{}才是这里要的东西。"),
    ("ko", "여러 가지를 생각해 보았지만 결국 {}가 어울린다고 봅니다."),
    ("ko", "계절을 고려하면 {} 쪽입니다."),
    ("ru", "Мне кажется, {} подходит сюда лучше остальных."),
    ("ru", "Из всех вариантов я остановился на {} потому что так в тексте."),
    ("ru", "Судя по тексту, это {} и ничто другое."),
    ("ar", "بعد التفكير الطويل أرى أن {} يناسب القصة."),
    ("ar", "في النهاية وصلت إلى {} بسبب الفصل."),
    ("fa", "پس از فکر زیاد به {} رسیدم چون فصل همین است."),
    ("hi", "बहुत सोचने के बाद मैं {} पर पहुँचा क्योंकि मौसम वही है।"),
    ("bn", "অনেক ভেবে আমি {} এ পৌঁছেছি কারণ ঋতু একই।"),
    ("th", "หลังจากคิดแล้วสรุปว่า {} เหมาะกับเรื่องนี้"),
    ("en", "After a long think I land on {} because the season fits."),
    ("en", "My reasoning leads to {} for this riddle."),
    ("en", "It seems to me {} would fit here."),
    ("de", "Nach langem Nachdenken komme ich auf {} wegen der Jahreszeit."),
    ("vi", "Sau khi suy nghĩ tôi thấy {} hợp với câu chuyện."),
    ("tr", "Uzun düşündükten sonra {} bana uygun geliyor."),
    ("sw", "Baada ya kufikiri naona {} inafaa hapa."),
    ("id", "Setelah berpikir lama saya sampai pada {} karena musimnya."),
    ("es", "Después de pensarlo llego a {} por la estación."),
    ("pt", "Depois de pensar chego a {} pela estação."),
    ("fr", "Après réflexion j'arrive à {} pour la saison."),
]


@pytest.mark.parametrize(("lang", "sentence"), PLAIN_MENTIONS)
def test_the_letter_a_is_read_as_well_as_the_others(lang: str, sentence: str) -> None:
    found = {x: read_choice(sentence.format(x), options=OPTIONS, lang=lang) for x in "ABCD"}
    assert [reading.value for reading in found.values()] == list("ABCD")
    assert len({reading.rule for reading in found.values()}) == 1


@pytest.mark.parametrize(
    "reply",
    ["A man walks in.", "It is A TALE OF TWO.", "I saw A Midsummer Night there.", "What a day."],
)
def test_an_article_is_no_letter(reply: str) -> None:
    assert read_choice(reply, options=OPTIONS, lang="en").status == "unparsed"


def test_a_letter_named_after_another_is_no_article() -> None:
    reading = read_choice("Either B or A would fit here.", options=OPTIONS, lang="en")
    assert (reading.status, reading.detail) == ("ambiguous", "names A, B")


def test_the_end_of_an_adjective_is_no_option_in_japanese() -> None:
    reading = read_choice("答えは丸い。", options=OPTIONS, lang="ja")
    assert reading.status == "unparsed"


def test_an_object_that_speaks_of_reasoning_tags_is_an_object() -> None:
    reading = read_json_object('{"a": "<think>", "b": "</think> x"}', {"a": "string"})
    assert reading.ok
    assert reading.value == {"a": "<think>", "b": "</think> x"}


def test_a_fence_of_tildes_is_a_fence() -> None:
    reading = read_json_object('~~~json\n{"a": "x"}\n~~~', {"a": "string"})
    assert (reading.reason, reading.lenient_ok) == ("fenced", True)
