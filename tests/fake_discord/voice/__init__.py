"""Discord's voice servers on loopback; see `server.py` for how a test uses them."""

from tests.fake_discord.voice.human import Human
from tests.fake_discord.voice.server import FakeVoice

__all__ = ["FakeVoice", "Human"]
