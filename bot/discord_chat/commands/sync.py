"""Commands are given to Discord once per change, not at every start (CMD-2)."""

import asyncio
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import aiohttp
import discord
import structlog
from discord import app_commands

from bot.discord_chat.commands.answering import AnyCommand

_log = structlog.get_logger()


async def sync_commands(
    tree: app_commands.CommandTree[discord.Client], application_id: int, kept: Path
) -> bool:
    """Sync when the commands differ from the ones whose hash stands in the file `kept`; True when it did.

    A sync that fails is tried again at the next start: a bot without its newest commands still talks.
    """
    described = [await _described(tree, command) for command in tree.get_commands()]
    text = json.dumps([application_id, described], sort_keys=True)
    digest = sha256(text.encode()).hexdigest()
    if await asyncio.to_thread(_read, kept) == digest:
        return False
    try:
        await tree.sync()
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        _log.warning("commands not synced", error=type(error).__name__)
        return False
    await asyncio.to_thread(kept.write_text, digest)
    _log.info("commands synced", count=len(described))
    return True


async def _described(
    tree: app_commands.CommandTree[discord.Client],
    command: AnyCommand,
) -> dict[str, Any]:
    """As Discord is given it, in all languages."""
    translator = tree.translator
    if translator is None:
        return command.to_dict(tree)
    return await command.get_translated_payload(tree, translator)


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""
