"""English words of formulas.

Conventions: ClearSpeak (ETS, "ClearSpeak Rules and Preferences"), which follows how teachers speak in class, and
"Handbook for Spoken Mathematics" (L. Chang, Lawrence Livermore Laboratory, 1983).
"""

from typing import Final

from voice.speech_text.locale_pack import BigWords, MathsWords
from voice.speech_text.locales.en.numbers import fraction
from voice.speech_text.maths.vocabulary import GREEK_NAMES

_SYMBOLS: Final = {
    "tends_to": "approaches",
    "such_that": "such that", "given": "given", "in_noun": "in", "from": "from", "congruent": "is congruent to", "dot_product": "dot", "cross_product": "cross",
    "plus": "plus", "minus": "minus", "times": "times", "cdot": "times", "div": "divided by", "slash": "over",
    "pm": "plus or minus", "mp": "minus or plus", "circ": "composed with", "cup": "union", "cap": "intersect",
    "setminus": "minus the set", "land": "and", "lor": "or", "oplus": "o plus", "otimes": "tensor", "odot": "dot",
    "ast": "star", "star": "star", "bullet": "bullet", "triangle": "triangle", "veebar": "x or", "mod": "mod",
    "range": "to", "eq": "equals", "neq": "is not equal to", "lt": "is less than", "gt": "is greater than",
    "leq": "is less than or equal to", "geq": "is greater than or equal to", "ll": "is much less than",
    "gg": "is much greater than", "approx": "is approximately equal to", "napprox": "is not approximately equal to",
    "simeq": "is similar or equal to", "cong": "is congruent to", "sim": "is similar to", "nsim": "is not similar to",
    "equiv": "is equivalent to", "nequiv": "is not equivalent to", "propto": "is proportional to", "in": "is in",
    "notin": "is not in", "ni": "contains", "subset": "is a proper subset of", "subseteq": "is a subset of",
    "supset": "is a proper superset of", "supseteq": "is a superset of", "nsubset": "is not a proper subset of",
    "nsubseteq": "is not a subset of", "to": "to", "gets": "from", "implies": "implies", "impliedby": "is implied by",
    "iff": "if and only if", "leftrightarrow": "is equivalent to", "mapsto": "maps to", "parallel": "is parallel to",
    "nparallel": "is not parallel to", "perp": "is perpendicular to", "divides": "divides",
    "ndivides": "does not divide", "vdash": "proves", "models": "models", "colon": ",", "define": "is defined as",
    "prec": "precedes", "succ": "follows", "rightleftharpoons": "is in equilibrium with", "therefore": "therefore",
    "because": "because", "infty": "infinity", "partial": "partial", "nabla": "del", "emptyset": "the empty set",
    "forall": "for all", "exists": "there exists", "nexists": "there does not exist", "lnot": "not",
    "factorial": "factorial", "percent": "percent", "permille": "per mille", "degree": "degrees", "angle": "angle",
    "ldots": "dot dot dot", "cdots": "dot dot dot", "vdots": "dot dot dot", "ddots": "dot dot dot", "hbar": "h bar",
    "ell": "l", "dagger": "dagger", "top": "top", "bot": "bottom", "aleph": "aleph", "square": "square", "qed": "Q E D",
    "celsius": "degrees Celsius", "fahrenheit": "degrees Fahrenheit", "question": "what", "amp": "and", "hash": "number",
    "at": "at", "dollar": "dollars", "prime": "prime", "imath": "i", "jmath": "j", "uparrow": "up", "downarrow": "down",
    "checkmark": "check",
}  # fmt: skip

_FUNCTIONS: Final = {
    "sin": "sine", "cos": "cosine", "tan": "tangent", "cot": "cotangent", "sec": "secant", "csc": "cosecant",
    "sinh": "hyperbolic sine", "cosh": "hyperbolic cosine", "tanh": "hyperbolic tangent", "coth": "hyperbolic cotangent",
    "arcsin": "arc sine", "arccos": "arc cosine", "arctan": "arc tangent", "arccot": "arc cotangent", "log": "log",
    "ln": "natural log", "lg": "log", "exp": "the exponential", "det": "the determinant", "dim": "the dimension",
    "ker": "the kernel", "max": "the maximum", "min": "the minimum", "sup": "the supremum", "inf": "the infimum",
    "arg": "the argument", "deg": "the degree", "gcd": "the greatest common divisor", "lcm": "the least common multiple",
    "Pr": "the probability", "hom": "hom", "mod": "mod", "tr": "the trace", "rank": "the rank", "sgn": "the sign",
    "Re": "the real part", "Im": "the imaginary part", "Var": "the variance", "Cov": "the covariance",
    "argmax": "arg max", "argmin": "arg min",
}  # fmt: skip


def _over(name: str) -> BigWords:
    return BigWords(
        bare=f"the {name} of",
        lower=f"the {name} over {{lower}} of",
        both=f"the {name} from {{lower}} to {{upper}} of",
    )


def _limit(name: str) -> BigWords:
    return BigWords(
        bare=f"the {name} of", lower=f"the {name} as {{index}} approaches {{start}} of", both=f"the {name} of"
    )


MATHS: Final = MathsWords(
    symbols=_SYMBOLS,
    unary={"minus": "negative", "plus": "positive", "pm": "plus or minus", "mp": "minus or plus"},
    relations={},
    greek={name: name for name in map(str.lower, GREEK_NAMES)} | {"Delta": "delta"},
    functions=_FUNCTIONS,
    sets={
        "R": "the real numbers", "N": "the natural numbers", "Z": "the integers", "Q": "the rational numbers",
        "C": "the complex numbers", "P": "the primes", "E": "the expected value",
    },
    accents={
        "vec": "vector {body}", "hat": "{body} hat", "bar": "{body} bar", "overline": "{body} bar",
        "underline": "{body} underlined", "dot": "{body} dot", "ddot": "{body} double dot", "tilde": "{body} tilde",
    },
    big={
        "sum": _over("sum"), "prod": _over("product"), "coprod": _over("coproduct"), "int": _over("integral"),
        "iint": _over("double integral"), "iiint": _over("triple integral"), "oint": _over("closed integral"),
        "lim": _limit("limit"), "limsup": _limit("limit superior"), "liminf": _limit("limit inferior"),
        "bigcup": _over("union"), "bigcap": _over("intersection"), "bigoplus": _over("direct sum"),
        "bigotimes": _over("tensor product"), "bigvee": _over("disjunction"), "bigwedge": _over("conjunction"),
    },
    capital="capital {letter}",
    numeric_fraction=fraction,
    fraction="{num} over {den}",
    fraction_long="the fraction with numerator {num} and denominator {den}",
    mixed="{whole} and {fraction}",
    binomial="{n} choose {k}",
    square_root="the square root of {body}",
    square_root_long="the square root of {body}",
    cube_root="the cube root of {body}",
    root="the {degree}-th root of {body}",
    root_ordinal="the {degree} root of {body}",
    power_2="{base} squared",
    power_3="{base} cubed",
    power_ordinal="{base} to the {exp} power",
    power="{base} to the {exp}",
    power_long="{base} to the power {exp}",
    sub="{base} sub {sub}",
    inverse="{base} inverse",
    transpose="{base} transpose",
    starred="{base} star",
    dagger="{base} dagger",
    complement="{base} complement",
    primes=("{base} prime", "{base} double prime", "{base} triple prime"),
    log_base="{f} base {base}",
    log_base_call="{f} base {base} of {x}",
    function_of="{f} of {x}",
    function_bare="{f} of {x}",
    function_power_2="{f} squared",
    function_power="{f} to the {exp} power",
    inverse_function="inverse {f}",
    call="{f} of {x}",
    product_of_fences="times {right}",
    quantity="the quantity {body}",
    absolute="the absolute value of {body}",
    norm="the norm of {body}",
    floor="the floor of {body}",
    ceiling="the ceiling of {body}",
    inner="the inner product of {body}",
    set_of="the set of {body}",
    brackets="the quantity {body}",
    open_fence=",",
    interval_closed="the closed interval from {low} to {high}",
    interval_open="the open interval from {low} to {high}",
    interval_left_open="the interval from {low} to {high}, including {high} but not {low}",
    interval_right_open="the interval from {low} to {high}, including {low} but not {high}",
    list_joint=", ",
    pause="; ",
    derivative="d by d {x}",
    derivative_of="the derivative of {of} with respect to {x}",
    derivative_n="the {n} derivative with respect to {x}",
    derivative_n_of="the {n} derivative of {of} with respect to {x}",
    partial="the partial derivative with respect to {x}",
    partial_of="the partial derivative of {of} with respect to {x}",
    partial_n="the {n} partial derivative with respect to {x}",
    partial_n_of="the {n} partial derivative of {of} with respect to {x}",
    matrix="the {rows} by {columns} matrix; {body};",
    determinant="the determinant of {body}",
    column_vector="the column vector {body},",
    row_vector="the row vector {body},",
    matrix_row="row {n}, {body}",
    cases="by cases; {body}",
    case="{value}, {condition}",
)  # fmt: skip
