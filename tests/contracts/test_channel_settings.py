"""Contract of `ChannelSettings`."""

from sessions.channel_settings import ChannelScope, GuildScope, UserScope, effective
from sessions.stores import SceneStores

CHANNEL = ChannelScope(channel_id="42")
GUILD = GuildScope(guild_id="42")


async def test_a_setting_holds_until_it_is_changed_or_taken_away(stores: SceneStores) -> None:
    """SCENE-4, CORE-44: triggers and personas are chosen per channel."""
    assert await stores.settings.read(CHANNEL) == {}
    await stores.settings.change(CHANNEL, "trigger", "all")
    await stores.settings.change(CHANNEL, "persona", "pirate")
    await stores.settings.change(CHANNEL, "trigger", "off")
    assert await stores.settings.read(CHANNEL) == {"trigger": "off", "persona": "pirate"}
    for _ in range(2):
        await stores.settings.change(CHANNEL, "trigger", None)
    assert await stores.settings.read(CHANNEL) == {"persona": "pirate"}


async def test_a_channel_and_a_guild_of_the_same_id_are_two(stores: SceneStores) -> None:
    """SCENE-6."""
    await stores.settings.change(CHANNEL, "trigger", "all")
    assert await stores.settings.read(GUILD) == {}
    assert await stores.settings.read(ChannelScope(channel_id="43")) == {}


async def test_where_a_key_is_set_is_found(stores: SceneStores) -> None:
    """VOX-9: who has opted out is known at the start, before anybody speaks."""
    for scope in (CHANNEL, GUILD, UserScope(user_id="42"), UserScope(user_id="43")):
        await stores.settings.change(scope, "voice_optout", "yes")
    await stores.settings.change(CHANNEL, "voice_optout", None)
    await stores.settings.change(UserScope(user_id="44"), "persona", "pirate")
    found = await stores.settings.scopes_with("voice_optout")
    assert set(found) == {GUILD, UserScope(user_id="42"), UserScope(user_id="43")}
    assert await stores.settings.scopes_with("nothing") == ()


async def test_what_was_read_stays_as_it_was_read(stores: SceneStores) -> None:
    """SCENE-4: a reader's copy is its own."""
    await stores.settings.change(GUILD, "trigger", "all")
    before = await stores.settings.read(GUILD)
    await stores.settings.change(GUILD, "trigger", "off")
    assert before == {"trigger": "all"}


def test_a_channel_s_own_setting_goes_before_its_guild_s() -> None:
    """CORE-44."""
    assert effective(guild={"persona": "pirate", "trigger": "all"}, channel={"trigger": "off"}) == {
        "persona": "pirate",
        "trigger": "off",
    }
