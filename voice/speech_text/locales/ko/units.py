"""Korean names of units (국가표준기본법: 미터 매 초, 미터 매 초 제곱; 시속 and 초속 as they are said)."""

from typing import Final

from voice.speech_text.locale_pack import UnitWords

_PREFIXES: Final = {
    "k": "킬로", "M": "메가", "G": "기가", "T": "테라", "P": "페타", "m": "밀리", "µ": "마이크로",
    "n": "나노", "p": "피코",
    "f": "펨토", "c": "센티", "d": "데시", "h": "헥토", "da": "데카", "Ki": "키비", "Mi": "메비",
    "Gi": "기비", "Ti": "테비",
}  # fmt: skip
_BASES: Final = {
    "m": "미터", "g": "그램", "s": "초", "A": "암페어", "K": "켈빈", "mol": "몰", "Hz": "헤르츠", "N": "뉴턴",
    "Pa": "파스칼",
    "J": "줄", "W": "와트", "V": "볼트", "F": "패럿", "Ω": "옴", "T": "테슬라", "C": "쿨롬", "L": "리터",
    "eV": "전자볼트",
    "B": "바이트", "b": "비트", "cal": "칼로리", "Wh": "와트시", "Ah": "암페어시", "bar": "바",
    "Bq": "베크렐", "Sv": "시버트",
    "t": "톤", "H": "헨리", "S": "지멘스",
}  # fmt: skip
_ALONE: Final = {
    "min": "분", "h": "시간", "d": "일", "cd": "칸델라", "Wb": "웨버", "lm": "루멘", "lx": "럭스",
    "rad": "라디안",
    "sr": "스테라디안", "ha": "헥타르", "dB": "데시벨", "mmHg": "밀리미터 수은주", "fps": "프레임 매 초",
    "dpi": "도트 매 인치",
    "ppi": "픽셀 매 인치", "ppm": "피피엠", "rpm": "회전 매 분", "psi": "파운드 매 제곱인치", "atm": "기압",
    "ft": "피트",
    "in": "인치", "mi": "마일", "yd": "야드", "lb": "파운드", "oz": "온스", "gal": "갤런", "px": "픽셀",
    "mph": "마일 매 시",
    "pt": "포인트", "em": "em", "yr": "년", "°C": "도", "°F": "도", "°": "도", "′": "분", "″": "초",
    "%": "퍼센트",
    "‰": "퍼밀", "pH": "페하", "bps": "비트 매 초", "kbps": "킬로비트 매 초", "Mbps": "메가비트 매 초",
    "Gbps": "기가비트 매 초",
    "Tbps": "테라비트 매 초",
}  # fmt: skip


def _names() -> dict[str, tuple[str, str]]:
    names = {
        prefix + base: before + name
        for base, name in _BASES.items()
        for prefix, before in {"": "", **_PREFIXES}.items()
    }
    return {symbol: (name, name) for symbol, name in (names | _ALONE).items()}


UNITS: Final = UnitWords(
    names=_names(),
    below={"h": "시", "min": "분", "s": "초"},
    quantity={
        "km/h": "시속 {number} 킬로미터", "m/s": "초속 {number} 미터", "km/s": "초속 {number} 킬로미터",
        "m/min": "분속 {number} 미터", "mph": "시속 {number} 마일", "°C": "섭씨 {number} 도",
        "°F": "화씨 {number} 도",
    },
    default="{number} {unit}",
    power_2="제곱{unit}",
    power_3="세제곱{unit}",
    per="{left} 매 {right}",
    product="{left} {right}",
    inverse="매 {right}",
    squared_below="{unit} 제곱",
    cubed_below="{unit} 세제곱",
)  # fmt: skip
