"""Formulas as MathJSON (SPEECH-6)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.speech_text import to_math_json

CASES = [
    (r"x", '"x"'),
    (r"3.5", "3.5"),
    (r"2 + 3", '["Add", 2, 3]'),
    (r"a + b + c", '["Add", "a", "b", "c"]'),
    (r"a - b", '["Subtract", "a", "b"]'),
    (r"-x", '["Negate", "x"]'),
    (r"-5", "-5"),
    (r"2x", '["Multiply", 2, "x"]'),
    (r"2 \times 3", '["Multiply", 2, 3]'),
    (r"x^2", '["Power", "x", 2]'),
    (r"x_1", '"x_1"'),
    (r"\frac{1}{2}", '["Rational", 1, 2]'),
    (r"\frac{a}{b}", '["Divide", "a", "b"]'),
    (r"a / b", '["Divide", "a", "b"]'),
    (r"\sqrt{2}", '["Sqrt", 2]'),
    (r"\sqrt[3]{x}", '["Root", "x", 3]'),
    (r"x = 1", '["Equal", "x", 1]'),
    (r"a < b < c", '["Less", "a", "b", "c"]'),
    (r"a^2 + b^2 = c^2", '["Equal", ["Add", ["Power", "a", 2], ["Power", "b", 2]], ["Power", "c", 2]]'),
    (r"\pi r^2", '["Multiply", "Pi", ["Power", "r", 2]]'),
    (r"f(x)", '["f", "x"]'),
    (r"f(x, y)", '["f", "x", "y"]'),
    (r"f'(x)", '[["Derivative", "f", 1], "x"]'),
    (r"2(x+1)", '["Multiply", 2, ["Delimiter", ["Add", "x", 1]]]'),
    (r"\sin x", '["Sin", "x"]'),
    (r"\sin^2 x", '["Power", ["Sin", "x"], 2]'),
    (r"\sin^{-1} x", '[["InverseFunction", "Sin"], "x"]'),
    (r"\log_2 8", '["Log", 8, 2]'),
    (r"n!", '["Factorial", "n"]'),
    (r"|x|", '["Abs", "x"]'),
    (r"\lfloor x \rfloor", '["Floor", "x"]'),
    (r"\sum_{i=1}^{n} i^2", '["Sum", ["Power", "i", 2], ["Tuple", "i", 1, "n"]]'),
    (r"\int_0^1 x \, dx", '["Integrate", "x", ["Tuple", "x", 0, 1]]'),
    (r"\lim_{x \to 0} x", '["Limit", ["Function", "x", "x"], 0]'),
    (r"\frac{dy}{dx}", '["D", "y", "x"]'),
    (r"\frac{d}{dx} y", '["D", "y", "x"]'),
    (r"\binom{n}{k}", '["Choose", "n", "k"]'),
    (r"x \in \mathbb{R}", '["Element", "x", "RealNumbers"]'),
    (r"\{1, 2\}", '["Set", 1, 2]'),
    (r"[0, 1)", '["Interval", 0, ["Open", 1]]'),
    (r"(1, 2)", '["Tuple", 1, 2]'),
    (r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", '["Matrix", ["List", ["List", 1, 2], ["List", 3, 4]]]'),
    (r"p \land q \Rightarrow r", '["Implies", ["And", "p", "q"], "r"]'),
    (r"A \cup B", '["Union", "A", "B"]'),
    (r"\vec{a}", '["OverVector", "a"]'),
    (r"90^\circ", '["Degrees", 90]'),
    (r"50\%", '["Percent", 50]'),
    (r"\SI{5}{km}", """["Quantity", 5, "'km'"]"""),
    (r"e^{i\pi}", '["Power", "ExponentialE", ["Multiply", "ImaginaryUnit", "Pi"]]'),
    (r"\infty", '"PositiveInfinity"'),
    (r"\text{if } x", """["Multiply", "'if'", "x"]"""),
    (r"1 +", """["Add", 1, ["Error", "'missing'"]]"""),
]


@pytest.mark.parametrize(("tex", "expected"), CASES)
def test_math_json(tex: str, expected: str) -> None:
    """SPEECH-6: `to_math_json` gives the formula without reading it."""
    assert to_math_json(tex) == json.loads(expected)


@given(
    st.text(max_size=40)
    | st.lists(
        st.sampled_from([*r"\{}()[]^_+-=/|!,&xd1 ", r"\frac", r"\sum", r"\int", r"\\", r"\left("])
    ).map("".join)
)
def test_any_text_gives_an_expression(tex: str) -> None:
    """SPEECH-6: what cannot be parsed is an error in its place, never an exception."""
    json.dumps(to_math_json(tex))
