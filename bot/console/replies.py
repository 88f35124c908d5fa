"""A reply on the screen, token by token."""

from collections.abc import AsyncIterator
from typing import assert_never

from bot.console.screen import Screen
from core.orchestration.replies import (
    Delivered,
    EmotionChosen,
    Ending,
    PauseAsked,
    ReplyEnded,
    ReplyEvent,
    ReplySink,
    ReplyTextGrew,
    StickerChosen,
    ToolBegan,
    ToolSettled,
    WorkTold,
)
from core.orchestration.sends import Send


class ScreenReplies:
    """The `ReplyPlace` of the console, and its sink: the screen keeps nothing between replies."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def open_sink(self, send: Send) -> ReplySink:
        """The screen."""
        return self

    async def deliver(self, events: AsyncIterator[ReplyEvent]) -> Delivered:
        """Print the text as it comes."""
        printed: list[str] = []
        async for event in events:
            match event:
                case ReplyTextGrew():
                    printed.append(event.text)
                    self._screen.grow(event.text)
                    if self._screen.is_gone:
                        break  # nobody reads along, so the model need not go on
                case ReplyEnded():
                    self._screen.end_reply(_note(event))
                case (
                    StickerChosen()
                    | PauseAsked()
                    | EmotionChosen()
                    | ToolBegan()
                    | ToolSettled()
                    | WorkTold()
                ):
                    pass
                case _:
                    assert_never(event)
        return Delivered(text="".join(printed))


def _note(ended: ReplyEnded) -> str:
    match ended.ending:
        case Ending.COMPLETED | Ending.SILENT | Ending.SUPERSEDED | Ending.WITHDRAWN:
            return ""
        case Ending.STOPPED:
            return "(stopped)"
        case Ending.FAILED:
            return f"{ended.advice} ({ended.error_id})"
        case _:
            assert_never(ended.ending)
