"""What the voice transport uses of discord.py: public names only, in one file, of a known shape.

When discord.py changes one of them, this file says which; `voice/transport/link.py` is the place to mend.
"""

import ast
import inspect
from pathlib import Path

import discord
import pytest

from tests.architecture.sources import ROOT, python_files, syntax_tree

DOOR = ROOT / "voice" / "transport" / "link.py"


def parameters(function: object) -> list[tuple[str, str]]:
    """Name and kind of each parameter."""
    signature = inspect.signature(function)  # type: ignore[arg-type] # a function of discord.py
    return [(one.name, one.kind.name) for one in signature.parameters.values()]


def test_one_file_knows_discord() -> None:
    knowing = {
        file
        for file in python_files("voice")
        for node in ast.walk(syntax_tree(file))
        if (
            isinstance(node, ast.Import)
            and any(alias.name.split(".")[0] == "discord" for alias in node.names)
        )
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "discord")
    }
    assert knowing == {DOOR}


def test_nothing_private_of_discord_is_touched() -> None:
    """VOX-1: every private name in the door is the door's own."""
    own = {
        "_client",
        "_guild",
        "_is_known",
        "_settings",
        "_ssl",
        "_chance",
        "_tasks",
        "_http",
        "_sender",
        "_running",
        "_start",
        "_hold",
    }
    tree = ast.parse(DOOR.read_text("utf-8"))
    touched = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
    }
    assert touched <= own
    on_self = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }
    assert touched == on_self


def test_the_protocol_that_discord_calls_is_the_one_that_is_implemented() -> None:
    """VOX-1: discord.py hands over two events, and asks to connect, disconnect and clean up."""
    protocol = discord.VoiceProtocol
    assert parameters(protocol.__init__) == [
        ("self", "POSITIONAL_OR_KEYWORD"),
        ("client", "POSITIONAL_OR_KEYWORD"),
        ("channel", "POSITIONAL_OR_KEYWORD"),
    ]
    assert parameters(protocol.on_voice_state_update) == [
        ("self", "POSITIONAL_ONLY"),
        ("data", "POSITIONAL_ONLY"),
    ]
    assert parameters(protocol.on_voice_server_update) == [
        ("self", "POSITIONAL_ONLY"),
        ("data", "POSITIONAL_ONLY"),
    ]
    assert [name for name, _ in parameters(protocol.connect)] == [
        "self",
        "timeout",
        "reconnect",
        "self_deaf",
        "self_mute",
    ]
    assert [name for name, _ in parameters(protocol.disconnect)] == ["self", "force"]
    assert [name for name, _ in parameters(protocol.cleanup)] == ["self"]
    methods = {
        name for name, _ in inspect.getmembers(protocol, inspect.isfunction) if not name.startswith("_")
    }
    assert methods == {"on_voice_state_update", "on_voice_server_update", "connect", "disconnect", "cleanup"}


@pytest.mark.parametrize("channel", [discord.VoiceChannel, discord.StageChannel])
def test_channels_connect_with_a_protocol_of_ours(channel: type) -> None:
    names = [name for name, _ in parameters(channel.connect)]
    assert {"timeout", "reconnect", "cls"} <= set(names)
    assert isinstance(channel.members, property)


def test_the_main_gateway_is_asked_through_the_guild() -> None:
    assert [name for name, _ in parameters(discord.Guild.change_voice_state)] == [
        "self",
        "channel",
        "self_mute",
        "self_deaf",
    ]
    for name in ("get_channel", "get_member"):
        assert callable(getattr(discord.Guild, name))
    assert callable(discord.Client.get_guild)
    assert isinstance(discord.Guild.voice_client, property)
    assert "unavailable" in discord.Guild.__slots__


def test_the_version_is_the_one_that_was_looked_at() -> None:
    assert discord.__version__ == "2.7.1", "look at discord/voice_client.py again, then change this line"
    assert Path(DOOR).exists()
