"""Brackets and matrices as words: parentheses, intervals, sets, norms, determinants, cases."""

from typing import Protocol

from voice.speech_text.locale_pack import LocalePack, MathsWords
from voice.speech_text.maths.shapes import is_short
from voice.speech_text.maths.tree import Fenced, Matrix, Node, Role, Symbol, items_of, row
from voice.speech_text.numerals import whole


class Speaker(Protocol):
    """The reader of the whole formula."""

    @property
    def pack(self) -> LocalePack:
        """The language that is read."""
        ...

    @property
    def words(self) -> MathsWords:
        """Its words of maths."""
        ...

    def say(self, node: Node) -> str:
        """A node as words."""
        ...

    def inside(self, fence: Fenced) -> str:
        """What stands between brackets."""
        ...


def say_fenced(reader: Speaker, node: Fenced) -> str:
    """A bracketed part: what its brackets mean, with what they hold."""
    words = reader.words
    body = reader.inside(node)
    if not node.closing:
        return _open(reader, node, body)
    match node.opening + node.closing:
        case "()" | "[]" | "(]" | "[)" | "][":
            return _parentheses(reader, node, body)
        case "||":
            return (
                words.determinant.format(body=body)
                if isinstance(node.body, Matrix)
                else words.absolute.format(body=body)
            )
        case "||||":
            return words.norm.format(body=body)
        case "lfloorrfloor":
            return words.floor.format(body=body)
        case "lceilrceil":
            return words.ceiling.format(body=body)
        case "langlerangle":
            return words.inner.format(body=body)
        case "{}":
            return words.set_of.format(body=body) if body else words.symbols["emptyset"]
        case _:
            return body


def _open(reader: Speaker, node: Fenced, body: str) -> str:
    return body if node.opening == "{" else reader.pack.join([reader.words.quantity.format(body=body)])


def _parentheses(reader: Speaker, node: Fenced, body: str) -> str:
    words = reader.words
    items = items_of(node.body)
    if isinstance(node.body, Matrix):
        return body
    commas = [
        place for place, item in enumerate(items) if item == Symbol(name="comma", role=Role.PUNCTUATION)
    ]
    if len(commas) == 1 and (node.opening, node.closing) != ("(", ")"):
        template = {
            "[]": words.interval_closed,
            "(]": words.interval_left_open,
            "[)": words.interval_right_open,
        }.get(node.opening + node.closing, words.interval_open)
        low, high = row(list(items[: commas[0]])), row(list(items[commas[0] + 1 :]))
        return template.format(low=reader.say(low), high=reader.say(high))
    if node.opening == "[":
        return words.brackets.format(body=body)
    return body if commas or (len(items) == 1 and is_short(items[0])) else words.quantity.format(body=body)


def say_matrix(reader: Speaker, node: Matrix) -> str:
    """Rows of cells: a matrix, a determinant, a vector, cases, or lines of equations."""
    words = reader.words
    if node.kind == "aligned":
        return words.pause.join(reader.pack.join([reader.say(cell) for cell in line]) for line in node.rows)
    if node.kind == "cases":
        lines = [_case(reader, line) for line in node.rows]
        template = words.cases if any(len(line) > 1 for line in node.rows) else words.system
        return template.format(body=words.pause.join(lines))
    number = reader.pack.numbers.number
    columns = max((len(line) for line in node.rows), default=0)
    sizes = {"rows": number(whole(len(node.rows))), "columns": number(whole(columns))}
    if columns == 1 and len(node.rows) > 1:
        cells = words.list_joint.join(reader.say(line[0]) for line in node.rows)
        return words.column_vector.format(body=cells)
    if len(node.rows) == 1:
        return words.row_vector.format(body=words.list_joint.join(reader.say(cell) for cell in node.rows[0]))
    rows = [
        words.matrix_row.format(
            n=number(whole(place)), body=words.list_joint.join(reader.say(cell) for cell in line)
        )
        for place, line in enumerate(node.rows, 1)
    ]
    template = words.determinant if node.kind == "vmatrix" else words.matrix
    return template.format(body=words.pause.join(rows), **sizes)


def _case(reader: Speaker, line: tuple[Node, ...]) -> str:
    value, *conditions = (reader.say(cell) for cell in line)
    value = value.rstrip(" ,，、")
    if not conditions:
        return value
    return reader.words.case.format(value=value, condition=reader.pack.join(conditions))
