"""Which session an input belongs to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.bindings import ChannelBinding, ConsoleBinding, read_binding, require_binding
from sessions.failures import UnboundInput

ids = st.integers(1, 2**63 - 1)


@given(ids)
def test_a_channel_binds_to_one_session_whatever_its_guild(channel_id: int) -> None:
    """SCENE-1."""
    assert ChannelBinding(channel_id=channel_id).session_id == f"discord:channel:{channel_id}"
    assert ChannelBinding(channel_id=channel_id, guild_id=1).session_id == f"discord:channel:{channel_id}"


@given(ids, st.none() | ids)
def test_a_stored_session_id_gives_its_binding_back(channel_id: int, guild_id: int | None) -> None:
    """SCENE-1, SCENE-2: after a restart the reply still knows its channel."""
    binding = ChannelBinding(channel_id=channel_id, guild_id=guild_id)
    assert read_binding(binding.session_id, guild_id) == binding
    assert read_binding(ConsoleBinding().session_id) == ConsoleBinding()


@given(st.text())
def test_no_other_text_is_a_session_id(text: str) -> None:
    """SCENE-8: nothing external can name its way into the owner's session."""
    if text == "console:local":
        return
    with pytest.raises(UnboundInput):
        read_binding(text)


@pytest.mark.parametrize(
    "session_id",
    [
        "discord:channel:",
        "discord:channel:01",
        "discord:channel:-1",
        "discord:channel:1 ",
        "discord:channel:1\n",
        "discord:channel:１",
        "console:local ",
        "console:other",
        "discord:user:1",
    ],
)
def test_near_misses_are_no_session_ids(session_id: str) -> None:
    """SCENE-8."""
    with pytest.raises(UnboundInput):
        read_binding(session_id)


def test_input_without_a_binding_is_refused() -> None:
    """SCENE-8: refused, never joined to the owner's session."""
    with pytest.raises(UnboundInput):
        require_binding(None)
    assert require_binding(ConsoleBinding()) == ConsoleBinding()


@pytest.mark.parametrize(("channel_id", "guild_id"), [(0, None), (-1, None), (1, 0)])
def test_an_id_that_discord_cannot_have_given_is_refused(channel_id: int, guild_id: int | None) -> None:
    """SCENE-8."""
    with pytest.raises(ValueError, match="positive"):
        ChannelBinding(channel_id=channel_id, guild_id=guild_id)
