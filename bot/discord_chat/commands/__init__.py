"""Slash commands: one file a subject, thin over what the rest of the bot can do (CMD-1, CMD-2)."""
