"""`/stop` and `/retry`: a person's hand on the reply of this channel (CORE-23)."""

from bot.discord_chat.commands.answering import CommandTree, Interaction, is_manager, scene_of
from bot.discord_chat.languages import told
from bot.discord_chat.reply_controls import Asker, ReplyControls, StopResult
from bot.discord_chat.reply_words import RETRIED, STOPPED


def add_reply_commands(tree: CommandTree, controls: ReplyControls) -> None:
    """Add the commands to `tree`."""

    @tree.command(description="Stop the reply that is being written, and take back what you have waiting.")
    async def stop(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        result, taken_back = await controls.stop(scene_of(interaction), _asker(interaction))
        await interaction.followup.send(_stopped(result, taken_back), ephemeral=True)

    @tree.command(description="Ask the last question again when it was interrupted or failed.")
    async def retry(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        binding, asker = scene_of(interaction), _asker(interaction)
        result = await controls.retry(binding, asker, request_id=interaction.id)
        await interaction.followup.send(told(RETRIED[result]), ephemeral=True)


def _asker(interaction: Interaction) -> Asker:
    return Asker(user_id=interaction.user.id, is_manager=is_manager(interaction))


def _stopped(result: StopResult, taken_back: int) -> str:
    if not taken_back:
        return told(STOPPED[result])
    said = "" if result is StopResult.NOTHING_RUNS else told(STOPPED[result])
    waiting = (
        told("Your waiting message will not be answered.")
        if taken_back == 1
        else told("Your {count} waiting messages will not be answered.", count=taken_back)
    )
    return f"{said} {waiting}".strip()
