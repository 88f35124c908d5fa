"""Maths and chemistry that stand in prose without TeX: `x² + 1 = 5`, `2 * 3`, `√2`, `H₂O`.

Text is cut into signs; signs that stand together make a run, and a run is read as a formula where it has an
operator with operands, or a sign that only maths has. A hyphen between numbers, a slash between words, a
single letter make no formula.
"""

import re
from typing import Final

from voice.speech_text.chemistry.elements import is_element
from voice.speech_text.chemistry.reading import read_chemistry
from voice.speech_text.locale_pack import LocalePack
from voice.speech_text.maths.reading import read_formula
from voice.speech_text.maths.tex_parser import parse
from voice.speech_text.maths.vocabulary import BIG_SIGNS, FUNCTIONS, GREEK, SUBSCRIPTS, SUPERSCRIPTS
from voice.speech_text.numerals import NUMERAL
from voice.speech_text.units import UNIT

_SUPER: Final = "".join(SUPERSCRIPTS)
_SUB: Final = "".join(SUBSCRIPTS)
_GREEK: Final = "".join(GREEK)
_BIG: Final = "".join(BIG_SIGNS)
_FUNCTION: Final = "|".join(
    sorted(FUNCTIONS - {"max", "min", "arg", "mod", "rank", "hom", "dim", "inf", "sup", "Re", "Im", "tr"})
)
_STRONG: Final = f"{_SUPER}{_SUB}{_BIG}√∛∜∂∇∞≤≥≠≈≡∈∉⊂⊆∪∩∀∃∅⇒⇔±∓∝∠⊥∥∧∨¬⌊⌋⌈⌉ℝℕℤℚℂ"

_WORDS: Final = "(?:is|in|at|of|to|or|an|as|by|if|it|no|on|so|up|we|do|go|he|me|my|us|be|am)"
_SIGN: Final = re.compile(
    rf"(?P<scientific>(?<![A-Za-z0-9_.])(?P<mantissa>{NUMERAL})[eE](?P<exponent>[+-]?\d{{1,3}})(?![A-Za-z0-9.]\d*[A-Za-z]|\d))|"
    rf"(?P<measured>(?<=[⁰¹²³⁴⁵⁶⁷⁸⁹])\s(?P<after>{UNIT}))|"
    rf"(?P<quantity>(?<![A-Za-z0-9_.])(?P<amount>{NUMERAL})\s?(?P<unit>(?:(?!(?:in|a|d|t|pt|em|min)(?a:\b)){UNIT}))(?!\s*\())"
    rf"|(?P<number>(?<![\d.]){NUMERAL}%?)"
    rf"|(?P<function>(?<![A-Za-z])(?:{_FUNCTION})(?![a-z]))"
    rf"|(?P<letter>(?<![A-Za-z'’])(?:[a-zA-Z](?![A-Za-z'’])|(?<=\d)[a-z]{{2,3}}(?![A-Za-z])|(?:(?<=[=+*−-]\s)|(?<=[=+*−-]))(?!{_WORDS})[a-z]{{2}}(?=\s?[-+*^=²³]))|[{_GREEK}]|(?<=[{_SUPER}{_SUB}])[a-zA-Z](?![A-Za-z]))"
    rf"|(?P<compare><=|>=|!=|~=|==|:=|=>|->)"
    rf"|(?P<spaced>(?<=\s)[-–−/](?=\s))"
    rf"|(?P<operator>[=+*×÷·⋅−<>^/≤≥≠≈≡∈∉⊂⊆∪∩→⇒⇔±∓∝∧∨≪≫⊥∥-])"
    rf"|(?P<postfix>[!′°{_SUPER}{_SUB}]|_(?=[a-zA-Z0-9{{]))"
    rf"|(?P<prefix>[√∛∜∂∇∀∃¬∠∞∅{_BIG}ℝℕℤℚℂ])"
    r"|(?P<open>[(\[{⌊⌈|])|(?P<close>[)\]}⌋⌉])|(?P<comma>,)"
)
_WORTH_A_LOOK: Final = re.compile(
    rf"[=+*×÷·⋅−<>^~_{_STRONG}{_GREEK}]|\d!|(?<![A-Za-z])(?:[fghFGPO]\(|\d[eE][+-]?\d|(?:{_FUNCTION})[\s(\d])"
)
_WRITTEN: Final = {"~=": "\\approx ", "!=": "\\neq "}
_OPERANDS: Final = frozenset({"number", "letter", "quantity", "function", "prefix", "scientific"})
_WEAK_ALONE: Final = frozenset("-/–→|:·*")
_ATOMS: Final = (
    r"(?:[A-Z][a-z]?(?:[0-9]{1,3}|[₀-₉]{1,3})?|\((?:[A-Z][a-z]?[0-9₀-₉]{0,3}){1,6}\)[0-9₀-₉]{0,3}){1,12}"
)
_CHARGE: Final = r"(?:[²³⁴]?[⁺⁻]|\^\d?[+-])?"
_MOLECULE: Final = rf"(?:\d{{1,2}}\s?)?{_ATOMS}{_CHARGE}(?:\((?:s|l|g|aq)\))?[↑↓]?"
_ARROW: Final = r"(?:→|⇌|⟶|⇄|->|<=>)"
_EQUATION: Final = re.compile(
    rf"(?<![A-Za-z0-9_-]){_MOLECULE}(?:\s*\+\s*{_MOLECULE}){{0,6}}\s*{_ARROW}\s*{_MOLECULE}(?:\s*\+\s*{_MOLECULE}){{0,6}}(?![A-Za-z0-9_-])"
)
_FORMULA: Final = re.compile(rf"(?<![A-Za-z0-9_$#@/.-]){_ATOMS}{_CHARGE}(?![A-Za-z0-9_-])")
_ANY_ARROW: Final = re.compile(_ARROW)
_ANY_COUNT: Final = re.compile(r"[A-Za-z)][0-9₀-₉⁺⁻²³⁴^]")
_SYMBOL: Final = re.compile(r"[A-Z][a-z]?")
_DIGIT: Final = re.compile(r"[0-9₀-₉]")
_DIATOMIC: Final = frozenset({"H2", "O2", "N2", "F2", "Cl2", "Br2", "I2", "O3", "P4", "S8"})
_COMMON_PARTNERS: Final = frozenset({"H", "O", "C", "N", "F", "Cl", "Br", "I"})
_NO_FORMULAS: Final = frozenset(
    {"B2B", "P2P", "B2C", "C2C", "V2", "S3", "C4", "H1", "F1", "U2", "W2", "Y2K", "P2", "K2"}
)


def read_maths_in_prose(text: str, pack: LocalePack) -> str:
    """The text with its maths and chemistry as words."""
    if _ANY_ARROW.search(text):
        text = _EQUATION.sub(lambda match: _reaction(match.group(), pack), text)
    if _ANY_COUNT.search(text):
        text = _FORMULA.sub(lambda match: _molecule(match.group(), pack), text)
    pieces: list[str] = []
    place = 0
    if not _WORTH_A_LOOK.search(text):
        return text
    for start, end, tex in _runs(text):
        pieces += [text[place:start], read_formula(parse(tex), pack)]
        place = end
    pieces.append(text[place:])
    return "".join(pieces)


# ---- chemistry ----


def _reaction(text: str, pack: LocalePack) -> str:
    if not _DIGIT.search(text) and not all(is_element(symbol) for symbol in _SYMBOL.findall(text)):
        return text
    return read_chemistry(text, pack) if all(map(is_element, _SYMBOL.findall(text))) else text


def _molecule(text: str, pack: LocalePack) -> str:
    symbols = _SYMBOL.findall(text)
    plain = "".join(SUBSCRIPTS.get(sign, sign) for sign in text)
    has_scripts = plain != text or any(sign in SUPERSCRIPTS for sign in text)
    if not (_DIGIT.search(text) or has_scripts) or not all(map(is_element, symbols)):
        return text
    enough = (
        plain in _DIATOMIC or (len(symbols) > 1 and plain not in _NO_FORMULAS) or "⁺" in text or "⁻" in text
    )
    if not has_scripts and plain not in _DIATOMIC and not _COMMON_PARTNERS.intersection(symbols):
        return text
    is_element_id = len(symbols) == 1 and not has_scripts and plain not in _DIATOMIC
    return read_chemistry(text, pack) if enough and not is_element_id else text


# ---- maths ----


def _runs(text: str) -> list[tuple[int, int, str]]:
    """Start, end and TeX of each run of signs that is a formula."""
    runs: list[tuple[int, int, str]] = []
    run: list[re.Match[str]] = []
    for match in _SIGN.finditer(text):
        if run and not _continues(run[-1], match, text):
            _close(run, text, runs)
            run = []
        run.append(match)
    _close(run, text, runs)
    return runs


def _continues(last: re.Match[str], match: re.Match[str], text: str) -> bool:
    between = text[last.end() : match.start()]
    if between.strip(" ") or len(between) > 1:
        return False
    if not between:
        return True
    operands = ("number", "letter", "quantity", "close", "postfix")
    both = _kind(last) in operands and _kind(match) in ("number", "letter", "quantity", "open")
    return not both


def _kind(match: re.Match[str]) -> str:
    return match.lastgroup or ""


def _close(run: list[re.Match[str]], text: str, runs: list[tuple[int, int, str]]) -> None:
    """Adds the run, trimmed to what is well formed, if it is a formula."""
    if len(run) == 1 and _kind(run[0]) not in ("prefix", "postfix", "scientific"):
        return
    signs = _trimmed(run)
    if not signs or not _is_formula(signs):
        return
    runs.append((signs[0].start(), signs[-1].end(), "".join(_tex(match, text) for match in signs)))


def _tex(match: re.Match[str], text: str) -> str:
    if match["scientific"]:
        return f"{match['mantissa']}\\times 10^{{{match['exponent'].lstrip('+')}}}"
    if match["measured"]:
        return f"\\,\\mathrm{{{match['after']}}}"
    if match["quantity"]:
        return f"{match['amount']}\\,\\mathrm{{{match['unit']}}}"
    if match.group() in _WRITTEN:
        return _WRITTEN[match.group()]
    if match["spaced"] == "/":
        return "\\div "
    spaced = " " if text[match.end() : match.end() + 1] == " " else ""
    return match.group() + spaced


def _trimmed(run: list[re.Match[str]]) -> list[re.Match[str]]:
    start, end = 0, len(run)
    changed = True
    while changed and start < end:
        changed = False
        if _kind(run[start]) in ("comma", "close", "postfix", "compare", "spaced") or (
            _kind(run[start]) == "operator" and not _is_sign_before(run, start)
        ):
            start, changed = start + 1, True
        elif _kind(run[end - 1]) in ("comma", "open", "compare", "spaced", "function", "operator") or (
            _kind(run[end - 1]) == "prefix" and run[end - 1].group() not in "∞∅ℝℕℤℚℂ"
        ):
            end, changed = end - 1, True
    return _balanced(run[start:end])


def _is_sign_before(run: list[re.Match[str]], place: int) -> bool:
    return (
        run[place].group() in "-−+±"
        and place + 1 < len(run)
        and run[place].end() == run[place + 1].start()
        and not run[place].string[max(0, run[place].start() - 1) : run[place].start()].isalnum()
    )


def _balanced(signs: list[re.Match[str]]) -> list[re.Match[str]]:
    """The longest beginning or end in which brackets match; the whole where they do."""
    depth = 0
    for place, match in enumerate(signs):
        kind = _kind(match)
        if kind == "open" and match.group() != "|":
            depth += 1
        elif kind == "close":
            depth -= 1
            if depth < 0:
                return _trimmed(signs[:place])
    if depth and signs and _kind(signs[0]) == "open":
        return _trimmed(signs[1:])
    return signs


def _is_formula(signs: list[re.Match[str]]) -> bool:
    kinds = [_kind(match) for match in signs]
    texts = [match.group() for match in signs]
    operands = sum(kind in _OPERANDS for kind in kinds)
    if not operands:
        return False
    if "scientific" in kinds:
        return True
    if "^" in texts or any(sign in _STRONG for text in texts for sign in text):
        return operands > 1 or any(kind in ("postfix", "prefix") for kind in kinds)
    if any(text.startswith("_") for text in texts) and operands > 1 and "letter" in kinds:
        return True
    if _has_postfix(signs, kinds):
        return True
    joints = [
        text for text, kind in zip(texts, kinds, strict=True) if kind in ("operator", "compare", "spaced")
    ]
    if _is_call(kinds, texts):
        return True
    if operands < 2 or not joints:
        return False
    has_number = _has_number(kinds)
    return any(joint not in _WEAK_ALONE or (joint == "*" and has_number) for joint in joints) and (
        has_number or "=" in joints or len(joints) > 1 or all(len(text) == 1 for text in texts)
    )


def _has_number(kinds: list[str]) -> bool:
    return "number" in kinds or "quantity" in kinds


def _has_postfix(signs: list[re.Match[str]], kinds: list[str]) -> bool:
    """`5!` before more signs, but not the end of an exclamation."""
    for place in range(1, len(signs)):
        if signs[place].group() == "!" and kinds[place - 1] in ("number", "close"):
            return place + 1 < len(signs)
    return False


def _is_call(kinds: list[str], texts: list[str]) -> bool:
    """`f(x)`, `sin(x)`."""
    return (
        len(kinds) >= 4
        and kinds[0] in ("letter", "function")
        and texts[1] == "("
        and texts[-1] == ")"
        and texts[0] in "fghFGPO"
        if kinds[0] == "letter"
        else len(kinds) >= 2 and kinds[0] == "function" and kinds[1] in ("open", "letter", "number")
    )
