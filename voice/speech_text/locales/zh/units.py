"""Chinese names of units (中华人民共和国法定计量单位, 1984: 千米每小时, 米每二次方秒)."""

from typing import Final

from voice.speech_text.locale_pack import UnitWords

_PREFIXES: Final = {
    "k": "千", "M": "兆", "G": "吉", "T": "太", "P": "拍", "m": "毫", "µ": "微", "n": "纳", "p": "皮",
    "f": "飞", "c": "厘",
    "d": "分", "h": "百", "da": "十", "Ki": "千", "Mi": "兆", "Gi": "吉", "Ti": "太",
}  # fmt: skip
_BASES: Final = {
    "m": "米", "g": "克", "s": "秒", "A": "安", "K": "开尔文", "mol": "摩尔", "Hz": "赫兹", "N": "牛",
    "Pa": "帕", "J": "焦",
    "W": "瓦", "V": "伏", "F": "法", "Ω": "欧", "T": "特斯拉", "C": "库仑", "L": "升", "eV": "电子伏",
    "B": "字节", "b": "比特",
    "cal": "卡", "Wh": "瓦时", "Ah": "安时", "bar": "巴", "Bq": "贝可", "Sv": "希沃特", "t": "吨", "H": "亨",
    "S": "西门子",
}  # fmt: skip
_ALONE: Final = {
    "N": "牛顿", "J": "焦耳", "Pa": "帕斯卡", "W": "瓦", "V": "伏", "A": "安", "Ω": "欧姆", "min": "分钟",
    "h": "小时",
    "d": "天", "cd": "坎德拉", "Wb": "韦伯", "lm": "流明", "lx": "勒克斯", "rad": "弧度", "sr": "球面度",
    "ha": "公顷",
    "dB": "分贝", "mmHg": "毫米汞柱", "fps": "帧每秒", "dpi": "点每英寸", "ppi": "像素每英寸",
    "ppm": "百万分之一",
    "rpm": "转每分", "psi": "磅每平方英寸", "atm": "大气压", "ft": "英尺", "in": "英寸", "mi": "英里",
    "yd": "码", "lb": "磅",
    "oz": "盎司", "gal": "加仑", "px": "像素", "mph": "英里每小时", "pt": "磅", "em": "em", "yr": "年",
    "°C": "摄氏度",
    "°F": "华氏度", "°": "度", "′": "分", "″": "秒", "pH": "pH", "bps": "比特每秒", "kbps": "千比特每秒",
    "Mbps": "兆比特每秒",
    "Gbps": "吉比特每秒", "Tbps": "太比特每秒", "‰": "千分之一", "%": "百分之一",
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
    below={},
    quantity={"%": "百分之{number}", "‰": "千分之{number}", "ppm": "百万分之{number}"},
    default="{number}{unit}",
    power_2="平方{unit}",
    power_3="立方{unit}",
    per="{left}每{right}",
    product="{left}{right}",
    inverse="每{right}",
    squared_below="二次方{unit}",
    cubed_below="三次方{unit}",
)
