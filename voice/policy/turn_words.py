"""The small words of talk by language (ISO 639-1): what keeps a sentence open, what only nods, what greets.

Lists are lower case, without punctuation. Chinese, Japanese and Korean have no spaces that could be relied
on: there the entries are endings of the text.
"""

from collections.abc import Mapping
from typing import Final

ENDINGS_BY_LETTER: Final = frozenset({"zh", "ja", "ko", "yue", "th"})
"""Languages whose words are looked for as endings of the text."""


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


HESITATIONS: Final[Mapping[str, frozenset[str]]] = {
    "en": _listed("um umm uh uhh uhm er erm hmm hm like so well"),
    "de": _listed("äh ähm öh öhm hm hmm also naja tja"),
    "fr": _listed("euh heu hum ben bah alors"),
    "es": _listed("eh em este pues bueno mmm"),
    "it": _listed("eh ehm allora cioè mmm"),
    "pt": _listed("hã hum é então tipo"),
    "nl": _listed("eh uh uhm hm dus nou"),
    "zh": frozenset(("嗯", "呃", "那个", "这个", "就是")),
    "ja": frozenset(("えっと", "えーと", "あの", "あのー", "うーん", "まあ", "その")),
    "ko": frozenset(("음", "어", "그", "저기", "그러니까")),
}
"""A text that ends with one goes on."""

OPENERS: Final[Mapping[str, frozenset[str]]] = {
    "en": _listed(
        "and or but because if when while although though since unless until than that which who whose "
        "the a an my your his its our their this these of to in on at for with from by about into as is "
        "are was were i'm i we they you're he's she's it's very really gonna wanna let's maybe"
    ),
    "de": _listed(
        "und oder aber weil wenn dass ob als während obwohl denn sondern der die das den dem des ein "
        "eine einen einem einer mein dein sein ihr unser von zu in im an am auf für mit aus bei nach "
        "über um ist sind war ich wir sehr vielleicht"
    ),
    "fr": _listed(
        "et ou mais parce que qui si quand comme donc car le la les un une des du de à au aux en dans "
        "sur pour avec chez mon ton son ma ta sa mes tes ses je j'ai c'est très peut-être"
    ),
    "es": _listed(
        "y o pero porque que si cuando como aunque el la los las un una unos unas de del a al en con "
        "por para sin mi tu su mis tus sus es son muy quizás"
    ),
    "it": _listed(
        "e o ma perché che se quando come il lo la i gli le un una di del a al in con per mio tuo è sono"
    ),
    "pt": _listed("e ou mas porque que se quando como o a os as um uma de do da em no na com por para"),
    "nl": _listed("en of maar omdat dat als wanneer want de het een van te in op aan voor met bij mijn"),
    "zh": frozenset(
        ("和", "跟", "但是", "可是", "因为", "所以", "如果", "然后", "还有", "或者", "的话", "比如")
    ),
    "ja": frozenset(
        (
            "て",
            "で",
            "が",
            "けど",
            "けれど",
            "から",
            "ので",
            "のに",
            "と",
            "は",
            "を",
            "に",
            "も",
            "し",
            "たら",
            "とか",
        )
    ),
    "ko": frozenset(
        (
            "고",
            "는데",
            "지만",
            "니까",
            "서",
            "면",
            "그리고",
            "그런데",
            "근데",
            "왜냐하면",
            "은",
            "는",
            "을",
            "를",
            "에",
        )
    ),
}
"""A text that ends with one waits for the rest of its sentence."""

BACKCHANNELS: Final[Mapping[str, frozenset[str]]] = {
    "en": _listed(
        "uh-huh uhhuh mm-hmm mhm mmhm mm hm hmm huh yeah yep yup yes right okay ok sure wow cool nice "
        "oh ah aha i-see really true exactly great alright haha hah ha"
    ),
    "de": _listed("mhm hm hmm ja jaja genau aha ach ach-so okay ok stimmt klar gut echt oh ah haha ha"),
    "fr": _listed("mhm hm oui ouais ok okay d'accord ah oh bon voilà exact super haha ha"),
    "es": _listed("mhm ajá sí si ya ok okay vale claro oh ah vaya bueno jaja ja"),
    "it": _listed("mhm sì si ok okay già certo ah oh ecco giusto bene haha ha"),
    "pt": _listed("mhm sim é ok okay tá certo ah oh pois claro haha ha"),
    "nl": _listed("mhm ja jaja ok okay precies aha oh ah goed juist haha ha"),
    "zh": frozenset(
        ("嗯", "嗯嗯", "哦", "噢", "对", "对对", "是", "是的", "好", "好的", "哈哈", "啊", "原来如此")
    ),
    "ja": frozenset(
        (
            "うん",
            "うんうん",
            "はい",
            "ええ",
            "へえ",
            "そう",
            "そうそう",
            "そうですね",
            "なるほど",
            "ああ",
            "おお",
        )
    ),
    "ko": frozenset(("응", "네", "예", "그래", "맞아", "아", "오", "그렇구나", "그렇군요", "하하")),
}
"""Said by a listener who wants the speaker to go on; no claim to the floor."""

ASSENTS: Final[Mapping[str, frozenset[str]]] = {
    "en": _listed(
        "uh-huh uhhuh mm-hmm mhm mmhm yeah yep yup yes right okay ok sure true exactly great alright"
    ),
    "de": _listed("mhm ja jaja genau okay ok stimmt klar gut"),
    "fr": _listed("oui ouais ok okay d'accord bon exact"),
    "es": _listed("ajá sí si ok okay vale claro bueno"),
    "it": _listed("sì si ok okay certo giusto bene"),
    "pt": _listed("sim é ok okay tá certo pois claro"),
    "nl": _listed("ja jaja ok okay precies goed juist"),
    "zh": frozenset(("嗯", "嗯嗯", "对", "对对", "是", "是的", "好", "好的")),
    "ja": frozenset(("うん", "うんうん", "はい", "ええ", "そう", "そうそう", "そうですね")),
    "ko": frozenset(("응", "네", "예", "그래", "맞아")),
}
"""Of the backchannels those that say yes where they answer a question."""

GREETINGS: Final = _listed(
    "hey hi hello ok okay so well and but oh um uh yo hallo na also und he salut bonjour dis alors et "
    "hola oye y ciao ehi oi olá hoi 嘿 你好 喂 ねえ おい あの 야 저기 안녕"
)
"""May stand before a name that is called at the start."""


ORDINARY_WORDS: Final = _listed(
    "april art bill can chance chase dawn drew faith frank grace guy happy hope joy june major mark may "
    "pat rich rob rose sky sue sunny will"
)
"""Names that begin a sentence without calling anybody: "Will it rain?"."""


def words_for(table: Mapping[str, frozenset[str]], language: str | None) -> frozenset[str]:
    """The list of the language; all lists together when it is unknown or has none."""
    if language is not None and language in table:
        return table[language]
    return frozenset(word for words in table.values() for word in words)
