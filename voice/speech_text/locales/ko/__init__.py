"""Korean.

Conventions: 한글 맞춤법 (국립국어원) for numbers, counters and particles: native numbers before 개, 명, 시;
Sino-Korean elsewhere; 공 for nought in telephone numbers; formulas as in school mathematics; chemistry as it
is read out in class, where counts take their English names (에이치투오).
"""

from typing import Final

from voice.speech_text.locale_pack import (
    ChemistryWords,
    CurrencyWords,
    LocalePack,
    MomentWords,
    MoneyWords,
    Notices,
)
from voice.speech_text.locales.ko.endings import with_endings
from voice.speech_text.locales.ko.maths import MATHS
from voice.speech_text.locales.ko.numbers import KoreanNumbers
from voice.speech_text.locales.ko.particles import with_particles
from voice.speech_text.locales.ko.prose import FINDERS, KoreanProse
from voice.speech_text.locales.ko.units import UNITS

_NAMES: Final = {
    "USD": "달러", "EUR": "유로", "GBP": "파운드", "¥": "엔", "JPY": "엔", "CNY": "위안", "KRW": "원",
    "INR": "루피",
    "RUB": "루블", "THB": "바트", "VND": "동", "PHP": "필리핀 페소", "BTC": "비트코인", "ETH": "이더",
    "TRY": "리라",
    "UAH": "흐리우냐", "CHF": "스위스 프랑", "SEK": "스웨덴 크로나", "NOK": "노르웨이 크로네",
    "DKK": "덴마크 크로네",
    "PLN": "즈워티", "BRL": "헤알", "MXN": "멕시코 페소", "CAD": "캐나다 달러", "AUD": "호주 달러",
    "NZD": "뉴질랜드 달러",
    "HKD": "홍콩 달러", "TWD": "대만 달러", "SGD": "싱가포르 달러",
}  # fmt: skip
_CENTS: Final = {"USD": "센트", "EUR": "센트", "GBP": "펜스", "CAD": "센트", "AUD": "센트"}

_MONEY: Final = MoneyWords(
    currencies={
        code: CurrencyWords(unit=(name, name), cent=(_CENTS[code], _CENTS[code]) if code in _CENTS else None)
        for code, name in _NAMES.items()
    },
    amount="{number} {unit}",
    with_cents="{number} {unit} {cents} {cent}",
    cents_alone="{cents} {cent}",
    range="{low}에서 {high}",
    negative="마이너스 {price}",
    per="{per} {price}",
    pers={
        "month": "월", "year": "연", "week": "주당", "day": "하루", "hour": "시간당", "minute": "분당",
        "person": "일인당",
        "user": "사용자당", "seat": "좌석당", "night": "일박", "each": "개당", "piece": "개당",
        "item": "개당", "unit": "개당",
        "kg": "킬로그램당", "lb": "파운드당", "GB": "기가바이트당", "TB": "테라바이트당",
        "kWh": "킬로와트시당", "token": "토큰당",
        "mile": "마일당", "gal": "갤런당", "oz": "온스당", "page": "쪽당",
    },
    more_than="{price} 이상",
)  # fmt: skip

_CHEMISTRY: Final = ChemistryWords(
    charge_plus="플러스",
    charge_minus="마이너스",
    charge_n_plus="{n} 플러스",
    charge_n_minus="{n} 마이너스",
    isotope="{element} {mass}",
    isotope_atomic="{element} {mass}, 원자 번호 {atomic},",
    states={"s": "고체", "l": "액체", "g": "기체", "aq": "수용액", "cr": "결정", "am": "비결정"},
    arrows={"->": "화살표", "<-": "왼쪽 화살표", "<->": "공명", "<=>": "가역 반응"},
    arrow_with="{condition} 조건에서 {arrow}",
    heat="가열",
    marks={
        "gas": "기체 발생", "precipitate": "침전", "plus": "더하기", "hydrate": "수화", "electron": "전자",
        "-": "단일 결합",
        "=": "이중 결합", "#": "삼중 결합",
    },
    open_group="괄호 열고",
    close_group="괄호 닫고",
    counts={
        "2": "투", "3": "쓰리", "4": "포", "5": "파이브", "6": "식스", "7": "세븐", "8": "에이트",
        "9": "나인", "10": "텐",
        "11": "일레븐", "12": "트웰브",
    },
)  # fmt: skip

_NOTICES: Final = Notices(
    link="링크",
    code="코드는 화면에 있습니다.",
    table="표는 화면에 있습니다.",
    spoiler="화면에 스포일러가 있습니다.",
    image="이미지",
    file="파일",
    header_cell="{header}, {cell}",
    command="슬래시 {name}",
    someone="누군가",
    some_role="어떤 역할",
    some_channel="어떤 채널",
    sentence_end=".",
    clause_end=",",
    list_number="{n}, {text}",
)

_MOMENTS: Final = MomentWords(
    weekdays=("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"),
    weekday_date="{date} {weekday}",
    date_time="{date} {time}",
    ago="{period} 전",
    ahead="{period} 후",
    now="지금",
    periods={
        "year": ("년", "년"), "month": ("개월", "개월"), "week": ("주", "주"), "day": ("일", "일"),
        "hour": ("시간", "시간"),
        "minute": ("분", "분"), "second": ("초", "초"),
    },
    period="{number} {unit}",
)  # fmt: skip


def _join(pieces: list[str]) -> str:
    return with_particles(" ".join(pieces).replace(" ,", ",").replace("  ", " "))


def _finish(text: str) -> str:
    return with_endings(with_particles(text)).replace(",,", ",").replace(",.", ".")


PACK: Final = LocalePack(
    tag="ko",
    numbers=KoreanNumbers(),
    prose=KoreanProse(),
    maths=MATHS,
    units=UNITS,
    money=_MONEY,
    chemistry=_CHEMISTRY,
    notices=_NOTICES,
    moments=_MOMENTS,
    finders=FINDERS,
    no_space_after="([{\"'“‘（「『-제",
    spaces_words=True,
    join=_join,
    finish=_finish,
)
