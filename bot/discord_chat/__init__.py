"""Discord text: what comes in, what goes out, and the only chat door to discord.py."""
