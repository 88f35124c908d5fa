"""A person at the fake Discord: typed lines are said in a channel, what the bot does is printed.

Works on lines, so that a pipe can drive it as well as a keyboard.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import AsyncIterator, Callable

from tests.fake_discord.entities import Channel, Message, MessageFlag
from tests.fake_discord.interactions import Interaction
from tests.fake_discord.server import FakeDiscord

HELP = """\
text                said in the channel, with the bot mentioned
.text               said without a mention
/command a=1 b=two  a slash command with its options (values in quotes where they have spaces)
:dm  :channel NAME  go to the direct messages, or to a channel (made if it is not there)
:reply N text       a reply to message N of the channel, counted from the end (1 is the last)
:edit text  :delete my last message
:press LABEL        a button of the bot's last message with buttons
:typing :commands :status :help
:wait SECONDS       nothing for a while (for scripts); :answer waits for the bot's next message
:quit"""
_OPTION = re.compile(r"(\w[\w-]*)=(.*)", re.DOTALL)
_ANSWER_WITHIN_S = 60.0


class Terminal:
    """`show` gets every line of output."""

    def __init__(self, discord: FakeDiscord, show: Callable[[str], None]) -> None:
        self._discord = discord
        self._show = show
        self._person = discord.ada
        self._channel: Channel = discord.general
        self._shown: dict[int, tuple[str, int]] = {}
        self._waited_from = 0
        self._interactions: list[Interaction] = []
        self._typing = 0
        self._connected = False

    async def run(self, lines: AsyncIterator[str]) -> None:
        """Takes lines until they end or say ":quit"."""
        self._discord.recorder.on_change = self.follow
        try:
            async for line in lines:
                text = line.strip()
                if text == ":quit":
                    return
                if text:
                    try:
                        await self._take(text)
                    except (LookupError, ValueError, TimeoutError) as wrong:
                        self._show(f"! {str(wrong).splitlines()[0]}")
                self.follow()
        finally:
            self._discord.recorder.on_change = None

    # what the person does

    async def _take(self, text: str) -> None:
        humans = self._discord.humans
        if text.startswith("/"):
            self._run_command(text)
        elif text.startswith(":"):
            await self._obey(*[*text[1:].split(maxsplit=1), ""][:2])
        elif text.startswith("."):
            humans.say(self._channel, self._person, text[1:])
        elif self._channel.guild is None:
            humans.say(self._channel, self._person, text)
        else:
            humans.mention_bot(self._channel, self._person, text)

    async def _obey(self, word: str, rest: str) -> None:
        humans, discord = self._discord.humans, self._discord
        match word:
            case "dm":
                self._channel = discord.world.dm(self._person)
            case "channel":
                self._channel = self._find_channel(rest)
            case "reply":
                number, _, text = rest.partition(" ")
                humans.say(self._channel, self._person, text, reply_to=self._channel.messages[-int(number)])
            case "edit":
                humans.edit(self._own_last(), rest)
            case "delete":
                humans.delete(self._own_last())
            case "press":
                message = self._with_buttons()
                custom_id = humans.button(message, rest)
                self._interactions.append(humans.press(message, self._person, custom_id))
            case "typing":
                humans.type(self._channel, self._person)
            case "commands":
                names = sorted(one.name for one in discord.commands.listed())
                self._show("commands: " + (", ".join(names) or "none registered"))
            case "status":
                self._show(self._status())
            case "wait":
                await asyncio.sleep(float(rest))
            case "answer":
                await self._wait_for_answer()
            case "help":
                self._show(HELP)
            case _:
                self._show(f"! unknown: :{word} (:help tells more)")

    def _find_channel(self, name: str) -> Channel:
        try:
            return self._discord.guild.channel(name)
        except KeyError:
            return self._discord.humans.create_channel(self._discord.guild, name)

    def _own_last(self) -> Message:
        own = self._channel.messages.by(self._person)
        if not own:
            raise LookupError("you have said nothing here")
        return own[-1]

    def _with_buttons(self) -> Message:
        for message in reversed(list(self._visible())):
            if message.components:
                return message
        raise LookupError("no message with buttons")

    def _run_command(self, text: str) -> None:
        words = shlex.split(text[1:])
        found = [_OPTION.fullmatch(word) for word in words]
        name = " ".join(word for word, option in zip(words, found, strict=True) if option is None)
        options = {option.group(1): _value(option.group(2)) for option in found if option}
        ran = self._discord.humans.run_command(self._channel, self._person, name, options=options)
        self._interactions.append(ran)

    async def _wait_for_answer(self) -> None:
        def look() -> Message | None:
            for message in self._visible():
                if (
                    message.id > self._waited_from
                    and not message.flags & MessageFlag.LOADING
                    and message.content
                ):
                    return message
            return None

        message = await self._discord.until(look, within_s=_ANSWER_WITHIN_S)
        self._waited_from = message.id

    def _status(self) -> str:
        discord = self._discord
        connected = "connected" if discord.gateway.connected else "not connected"
        asked = len(discord.recorder.exchanges)
        return f"the bot is {connected}; {asked} requests; {len(discord.violations)} violations"

    # what the person sees

    def _visible(self) -> list[Message]:
        bot = self._discord.bot
        found = {one.id: one for one in self._channel.messages.by(bot)}
        for interaction in self._interactions:
            found |= interaction.messages
        return [found[number] for number in sorted(found)]

    def follow(self) -> None:
        """Prints what changed since the last look."""
        if bool(self._discord.gateway.connected) is not self._connected:
            self._connected = not self._connected
            self._show("* the bot is " + ("connected" if self._connected else "gone"))
        typed = self._channel.typing
        if len(typed) > self._typing:
            self._show("* the bot is typing")
        self._typing = len(typed)
        for message in self._visible():
            now = (message.content, len(message.attachments))
            before = self._shown.get(message.id)
            if before == now:
                continue
            self._shown[message.id] = now
            self._show(self._line(message, edited=before is not None))

    def _line(self, message: Message, *, edited: bool) -> str:
        name = message.author.display_name + (" (edited)" if edited else "")
        if message.ephemeral:
            name += " (only you see this)"
        text = message.content or ("(thinking)" if message.flags & MessageFlag.LOADING else "")
        cards = [one.get("title") or one.get("description") or "embed" for one in message.embeds]
        files = [one.filename for one in message.attachments]
        return f"{name}: {text}" + "".join(f" [{each}]" for each in (*cards, *files))


def _value(text: str) -> str | int | bool:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() else text
