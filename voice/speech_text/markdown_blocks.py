"""Markdown as blocks of text in reading order, without marks that have no sound (SPEECH-2).

Parsed by markdown-it-py. Text keeps the placeholders of `islands`; further placeholders are added here for
code spans. What a block is decides its pauses, which are `speech`'s business.
"""

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token


class Kind(Enum):
    """What a block is, as far as it is heard."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    TABLE = "table"
    CODE = "code"


@dataclass(slots=True, kw_only=True)
class Block:
    r"""One block; a line feed in `text` is heard; `number` is an ordered item's, `rows` are a table's."""

    kind: Kind
    text: str = ""
    number: int | None = None
    rows: list[list[str]] = field(default_factory=list[list[str]])


_PRODUCT: Final = re.compile(r"\*(?=[\d(])")
_SUBTEXT: Final = re.compile(r"^([ \t>]*)-#[ \t]+", re.MULTILINE)
_TIGHT_HEADING: Final = re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE)
_CHECKBOX: Final = re.compile(r"^\[[ xX]\]\s+")
_FOOTNOTE: Final = re.compile(r"\[\^[\w-]{1,40}\]:?")
_INDENT: Final = re.compile(r"^[ \t]{2,}(?=\S)", re.MULTILINE)
_CODE_NAME: Final = re.compile(r"(?<=\w)_+(?=\w)")
_MANY_BRACKETS: Final = 300
"""With more opening brackets than this, and few links, they are no Markdown: each costs the parser dearly."""
_CALL: Final = re.compile(r"\(\)")
_BREAK_TAG: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)


def _product(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the signature of a rule of markdown-it
    """`2*3` multiplies, wherever another star stands."""
    place = state.pos
    if state.src[place] != "*" or place == 0 or not _PRODUCT.match(state.src, place):
        return False
    if not (state.src[place - 1].isdigit() or state.src[place - 1] == ")"):
        return False
    if not silent:
        state.pending += "*"
    state.pos += 1
    return True


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": 20})
    parser.enable(["table", "strikethrough"]).disable(["code", "html_block", "lheading"])
    parser.inline.ruler.before("emphasis", "product", _product)
    return parser


_PARSER: Final = _parser()


def blocks_of(markdown: str) -> list[Block]:
    """Blocks in the order that they are read."""
    text = _FOOTNOTE.sub("", _SUBTEXT.sub(r"\1", markdown))
    if text.count("[") > _MANY_BRACKETS and text.count("](") * 4 < text.count("["):
        text = text.replace("[", " ")
    first = _INDENT.match(text)
    if first:
        text = re.sub(rf"^[ \t]{{1,{first.end()}}}", "", text, flags=re.MULTILINE)
    return _Reader().read(_PARSER.parse(text))


class _Reader:
    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._items: list[int | None] = []  # the lists that are open, with the next number
        self._first_of_item = False
        self._heading = False
        self._table: Block | None = None

    def read(self, tokens: list[Token]) -> list[Block]:
        for token in tokens:
            self._token(token)
        return self._blocks

    def _token(self, token: Token) -> None:  # noqa: C901 - one case for each kind of token
        match token.type:
            case "bullet_list_open":
                self._items.append(None)
            case "ordered_list_open":
                self._items.append(int(token.attrGet("start") or 1))
            case "bullet_list_close" | "ordered_list_close":
                self._items.pop()
            case "list_item_open":
                self._first_of_item = True
            case "heading_open" | "heading_close":
                self._heading = token.nesting == 1
            case "table_open":
                self._table = Block(kind=Kind.TABLE)
            case "table_close" if self._table is not None:
                self._blocks.append(self._table)
                self._table = None
            case "tr_open" if self._table is not None:
                self._table.rows.append([])
            case "fence" | "code_block":
                self._blocks.append(Block(kind=Kind.CODE))
            case "inline":
                self._inline(inline_text(token.children or []))
            case _:
                pass

    def _inline(self, text: str) -> None:
        if self._table is not None:
            self._table.rows[-1].append(text.strip())
            return
        block = Block(kind=Kind.HEADING if self._heading else Kind.PARAGRAPH, text=text)
        if self._items:
            block.kind = Kind.ITEM
            if self._first_of_item:
                block.text = _CHECKBOX.sub("", text)
                block.number = self._items[-1]
                if block.number is not None:
                    self._items[-1] = block.number + 1
                self._first_of_item = False
        self._blocks.append(block)


def inline_text(children: list[Token]) -> str:
    """The heard text of a run of inline tokens; a link keeps its label, a picture its description."""
    pieces: list[str] = []
    for token in children:
        match token.type:
            case "text" | "text_special":
                pieces.append(token.content)
            case "code_inline":
                pieces.append(_CALL.sub("", _CODE_NAME.sub(" ", token.content)))
            case "softbreak":
                pieces.append(" " if _joins_with_space(pieces) else "\n")
            case "hardbreak":
                pieces.append("\n")
            case "html_inline" if _BREAK_TAG.fullmatch(token.content):
                pieces.append("\n")
            case "image":
                pieces.append(inline_text(token.children or []) or token.content)
            case _:
                pass
    return "".join(pieces)


def _joins_with_space(pieces: list[str]) -> bool:
    """Whether a soft line break is a space: between words of a script that has spaces."""
    last = pieces[-1].rstrip()[-1:] if pieces else ""
    return not last or last < "\u2e80" or "\uac00" <= last <= "\ud7a3"
