"""Fixtures of the contract tests."""

from tests.fake_discord.fixtures import discord_server

__all__ = ["discord_server"]
