"""What holds for the reading of any text at all (SPEECH-2, SPEECH-6, SPEECH-10)."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from voice.speech_text import to_speech_text

LANGUAGES = st.sampled_from(["en", "zh", "ja", "ko", "en-GB", "zh-Hant-TW", "fr", "", "x"])
PIECES = [
    *"*_`~|$[](){}<>#\\^&%@+-=/!?.,:;'\"\n\n  09aAxé你い가😀²₃½√∑±×",
    "**", "__", "||", "$$", "\\(", "\\)", "\\[", "\\]", "```\n", "](", "![", "<@123>", "<:a:1>", "<t:1:R>",
    "<t:", "</a b:1>",
    "https://example.com/a_b", "www.a.com", "\\frac", "\\frac.1", "\\sqrt", "\\ce{", "\\left(", "\\right)",
    "\\begin{cases}", "\\\\",
    "\\end{cases}", "\\SI{", "\\sum_", "x^2", "$5", "€3.50", "10:30", "2024-02-30", "1/2", "5 km/h", "-3°C",
    "H2O", "2H₂ + O₂ →",
    "| a | b |\n", "|--|--|\n", "- ", "1. ", "> ", "-# ", "IV", "v1.2", "in 1999", "3개", "2个", "年", "ko",
    "\ue0005\ue001", "\u202e",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60)

MARKS = re.compile(r"[*`~|#<>\\{}\[\]^_$]|https?:|www\.|://")


@settings(max_examples=400, deadline=None)
@given(TEXTS, LANGUAGES)
def test_no_text_raises_and_no_mark_is_spoken(text: str, language: str) -> None:
    """SPEECH-2, SPEECH-3, SPEECH-6: a reading has no Markdown, TeX, address or Discord mark, ever."""
    said = to_speech_text(text, language=language)
    assert not MARKS.search(said), said
    assert "\ue000" not in said
    assert said == said.strip()


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_the_same_text_is_read_the_same(text: str) -> None:
    """SPEECH-10: a reading depends on its input alone."""
    assert to_speech_text(text, language="ja") == to_speech_text(text, language="ja")
