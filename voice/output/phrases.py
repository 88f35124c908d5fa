"""The few words that are ours and not the model's, by language (VOX-20, VOX-28)."""

from dataclasses import dataclass
from typing import Final

from voice.speech_text.languages import base_language


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Whole sentences. What is only shown is named in the order of the fields, or as `details`."""

    acknowledgement: str
    rest: str
    details: str
    code: str
    table: str
    full_list: str
    link: str


_BY_LANGUAGE: Final = {
    "en": Phrases(
        acknowledgement="Let me check.",
        rest="The rest is in the chat.",
        details="The details are in the chat.",
        code="The code is in the chat.",
        table="The table is in the chat.",
        full_list="The full list is in the chat.",
        link="The link is in the chat.",
    ),
    "zh": Phrases(
        acknowledgement="我看一下。",
        rest="其余内容在聊天里。",
        details="详细内容在聊天里。",
        code="代码在聊天里。",
        table="表格在聊天里。",
        full_list="完整的列表在聊天里。",
        link="链接在聊天里。",
    ),
    "ja": Phrases(
        acknowledgement="確認しますね。",
        rest="続きはチャットにあります。",
        details="詳しくはチャットにあります。",
        code="コードはチャットにあります。",
        table="表はチャットにあります。",
        full_list="リストの全部はチャットにあります。",
        link="リンクはチャットにあります。",
    ),
    "ko": Phrases(
        acknowledgement="확인해 볼게요.",
        rest="나머지는 채팅에 있어요.",
        details="자세한 내용은 채팅에 있어요.",
        code="코드는 채팅에 있어요.",
        table="표는 채팅에 있어요.",
        full_list="전체 목록은 채팅에 있어요.",
        link="링크는 채팅에 있어요.",
    ),
}


def phrases_in(language: str) -> Phrases:
    """The phrases of a BCP 47 tag; English for a language without its own."""
    return _BY_LANGUAGE.get(base_language(language), _BY_LANGUAGE["en"])
