"""Japanese.

Conventions: 公用文作成の考え方 (文化審議会, 2022) for numbers; telephone numbers with の between their
groups; formulas as in school mathematics; units after 計量単位令, with 時速 and 秒速; chemistry as it is read
out in class, where counts take their English names (エイチツーオー).
"""

import re
from typing import Final

from voice.speech_text.locale_pack import (
    ChemistryWords,
    CurrencyWords,
    LocalePack,
    MomentWords,
    MoneyWords,
    Notices,
)
from voice.speech_text.locales.ja.maths import MATHS
from voice.speech_text.locales.ja.numbers import JapaneseNumbers
from voice.speech_text.locales.ja.prose import FINDERS, JapaneseProse
from voice.speech_text.locales.ja.units import UNITS

_NAMES: Final = {
    "USD": "ドル", "EUR": "ユーロ", "GBP": "ポンド", "¥": "円", "JPY": "円", "CNY": "元", "KRW": "ウォン",
    "INR": "ルピー",
    "RUB": "ルーブル", "THB": "バーツ", "VND": "ドン", "PHP": "フィリピンペソ", "BTC": "ビットコイン",
    "ETH": "イーサ",
    "TRY": "リラ", "UAH": "フリヴニャ", "CHF": "スイスフラン", "SEK": "スウェーデンクローナ",
    "NOK": "ノルウェークローネ",
    "DKK": "デンマーククローネ", "PLN": "ズウォティ", "BRL": "レアル", "MXN": "メキシコペソ",
    "CAD": "カナダドル",
    "AUD": "オーストラリアドル", "NZD": "ニュージーランドドル", "HKD": "香港ドル", "TWD": "台湾ドル",
    "SGD": "シンガポールドル",
}  # fmt: skip
_CENTS: Final = {"USD": "セント", "EUR": "セント", "GBP": "ペンス", "CAD": "セント", "AUD": "セント"}

_MONEY: Final = MoneyWords(
    currencies={
        code: CurrencyWords(unit=(name, name), cent=(_CENTS[code], _CENTS[code]) if code in _CENTS else None)
        for code, name in _NAMES.items()
    },
    amount="{number}{unit}",
    with_cents="{number}{unit}{cents}{cent}",
    cents_alone="{cents}{cent}",
    range="{low}から{high}",
    negative="マイナス{price}",
    per="{per}{price}",
    pers={
        "month": "月", "year": "年", "week": "週", "day": "一日", "hour": "一時間", "minute": "一分",
        "person": "一人",
        "user": "一ユーザー", "seat": "一席", "night": "一泊", "each": "一つ", "piece": "一個",
        "item": "一点", "unit": "一個",
        "kg": "一キログラム", "lb": "一ポンド", "GB": "一ギガバイト", "TB": "一テラバイト",
        "kWh": "一キロワット時",
        "token": "一トークン", "mile": "一マイル", "gal": "一ガロン", "oz": "一オンス", "page": "一ページ",
    },
    more_than="{price}以上",
)  # fmt: skip

_CHEMISTRY: Final = ChemistryWords(
    charge_plus="プラス",
    charge_minus="マイナス",
    charge_n_plus="{n}プラス",
    charge_n_minus="{n}マイナス",
    isotope="{element}{mass}",
    isotope_atomic="{element}{mass}、原子番号{atomic}、",
    states={"s": "固体", "l": "液体", "g": "気体", "aq": "水溶液", "cr": "結晶", "am": "非晶質"},
    arrows={"->": "矢印", "<-": "左矢印", "<->": "共鳴", "<=>": "可逆反応の矢印"},
    arrow_with="{condition}で{arrow}",
    heat="加熱",
    marks={
        "gas": "気体発生", "precipitate": "沈殿", "plus": "プラス", "hydrate": "水和", "electron": "電子",
        "-": "単結合",
        "=": "二重結合", "#": "三重結合",
    },
    open_group="カッコ",
    close_group="カッコ閉じる",
    counts={
        "2": "ツー", "3": "スリー", "4": "フォー", "5": "ファイブ", "6": "シックス", "7": "セブン",
        "8": "エイト",
        "9": "ナイン", "10": "テン", "11": "イレブン", "12": "トゥエルブ",
    },
)  # fmt: skip

_NOTICES: Final = Notices(
    link="リンク",
    code="コードは画面にあります。",
    table="表は画面にあります。",
    spoiler="画面にネタバレがあります。",
    image="画像",
    file="ファイル",
    header_cell="{header}、{cell}",
    command="スラッシュ {name}",
    someone="誰か",
    some_role="あるロール",
    some_channel="あるチャンネル",
    sentence_end="。",
    clause_end="、",
    list_number="{n}、{text}",
)

_MOMENTS: Final = MomentWords(
    weekdays=("月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日", "日曜日"),
    weekday_date="{date}{weekday}",
    date_time="{date}{time}",
    ago="{period}前",
    ahead="{period}後",
    now="今",
    periods={
        "year": ("年", "年"), "month": ("か月", "か月"), "week": ("週間", "週間"), "day": ("日", "日"),
        "hour": ("時間", "時間"),
        "minute": ("分", "分"), "second": ("秒", "秒"),
    },
    period="{number}{unit}",
)  # fmt: skip

_EAST: Final = r"[\u3000-\u9fff\uff00-\uffef]"
_SPACE_BY_EAST: Final = re.compile(rf"(?<={_EAST}) +| +(?={_EAST})")
_POLITE: Final = {
    "属する": "属します",
    "比例する": "比例します",
    "割り切る": "割り切ります",
    "近づく": "近づきます",
}
_VERB_BEFORE_COPULA: Final = re.compile(f"({'|'.join(_POLITE)})(のとき|です)")
_DOUBLE_PAUSE: Final = re.compile(r"[、，]+(?=[、，。！？])")


def _join(pieces: list[str]) -> str:
    return _SPACE_BY_EAST.sub("", " ".join(pieces))


def _finish(text: str) -> str:
    text = _VERB_BEFORE_COPULA.sub(lambda m: _POLITE[m[1]] if m[2] == "です" else m[1] + "とき", text)
    return _DOUBLE_PAUSE.sub("", _SPACE_BY_EAST.sub("", text))


PACK: Final = LocalePack(
    tag="ja",
    numbers=JapaneseNumbers(),
    prose=JapaneseProse(),
    maths=MATHS,
    units=UNITS,
    money=_MONEY,
    chemistry=_CHEMISTRY,
    notices=_NOTICES,
    moments=_MOMENTS,
    finders=FINDERS,
    no_space_after="([{\"'“‘（「『-第",
    spaces_words=False,
    join=_join,
    finish=_finish,
)
