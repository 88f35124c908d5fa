"""Names of TeX and Unicode signs as canonical names: the finding half of maths, free of any language.

Sources: the symbol tables of LaTeX2e, amsmath and amssymb; Unicode blocks 2200-22FF, 2190-21FF, 2A00-2AFF.
"""

from typing import Final

GREEK: Final = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩϵϑϕϖϱς",
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
            "Gamma",
            "Delta",
            "Theta",
            "Lambda",
            "Xi",
            "Pi",
            "Sigma",
            "Upsilon",
            "Phi",
            "Psi",
            "Omega",
            "epsilon",
            "theta",
            "phi",
            "pi",
            "rho",
            "sigma",
        ],
        strict=True,
    )
)
GREEK_NAMES: Final = frozenset(GREEK.values())
VARIANTS: Final = {"var" + name: name for name in ("epsilon", "theta", "phi", "pi", "rho", "sigma", "kappa")}

_FUNCTIONS_WORDS: Final = (
    "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan arccot log ln lg exp det dim "
    "ker max min sup inf arg deg gcd lcm Pr hom mod tr rank sgn Re Im Var Cov argmax argmin"
)
FUNCTIONS: Final = frozenset(_FUNCTIONS_WORDS.split())

_BIG_WORDS: Final = (
    "sum prod coprod int iint iiint oint lim limsup liminf bigcup bigcap bigoplus bigotimes bigvee bigwedge"
)
BIG: Final = frozenset(_BIG_WORDS.split())
BIG_SIGNS: Final = {
    "∑": "sum", "∏": "prod", "∐": "coprod", "∫": "int", "∬": "iint", "∭": "iiint", "∮": "oint",
    "⋃": "bigcup", "⋂": "bigcap", "⨁": "bigoplus", "⨂": "bigotimes",
}  # fmt: skip

OPERATORS: Final = {
    "+": "plus", "-": "minus", "−": "minus", "–": "minus", "*": "times", "×": "times", "·": "cdot",
    "⋅": "cdot",
    "÷": "div", "/": "slash", "±": "pm", "∓": "mp", "∘": "circ", "∪": "cup", "∩": "cap", "∖": "setminus",
    "∧": "land", "∨": "lor", "⊕": "oplus", "⊗": "otimes", "⊙": "odot", "∗": "ast", "⋆": "star", "•": "bullet",
    "△": "triangle", "⊻": "veebar",
}  # fmt: skip
OPERATOR_COMMANDS: Final = {
    "times": "times", "cdot": "cdot", "div": "div", "pm": "pm", "mp": "mp", "circ": "circ", "cup": "cup",
    "cap": "cap", "setminus": "setminus", "land": "land", "wedge": "land", "lor": "lor", "vee": "lor",
    "oplus": "oplus", "otimes": "otimes", "odot": "odot", "ast": "ast", "star": "star", "bullet": "bullet",
    "bmod": "mod", "mod": "mod", "backslash": "setminus", "smallsetminus": "setminus", "over": "slash",
}  # fmt: skip

RELATIONS: Final = {
    "=": "eq", "≠": "neq", "<": "lt", ">": "gt", "≤": "leq", "≥": "geq", "⩽": "leq", "⩾": "geq", "≪": "ll",
    "≫": "gg", "≈": "approx", "≃": "simeq", "≅": "cong", "∼": "sim", "~": "sim", "≡": "equiv", "∝": "propto",
    "∈": "in", "∉": "notin", "∋": "ni", "⊂": "subset", "⊆": "subseteq", "⊃": "supset", "⊇": "supseteq",
    "⊄": "nsubset", "⊈": "nsubseteq", "→": "to", "⟶": "to", "←": "gets", "⇒": "implies", "⟹": "implies",
    "⇐": "impliedby", "⇔": "iff", "⟺": "iff", "↔": "leftrightarrow", "↦": "mapsto", "⟼": "mapsto",
    "∥": "parallel",
    "⟂": "perp", "⊥": "perp", "∣": "divides", "∤": "ndivides", "⊢": "vdash", "⊨": "models", ":": "colon",
    "≔": "define",
    "≺": "prec", "≻": "succ", "≜": "define",
}  # fmt: skip
RELATION_COMMANDS: Final = {
    "eq": "eq", "ne": "neq", "neq": "neq", "lt": "lt", "gt": "gt", "le": "leq", "leq": "leq",
    "leqslant": "leq",
    "ge": "geq", "geq": "geq", "geqslant": "geq", "ll": "ll", "gg": "gg", "approx": "approx",
    "simeq": "simeq",
    "cong": "cong", "sim": "sim", "equiv": "equiv", "propto": "propto", "in": "in", "notin": "notin",
    "ni": "ni",
    "subset": "subset", "subseteq": "subseteq", "subsetneq": "subset", "supset": "supset",
    "supseteq": "supseteq",
    "nsubseteq": "nsubseteq", "to": "to", "rightarrow": "to", "longrightarrow": "to", "xrightarrow": "to",
    "gets": "gets", "leftarrow": "gets", "Rightarrow": "implies", "implies": "implies",
    "Longrightarrow": "implies",
    "Leftarrow": "impliedby", "impliedby": "impliedby", "Leftrightarrow": "iff", "iff": "iff",
    "Longleftrightarrow": "iff", "leftrightarrow": "leftrightarrow", "mapsto": "mapsto",
    "longmapsto": "mapsto",
    "parallel": "parallel", "perp": "perp", "mid": "mid", "nmid": "ndivides", "vdash": "vdash",
    "models": "models",
    "coloneqq": "define", "triangleq": "define", "prec": "prec", "succ": "succ", "colon": "colon",
    "doteq": "define",
    "rightleftharpoons": "rightleftharpoons", "therefore": "therefore", "because": "because",
}  # fmt: skip
NEGATED: Final = {
    "eq": "neq", "in": "notin", "subset": "nsubset", "subseteq": "nsubseteq", "equiv": "nequiv",
    "exists": "nexists",
    "mid": "ndivides", "lt": "geq", "gt": "leq", "approx": "napprox", "parallel": "nparallel", "sim": "nsim",
}  # fmt: skip

ORDINARY: Final = {
    "∞": "infty", "∂": "partial", "∇": "nabla", "∅": "emptyset", "∀": "forall", "∃": "exists", "∄": "nexists",
    "¬": "lnot", "!": "factorial", "%": "percent", "‰": "permille", "°": "degree", "∠": "angle", "…": "ldots",
    "⋯": "cdots", "⋮": "vdots", "⋱": "ddots", "∴": "therefore", "∵": "because", "ℏ": "hbar", "ℓ": "ell",
    "†": "dagger",
    "⊤": "top", "ℵ": "aleph", "□": "square", "∎": "qed", "℃": "celsius", "℉": "fahrenheit", "?": "question",
    "&": "amp", "#": "hash", "@": "at", "$": "dollar",
}  # fmt: skip
ORDINARY_COMMANDS: Final = {
    "infty": "infty", "partial": "partial", "nabla": "nabla", "emptyset": "emptyset",
    "varnothing": "emptyset",
    "forall": "forall", "exists": "exists", "nexists": "nexists", "neg": "lnot", "lnot": "lnot",
    "angle": "angle",
    "ldots": "ldots", "dots": "ldots", "dotsc": "ldots", "dotsb": "cdots", "cdots": "cdots", "vdots": "vdots",
    "ddots": "ddots", "hbar": "hbar", "ell": "ell", "dagger": "dagger", "top": "top", "bot": "bot",
    "aleph": "aleph",
    "square": "square", "blacksquare": "qed", "qed": "qed", "degree": "degree", "prime": "prime",
    "triangle": "triangle",
    "imath": "imath", "jmath": "jmath", "uparrow": "uparrow", "downarrow": "downarrow",
    "checkmark": "checkmark",
}  # fmt: skip

ACCENTS: Final = {
    "vec": "vec", "overrightarrow": "vec", "hat": "hat", "widehat": "hat", "bar": "bar",
    "overline": "overline",
    "underline": "underline", "dot": "dot", "ddot": "ddot", "tilde": "tilde", "widetilde": "tilde",
    "boxed": "boxed",
    "overbrace": "boxed", "underbrace": "boxed", "fbox": "boxed", "cancel": "boxed", "overset": "boxed",
}  # fmt: skip

STYLES: Final = {
    "mathbb": "bb", "Bbb": "bb", "mathbf": "bf", "boldsymbol": "bf", "bm": "bf", "mathcal": "cal",
    "mathscr": "cal",
    "mathfrak": "cal", "mathit": "", "mathsf": "", "mathtt": "",
}  # fmt: skip
DOUBLE_STRUCK: Final = {"ℝ": "R", "ℕ": "N", "ℤ": "Z", "ℚ": "Q", "ℂ": "C", "ℙ": "P", "ℍ": "H"}

TEXT_COMMANDS: Final = frozenset(
    ["text", "textrm", "textbf", "textit", "textsf", "texttt", "textnormal", "mbox", "hbox"]
)
_IGNORED_WORDS: Final = (
    "displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits quad qquad hfill big Big "
    "bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr middle nonumber notag hline rm bf it cal "
    "sf tt mathstrut strut allowbreak nobreak phantom newline centering small large Large normalsize "
    "tiny"
)
IGNORED: Final = frozenset(_IGNORED_WORDS.split())
_ARGUMENT_DROPPED_WORDS: Final = (
    "label tag ref eqref color textcolor vspace hspace phantom vphantom hphantom href url class style "
    "id operatorfont mathrlap kern require newcommand"
)
ARGUMENT_DROPPED: Final = frozenset(_ARGUMENT_DROPPED_WORDS.split())

SUPERSCRIPTS: Final = dict(
    zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ", "0123456789+-=()niabcdefghjklmoprstuvwxyzT", strict=True)
)
SUBSCRIPTS: Final = dict(
    zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789+-=()aehijklmnoprstuvx", strict=True)
)
VULGAR: Final = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5),
    "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
    "⅑": (1, 9), "⅒": (1, 10),
}  # fmt: skip

MATRICES: Final = frozenset(
    ["matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "smallmatrix", "array"]
)
_ALIGNMENTS_WORDS: Final = (
    "align align* aligned alignat alignat* alignedat split gather gather* gathered equation equation* "
    "eqnarray eqnarray* multline multline* displaymath math"
)
ALIGNMENTS: Final = frozenset(_ALIGNMENTS_WORDS.split())

FENCES: Final = {
    "(": ")", "[": "]", "\\{": "\\}", "\\lbrace": "\\rbrace", "\\langle": "\\rangle", "\\lfloor": "\\rfloor",
    "\\lceil": "\\rceil", "\\lvert": "\\rvert", "\\lVert": "\\rVert", "⌊": "⌋", "⌈": "⌉", "⟨": "⟩", "‖": "‖",
    "\\lbrack": "\\rbrack",
}  # fmt: skip
FENCE_NAMES: Final = {
    "(": "(", ")": ")", "[": "[", "]": "]", "\\lbrack": "[", "\\rbrack": "]", "\\{": "{", "\\}": "}",
    "\\lbrace": "{",
    "\\rbrace": "}", "\\langle": "langle", "\\rangle": "rangle", "⟨": "langle", "⟩": "rangle",
    "\\lfloor": "lfloor",
    "\\rfloor": "rfloor", "⌊": "lfloor", "⌋": "rfloor", "\\lceil": "lceil", "\\rceil": "rceil", "⌈": "lceil",
    "⌉": "rceil", "|": "|", "\\vert": "|", "\\lvert": "|", "\\rvert": "|", "\\|": "||", "\\Vert": "||",
    "‖": "||",
    "\\lVert": "||", "\\rVert": "||", ".": "", "<": "langle", ">": "rangle", "/": "/", "\\backslash": "",
}  # fmt: skip
CLOSING: Final = frozenset(FENCES.values()) - {"‖"}
