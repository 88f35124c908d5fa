"""Chinese (Mandarin).

Conventions: GB/T 15835-2011 《出版物上数字用法》 and school usage for numbers (两 before 千, 万, 亿 and
measure words, 幺 in telephone numbers); formulas as in school mathematics (人民教育出版社); units after 法定
计量单位; chemistry as it is read out in class: symbols by their letters, 生成 for the arrow (人民教育出版社,
化学).
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
from voice.speech_text.locales.zh.maths import MATHS
from voice.speech_text.locales.zh.numbers import ChineseNumbers
from voice.speech_text.locales.zh.prose import FINDERS, ChineseProse
from voice.speech_text.locales.zh.units import UNITS

_NAMES: Final = {
    "EUR": "欧元", "GBP": "英镑", "¥": "元", "JPY": "日元", "CNY": "元", "KRW": "韩元", "INR": "卢比",
    "RUB": "卢布",
    "THB": "泰铢", "VND": "越南盾", "PHP": "菲律宾比索", "BTC": "比特币", "ETH": "以太币", "TRY": "里拉",
    "UAH": "格里夫纳",
    "CHF": "瑞士法郎", "SEK": "瑞典克朗", "NOK": "挪威克朗", "DKK": "丹麦克朗", "PLN": "兹罗提",
    "BRL": "雷亚尔",
    "MXN": "墨西哥比索", "CAD": "加元", "AUD": "澳元", "NZD": "新西兰元", "HKD": "港元", "TWD": "新台币",
    "SGD": "新加坡元",
    "USD": "美元",
}  # fmt: skip

_MONEY: Final = MoneyWords(
    currencies={code: CurrencyWords(unit=(name, name)) for code, name in _NAMES.items()},
    amount="{number}{unit}",
    with_cents="{number}{unit}{cents}{cent}",
    cents_alone="{cents}美分",
    range="{low}到{high}",
    negative="负{price}",
    per="每{per}{price}",
    pers={
        "month": "月", "year": "年", "week": "周", "day": "天", "hour": "小时", "minute": "分钟",
        "person": "人", "user": "用户",
        "seat": "席", "night": "晚", "each": "个", "piece": "个", "item": "件", "unit": "个", "kg": "千克",
        "lb": "磅",
        "GB": "吉字节", "TB": "太字节", "kWh": "千瓦时", "token": "token", "mile": "英里", "gal": "加仑",
        "oz": "盎司", "page": "页",
    },
    more_than="{price}以上",
)  # fmt: skip

_CHEMISTRY: Final = ChemistryWords(
    charge_plus="正离子",
    charge_minus="负离子",
    charge_n_plus="{n}价正离子",
    charge_n_minus="{n}价负离子",
    isotope="{element}{mass}",
    isotope_atomic="{element}{mass}，原子序数{atomic}，",
    states={"s": "固态", "l": "液态", "g": "气态", "aq": "水溶液", "cr": "晶态", "am": "非晶态"},
    arrows={"->": "生成", "<-": "来自", "<->": "共振", "<=>": "可逆生成"},
    arrow_with="在{condition}条件下{arrow}",
    heat="加热",
    marks={
        "gas": "气体", "precipitate": "沉淀", "plus": "加", "hydrate": "结合", "electron": "电子",
        "-": "单键", "=": "双键",
        "#": "三键",
    },
    open_group="左括号",
    close_group="右括号",
    counts={},
)  # fmt: skip

_NOTICES: Final = Notices(
    link="链接",
    code="代码在屏幕上。",
    table="表格在屏幕上。",
    spoiler="屏幕上有剧透内容。",
    image="图片",
    file="文件",
    header_cell="{header}：{cell}",
    command="斜杠 {name}",
    someone="某人",
    some_role="某个身份组",
    some_channel="某个频道",
    sentence_end="。",
    clause_end="，",
    list_number="{n}，{text}",
)

_MOMENTS: Final = MomentWords(
    weekdays=("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    weekday_date="{date}{weekday}",
    date_time="{date}{time}",
    ago="{period}前",
    ahead="{period}后",
    now="现在",
    periods={
        "year": ("年", "年"), "month": ("个月", "个月"), "week": ("周", "周"), "day": ("天", "天"),
        "hour": ("小时", "小时"),
        "minute": ("分钟", "分钟"), "second": ("秒", "秒"),
    },
    period="{number}{unit}",
)  # fmt: skip

_EAST: Final = r"[\u3000-\u9fff\uff00-\uffef]"
_SPACE_BY_EAST: Final = re.compile(rf"(?<={_EAST}) +| +(?={_EAST})")
_DOUBLE_PAUSE: Final = re.compile(r"[，；：]+(?=[，；。：！？])")


def _join(pieces: list[str]) -> str:
    return _SPACE_BY_EAST.sub("", " ".join(pieces))


def _finish(text: str) -> str:
    return _DOUBLE_PAUSE.sub("", _SPACE_BY_EAST.sub("", text))


PACK: Final = LocalePack(
    tag="zh",
    numbers=ChineseNumbers(),
    prose=ChineseProse(),
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
