"""`/model`: which of the endpoint's models answers here. A change acts on the next reply (SET-8)."""

from discord import app_commands

from bot.discord_chat.commands.answering import (
    CommandTree,
    Interaction,
    Refused,
    Where,
    plain,
    require_manager,
    require_owner,
    scene_of,
    scope_of,
)
from bot.discord_chat.languages import told
from bot.language_models.embedded_weights import ModelUnavailable
from bot.language_models.scene_models import SceneModels
from core.sentences import sentence

_LONGEST_LIST = 1_800  # characters; Discord takes 2,000
_NOT_LISTED = sentence("The endpoint does not list its models now; please try again later.")


def add_model_commands(tree: CommandTree, models: SceneModels) -> None:
    """Add the group to `tree`."""
    group = app_commands.Group(name="model", description="Which language model answers.")

    @group.command(description="Show which model answers here.")
    async def show(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        choice = await models.choice(scene_of(interaction))
        await interaction.followup.send(
            told("Here answers `{model}` ({chosen}).", model=plain(choice.value), chosen=choice.chosen),
            ephemeral=True,
        )

    @group.command(name="list", description="List the models of the endpoint.")
    async def list_models(interaction: Interaction) -> None:
        require_manager(interaction)
        await interaction.response.defer(ephemeral=True)
        await interaction.followup.send(_listed(await _names(models)), ephemeral=True)

    @group.command(name="set", description="Choose the model of this channel or server (the bot's owner).")
    @app_commands.describe(
        name="As the endpoint calls it; without a name the choice is taken back.",
        where="For this channel alone, or for all channels of the server that have no choice of their own.",
    )
    async def choose(interaction: Interaction, name: str | None = None, where: Where = "channel") -> None:
        require_owner(interaction)
        binding = scene_of(interaction)
        scope = scope_of(binding, where)
        if models.is_fixed:
            raise Refused(
                told("The embedded model is the only one here; set OPENAI_API_BASE_URL for others.")
            )
        await interaction.response.defer(ephemeral=True)
        if name is not None and name not in await _names(models):
            raise Refused(
                told("The endpoint lists no model `{name}`; `/model list` names them.", name=plain(name))
            )
        await models.choose(scope, name)
        choice = await models.choice(binding)
        await interaction.followup.send(
            told(
                "From the next reply on `{model}` answers here ({chosen}).",
                model=plain(choice.value),
                chosen=choice.chosen,
            ),
            ephemeral=True,
        )

    tree.add_command(group)


async def _names(models: SceneModels) -> list[str]:
    try:
        return await models.listed()
    except ModelUnavailable as error:
        raise Refused(_NOT_LISTED) from error


def _listed(names: list[str]) -> str:
    if not names:
        return told("The endpoint lists no models.")
    lines: list[str] = []
    size = 0
    for number, name in enumerate(sorted(names)):
        line = f"- `{plain(name)}`"
        size += len(line) + 1
        if size > _LONGEST_LIST:
            return "\n".join([*lines, told("- and {count} more", count=len(names) - number)])
        lines.append(line)
    return "\n".join(lines)
