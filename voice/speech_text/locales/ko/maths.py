"""Korean words of formulas.

Conventions: readings of school mathematics (교육부, 수학과 교육과정; 대한수학회 《수학용어집》): 제곱, 세제곱, 루트, 시그마, 인테그랄,
"x분의 y", relations as clauses (x는 5보다 작다).
"""

from typing import Final

from voice.speech_text.locale_pack import BigWords, MathsWords
from voice.speech_text.locales.ko.numbers import fraction

_SYMBOLS: Final = {
    "tends_to": "에서",
    "such_that": ", 단", "given": "기븐", "in_noun": "원소", "from": ",", "congruent": "합동", "dot_product": "닷", "cross_product": "크로스",
    "plus": "더하기", "minus": "빼기", "times": "곱하기", "cdot": "곱하기", "div": "나누기", "slash": "나누기",
    "pm": "플러스마이너스", "mp": "마이너스플러스", "circ": "합성", "cup": "합집합", "cap": "교집합", "setminus": "차집합",
    "land": "그리고", "lor": "또는", "oplus": "직합", "otimes": "텐서곱", "odot": "원점", "ast": "별표", "star": "별표",
    "bullet": "점", "triangle": "삼각형", "veebar": "배타적 논리합", "mod": "모드", "range": "에서", "eq": "은(는)",
    "neq": "같지 않다", "lt": "작다", "gt": "크다", "leq": "작거나 같다", "geq": "크거나 같다", "ll": "훨씬 작다",
    "gg": "훨씬 크다", "approx": "은(는) 약", "napprox": "근사하지 않다", "simeq": "은(는) 약", "cong": "합동", "sim": "닮음",
    "nsim": "닮지 않음", "equiv": "합동", "nequiv": "합동이 아님", "propto": "비례", "in": "원소", "notin": "원소가 아님",
    "ni": "포함", "subset": "진부분집합", "subseteq": "부분집합", "supset": "진포함", "supseteq": "포함",
    "nsubset": "진부분집합이 아님", "nsubseteq": "부분집합이 아님", "to": "에서", "gets": "왼쪽 화살표", "implies": "이면",
    "impliedby": "의 조건은", "iff": "필요충분조건", "leftrightarrow": "동치", "mapsto": "대응하여", "parallel": "평행",
    "nparallel": "평행하지 않음", "perp": "수직", "divides": "나눈다", "ndivides": "나누지 않는다",
    "vdash": "증명한다", "models": "만족한다", "colon": ",", "define": "은(는) 정의에 의해", "prec": "앞선다", "succ": "뒤선다",
    "rightleftharpoons": "가역 반응", "therefore": "그러므로", "because": "왜냐하면", "infty": "무한대", "partial": "라운드",
    "nabla": "나블라", "emptyset": "공집합", "forall": "모든", "exists": "어떤", "nexists": "존재하지 않는", "lnot": "낫",
    "factorial": "팩토리얼", "percent": "퍼센트", "permille": "퍼밀", "degree": "도", "angle": "각", "ldots": "점점점",
    "cdots": "점점점", "vdots": "점점점", "ddots": "점점점", "hbar": "에이치 바", "ell": "l", "dagger": "대거", "top": "참",
    "bot": "거짓", "aleph": "알레프", "square": "네모", "qed": "증명 끝", "celsius": "도", "fahrenheit": "화씨 도",
    "question": "물음표", "amp": "앤드", "hash": "번호", "at": "골뱅이", "dollar": "달러", "prime": "프라임", "imath": "i",
    "jmath": "j", "uparrow": "위쪽 화살표", "downarrow": "아래쪽 화살표", "checkmark": "체크",
}  # fmt: skip

_RELATIONS: Final = {
    "tends_to": "{left}은(는) {right}(으)로 간다",
    "neq": "{left}은(는) {right}과(와) 같지 않다", "lt": "{left}은(는) {right}보다 작다", "gt": "{left}은(는) {right}보다 크다",
    "leq": "{left}은(는) {right}보다 작거나 같다", "geq": "{left}은(는) {right}보다 크거나 같다",
    "ll": "{left}은(는) {right}보다 훨씬 작다", "gg": "{left}은(는) {right}보다 훨씬 크다",
    "in": "{left}은(는) {right}의 원소이다", "notin": "{left}은(는) {right}의 원소가 아니다",
    "subset": "{left}은(는) {right}의 진부분집합이다", "subseteq": "{left}은(는) {right}의 부분집합이다",
    "propto": "{left}은(는) {right}에 비례한다", "parallel": "{left}과(와) {right}은(는) 평행하다",
    "perp": "{left}과(와) {right}은(는) 수직이다", "cong": "{left}과(와) {right}은(는) 합동이다",
    "sim": "{left}과(와) {right}은(는) 닮음이다", "divides": "{left}은(는) {right}을(를) 나눈다",
    "equiv": "{left}은(는) {right}과(와) 합동이다",
}  # fmt: skip

_FUNCTIONS: Final = {
    "sin": "사인", "cos": "코사인", "tan": "탄젠트", "cot": "코탄젠트", "sec": "시컨트", "csc": "코시컨트",
    "sinh": "하이퍼볼릭 사인", "cosh": "하이퍼볼릭 코사인", "tanh": "하이퍼볼릭 탄젠트", "coth": "하이퍼볼릭 코탄젠트",
    "arcsin": "아크사인", "arccos": "아크코사인", "arctan": "아크탄젠트", "arccot": "아크코탄젠트", "log": "로그",
    "ln": "자연로그", "lg": "상용로그", "exp": "지수함수", "det": "행렬식", "dim": "차원", "ker": "커널", "max": "최댓값",
    "min": "최솟값", "sup": "상한", "inf": "하한", "arg": "편각", "deg": "차수", "gcd": "최대공약수", "lcm": "최소공배수",
    "Pr": "확률", "hom": "홈", "mod": "모드", "tr": "대각합", "rank": "계수", "sgn": "부호", "Re": "실수부", "Im": "허수부",
    "Var": "분산", "Cov": "공분산", "argmax": "아그맥스", "argmin": "아그민",
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
            "알파",
            "베타",
            "감마",
            "델타",
            "엡실론",
            "제타",
            "에타",
            "세타",
            "이오타",
            "카파",
            "람다",
            "뮤",
            "뉴",
            "크사이",
            "오미크론",
            "파이",
            "로",
            "시그마",
            "타우",
            "입실론",
            "파이",
            "카이",
            "프사이",
            "오메가",
            "델타",
            "시그마",
            "오메가",
        ],
        strict=True,
    )
)


def _over(name: str) -> BigWords:
    return BigWords(
        bare=f"{name}",
        lower=f"{name} {{lower}}에 대하여",
        both=f"{name} {{index}}은(는) {{start}}부터 {{upper}}까지",
    )


def _integral(name: str) -> BigWords:
    return BigWords(
        bare=f"{name}", lower=f"{name} {{lower}} 위에서", both=f"{name} {{lower}}부터 {{upper}}까지"
    )


def _limit(name: str) -> BigWords:
    return BigWords(bare=f"{name}", lower=f"{name} {{index}}이(가) {{start}}(으)로 갈 때", both=f"{name}")


MATHS: Final = MathsWords(
    symbols=_SYMBOLS,
    unary={"minus": "마이너스", "plus": "플러스", "pm": "플러스마이너스", "mp": "마이너스플러스"},
    relations=_RELATIONS,
    greek=_GREEK,
    functions=_FUNCTIONS,
    sets={
        "R": "실수 전체의 집합", "N": "자연수 전체의 집합", "Z": "정수 전체의 집합", "Q": "유리수 전체의 집합",
        "C": "복소수 전체의 집합", "P": "소수 전체의 집합", "E": "기댓값",
    },
    accents={
        "vec": "벡터 {body}", "hat": "{body} 햇", "bar": "{body} 바", "overline": "{body} 바", "underline": "{body} 밑줄",
        "dot": "{body} 닷", "ddot": "{body} 더블 닷", "tilde": "{body} 틸데",
    },
    big={
        "sum": _over("시그마"), "prod": _over("곱"), "coprod": _over("쌍대곱"), "int": _integral("인테그랄"),
        "iint": _integral("이중적분"), "iiint": _integral("삼중적분"), "oint": _integral("선적분"), "lim": _limit("리미트"),
        "limsup": _limit("상극한"), "liminf": _limit("하극한"), "bigcup": _over("합집합"), "bigcap": _over("교집합"),
        "bigoplus": _over("직합"), "bigotimes": _over("텐서곱"), "bigvee": _over("논리합"), "bigwedge": _over("논리곱"),
    },
    capital="대문자 {letter}",
    numeric_fraction=fraction,
    fraction="{den}분의 {num}",
    fraction_long="{den}분의 {num}",
    mixed="{whole}과(와) {fraction}",
    binomial="{n} C {k}",
    square_root="루트 {body}",
    square_root_long="루트 {body}",
    cube_root="세제곱근 {body}",
    root="{degree}제곱근 {body}",
    root_ordinal="{n}제곱근 {body}",
    power_2="{base} 제곱",
    power_3="{base} 세제곱",
    power_ordinal="{base}의 {n}제곱",
    power="{base}의 {exp}제곱",
    power_long="{base}의 {exp}제곱",
    sub="{base} {sub}",
    inverse="{base} 인버스",
    transpose="{base} 전치",
    starred="{base} 스타",
    dagger="{base} 대거",
    complement="{base}의 여집합",
    primes=("{base} 프라임", "{base} 더블 프라임", "{base} 트리플 프라임"),
    log_base="{f} {base}의",
    log_base_call="{f} {base}의 {x}",
    function_of="{f} {x}",
    function_bare="{f} {x}",
    function_power_2="{f} 제곱",
    function_power="{f} {n}제곱",
    inverse_function="{f} 인버스",
    call="{f} {x}",
    product_of_fences="{right}",
    quantity="괄호 열고 {body} 괄호 닫고",
    absolute="절댓값 {body}",
    norm="노름 {body}",
    floor="바닥함수 {body}",
    ceiling="천장함수 {body}",
    inner="내적 {body}",
    set_of="집합 {body}",
    brackets="대괄호 열고 {body} 대괄호 닫고",
    open_fence="",
    interval_closed="{low} 이상 {high} 이하의 구간",
    interval_open="{low} 초과 {high} 미만의 구간",
    interval_left_open="{low} 초과 {high} 이하의 구간",
    interval_right_open="{low} 이상 {high} 미만의 구간",
    list_joint=", ",
    pause=", ",
    derivative="{x}에 대한 미분",
    derivative_of="{of}의 {x}에 대한 미분",
    derivative_n="{x}에 대한 {count}계 미분",
    derivative_n_of="{of}의 {x}에 대한 {count}계 미분",
    partial="{x}에 대한 편미분",
    partial_of="{of}의 {x}에 대한 편미분",
    partial_n="{x}에 대한 {count}계 편미분",
    partial_n_of="{of}의 {x}에 대한 {count}계 편미분",
    matrix="{rows}행 {columns}열 행렬, {body},",
    determinant="행렬식 {body}",
    column_vector="열벡터 {body},",
    row_vector="행벡터 {body},",
    matrix_row="{n}행, {body}",
    cases="경우에 따라, {body}",
    case="{value}, {condition}",
)  # fmt: skip
