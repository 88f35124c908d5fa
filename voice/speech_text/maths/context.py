r"""Signs whose word depends on what stands around them, renamed before they are read.

A bar is "divides" between numbers, "such that" in a set, "given" in a probability; a point between vectors is
"dot"; `\equiv` with a modulus is a congruence; a colon before an arrow begins a map.
"""

from dataclasses import replace
from typing import Final

from voice.speech_text.maths.tree import Accent, Fenced, Identifier, Node, Number, Role, Row, Scripted, Symbol

_PRODUCTS: Final = {"cdot": "dot_product", "times": "cross_product"}
_QUANTIFIERS: Final = frozenset({"forall", "exists", "nexists"})


def in_context(nodes: tuple[Node, ...], *, fence: str = "") -> tuple[Node, ...]:
    """The nodes of a row with their signs renamed; `fence` is the bracket around the row."""
    names = {node.name for node in nodes if isinstance(node, Symbol)}
    if not names:
        return nodes
    is_map = {"colon", "to"} <= names or {"colon", "mapsto"} <= names
    is_modular = "mod" in names
    renamed: list[Node] = []
    is_noun = fence == "{" and bool(names & {"colon", "mid"})
    for place, node in enumerate(nodes):
        if not isinstance(node, Symbol):
            renamed.append(node)
            continue
        name = node.name
        match name:
            case "mid":
                name = {"{": "such_that", "(": "given", "[": "given"}.get(fence, "divides")
            case "colon":
                name = "such_that" if fence == "{" else "from" if is_map else "colon"
            case "to" if not is_map and _is_target(nodes, place + 1):
                name = "tends_to"
            case "equiv" if is_modular:
                name = "congruent"
            case "in" if is_noun:
                name = "in_noun"
            case "cdot" | "times" if _is_vector(nodes, place - 1) or _is_vector(nodes, place + 1):
                name = _PRODUCTS[name]
            case _:
                pass
        is_noun = (is_noun or name in _QUANTIFIERS) and name not in ("such_that", "in_noun")
        renamed.append(replace(node, name=name, role=Role.OPERATOR if name == "in_noun" else node.role))
    return tuple(renamed)


def under_operator(node: Node) -> Node:
    r"""The lower limit of a large operator, where `i \in A` names what is counted."""
    if not isinstance(node, Row):
        return node
    return Row(items=tuple(_as_noun(item) for item in node.items))


def _as_noun(item: Node) -> Node:
    if isinstance(item, Symbol) and item.name == "in":
        return Symbol(name="in_noun", role=Role.OPERATOR)
    return item


def _is_target(nodes: tuple[Node, ...], place: int) -> bool:
    """Whether what an arrow points at is a value to approach."""
    return place < len(nodes) and isinstance(nodes[place], Number | Symbol)


def _is_vector(nodes: tuple[Node, ...], place: int) -> bool:
    if not 0 <= place < len(nodes):
        return False
    match nodes[place]:
        case Accent(name="vec") | Identifier(style="bf") | Symbol(name="nabla"):
            return True
        case Scripted(nucleus=Accent(name="vec") | Identifier(style="bf")):
            return True
        case _:
            return False


def is_call_fence(fence: Fenced, nucleus: Node) -> bool:
    """Whether brackets hold an argument: parentheses, or square ones after an operator of probability."""
    if not fence.closing:
        return False
    if fence.opening == "(":
        return True
    return (
        fence.opening == "["
        and isinstance(nucleus, Identifier)
        and (nucleus.style == "bb" or nucleus.name in ("E", "P"))
    )
