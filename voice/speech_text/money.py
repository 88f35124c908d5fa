"""Prices in prose: found as typed spans, said by a pack (SPEECH-5)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from voice.speech_text.locale_pack import LocalePack
from voice.speech_text.numerals import NUMERAL, Numeral, numeral
from voice.speech_text.prose.common import DASH

SYMBOLS: Final = {
    "US$": "USD", "CA$": "CAD", "C$": "CAD", "AU$": "AUD", "A$": "AUD", "NZ$": "NZD", "HK$": "HKD",
    "NT$": "TWD",
    "S$": "SGD", "R$": "BRL", "Mex$": "MXN", "$": "USD", "＄": "USD", "€": "EUR", "£": "GBP", "￡": "GBP",
    "¥": "¥", "￥": "¥",
    "₩": "KRW", "￦": "KRW", "₹": "INR", "₽": "RUB", "฿": "THB", "₫": "VND", "₱": "PHP", "₿": "BTC",
    "₺": "TRY",
    "₴": "UAH", "CN¥": "CNY", "JP¥": "JPY",
}  # fmt: skip
_CODES_WORDS: Final = (
    "USD EUR GBP JPY CNY RMB KRW CAD AUD NZD HKD TWD SGD BRL MXN INR RUB THB VND PHP BTC ETH TRY UAH "
    "CHF SEK NOK DKK PLN"
)
CODES: Final = _CODES_WORDS.split()
_SYMBOL: Final = "(?:" + "|".join(re.escape(sign) for sign in sorted(SYMBOLS, key=len, reverse=True)) + ")"
_CODE: Final = "(?:" + "|".join(CODES) + ")"
_ANY: Final = re.compile(f"[$＄€£￡¥￥₩￦₹₽฿₫₱₿₺₴¢]|{_CODE}")
_SCALE: Final = (
    r"(?:\s?(?P<{0}>k|K|mn|MM|[mM]|bn|[bB]|tn|T)(?![A-Za-z0-9])|\s?(?P<{0}w>thousand|million|billion|trillion)(?a:\b)"
    r"|\s?(?P<{0}c>千万|百万|十万|万|萬|亿|億|兆|만|억|천만|천|조))?"
)
_PER: Final = (
    r"(?:\s?/\s?(?P<{0}>month|mo|year|yr|week|wk|day|hour|hr|h|minute|min|person|user|seat|night|kg|lb|GB|TB|kWh|item|unit"
    r"|piece|pc|each|ea|token|mile|gal|oz|page|月|年|天|日|周|人|小时|時間|個|个|斤|晚|월|년|일|시간|명|개|kg)(?![A-Za-z]))?"
)
_BEHIND: Final = r"[$＄¥￥](?![A-Za-z0-9$\\({\ue000-\uf8ff])"
"""A dollar or yen sign that ends a price, and begins neither another one, a name nor a formula."""
_COMMA_SUM: Final = r"(?:\d{1,3}(?:\.\d{3})+|\d+),\d{2}(?!\d|[.,]\d)"
_SUM: Final = f"(?:{_COMMA_SUM}|{NUMERAL})"
"""With a point or, as most of Europe writes it, a comma before the hundredths."""
_PRICE: Final = re.compile(
    rf"(?P<minus>[-\u2212](?=\s?(?:{_SYMBOL})))?(?:(?P<symbol>{_SYMBOL})\s?(?P<minus2>[-\u2212])?|(?P<code>(?a:\b){_CODE})\s)"
    rf"(?P<low>{_SUM}){_SCALE.format('a')}"
    rf"(?:{DASH}(?:{_SYMBOL})?(?P<high>{_SUM}){_SCALE.format('b')})?(?P<more>\+(?![A-Za-z0-9]|\s?[\d$€£¥]))?{_PER.format('per')}"
    rf"|(?<![\d.,$€£¥])(?P<low2>[-\u2212]?{_SUM}){_SCALE.format('c')}(?:(?:[€£₩₹₽฿₫₱₿₺₴]|{_BEHIND})?{DASH}(?P<high2>{_SUM}){_SCALE.format('d')})?"
    rf"\s?(?:(?P<symbol2>[€£₩₹₽฿₫₱₿₺₴]|{_BEHIND})|(?P<code2>{_CODE})(?a:\b)|(?P<cents>¢)){_PER.format('per2')}"
)
_ENDS_BY_COMMA: Final = re.compile(r",\d{2}$")
_WORDS: Final = {"thousand": "K", "million": "M", "billion": "B", "trillion": "T"}
_LETTERS: Final = {"mn": "M", "MM": "M", "bn": "B", "tn": "T"}
_PERS: Final = {
    "mo": "month", "yr": "year", "wk": "week", "hr": "hour", "h": "hour", "min": "minute", "pc": "piece",
    "ea": "each",
    "月": "month", "年": "year", "天": "day", "日": "day", "周": "week", "人": "person", "小时": "hour",
    "時間": "hour",
    "個": "piece", "个": "piece", "晚": "night", "월": "month", "년": "year", "일": "day", "시간": "hour",
    "명": "person",
    "개": "piece",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """An amount of money; `scale` is `K`, `M`, `B`, `T`, an eastern unit as written, or empty."""

    currency: str
    low: Numeral
    low_scale: str = ""
    high: Numeral | None = None
    high_scale: str = ""
    negative: bool = False
    more: bool = False
    per: str = ""


def find_prices(text: str) -> Iterator[tuple[int, int, Price]]:
    """Start, end and value of each price."""
    if not _ANY.search(text):
        return
    for match in _PRICE.finditer(text):
        yield match.start(), match.end(), _price(match)


def _scale(match: re.Match[str], name: str) -> str:
    letter = match[name]
    if letter:
        return _LETTERS.get(letter, letter.upper())
    return _WORDS.get(match[name + "w"] or "", match[name + "c"] or "")


def _price(match: re.Match[str]) -> Price:
    currency = SYMBOLS.get(match["symbol"] or match["symbol2"] or "") or match["code"] or match["code2"]
    if currency == "RMB":
        currency = "CNY"
    is_first = match["low"] is not None
    low = _sum(match["low"] or match["low2"])
    high = match["high"] or match["high2"]
    low_scale, high_scale = (_scale(match, name) for name in ("ab" if is_first else "cd"))
    per = match["per"] or match["per2"] or ""
    return Price(
        currency=currency or "cent",
        low=Numeral(whole=low.whole, fraction=low.fraction),
        low_scale=low_scale or (high_scale if high else ""),
        high=_sum(high) if high else None,
        high_scale=high_scale,
        negative=bool(match["minus"] or match["minus2"] or low.negative),
        more=bool(match["more"]),
        per=_PERS.get(per, per),
    )


def _sum(text: str) -> Numeral:
    if _ENDS_BY_COMMA.search(text):
        text = text.replace(".", "").replace(",", ".")
    return numeral(text)


def say_price(price: Price, pack: LocalePack) -> str:
    """The words of a price."""
    words = pack.money
    if price.high is None:
        said = _amount(price.low, price.low_scale, price.currency, pack)
    else:
        plain = words.currencies.get(price.currency)
        low = _number(price.low, price.low_scale if price.low_scale != price.high_scale else "", pack)
        high = _number(price.high, price.high_scale, pack)
        if price.low_scale and price.low_scale == price.high_scale and pack.numbers.needs_scale_twice:
            low = _number(price.low, price.low_scale, pack)
        unit = plain.unit[1] if plain else price.currency
        said = words.amount.format(number=words.range.format(low=low, high=high), unit=unit)
    if price.negative:
        said = words.negative.format(price=said)
    if price.more:
        said = words.more_than.format(price=said)
    if price.per:
        said = words.per.format(price=said, per=words.pers.get(price.per, price.per))
    return said


def _number(value: Numeral, scale: str, pack: LocalePack) -> str:
    return pack.numbers.scaled(value, scale) if scale else pack.numbers.number(value)


def _amount(value: Numeral, scale: str, currency: str, pack: LocalePack) -> str:
    words = pack.money
    if currency == "cent":
        coin = words.currencies["USD"].cent or ("cent", "cents")
        number = pack.numbers.number(value)
        return words.cents_alone.format(cents=number, cent=coin[0] if value.is_one else coin[1])
    known = words.currencies.get(currency)
    if known is None:
        return words.amount.format(number=_number(value, scale, pack), unit=currency)
    cents = _cents(value) if known.cent and not scale else None
    if cents is None or known.cent is None:
        bare = Numeral(whole=value.whole) if not value.fraction.strip("0") else value
        unit = known.unit[0] if bare.is_one and not scale else known.unit[1]
        number = _number(bare, scale, pack) if scale else pack.numbers.counted(bare)
        return words.amount.format(number=number, unit=unit)
    coin = known.cent[0] if cents == 1 else known.cent[1]
    said_cents = pack.numbers.counted(Numeral(whole=str(cents)))
    if not value.whole.strip("0"):
        return words.cents_alone.format(cents=said_cents, cent=coin)
    unit = known.unit[0] if value.whole == "1" else known.unit[1]
    whole = pack.numbers.counted(Numeral(whole=value.whole))
    return words.with_cents.format(number=whole, unit=unit, cents=said_cents, cent=coin)


def _cents(value: Numeral) -> int | None:
    """Hundredths of an amount with one or two decimals that are not nought."""
    if not 1 <= len(value.fraction) <= 2 or not value.fraction.strip("0"):
        return None
    return int(value.fraction.ljust(2, "0"))
