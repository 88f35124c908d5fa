"""The command line: `python -m bot`, and beside it `doctor`, `invite`, `models` and `say` (SET-2).

Exit codes: 0 done, 1 could not (one line on standard error says why), 2 settings or usage, 130 interrupted.
Only a command that runs the bot holds the data folder, and only such a one loads Discord and the database.
"""

import argparse
import asyncio
import sys
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from bot import __version__
from bot.data_folder import DataFolderUnusable, held_data_folder
from bot.doctor.discord_account import DiscordAccount, DiscordUnreachable, TokenRefused
from bot.doctor.discord_probe import RESET_TOKEN
from bot.doctor.findings import examined
from bot.doctor.report import print_report
from bot.invite import invite_link
from bot.language_models.embedded_weights import ModelUnavailable
from bot.logging_setup import configure_logging, secrets_of
from bot.settings import LogSettings, Settings
from bot.settings_source import SettingsInvalid, load_settings
from core.failures import Failure

DONE, COULD_NOT, BAD_SETTINGS, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    asked = parser().parse_args(arguments)
    command = asked.command
    if command == "say":
        return say(asked.text, language=asked.language, out=asked.out)
    if command == "models":
        return pull_model(asked.name)
    try:
        settings = load_settings()
    except SettingsInvalid as invalid:
        for problem in invalid.problems:
            print(f"settings: {problem}", file=sys.stderr)
        return BAD_SETTINGS
    configure_logging(settings.log, secrets=secrets_of(settings))
    match command:
        case "doctor":
            return _run(doctor(settings))
        case "invite":
            return _run(invite(settings))
        case _:
            return run(settings)


def parser() -> argparse.ArgumentParser:
    """The commands and options."""
    description = (
        "Parley, a Discord bot that a room can talk with. Settings stand in .env (see .env.example)."
    )
    top = argparse.ArgumentParser(prog="python -m bot", description=description)
    top.add_argument("--version", action="version", version=f"Parley {__version__}")
    commands = top.add_subparsers(dest="command", title="commands", metavar="")
    commands.add_parser(
        "run", help="start the bot; without DISCORD_TOKEN a chat in this terminal (the default)"
    )
    commands.add_parser("doctor", help="check token, intents, permissions, models, database and machine")
    commands.add_parser("invite", help="print the link that adds the bot to a server")
    spoken = commands.add_parser(
        "say", help="print what a voice says of a text, and play it if one is installed"
    )
    spoken.add_argument("text", help="Markdown, as a model writes it")
    spoken.add_argument("--language", default="en", help="BCP 47 tag of the voice (default: en)")
    spoken.add_argument("--out", type=Path, help="write the speech to this WAV file instead of playing it")
    models = commands.add_parser("models", help="speech-to-text models on this machine")
    pull = models.add_subparsers(dest="action", title="actions", metavar="", required=True).add_parser(
        "pull", help="fetch a Whisper model from the hub, for STT_MODEL"
    )
    pull.add_argument("name", help="small, large-v3-turbo, ..., or owner/name")
    return top


def say(text: str, *, language: str, out: Path | None) -> int:
    """Prints the reading of a text; needs no settings."""
    from bot import say as saying  # noqa: PLC0415 - the other commands start without the readings

    try:
        saying.say(text, language=language, out=out)
    except saying.VoiceUnavailable as unavailable:
        return _could_not(str(unavailable))
    return DONE


def pull_model(name: str) -> int:
    """Fetches a model; the only command that does."""
    from bot.wiring.models import ModelMissing, pull_whisper  # noqa: PLC0415 - the others start without it

    try:
        folder = pull_whisper(name)
    except ModelMissing as missing:
        return _could_not(str(missing))
    print(f"{name} is here, whole and checked ({folder}). STT_MODEL={name} uses it.")
    return DONE


def run(settings: Settings) -> int:
    """The Discord bot, or without a token the console; holds the data folder meanwhile."""
    try:
        with held_data_folder(settings.storage.data_dir):
            if settings.discord.token is not None:
                from bot.wiring.discord_bot import run_discord  # noqa: PLC0415 - only here

                return _run(run_discord(settings))
            from bot.wiring.console import run_console  # noqa: PLC0415 - without Discord and voice

            if settings.log == LogSettings():  # a chat is not the place for a log that nobody asked for
                configure_logging(LogSettings(level="WARNING"), secrets=secrets_of(settings))
            return _run(run_console(settings))
    except DataFolderUnusable as unusable:
        return _could_not(str(unusable))


async def doctor(settings: Settings) -> int:
    """Prints what is right, what is wrong and how to mend it."""
    from bot.wiring.doctor import doctor_probes  # noqa: PLC0415 - see run()

    return print_report(await examined(doctor_probes(settings)))


async def invite(settings: Settings) -> int:
    """Prints the link and nothing else, so that it can be piped."""
    client_id = settings.discord.client_id
    if client_id is None:
        if settings.discord.token is None:
            return _could_not("set DISCORD_BOT_CLIENT_ID (the application's id) or DISCORD_TOKEN")
        try:
            client_id = (await DiscordAccount(settings.discord).application()).id
        except TokenRefused:
            return _could_not(f"Discord does not accept DISCORD_TOKEN. {RESET_TOKEN}")
        except DiscordUnreachable as failure:
            return _could_not(
                f"Discord was not reached ({failure}); DISCORD_BOT_CLIENT_ID gives the link without it"
            )
    print(invite_link(client_id))
    return DONE


def _run(work: Coroutine[Any, Any, int]) -> int:
    """Runs to the end; what a person can mend becomes one line."""
    try:
        return asyncio.run(work)
    except ModelUnavailable as unavailable:
        return _could_not(str(unavailable))
    except Failure as failure:
        return _could_not(f"{failure.advice} ({failure.reason})")
    except KeyboardInterrupt:
        return INTERRUPTED


def _could_not(reason: str) -> int:
    print(reason, file=sys.stderr)
    return COULD_NOT
