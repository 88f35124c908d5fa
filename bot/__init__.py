"""The Discord bot, the console, the settings and the composition root."""
