"""Japanese names of units (計量単位令: メートル毎秒, メートル毎秒毎秒; 時速 and 秒速 as they are said)."""

from typing import Final

from voice.speech_text.locale_pack import UnitWords

_PREFIXES: Final = {
    "k": "キロ", "M": "メガ", "G": "ギガ", "T": "テラ", "P": "ペタ", "m": "ミリ", "µ": "マイクロ",
    "n": "ナノ", "p": "ピコ",
    "f": "フェムト", "c": "センチ", "d": "デシ", "h": "ヘクト", "da": "デカ", "Ki": "キビ", "Mi": "メビ",
    "Gi": "ギビ", "Ti": "テビ",
}  # fmt: skip
_BASES: Final = {
    "m": "メートル", "g": "グラム", "s": "秒", "A": "アンペア", "K": "ケルビン", "mol": "モル",
    "Hz": "ヘルツ", "N": "ニュートン",
    "Pa": "パスカル", "J": "ジュール", "W": "ワット", "V": "ボルト", "F": "ファラド", "Ω": "オーム",
    "T": "テスラ",
    "C": "クーロン", "L": "リットル", "eV": "電子ボルト", "B": "バイト", "b": "ビット", "cal": "カロリー",
    "Wh": "ワット時",
    "Ah": "アンペア時", "bar": "バール", "Bq": "ベクレル", "Sv": "シーベルト", "t": "トン", "H": "ヘンリー",
    "S": "ジーメンス",
}  # fmt: skip
_ALONE: Final = {
    "min": "分", "h": "時間", "d": "日", "cd": "カンデラ", "Wb": "ウェーバ", "lm": "ルーメン", "lx": "ルクス",
    "rad": "ラジアン",
    "sr": "ステラジアン", "ha": "ヘクタール", "dB": "デシベル", "mmHg": "ミリメートルエイチジー",
    "fps": "フレーム毎秒",
    "dpi": "ドット毎インチ", "ppi": "ピクセル毎インチ", "ppm": "ピーピーエム", "rpm": "回転毎分",
    "psi": "ポンド毎平方インチ", "atm": "気圧", "ft": "フィート", "in": "インチ", "mi": "マイル",
    "yd": "ヤード", "lb": "ポンド",
    "oz": "オンス", "gal": "ガロン", "px": "ピクセル", "mph": "マイル毎時", "pt": "ポイント", "em": "em",
    "yr": "年", "°C": "度",
    "°F": "度", "°": "度", "′": "分", "″": "秒", "%": "パーセント", "‰": "パーミル", "pH": "ペーハー",
    "bps": "ビット毎秒",
    "kbps": "キロビット毎秒", "Mbps": "メガビット毎秒", "Gbps": "ギガビット毎秒", "Tbps": "テラビット毎秒",
}  # fmt: skip


def _names() -> dict[str, tuple[str, str]]:
    names = {
        prefix + base: before + name
        for base, name in _BASES.items()
        for prefix, before in {"": "", **_PREFIXES}.items()
    }
    names["ms"] = "ミリ秒"
    return {symbol: (name, name) for symbol, name in (names | _ALONE).items()}


UNITS: Final = UnitWords(
    names=_names(),
    below={"h": "時", "min": "分", "s": "秒"},
    quantity={
        "km/h": "時速{number}キロメートル", "m/s": "秒速{number}メートル", "km/s": "秒速{number}キロメートル",
        "m/min": "分速{number}メートル", "mph": "時速{number}マイル", "°F": "華氏{number}度",
        "°C": "{number}度",
    },
    default="{number}{unit}",
    power_2="平方{unit}",
    power_3="立方{unit}",
    per="{left}毎{right}",
    product="{left}{right}",
    inverse="毎{right}",
    squared_below="{unit}毎{unit}",
    cubed_below="{unit}毎{unit}毎{unit}",
)  # fmt: skip
