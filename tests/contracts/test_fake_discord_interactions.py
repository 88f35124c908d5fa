"""The fake's commands and interactions against a real discord.py client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord
import pytest
from discord import app_commands

from tests.fake_discord import FakeDiscord
from tests.fake_discord.probe import ProbeClient, connected


class Form(discord.ui.Modal, title="Persona"):
    name: discord.ui.TextInput["Form"] = discord.ui.TextInput(label="Name", custom_id="name")
    tone = discord.ui.Label(
        text="Tone",
        component=discord.ui.Select(
            custom_id="tone", options=[discord.SelectOption(label="dry", value="dry")]
        ),
    )

    async def on_submit(self, interaction: discord.Interaction) -> None:
        assert isinstance(self.tone.component, discord.ui.Select)
        await interaction.response.send_message(f"{self.name.value}, {self.tone.component.values[0]}")


class Buttons(discord.ui.View):
    @discord.ui.button(label="Stop", custom_id="stop")
    async def stop_it(self, interaction: discord.Interaction, button: discord.ui.Button["Buttons"]) -> None:
        await interaction.response.edit_message(content="stopped", view=None)


def commands_of(client: discord.Client) -> app_commands.CommandTree:
    tree = app_commands.CommandTree(client)

    @tree.command(description="Answers at once")
    async def ping(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("pong", ephemeral=True)
        await interaction.followup.send("and more", ephemeral=True)

    @tree.command(description="Answers later")
    async def ask(
        interaction: discord.Interaction, question: str, whom: discord.Member | None = None
    ) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content=f"{question} {whom.display_name if whom else ''}")
        await interaction.followup.send("that was it")

    @ask.autocomplete("question")
    async def complete(interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=f"{typed}?", value=typed)]

    @tree.command(description="Shows buttons")
    async def buttons(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("running", view=Buttons())

    @tree.command(description="Asks for details")
    async def form(interaction: discord.Interaction) -> None:
        await interaction.response.send_modal(Form())

    session = app_commands.Group(name="session", description="The session")

    @session.command(name="reset", description="Forgets")
    async def reset(interaction: discord.Interaction, keep: app_commands.Range[int, 0, 10] = 0) -> None:
        await interaction.response.send_message(f"kept {keep}")

    tree.add_command(session)

    @tree.context_menu(name="Remember this")
    async def remember(interaction: discord.Interaction, message: discord.Message) -> None:
        await interaction.response.send_message(message.content, ephemeral=True)

    return tree


@asynccontextmanager
async def with_commands(server: FakeDiscord) -> AsyncIterator[ProbeClient]:
    async with connected(server) as client:
        await commands_of(client).sync()
        yield client


async def test_commands_are_registered_and_read_back(discord_server: FakeDiscord) -> None:
    """CMD-2: `writes` counts how often commands were written."""
    async with connected(discord_server) as client:
        tree = commands_of(client)
        first = await tree.sync()
        again = await tree.sync()
        assert {one.id for one in first} == {one.id for one in again}
        assert {one.name for one in await tree.fetch_commands()} >= {
            "ping",
            "ask",
            "session",
            "Remember this",
        }
        tree.copy_global_to(guild=discord.Object(discord_server.guild.id))
        await tree.sync(guild=discord.Object(discord_server.guild.id))
        assert discord_server.commands.writes == 3
        assert len(discord_server.commands.listed(discord_server.guild.id)) == len(first)
        await first[0].delete()
        assert len(discord_server.commands.listed()) == len(first) - 1


async def test_an_ephemeral_answer_is_seen_by_its_user_only(discord_server: FakeDiscord) -> None:
    async with with_commands(discord_server):
        ran = discord_server.humans.run_command(discord_server.general, discord_server.ada, "ping")
        shown = await ran.shown()
        assert (shown.content, shown.ephemeral) == ("pong", True)
        assert (await ran.shown(lambda message: message.content == "and more")).ephemeral
        assert len(discord_server.general.messages) == 0
        assert ran.response_time_s is not None
        assert ran.response_time_s < 1


async def test_a_deferred_answer_takes_the_place_of_thinking(discord_server: FakeDiscord) -> None:
    humans, general = discord_server.humans, discord_server.general
    async with with_commands(discord_server):
        options = {"question": "how are you", "whom": discord_server.grace}
        ran = humans.run_command(general, discord_server.ada, "ask", options=options)
        shown = await ran.shown(lambda message: bool(message.content))
        assert shown.content == "how are you Grace"
        await discord_server.until(lambda: ran.followups)
        assert [one.content for one in general.messages] == ["how are you Grace", "that was it"]
        assert ran.original is shown


async def test_subcommands_autocomplete_and_context_menus(discord_server: FakeDiscord) -> None:
    humans, general, ada = discord_server.humans, discord_server.general, discord_server.ada
    async with with_commands(discord_server):
        ran = humans.run_command(general, ada, "session reset", options={"keep": 3})
        assert (await ran.shown()).content == "kept 3"
        typed = humans.autocomplete(general, ada, "ask", focused="question", options={"question": "wh"})
        await typed.responded()
        assert typed.choices == [{"name": "wh?", "value": "wh"}]
        message = humans.say(general, ada, "remember me")
        assert (
            await humans.run_context_menu(general, ada, "Remember this", message).shown()
        ).content == "remember me"
        in_dm = humans.run_command(discord_server.world.dm(ada), ada, "ping")
        assert (await in_dm.shown()).content == "pong"
        with pytest.raises(LookupError, match="no command 'nothing'"):
            humans.run_command(general, ada, "nothing")


async def test_buttons_and_modals(discord_server: FakeDiscord) -> None:
    humans, general, ada = discord_server.humans, discord_server.general, discord_server.ada
    async with with_commands(discord_server):
        message = await humans.run_command(general, ada, "buttons").shown()
        await humans.press(message, ada, humans.button(message, "Stop")).responded()
        assert (message.content, message.components) == ("stopped", [])
        asked = await humans.run_command(general, ada, "form").responded()
        sent = humans.submit_modal(asked, {"name": "Marvin", "tone": ["dry"]})
        assert (await sent.shown()).content == "Marvin, dry"


async def test_late_and_double_answers_are_refused(discord_server: FakeDiscord) -> None:
    humans, general, ada = discord_server.humans, discord_server.general, discord_server.ada
    async with connected(discord_server) as client:
        discord_server.commands.upsert(None, {"name": "slow", "description": "-"})
        humans.run_command(general, ada, "slow")
        interaction = await client.interactions.get()
        discord_server.interactions.respond_within_s = -1.0
        with pytest.raises(discord.NotFound) as raised:
            await interaction.response.send_message("too late")
        assert raised.value.code == 10062
        discord_server.interactions.respond_within_s = 3.0
        humans.run_command(general, ada, "slow")
        interaction = await client.interactions.get()
        await interaction.response.defer(ephemeral=True)
        other = discord.InteractionResponse(interaction)
        with pytest.raises(discord.HTTPException) as twice:
            await other.send_message("again")
        assert twice.value.code == 40060
        discord_server.interactions.token_lifetime_s = -1.0
        with pytest.raises(discord.HTTPException) as expired:
            await interaction.edit_original_response(content="after a quarter of an hour")
        assert (expired.value.status, expired.value.code) == (401, 50027)
