"""TEXT-3: whom a reply may ping and which links it carries."""

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.discord_chat.mention_rules import (
    NO_PINGS,
    AllowedPings,
    InviteLinks,
    LinkGate,
    LinkPolicy,
    MaskedLinks,
    pings_of,
)

STRICT = LinkPolicy(masked=MaskedLinks.SHOW_ADDRESS, invites=InviteLinks.REMOVE)


def gated(text: str, policy: LinkPolicy = STRICT) -> str:
    gate = LinkGate(policy)
    return gate.feed(text) + gate.finish()


def test_nothing_but_the_replied_user_can_be_pinged() -> None:
    """TEXT-3: there is no way to say `@everyone`, a role or another user."""
    assert [field.name for field in fields(AllowedPings)] == ["replied_user"]
    assert not NO_PINGS.replied_user


@pytest.mark.parametrize(
    ("index", "setting", "pings"), [(0, True, True), (0, False, False), (1, True, False), (1, False, False)]
)
def test_the_replied_user_is_pinged_once_and_only_by_setting(
    index: int,
    setting: bool,
    pings: bool,
) -> None:
    """TEXT-3."""
    assert pings_of(message_index=index, ping_replied_user=setting).replied_user is pings


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see [docs](https://e.org/a) now", "see docs (<https://e.org/a>) now"),
        ("see [docs](<https://e.org/a>)", "see docs (<https://e.org/a>)"),
        ("[https://e.org](https://e.org)", "<https://e.org>"),
        ('[a](https://e.org "title")', "a (<https://e.org>)"),
        ("[wiki](https://e.org/a_(b))", "wiki (<https://e.org/a_(b)>)"),
        ("join https://discord.gg/abc-1!", "join (invite link removed)!"),
        ("DISCORD.GG/abc", "(invite link removed)"),
        ("discord.com/invite/abc, discordapp.com/invite/x", "(invite link removed), (invite link removed)"),
        (
            "https://ptb.discord.com/invite/x canary.discord.com/invite/y",
            " ".join(["(invite link removed)"] * 2),
        ),
        ("[free nitro](https://discord.gg/abc)", "free nitro (invite link removed)"),
        ("```md\n[a](https://e.org) discord.gg/abc\n```", "```md\n[a](https://e.org) discord.gg/abc\n```"),
        ("[ ] a task, x[0](y), d", "[ ] a task, x[0](y), d"),
        ("https://e.org stays", "https://e.org stays"),
    ],
)
def test_links_follow_the_policy(text: str, shown: str) -> None:
    """TEXT-3: invite links and masked links by setting."""
    assert gated(text) == shown


def test_a_policy_that_keeps_everything_changes_nothing() -> None:
    text = "[a](https://discord.gg/abc) discord.gg/abc"
    assert gated(text, LinkPolicy(masked=MaskedLinks.KEEP, invites=InviteLinks.KEEP)) == text


def test_a_long_run_of_backticks_is_not_held_back() -> None:
    gate = LinkGate(STRICT)
    shown = "".join(gate.feed("````") for _ in range(1_000))
    assert len(shown) >= 3_997
    assert shown + gate.finish() == "`" * 4_000


PARTS = st.sampled_from(
    [
        "[docs](https://e.org/a)",
        "https://discord.gg/abc",
        "discord.com/invite/x",
        "[",
        "](",
        ")",
        "https://",
        "disc",
        "ord",
        "`",
        "```",
        "word",
        " ",
        "\n",
        "www.",
        "canary.",
    ]
)


@given(st.lists(PARTS, max_size=40).map("".join), st.lists(st.integers(1, 9), min_size=1, max_size=20))
@settings(max_examples=300, deadline=None)
def test_the_result_does_not_depend_on_how_the_text_was_streamed(text: str, sizes: list[int]) -> None:
    """TEXT-3: a link torn by the stream is still found."""
    gate = LinkGate(STRICT)
    shown = ""
    position = turn = 0
    while position < len(text):
        size = sizes[turn % len(sizes)]
        shown += gate.feed(text[position : position + size])
        position, turn = position + size, turn + 1
    assert shown + gate.finish() == gated(text)
