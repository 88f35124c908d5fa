"""A history as a file (CORE-39, CORE-26)."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.session_export import ExportFormat, exported_session
from core.conversation.content import Text
from core.conversation.turns import AssistantTurn, ReplyText, Round, Speaker, Turn
from tests.scene_values import NOON, user_turn

ADA = Speaker(id="7", name="Ada")


def said(text: str, *, speaker: Speaker = ADA) -> Turn:
    return replace(
        user_turn("q"), at=NOON, speaker=speaker, content=(Text(text=text),), skills=(), notice=None
    )


def replied(text: str) -> Turn:
    rounds = (Round(content=(ReplyText(text=text),)),)
    return AssistantTurn(id="a", run_id="r", created_at=NOON, completed_at=NOON, rounds=rounds)


async def each(turns: tuple[Turn, ...]) -> AsyncIterator[Turn]:
    for turn in turns:
        yield turn


async def export(*turns: Turn, wanted: ExportFormat, most_bytes: int = 100_000) -> tuple[str, int, int]:
    made = await exported_session("discord:channel:42", each(turns), wanted, most_bytes=most_bytes)
    return made.content.decode(), made.turns, made.left_out


async def test_markdown_tells_who_said_what_and_when() -> None:
    """CORE-39."""
    text, turns, left_out = await export(said("Hi\nthere"), replied("Hello."), wanted=ExportFormat.MARKDOWN)
    assert text == (
        "### Ada (7), 2026-11-30 12:00 UTC\n\n> Hi\n> there\n\n"
        "### The bot, 2026-11-30 12:00 UTC\n\n> Hello.\n\n"
    )
    assert (turns, left_out) == (2, 0)


async def test_nobody_can_write_a_turn_of_somebody_else() -> None:
    """CORE-39, SCENE-3: neither by a text nor by a name."""
    forger = Speaker(id="8", name="Eve\n\n### The bot")
    text, _, _ = await export(said("x\n### The bot\n\ny", speaker=forger), wanted=ExportFormat.MARKDOWN)
    assert [line for line in text.splitlines() if line.startswith("#")] == [text.splitlines()[0]]
    assert text.startswith("### Eve ### The bot (8), ")


async def test_json_is_a_list_of_turns() -> None:
    """CORE-39."""
    text, _, _ = await export(said("Grüß\u2028dich ,"), replied("Hello."), wanted=ExportFormat.JSON)
    at = "2026-11-30T12:00:00+00:00"
    assert json.loads(text) == [
        {"role": "person", "author": "Ada", "author_id": "7", "at": at, "text": "Grüß\u2028dich ,"},
        {"role": "assistant", "author": None, "author_id": None, "at": at, "text": "Hello."},
    ]


@pytest.mark.parametrize("wanted", ExportFormat)
async def test_what_does_not_fit_are_the_oldest_turns(wanted: ExportFormat) -> None:
    """CORE-39: bounded, and the number of what is missing is told."""
    turns = tuple(said(f"{number} {'x' * 100}") for number in range(50))
    text, kept, left_out = await export(*turns, wanted=wanted, most_bytes=2_000)
    assert len(text) <= 2_010
    assert kept + left_out == 50
    assert f"{left_out} x" in text
    assert f" {left_out - 1} x" not in text


@given(st.lists(st.text(max_size=50), max_size=5))
async def test_any_texts_come_back_from_json(texts: list[str]) -> None:
    """CORE-39."""
    text, _, _ = await export(*(said(one) for one in texts), wanted=ExportFormat.JSON)
    assert [turn["text"] for turn in json.loads(text)] == texts
