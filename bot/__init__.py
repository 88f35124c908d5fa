"""The Discord bot, the console, the settings and the composition root."""

__version__ = "0.1.0"
