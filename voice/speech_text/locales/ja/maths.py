"""Japanese words of formulas.

Conventions: readings of school mathematics (高等学校 数学 I to III): ルート, 二乗, n乗, エフダッシュ, ログ二の八, 小なり replaced by
"より小さい" where two sides stand; JIS Z 8201 "数学記号" for the names of signs.
"""

from typing import Final

from voice.speech_text.locale_pack import BigWords, MathsWords
from voice.speech_text.locales.ja.numbers import fraction

_SYMBOLS: Final = {
    "tends_to": "近づく",
    "such_that": "、ただし", "given": "ギブン", "in_noun": "属する", "from": "、", "congruent": "合同", "dot_product": "ドット", "cross_product": "クロス",
    "plus": "プラス", "minus": "マイナス", "times": "かける", "cdot": "かける", "div": "わる", "slash": "わる",
    "pm": "プラスマイナス", "mp": "マイナスプラス", "circ": "合成", "cup": "カップ", "cap": "キャップ", "setminus": "引く集合",
    "land": "かつ", "lor": "または", "oplus": "直和", "otimes": "テンソル積", "odot": "まる", "ast": "アスタリスク",
    "star": "スター", "bullet": "点", "triangle": "三角形", "veebar": "排他的論理和", "mod": "モッド", "range": "から",
    "eq": "イコール", "neq": "ノットイコール", "lt": "小なり", "gt": "大なり", "leq": "小なりイコール", "geq": "大なりイコール",
    "ll": "はるかに小なり", "gg": "はるかに大なり", "approx": "ニアリーイコール", "napprox": "ニアリーイコールでない",
    "simeq": "ニアリーイコール", "cong": "合同", "sim": "相似", "nsim": "相似でない", "equiv": "合同", "nequiv": "合同でない",
    "propto": "比例", "in": "属する", "notin": "属さない", "ni": "含む", "subset": "真部分集合", "subseteq": "部分集合",
    "supset": "真に含む", "supseteq": "含む", "nsubset": "真部分集合でない", "nsubseteq": "部分集合でない", "to": "から",
    "gets": "左矢印", "implies": "ならば", "impliedby": "の条件は", "iff": "同値", "leftrightarrow": "同値", "mapsto": "対応して",
    "parallel": "平行", "nparallel": "平行でない", "perp": "垂直", "divides": "割り切る",
    "ndivides": "割り切らない", "vdash": "証明する", "models": "満たす", "colon": "、", "define": "定義",
    "prec": "先行", "succ": "後続", "rightleftharpoons": "平衡", "therefore": "ゆえに", "because": "なぜならば",
    "infty": "無限大", "partial": "ラウンド", "nabla": "ナブラ", "emptyset": "空集合", "forall": "任意の", "exists": "ある",
    "nexists": "存在しない", "lnot": "ノット", "factorial": "の階乗", "percent": "パーセント", "permille": "パーミル",
    "degree": "度", "angle": "角", "ldots": "てんてんてん", "cdots": "てんてんてん", "vdots": "てんてんてん",
    "ddots": "てんてんてん", "hbar": "エイチバー", "ell": "l", "dagger": "ダガー", "top": "真", "bot": "偽", "aleph": "アレフ",
    "square": "四角", "qed": "証明終わり", "celsius": "度", "fahrenheit": "華氏度", "question": "はてな", "amp": "アンド",
    "hash": "ナンバー", "at": "アット", "dollar": "ドル", "prime": "ダッシュ", "imath": "i", "jmath": "j", "uparrow": "上矢印",
    "downarrow": "下矢印", "checkmark": "チェック",
}  # fmt: skip

_RELATIONS: Final = {
    "tends_to": "{left}は{right}に近づく",
    "in": "{left}は{right}に属する", "notin": "{left}は{right}に属さない",
    "subset": "{left}は{right}の真部分集合", "subseteq": "{left}は{right}の部分集合", "propto": "{left}は{right}に比例する",
    "parallel": "{left}と{right}は平行", "perp": "{left}と{right}は垂直", "ll": "{left}は{right}よりはるかに小さい",
    "gg": "{left}は{right}よりはるかに大きい", "cong": "{left}と{right}は合同", "sim": "{left}と{right}は相似",
    "divides": "{left}は{right}を割り切る",
}  # fmt: skip

_FUNCTIONS: Final = {
    "sin": "サイン", "cos": "コサイン", "tan": "タンジェント", "cot": "コタンジェント", "sec": "セカント", "csc": "コセカント",
    "sinh": "ハイパボリックサイン", "cosh": "ハイパボリックコサイン", "tanh": "ハイパボリックタンジェント",
    "coth": "ハイパボリックコタンジェント", "arcsin": "アークサイン", "arccos": "アークコサイン", "arctan": "アークタンジェント",
    "arccot": "アークコタンジェント", "log": "ログ", "ln": "自然対数", "lg": "常用対数", "exp": "エクスポネンシャル",
    "det": "行列式", "dim": "次元", "ker": "カーネル", "max": "最大値", "min": "最小値", "sup": "上限", "inf": "下限",
    "arg": "偏角", "deg": "次数", "gcd": "最大公約数", "lcm": "最小公倍数", "Pr": "確率", "hom": "ホム", "mod": "モッド",
    "tr": "トレース", "rank": "ランク", "sgn": "符号", "Re": "実部", "Im": "虚部", "Var": "分散", "Cov": "共分散",
    "argmax": "アーグマックス", "argmin": "アーグミン",
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
        ],
        [
            "アルファ",
            "ベータ",
            "ガンマ",
            "デルタ",
            "イプシロン",
            "ゼータ",
            "イータ",
            "シータ",
            "イオタ",
            "カッパ",
            "ラムダ",
            "ミュー",
            "ニュー",
            "クサイ",
            "オミクロン",
            "パイ",
            "ロー",
            "シグマ",
            "タウ",
            "ユプシロン",
            "ファイ",
            "カイ",
            "プサイ",
            "オメガ",
            "デルタ",
            "シグマ",
            "オメガ",
        ],
        strict=True,
    )
)


def _over(name: str) -> BigWords:
    return BigWords(
        bare=f"{name}、",
        lower=f"{name}、{{lower}}について、",
        both=f"{name}、{{index}}イコール{{start}}から{{upper}}まで、",
    )


def _integral(name: str) -> BigWords:
    return BigWords(
        bare=f"{name}、", lower=f"{name}、{{lower}}上で、", both=f"{name}、{{lower}}から{{upper}}まで、"
    )


def _limit(name: str) -> BigWords:
    return BigWords(bare=f"{name}、", lower=f"{name}、{{index}}が{{start}}に近づくとき、", both=f"{name}、")


MATHS: Final = MathsWords(
    symbols=_SYMBOLS,
    unary={"minus": "マイナス", "plus": "プラス", "pm": "プラスマイナス", "mp": "マイナスプラス"},
    relations=_RELATIONS,
    greek=_GREEK,
    functions=_FUNCTIONS,
    sets={"R": "実数全体", "N": "自然数全体", "Z": "整数全体", "Q": "有理数全体", "C": "複素数全体", "P": "素数全体", "E": "期待値"},
    accents={
        "vec": "ベクトル {body}", "hat": "{body} ハット", "bar": "{body} バー", "overline": "{body} バー",
        "underline": "{body} 下線", "dot": "{body} ドット", "ddot": "{body} ツードット", "tilde": "{body} チルダ",
    },
    big={
        "sum": _over("シグマ"), "prod": _over("パイ"), "coprod": _over("余積"), "int": _integral("インテグラル"),
        "iint": _integral("二重積分"), "iiint": _integral("三重積分"), "oint": _integral("周回積分"),
        "lim": _limit("リミット"), "limsup": _limit("上極限"), "liminf": _limit("下極限"), "bigcup": _over("和集合"),
        "bigcap": _over("共通部分"), "bigoplus": _over("直和"), "bigotimes": _over("テンソル積"), "bigvee": _over("論理和"),
        "bigwedge": _over("論理積"),
    },
    capital="大文字{letter}",
    numeric_fraction=fraction,
    fraction="{den}分の{num}",
    fraction_long="{den}分の{num}",
    mixed="{whole}と{fraction}",
    binomial="{n} C {k}",
    square_root="ルート{body}",
    square_root_long="ルート{body}",
    cube_root="三乗根{body}",
    root="{degree}乗根{body}",
    root_ordinal="{n}乗根{body}",
    power_2="{base}の二乗",
    power_3="{base}の三乗",
    power_ordinal="{base}の{n}乗",
    power="{base}の{exp}乗",
    power_long="{base}の{exp}乗",
    sub="{base} {sub}",
    inverse="{base}インバース",
    transpose="{base}の転置",
    starred="{base}スター",
    dagger="{base}ダガー",
    complement="{base}の補集合",
    primes=("{base}ダッシュ", "{base}ツーダッシュ", "{base}スリーダッシュ"),
    log_base="{f}{base}の",
    log_base_call="{f}{base}の{x}",
    function_of="{f}{x}",
    function_bare="{f}{x}",
    function_power_2="{f}二乗",
    function_power="{f}{n}乗",
    inverse_function="{f}インバース",
    call="{f} {x}",
    product_of_fences="{right}",
    quantity="カッコ{body}カッコ閉じる",
    absolute="絶対値{body}",
    norm="ノルム{body}",
    floor="床関数{body}",
    ceiling="天井関数{body}",
    inner="内積{body}",
    set_of="集合{body}",
    brackets="大カッコ{body}大カッコ閉じる",
    open_fence="",
    interval_closed="{low}以上{high}以下の区間",
    interval_open="{low}より大きく{high}より小さい区間",
    interval_left_open="{low}より大きく{high}以下の区間",
    interval_right_open="{low}以上{high}未満の区間",
    list_joint="、",
    pause="、",
    derivative="{x}による微分",
    derivative_of="{of}の{x}による微分",
    derivative_n="{x}による{count}階微分",
    derivative_n_of="{of}の{x}による{count}階微分",
    partial="{x}による偏微分",
    partial_of="{of}の{x}による偏微分",
    partial_n="{x}による{count}階偏微分",
    partial_n_of="{of}の{x}による{count}階偏微分",
    matrix="{rows}行{columns}列の行列、{body}、",
    determinant="行列式{body}",
    column_vector="列ベクトル{body}、",
    row_vector="行ベクトル{body}、",
    matrix_row="{n}行目、{body}",
    cases="場合分け、{body}",
    case="{value}、{condition}",
)  # fmt: skip
