"""Chinese words of formulas.

Conventions: readings of school mathematics (人民教育出版社, 数学), GB/T 3102.11 "物理科学和技术中使用的数学符号" for the names of
signs, 全国科学技术名词审定委员会《数学名词》for functions.
"""

from typing import Final

from voice.speech_text.locale_pack import BigWords, MathsWords
from voice.speech_text.locales.zh.numbers import fraction

_SYMBOLS: Final = {
    "tends_to": "趋于",
    "such_that": "，满足", "given": "给定", "in_noun": "属于", "from": "从", "congruent": "同余于", "dot_product": "点乘", "cross_product": "叉乘",
    "plus": "加", "minus": "减", "times": "乘", "cdot": "乘", "div": "除以", "slash": "除以", "pm": "加减", "mp": "减加",
    "circ": "复合", "cup": "并", "cap": "交", "setminus": "减去集合", "land": "且", "lor": "或", "oplus": "异或",
    "otimes": "张量积", "odot": "圈乘", "ast": "星", "star": "星", "bullet": "点", "triangle": "三角形", "veebar": "异或",
    "mod": "模", "range": "到", "eq": "等于", "neq": "不等于", "lt": "小于", "gt": "大于", "leq": "小于等于", "geq": "大于等于",
    "ll": "远小于", "gg": "远大于", "approx": "约等于", "napprox": "不约等于", "simeq": "近似等于", "cong": "全等于",
    "sim": "相似于", "nsim": "不相似于", "equiv": "恒等于", "nequiv": "不恒等于", "propto": "正比于", "in": "属于",
    "notin": "不属于", "ni": "包含元素", "subset": "真包含于", "subseteq": "包含于", "supset": "真包含", "supseteq": "包含",
    "nsubset": "不真包含于", "nsubseteq": "不包含于", "to": "到", "gets": "来自", "implies": "推出", "impliedby": "由此得",
    "iff": "当且仅当", "leftrightarrow": "等价于", "mapsto": "映射到", "parallel": "平行于", "nparallel": "不平行于",
    "perp": "垂直于", "divides": "整除", "ndivides": "不整除", "vdash": "推导出", "models": "满足",
    "colon": "，", "define": "定义为", "prec": "先于", "succ": "后于", "rightleftharpoons": "可逆", "therefore": "所以",
    "because": "因为", "infty": "无穷大", "partial": "偏", "nabla": "纳布拉", "emptyset": "空集", "forall": "对任意",
    "exists": "存在", "nexists": "不存在", "lnot": "非", "factorial": "的阶乘", "percent": "百分号", "permille": "千分号",
    "degree": "度", "angle": "角", "ldots": "点点点", "cdots": "点点点", "vdots": "点点点", "ddots": "点点点",
    "hbar": "h拔", "ell": "l", "dagger": "剑号", "top": "真", "bot": "假", "aleph": "阿列夫", "square": "方块", "qed": "证毕",
    "celsius": "摄氏度", "fahrenheit": "华氏度", "question": "多少", "amp": "和", "hash": "编号", "at": "艾特",
    "dollar": "美元", "prime": "撇", "imath": "i", "jmath": "j", "uparrow": "上箭头", "downarrow": "下箭头", "checkmark": "对勾",
}  # fmt: skip

_FUNCTIONS: Final = {
    "sin": "正弦", "cos": "余弦", "tan": "正切", "cot": "余切", "sec": "正割", "csc": "余割", "sinh": "双曲正弦",
    "cosh": "双曲余弦", "tanh": "双曲正切", "coth": "双曲余切", "arcsin": "反正弦", "arccos": "反余弦", "arctan": "反正切",
    "arccot": "反余切", "log": "对数", "ln": "自然对数", "lg": "常用对数", "exp": "指数函数", "det": "行列式", "dim": "维数",
    "ker": "核", "max": "最大值", "min": "最小值", "sup": "上确界", "inf": "下确界", "arg": "辐角", "deg": "次数",
    "gcd": "最大公约数", "lcm": "最小公倍数", "Pr": "概率", "hom": "同态", "mod": "模", "tr": "迹", "rank": "秩",
    "sgn": "符号函数", "Re": "实部", "Im": "虚部", "Var": "方差", "Cov": "协方差", "argmax": "最大值点", "argmin": "最小值点",
}  # fmt: skip

_GREEK: Final = dict(
    zip(
        [
            "alpha",
            "beta",
            "gamma",
            "delta",
            "epsilon",
            "zeta",
            "eta",
            "theta",
            "iota",
            "kappa",
            "lambda",
            "mu",
            "nu",
            "xi",
            "omicron",
            "pi",
            "rho",
            "sigma",
            "tau",
            "upsilon",
            "phi",
            "chi",
            "psi",
            "omega",
            "Delta",
            "Sigma",
            "Omega",
            "Gamma",
            "Pi",
            "Phi",
            "Psi",
            "Theta",
            "Lambda",
        ],
        [
            "阿尔法",
            "贝塔",
            "伽马",
            "德尔塔",
            "艾普西隆",
            "泽塔",
            "伊塔",
            "西塔",
            "约塔",
            "卡帕",
            "拉姆达",
            "缪",
            "纽",
            "克西",
            "奥密克戎",
            "派",
            "柔",
            "西格玛",
            "陶",
            "宇普西隆",
            "斐",
            "希",
            "普西",
            "欧米伽",
            "德尔塔",
            "西格玛",
            "欧米伽",
            "大写伽马",
            "大写派",
            "大写斐",
            "大写普西",
            "大写西塔",
            "大写拉姆达",
        ],
        strict=True,
    )
)


def _over(name: str) -> BigWords:
    return BigWords(
        bare=f"{name}，", lower=f"对{{lower}}{name}，", both=f"{{index}}从{{start}}到{{upper}}{name}，"
    )


def _integral(name: str) -> BigWords:
    return BigWords(
        bare=f"{name}，", lower=f"在{{lower}}上的{name}，", both=f"从{{lower}}到{{upper}}的{name}，"
    )


def _limit(name: str) -> BigWords:
    return BigWords(bare=f"{name}，", lower=f"{{index}}趋于{{start}}时的{name}，", both=f"{name}，")


MATHS: Final = MathsWords(
    symbols=_SYMBOLS,
    unary={"minus": "负", "plus": "正", "pm": "正负", "mp": "负正"},
    relations={},
    greek=_GREEK,
    functions=_FUNCTIONS,
    sets={"R": "实数集", "N": "自然数集", "Z": "整数集", "Q": "有理数集", "C": "复数集", "P": "素数集", "E": "期望"},
    accents={
        "vec": "向量 {body}", "hat": "{body} 帽", "bar": "{body} 拔", "overline": "{body} 拔", "underline": "{body} 下划线",
        "dot": "{body} 点", "ddot": "{body} 两点", "tilde": "{body} 波浪",
    },
    big={
        "sum": _over("求和"), "prod": _over("求积"), "coprod": _over("余积"), "int": _integral("积分"),
        "iint": _integral("二重积分"), "iiint": _integral("三重积分"), "oint": _integral("环路积分"), "lim": _limit("极限"),
        "limsup": _limit("上极限"), "liminf": _limit("下极限"), "bigcup": _over("求并集"), "bigcap": _over("求交集"),
        "bigoplus": _over("求直和"), "bigotimes": _over("求张量积"), "bigvee": _over("求析取"), "bigwedge": _over("求合取"),
    },
    capital="大写{letter}",
    numeric_fraction=fraction,
    fraction="{den}分之{num}",
    fraction_long="{den}分之{num}",
    mixed="{whole}又{fraction}",
    binomial="{n} 选 {k}",
    square_root="根号{body}",
    square_root_long="根号下{body}",
    cube_root="三次根号{body}",
    root="{degree}次根号{body}",
    root_ordinal="{n}次根号{body}",
    power_2="{base}的平方",
    power_3="{base}的立方",
    power_ordinal="{base}的{n}次方",
    power="{base}的{exp}次方",
    power_long="{base}的{exp}次方",
    sub="{base} {sub}",
    inverse="{base}的反函数",
    transpose="{base}的转置",
    starred="{base} 星",
    dagger="{base} 的共轭转置",
    complement="{base}的补集",
    primes=("{base} 撇", "{base} 两撇", "{base} 三撇"),
    log_base="以{base}为底的{f}",
    log_base_call="以{base}为底{x}的{f}",
    function_of="{f}{x}",
    function_bare="{f}{x}",
    function_power_2="{f}平方",
    function_power="{f}{n}次方",
    inverse_function="反{f}",
    call="{f} {x}",
    product_of_fences="{right}",
    quantity="左括号{body}右括号",
    absolute="{body}的绝对值",
    norm="{body}的范数",
    floor="{body}向下取整",
    ceiling="{body}向上取整",
    inner="{body}的内积",
    set_of="集合{body}",
    brackets="左方括号{body}右方括号",
    open_fence="",
    interval_closed="从{low}到{high}的闭区间",
    interval_open="从{low}到{high}的开区间",
    interval_left_open="从{low}到{high}的左开右闭区间",
    interval_right_open="从{low}到{high}的左闭右开区间",
    list_joint="，",
    pause="；",
    derivative="对{x}的导数",
    derivative_of="{of}对{x}的导数",
    derivative_n="对{x}的{count}阶导数",
    derivative_n_of="{of}对{x}的{count}阶导数",
    partial="对{x}的偏导数",
    partial_of="{of}对{x}的偏导数",
    partial_n="对{x}的{count}阶偏导数",
    partial_n_of="{of}对{x}的{count}阶偏导数",
    matrix="{rows}行{columns}列矩阵，{body}，",
    determinant="{body}的行列式",
    column_vector="列向量{body}，",
    row_vector="行向量{body}，",
    matrix_row="第{n}行，{body}",
    cases="分段，{body}",
    case="{value}，{condition}",
)  # fmt: skip
