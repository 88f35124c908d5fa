"""From the events of a generation to what a sink is told."""

from typing import assert_never

from core.conversation.turns import InvocationStatus
from core.generation.events import (
    CitationFound,
    ReasoningDelta,
    RefusalDelta,
    RoundFinished,
    StreamEvent,
    TextDelta,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    TurnFinished,
    UsageReported,
)
from core.markers.parser import Delay, Emote, Literal, Silent, Sticker
from core.markers.repeats import RepeatCutter
from core.markers.reply_reader import ReplyPiece, ReplyReader
from core.markers.stickers import StickerCatalog
from core.orchestration.replies import (
    EmotionChosen,
    PauseAsked,
    ReplyEvent,
    ReplyTextGrew,
    StickerChosen,
    ToolBegan,
    ToolSettled,
)


class ReplyTranslator:
    """One reply's stream: `read` every event in order, then `finish` once.

    With `cut_repeats` a reply that goes round in circles is over at its first repetition: `is_cut` turns
    true, and nothing comes out any more (CORE-46).
    """

    def __init__(
        self,
        *,
        stickers: StickerCatalog,
        silence_offered: bool,
        own_names: tuple[str, ...] = (),
        cut_repeats: bool = False,
    ) -> None:
        self._reader = ReplyReader(stickers=stickers, silence_offered=silence_offered, own_names=own_names)
        self._repeats = RepeatCutter() if cut_repeats else None
        self._round_ended = False
        self._silenced = False
        self.visible = False

    @property
    def silent(self) -> bool:
        """Nothing is to be said: the model chose so and was allowed to, or a tool ended the turn."""
        return self._reader.silent or self._silenced

    @property
    def sticker_id(self) -> str | None:
        """The reply's sticker, once it was chosen."""
        return self._reader.sticker_id

    @property
    def is_cut(self) -> bool:
        """The reply began to repeat itself; the rest of it is not wanted."""
        return self._repeats is not None and self._repeats.cut

    def read(self, event: StreamEvent) -> tuple[ReplyEvent, ...]:
        """What `event` means to the people of the scene; reasoning and bookkeeping mean nothing to them."""
        match event:
            case TextDelta() | RefusalDelta():
                return self._pieces(self._reader.feed(self._unrepeated(event.text)))
            case ToolCallStarted():
                return (ToolBegan(name=event.name),)
            case ToolCallFinished(invocation=invocation):
                failed = invocation.status is not InvocationStatus.COMPLETED
                return (ToolSettled(name=invocation.name, failed=failed),)
            case ReasoningDelta() | ToolCallArguments() | CitationFound() | UsageReported():
                return ()
            case RoundFinished():
                told = self._pieces(self._reader.next_round())
                self._round_ended = True
                return told
            case TurnFinished(silent=silent):
                self._silenced = silent
                return ()
            case _:
                assert_never(event)

    def finish(self) -> tuple[ReplyEvent, ...]:
        """What still waited when the generation ended."""
        waiting = "" if self._repeats is None else self._repeats.end()
        return self._pieces((*self._reader.feed(waiting), *self._reader.end()))

    def _unrepeated(self, text: str) -> str:
        return text if self._repeats is None else self._repeats.feed(text)

    def _pieces(self, pieces: tuple[ReplyPiece, ...]) -> tuple[ReplyEvent, ...]:
        return tuple(event for piece in pieces if (event := self._piece(piece)) is not None)

    def _parted(self, text: str) -> str:
        """Words from before and after a tool's work stand in paragraphs of their own."""
        parts = self.visible and self._round_ended and bool(text.strip())
        self._round_ended = self._round_ended and not text.strip()
        self.visible = self.visible or bool(text.strip())
        return f"\n\n{text.lstrip()}" if parts else text

    def _piece(self, piece: ReplyPiece) -> ReplyEvent | None:
        match piece:
            case Literal():
                return ReplyTextGrew(text=self._parted(piece.text))
            case Sticker():
                self.visible = True
                return StickerChosen(sticker_id=piece.id)
            case Delay():
                return PauseAsked(seconds=piece.seconds)
            case Emote():
                return EmotionChosen(name=piece.name)
            case Silent():
                return None
            case _:
                assert_never(piece)
