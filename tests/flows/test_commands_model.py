"""`/model` over the wire: which of the endpoint's models answers, from the next reply on (CMD-1, SET-8)."""

from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import TextRoom


async def asked_model(room: TextRoom, content: str) -> str:
    """The model that a new message's request names."""
    before = len(room.models.requests)
    room.says(content)
    return (await room.models.wait_for_request(before + 1)).body["model"]


async def test_the_owner_chooses_a_model_and_the_next_reply_comes_from_it(room: TextRoom) -> None:
    """SET-8, CORE-15: kept across a restart, taken back without a name."""
    room.models.model_names = ["fake-model", "other-model"]
    owner = room.discord.world.owner
    async with room.bot() as core:
        assert await asked_model(room, "one") == "fake-model"
        await room.quiet(core)
        said = await told_alone(run(room, "model set", by=owner, name="other-model", where="server"))
        assert "`other-model` answers here (chosen for this server)" in said
        assert await asked_model(room, "two") == "other-model"
        await room.quiet(core)
    async with room.bot() as core:
        assert await asked_model(room, "three") == "other-model"
        await room.quiet(core)
        assert "`other-model`" in await told_alone(run(room, "model show"))
        assert "other-model (chosen for this server)" in await told_alone(run(room, "session show"))
        await told_alone(run(room, "model set", by=owner, where="server"))
        assert await asked_model(room, "four") == "fake-model"
        assert "`fake-model` (the default)" in await told_alone(run(room, "model show"))


async def test_only_listed_models_can_be_chosen(room: TextRoom) -> None:
    """CMD-1, CMD-2: one sentence, and nothing has changed."""
    owner = room.discord.world.owner
    async with room.bot():
        said = await told_alone(run(room, "model set", by=owner, name="no`body"))
        assert said == "The endpoint lists no model `no'body`; `/model list` names them."
        assert await asked_model(room, "hi") == "fake-model"


async def test_the_list_is_the_endpoint_s_and_is_bounded(room: TextRoom) -> None:
    """CMD-1: for managers; a list too long for a message says how much is left."""
    owner = room.discord.world.owner
    room.models.model_names = ["b-model", "a-model"]
    async with room.bot():
        assert await told_alone(run(room, "model list", by=owner)) == "- `a-model`\n- `b-model`"
        room.models.model_names = [f"vendor/model-{number:04}" for number in range(500)]
        said = await told_alone(run(room, "model list", by=owner))
        named = said.count("vendor/model-")
        assert said.endswith(f"- and {500 - named} more")
        assert len(said) <= 2_000
        room.models.model_names = []
        assert "lists no models" in await told_alone(run(room, "model list", by=owner))


async def test_who_may_not_is_told_so(room: TextRoom) -> None:
    """CMD-2: the list is for managers, the choice for the owner alone."""
    async with room.bot():
        assert "Manage Server" in await told_alone(run(room, "model list"))
        assert "owner" in await told_alone(run(room, "model set", name="fake-model"))
