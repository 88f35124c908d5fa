"""Personas: who the bot is, in files that belong to its owner (CORE-44)."""
