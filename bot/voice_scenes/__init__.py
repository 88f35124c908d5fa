"""Talks: what the bot does in a call, joined to the scene of its channel."""
