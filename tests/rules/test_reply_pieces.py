"""TEXT-1, TEXT-2: the messages of a reply, and the file a very long one becomes."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.discord_chat.message_length import discord_length
from bot.discord_chat.reply_pieces import FileReply, MessagesReply, ReplyLimits, ReplyPieces

PROSE = "The quick brown fox jumps over the lazy dog, and nothing happens at all. "
LONG = (PROSE * 10 + "\n\n") * 82


def streamed(text: str, step: int = 7) -> tuple[ReplyPieces, list[tuple[str, ...]]]:
    pieces = ReplyPieces()
    shown: list[tuple[str, ...]] = []
    for position in range(0, len(text), step):
        pieces.feed(text[position : position + step])
        if position % (step * 40) == 0:
            shown.append(pieces.shown())
    return pieces, shown


def test_a_reply_of_60000_characters_becomes_a_file() -> None:
    """TEXT-2: one message with the beginning, and the whole answer attached."""
    assert len(LONG) > 60_000
    pieces = ReplyPieces()
    pieces.feed(LONG)
    plan = pieces.finish()
    assert isinstance(plan, FileReply)
    assert plan.content == LONG
    assert plan.filename == "reply.md"
    assert len(plan.texts) == 1
    assert plan.texts[0].startswith(PROSE)
    assert plan.texts[0].endswith("\n-# The whole answer is in the attached file.")
    assert discord_length(plan.texts[0]) <= 600


def test_messages_already_posted_stay_when_the_reply_becomes_a_file() -> None:
    """TEXT-2: a reader in the middle of the fourth message loses no line of what was above."""
    pieces, shown = streamed(LONG)
    assert max(map(len, shown)) == 6
    assert shown[-1][5].endswith("-# The whole answer follows as a file.")
    plan = pieces.finish(posted=6)
    assert isinstance(plan, FileReply)
    assert plan.texts[:5] == shown[-1][:5]
    assert plan.texts[5].endswith("-# The whole answer is in the attached file.")
    assert all(discord_length(text) <= 2_000 for text in plan.texts)


def test_a_full_message_is_never_shown_differently_again() -> None:
    """TEXT-1: only the last message changes."""
    _, shown = streamed(LONG)
    for before, after in pairwise(shown):
        assert len(after) >= len(before)
        settled = min(len(before), len(after)) - 1
        assert after[:settled] == before[:settled]


def test_a_reply_that_fits_is_shown_in_messages() -> None:
    pieces, shown = streamed(PROSE * 60)
    plan = pieces.finish(posted=len(shown[-1]))
    assert isinstance(plan, MessagesReply)
    assert len(plan.texts) == 3
    assert " ".join(plan.texts).split() == (PROSE * 60).split()


def test_nothing_to_show_is_no_message() -> None:
    pieces = ReplyPieces()
    pieces.feed(" \n")
    assert pieces.shown() == ()
    assert pieces.finish() == MessagesReply(texts=())


def test_links_and_tables_are_rewritten_on_the_way() -> None:
    """TEXT-2, TEXT-3: and the file keeps the table as Markdown."""
    pieces = ReplyPieces(ReplyLimits(max_messages=1))
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    pieces.feed(f"{table}\ndiscord.gg/abc ")
    assert pieces.shown() == ("```\na  b\n-  -\n1  2\n```\n\n(invite link removed)",)
    pieces.feed(PROSE * 60)
    plan = pieces.finish(posted=1)
    assert isinstance(plan, FileReply)
    assert plan.content.startswith(f"{table}\n(invite link removed) ")
    assert plan.texts[0].startswith("```\na  b")


PARTS = st.sampled_from(
    [
        PROSE * 6,
        "\n\n",
        "\n| a | b |\n|---|---|\n",
        "| 1 | 2 |\n" * 9,
        "\n```py\n" + "x = 1\n" * 90,
        "```\n",
        "天地" * 300,
    ]
)


@given(st.lists(PARTS, max_size=14).map("".join), st.lists(st.integers(1, 900), min_size=1, max_size=9))
@settings(max_examples=60, deadline=None)
def test_what_is_posted_as_full_is_in_the_final_reply(text: str, sizes: list[int]) -> None:
    """TEXT-1: `sealed_count` messages of any moment stand unchanged in the plan."""
    pieces = ReplyPieces()
    sealed: tuple[str, ...] = ()
    position = turn = posted = 0
    while position < len(text):
        size = sizes[turn % len(sizes)]
        pieces.feed(text[position : position + size])
        position, turn = position + size, turn + 1
        shown = pieces.shown()
        assert shown[: len(sealed)] == sealed
        assert all(discord_length(message) <= 2_000 for message in shown)
        sealed, posted = shown[: pieces.sealed_count], len(shown)
    plan = pieces.finish(posted=posted)
    assert plan.texts[: len(sealed)] == sealed
    assert posted <= len(plan.texts) <= 6
