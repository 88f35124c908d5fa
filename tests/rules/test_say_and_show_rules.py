"""What of an answer is said where the chat shows all of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.markers.parser import Delay
from voice.output.phrases import phrases_in
from voice.output.say_and_show_rules import SayAndShow, SayLimits
from voice.output.speech_length_rules import speech_weight
from voice.speech_text import Placed, SpeechPiece, SpeechTextStream, Spoken

LIMITS = SayLimits()
EN = phrases_in("en")


def pieces(
    answer: str, *, limits: SayLimits | None = LIMITS, language: str = "en", step: int = 7
) -> list[SpeechPiece]:
    """The answer, written in chunks of `step` characters."""
    reader, rule = SpeechTextStream(language=language), SayAndShow(limits, language=language)
    out: list[SpeechPiece] = []
    for start in range(0, len(answer), step):
        chunk = answer[start : start + step]
        rule.wrote(chunk)
        for piece in reader.feed(chunk):
            out += rule.take(piece)
    for piece in reader.end():
        out += rule.take(piece)
    return [*out, *rule.end()]


def said(answer: str, *, limits: SayLimits | None = LIMITS, language: str = "en", step: int = 7) -> list[str]:
    spoken = pieces(answer, limits=limits, language=language, step=step)
    return [piece.text for piece in spoken if isinstance(piece, Spoken)]


CODE = "Like this:\n\n```py\nprint(1)\n```\n\nThat is all.\n"
TABLE = "The prices:\n\n| thing | price |\n|---|---|\n| tea | 2 |\n\nThat is all.\n"
LINK = "See [the docs](https://docs.example/a) for it.\n"


@pytest.mark.parametrize(
    ("answer", "heard"),
    [
        ("Yes.", ["Yes."]),
        (CODE, ["Like this:", "That is all.", EN.code]),
        (TABLE, ["The prices:", "That is all.", EN.table]),
        (LINK, ["See the docs for it.", EN.link]),
        ("Go to https://a.example/b now.", ["Go to link now.", EN.link]),
        (CODE + TABLE, ["Like this:", "That is all.", "The prices:", "That is all.", EN.details]),
        ("```py\nprint(1)\n```\n", ["There is code on the screen."]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", [EN.table]),
        ("Use `print` and a|b there.", ["Use print and a b there."]),
    ],
)
def test_what_has_no_sound_is_shown_and_named(answer: str, heard: list[str]) -> None:
    """VOX-28: code, links and tables go to the chat; speech carries the short version."""
    for step in (1, 7, 1_000):
        assert said(answer, step=step) == heard


def items(count: int) -> str:
    return "".join(f"- thing {number}\n" for number in range(1, count + 1))


def test_a_list_is_said_while_it_is_short() -> None:
    """VOX-28: five items are a short list, six are not; what follows the list is said."""
    assert said(f"We have:\n{items(5)}\nEnjoy it.") == [
        "We have:", "thing one.", "thing two.", "thing three.", "thing four.", "thing five.", "Enjoy it.",
    ]  # fmt: skip
    assert said(f"We have:\n{items(6)}\nEnjoy it.") == [
        "We have:", "thing one.", "thing two.", "thing three.", EN.full_list, "Enjoy it.",
    ]  # fmt: skip
    assert said(items(40)) == ["thing one.", "thing two.", "thing three.", EN.full_list]


def test_the_sentences_of_an_item_stay_with_it() -> None:
    long = "".join(f"{number}. Step {number}. Do it well.\n" for number in range(1, 9))
    heard = said(long)
    assert len(heard) == 7
    assert heard[-1] == EN.full_list
    assert said("1. One. Two.\n2. Three. Four.\n")[-1] == "Four."


SENTENCE = "This sentence has exactly fifty letters, count it. "


def test_a_long_answer_is_said_in_its_first_part_and_offered_in_text() -> None:
    """VOX-28: about a minute, to the end of a sentence."""
    heard = said(SENTENCE * 40)
    assert heard[-1] == EN.rest
    assert heard.count(EN.rest) == 1
    assert 840 <= len("".join(heard[:-1])) <= LIMITS.most_said


def test_nobody_is_sent_to_the_chat_for_one_sentence() -> None:
    """VOX-28: what goes only a little beyond the bound is said to its end."""
    assert EN.rest not in said(SENTENCE * 20)
    assert len(said(SENTENCE * 20)) == 20
    assert EN.rest in said(SENTENCE * 25)


def test_one_endless_sentence_is_begun() -> None:
    """The first segment is always said; `in_parts` keeps it speakable."""
    assert said("word " * 600)[0].startswith("word word")


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("zh", "今天的天气非常好，我们去公园散步吧。"),
        ("ja", "今日はとても天気がいいので、散歩に行きましょう。"),
        ("ko", "오늘은 날씨가 좋아서 공원에 산책하러 갑시다. "),
    ],
)
def test_the_offer_is_in_the_language_of_the_answer(language: str, answer: str) -> None:
    """VOX-28: a minute of it has fewer characters; the voice may be an English one."""
    heard = said(answer * 60, language="en")
    assert heard[-1] == phrases_in(language).rest != EN.rest
    assert len("".join(heard)) < 400
    code = said(answer + "\n\n```py\nx\n```\n" + answer, language="en")
    assert code[-1] == phrases_in(language).code


def test_without_a_chat_everything_is_said() -> None:
    """VOX-26 off: there is nowhere to show anything."""
    everything = said(SENTENCE * 40 + "\n\n" + items(9) + LINK, limits=None)
    assert len(everything) == 50
    assert EN.rest not in everything


def test_a_pause_keeps_its_place_among_what_is_said() -> None:
    """SPEECH-9: and vanishes with what is only shown."""
    rule = SayAndShow(SayLimits(most_said=20, grace=5), language="en")
    pause = Placed(marker=Delay(seconds=1))
    one, two = (Spoken(text="A" * 15, source="A" * 15), Spoken(text="B" * 15, source="B" * 15))
    assert rule.take(one) == (one,)
    assert rule.take(pause) == (pause,)
    (offer,) = rule.take(two)
    assert isinstance(offer, Spoken)
    assert rule.take(pause) == ()
    assert rule.end() == ()


BITS = st.sampled_from(
    [
        "- item\n",
        "1. step\n",
        "Words here. ",
        "```\ncode\n```\n",
        "| a | b |\n|-|-|\n| c | d |\n",
        "\n",
        "今天。",
        "a",
    ]
)


@settings(max_examples=40)
@given(st.lists(BITS, max_size=60).map("".join), st.integers(1, 40))
def test_what_is_said_does_not_depend_on_the_chunks_and_is_bounded(answer: str, step: int) -> None:
    """VOX-28: within the bound, its grace, one segment and the notices; in the order of the answer."""
    heard = said(answer, step=step)
    assert heard == said(answer, step=1_000)
    first = max((speech_weight(text) for text in heard), default=0)
    assert sum(map(speech_weight, heard)) <= LIMITS.most_said + LIMITS.grace + first + 200
    sources = [
        piece.source for piece in pieces(answer, step=step) if isinstance(piece, Spoken) and piece.source
    ]
    place = 0
    for source in sources:
        place = answer.index(source, place) + len(source)
