"""The invite link asks for what the bot uses, by Discord's own bits."""

from urllib.parse import parse_qs, urlsplit

import discord

from bot.invite import NEEDED_PERMISSIONS, invite_link, missing_permissions, needed_bits

# The name in Discord's client -> discord.py's flag.
FLAGS = {
    "View Channels": "read_messages",
    "Send Messages": "send_messages",
    "Send Messages in Threads": "send_messages_in_threads",
    "Create Public Threads": "create_public_threads",
    "Embed Links": "embed_links",
    "Attach Files": "attach_files",
    "Read Message History": "read_message_history",
    "Add Reactions": "add_reactions",
    "Send Polls": "send_polls",
    "Send Voice Messages": "send_voice_messages",
    "Connect": "connect",
    "Speak": "speak",
}


def test_each_bit_is_the_one_that_discord_gives_the_name() -> None:
    assert {permission.name: permission.bit for permission in NEEDED_PERMISSIONS} == {
        name: getattr(discord.Permissions, flag).flag for name, flag in FLAGS.items()
    }


def test_the_link_holds_exactly_the_needed_permissions() -> None:
    """SET-2: `python -m bot invite` prints the link with exactly the permissions needed."""
    link = urlsplit(invite_link(123))
    query = parse_qs(link.query)
    assert (link.scheme, link.netloc, link.path) == ("https", "discord.com", "/oauth2/authorize")
    assert query["client_id"] == ["123"]
    assert query["scope"] == ["bot applications.commands"]
    granted = discord.Permissions(int(query["permissions"][0]))
    assert {name for name, given in granted if given} == set(FLAGS.values())


def test_what_is_missing_is_named_and_an_administrator_lacks_nothing() -> None:
    lacking = discord.Permissions(needed_bits())
    lacking.update(embed_links=False, speak=False)
    assert [permission.name for permission in missing_permissions(lacking.value)] == ["Embed Links", "Speak"]
    assert missing_permissions(needed_bits()) == []
    assert missing_permissions(discord.Permissions(administrator=True).value) == []
