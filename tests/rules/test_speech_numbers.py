"""Numbers as words in four languages (SPEECH-8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.speech_text import LocalePack, math_speech
from voice.speech_text.numerals import Numeral, numeral
from voice.speech_text.prose.spans import Date, Ordinal, TimeOfDay, Year

PACKS = [math_speech.pack(language) for language in ("en", "zh", "ja", "ko")]
packs = pytest.mark.parametrize("pack", PACKS, ids=[pack.tag for pack in PACKS])

CASES = {
    "0": ("zero", "零", "ゼロ", "영"),
    "10": ("ten", "十", "十", "십"),
    "11": ("eleven", "十一", "十一", "십일"),
    "20": ("twenty", "二十", "二十", "이십"),
    "100": ("one hundred", "一百", "百", "백"),
    "101": ("one hundred one", "一百零一", "百一", "백일"),
    "110": ("one hundred ten", "一百一十", "百十", "백십"),
    "200": ("two hundred", "二百", "二百", "이백"),
    "1000": ("one thousand", "一千", "千", "천"),
    "1001": ("one thousand one", "一千零一", "千一", "천일"),
    "2002": ("two thousand two", "两千零二", "二千二", "이천이"),
    "10000": ("ten thousand", "一万", "一万", "만"),
    "10001": ("ten thousand one", "一万零一", "一万一", "만 일"),
    "12345": (
        "twelve thousand three hundred forty-five",
        "一万两千三百四十五",
        "一万二千三百四十五",
        "만 이천삼백사십오",
    ),
    "20000": ("twenty thousand", "两万", "二万", "이만"),
    "100000": ("one hundred thousand", "十万", "十万", "십만"),
    "101000": ("one hundred one thousand", "十万一千", "十万千", "십만 천"),
    "1000000": ("one million", "一百万", "百万", "백만"),
    "10000000": ("ten million", "一千万", "一千万", "천만"),
    "100000000": ("one hundred million", "一亿", "一億", "일억"),
    "200000000": ("two hundred million", "两亿", "二億", "이억"),
    "1000000000000": ("one trillion", "一万亿", "一兆", "일조"),
    "3.14": ("three point one four", "三点一四", "三点一四", "삼 점 일사"),
    "0.05": ("zero point zero five", "零点零五", "零点零五", "영 점 영오"),
    "-7": ("minus seven", "负七", "マイナス七", "마이너스 칠"),
}


@pytest.mark.parametrize(("written", "said"), CASES.items(), ids=CASES.keys())
def test_numbers(written: str, said: tuple[str, str, str, str]) -> None:
    """SPEECH-8: English, Chinese, Japanese, Korean."""
    assert tuple(pack.numbers.number(numeral(written)) for pack in PACKS) == said


@packs
@given(first=st.integers(0, 10**15), second=st.integers(0, 10**15))
def test_two_numbers_never_sound_the_same(pack: LocalePack, first: int, second: int) -> None:
    """SPEECH-8: a reading tells its number."""
    one, other = (pack.numbers.number(Numeral(whole=str(value))) for value in (first, second))
    assert (one == other) == (first == second)


@packs
def test_small_numbers_never_sound_the_same(pack: LocalePack) -> None:
    """SPEECH-8: every number up to twelve thousand has words of its own."""
    said = {pack.numbers.number(Numeral(whole=str(value))) for value in range(12_000)}
    assert len(said) == 12_000


@packs
def test_a_number_too_long_to_name_is_said_digit_by_digit(pack: LocalePack) -> None:
    """SPEECH-10: no number is too long."""
    assert pack.numbers.number(Numeral(whole="12" * 500)) == pack.numbers.digits("12" * 500)


def test_calendar_and_clock() -> None:
    """SPEECH-8: dates, times, years and ordinals."""
    spans = [
        (
            Date(year=2026, month=11, day=30),
            "November thirtieth, twenty twenty-six",
            "二零二六年十一月三十日",
        ),
        (Date(month=2, day=1), "February first", "二月一日"),
        (TimeOfDay(hour=0, minute=5), "zero oh five", "零点零五分"),
        (TimeOfDay(hour=12, minute=0), "twelve o'clock", "十二点整"),
        (TimeOfDay(hour=2, minute=30, half="pm"), "two thirty PM", "下午两点三十分"),
        (Year(value=1066), "ten sixty-six", "一零六六年"),
        (Year(value=1900), "nineteen hundred", "一九零零年"),
        (Year(value=2000), "two thousand", "二零零零年"),
        (Ordinal(value=12), "twelfth", "第十二"),
        (Ordinal(value=101), "one hundred first", "第一百零一"),
    ]
    english, chinese = PACKS[0].prose, PACKS[1].prose
    assert [(english.say(span), chinese.say(span)) for span, _, _ in spans] == [
        (en, zh) for _, en, zh in spans
    ]
