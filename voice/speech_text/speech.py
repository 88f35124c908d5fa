"""Markdown as the words that a voice says (SPEECH-2 to SPEECH-8).

The host: islands are lifted, Markdown is parsed into blocks, and each sentence of a block is read in the
language of its own words by that language's pack, with the plugins' hooks at their places. Total, pure and
linear: any text gives a reading, and the same text gives the same.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Final, assert_never

from voice.speech_text.discord_syntax import (
    BareLink,
    CommandMention,
    CustomEmoji,
    DiscordSpan,
    DisplayNames,
    Mention,
    Timestamp,
    split_discord_syntax,
)
from voice.speech_text.islands import (
    FIRST,
    LAST,
    PLACEHOLDER,
    Formula,
    Island,
    Spoiler,
    lift_islands,
    placeholder,
)
from voice.speech_text.languages import language_of_words
from voice.speech_text.locale_pack import LocalePack, LocalePacks
from voice.speech_text.locales import math_speech
from voice.speech_text.markdown_blocks import Block, Kind, blocks_of
from voice.speech_text.moments import say_moment
from voice.speech_text.numerals import Numeral
from voice.speech_text.preprocessors import SpeechContext, SpeechPreprocessor, default_speech_preprocessors
from voice.speech_text.prose.reading import read_prose, tidy

MOST_ROWS: Final = 6
MOST_COLUMNS: Final = 5
_SENTENCE: Final = re.compile(
    r"[^.!?。！？\n]*(?:[.!?]+(?![\s\"'”’)）]|$)[^.!?。！？\n]*)*(?:[.!?。！？]+[\"'”’」』)）]*\s*|\n|$)"
)
_ENDED: Final = re.compile(r"[.!?…。！？:：;；,，、][\"'”’」』)）]*$")
_SAID: Final = re.compile(r"\w")
_GROUPED: Final = re.compile(r"(?<=\d)_(?=\d{3}(?!\d))")
_EAST: Final = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")
_PARTS: Final = re.compile(rf"({FIRST}\d{{1,9}}{LAST})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the room knows: display names, the present moment in Unix seconds, the zone of timestamps."""

    names: DisplayNames = field(default_factory=DisplayNames)
    now_s: float | None = None
    zone: tzinfo = UTC


NOWHERE: Final = Surroundings()

_Span = Island | DiscordSpan


def to_speech_text(
    markdown: str,
    *,
    language: str = "en",
    preprocessors: Iterable[SpeechPreprocessor] | None = None,
    surroundings: Surroundings = NOWHERE,
    packs: LocalePacks = math_speech,
    before: str = "",
    whole: bool = True,
) -> str:
    """The words of `markdown` for a voice of the BCP 47 tag `language`; empty where nothing has a sound.

    `preprocessors` replaces the defaults (see `default_speech_preprocessors`). `before` is what was said
    before: it tells the language of a text without words of its own. Of a `whole` answer that has nothing to
    say (code, a spoiler, an emoji) a short notice is read; of a part, nothing. Never raises.
    """
    plugins = tuple(default_speech_preprocessors() if preprocessors is None else preprocessors)
    return _Speech(language, plugins, surroundings, packs).read(markdown, before=before, whole=whole)


class _Speech:
    """One reading."""

    def __init__(
        self,
        language: str,
        plugins: Sequence[SpeechPreprocessor],
        surroundings: Surroundings,
        packs: LocalePacks,
    ) -> None:
        self._voice = language
        self._plugins = plugins
        self._room = surroundings
        self._packs = packs
        self._spans: list[_Span] = []
        self._whole = ""

    def read(self, markdown: str, *, before: str, whole: bool) -> str:
        pack = self._packs.pack(self._voice)
        context = SpeechContext(language=self._voice, pack=pack)
        for plugin in self._plugins:
            if plugin.prepare is not None:
                markdown = plugin.prepare(markdown, context)
        lifted, islands = lift_islands(markdown)
        self._spans = list(islands)
        blocks = blocks_of(lifted)
        around = language_of_words(PLACEHOLDER.sub(" ", lifted[:4_000]), voice=self._voice)
        self._whole = around or language_of_words(before, voice=self._voice) or self._voice
        said = [self._block(block, is_last=place == len(blocks) - 1) for place, block in enumerate(blocks)]
        spoken = [text for text in said if text]
        if not spoken:
            return self._notice(blocks, pack) if whole else ""
        return self._joined(spoken)

    def _notice(self, blocks: list[Block], pack: LocalePack) -> str:
        """What is said of an answer without a sound of its own."""
        if any(block.kind is Kind.CODE for block in blocks):
            return pack.notices.code
        if any(isinstance(span, Spoiler) for span in self._spans):
            return pack.notices.spoiler
        names = [span.name for span in self._spans if isinstance(span, CustomEmoji)]
        return tidy(", ".join(dict.fromkeys(name.replace("_", " ").strip() for name in names)), pack)

    def _joined(self, texts: list[str]) -> str:
        out: list[str] = []
        for text in texts:
            if out and not (out[-1][-1] > "\u2e7f"):
                out.append(" ")
            out.append(text)
        return "".join(out)

    # ---- blocks ----

    def _block(self, block: Block, *, is_last: bool) -> str:
        match block.kind:
            case Kind.CODE:
                return ""
            case Kind.TABLE:
                return self._table(block)
            case Kind.PARAGRAPH | Kind.HEADING | Kind.ITEM:
                text = self._inline(block.text)
                if not text or not _SAID.search(text):
                    return ""
                pack = self._packs.pack(self._language_of(block.text, self._whole))
                if block.number is not None:
                    number = pack.numbers.number(Numeral(whole=str(block.number)))
                    text = pack.notices.list_number.format(n=number, text=text)
                if block.kind is Kind.PARAGRAPH and is_last:
                    return text
                return text if _ENDED.search(text) else text + pack.notices.sentence_end
            case _:
                assert_never(block.kind)

    def _table(self, block: Block) -> str:
        rows = block.rows
        pack = self._packs.pack(self._language_of(" ".join(" ".join(line) for line in rows[:4]), self._whole))
        columns = max((len(line) for line in rows), default=0)
        if len(rows) - 1 > MOST_ROWS or columns > MOST_COLUMNS:
            return pack.notices.table
        header, *body = rows or [[]]
        lines: list[str] = []
        for line in body or [header]:
            cells: list[str] = []
            for place, cell in enumerate(line):
                said = self._inline(cell)
                title = self._inline(header[place]) if body and place < len(header) else ""
                if said:
                    cells.append(pack.notices.header_cell.format(header=title, cell=said) if title else said)
            lines.append(pack.maths.list_joint.join(cells) + pack.notices.sentence_end if cells else "")
        return self._joined([line for line in lines if line])

    # ---- inline ----

    def _language_of(self, text: str, otherwise: str) -> str:
        return language_of_words(PLACEHOLDER.sub(" ", text), voice=self._voice) or otherwise

    def _inline(self, text: str) -> str:
        marked = self._with_discord_spans(text)
        around = self._language_of(marked, self._whole)
        said = ""
        gap = False
        for match in _SENTENCE.finditer(marked):
            sentence = match.group()
            if not sentence:
                continue
            pack = self._packs.pack(self._language_of(sentence, around))
            spoken = tidy(self._sentence(sentence, pack), pack)
            if spoken and _SAID.search(spoken):
                if sentence.endswith("\n") and not _ENDED.search(spoken):
                    spoken += pack.notices.clause_end
                said += (" " if said and gap and not _EAST.match(said[-1]) else "") + spoken
            gap = sentence[-1].isspace()
        return said

    def _with_discord_spans(self, text: str) -> str:
        pieces: list[str] = []
        for part in split_discord_syntax(text):
            if isinstance(part, str):
                pieces.append(part)
            else:
                pieces.append(placeholder(len(self._spans)))
                self._spans.append(part)
        return "".join(pieces)

    def _sentence(self, sentence: str, pack: LocalePack) -> str:
        context = SpeechContext(language=pack.tag, pack=pack)
        pieces: list[str] = []
        for part in _PARTS.split(sentence):
            span = PLACEHOLDER.fullmatch(part)
            if span is None:
                pieces.append(self._prose(part, context))
                continue
            number = int(span[1])
            said = self._span(self._spans[number], context) if number < len(self._spans) else ""
            if pieces and pieces[-1][-1:].isalnum() and said[:1].isalnum() and pieces[-1][-1:].isascii():
                pieces.append(" ")
            pieces.append(said)
        return _spaced(pieces)

    def _prose(self, text: str, context: SpeechContext) -> str:
        if not text:
            return text
        text = _GROUPED.sub("", text)
        for plugin in self._plugins:
            if plugin.prose is not None:
                text = plugin.prose(text, context)
        return read_prose(text, context.pack)

    def _span(self, span: _Span, context: SpeechContext) -> str:
        pack = context.pack
        match span:
            case Formula():
                return self._formula(span, context)
            case Spoiler() | CustomEmoji():
                return ""
            case BareLink():
                return pack.notices.link
            case CommandMention(name=name):
                return pack.notices.command.format(name=name.replace("-", " ").replace("_", " "))
            case Mention():
                return self._mention(span, context)
            case Timestamp():
                return say_moment(span, pack, now_s=self._room.now_s, zone=self._room.zone)
            case _:
                assert_never(span)

    def _formula(self, formula: Formula, context: SpeechContext) -> str:
        for plugin in self._plugins:
            if plugin.formula is not None:
                said = plugin.formula(formula, context)
                if said is not None:
                    return read_prose(said, context.pack)
        return read_prose(re.sub(r"[\\{}^_&]", " ", formula.tex), context.pack)

    def _mention(self, mention: Mention, context: SpeechContext) -> str:
        names, notices = self._room.names, context.pack.notices
        if mention.name:
            return mention.name
        match mention.kind:
            case "@&":
                name = names.roles.get(mention.id, notices.some_role)
            case "#":
                name = (
                    names.channels.get(mention.id, notices.some_channel).replace("-", " ").replace("_", " ")
                )
            case _:
                name = names.users.get(mention.id, notices.someone)
        return re.sub(r"[<>@`*_~|#\\]+", " ", name).strip() or notices.someone


def _spaced(pieces: list[str]) -> str:
    """Pieces side by side, with a space where two words of letters would run together."""
    out: list[str] = []
    for piece in pieces:
        if (
            out
            and piece
            and out[-1][-1:].isascii()
            and out[-1][-1:].isalnum()
            and piece[0].isascii()
            and piece[0].isalnum()
        ):
            out.append(" ")
        if piece:
            out.append(piece)
    return "".join(out)
