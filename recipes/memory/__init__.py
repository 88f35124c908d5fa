"""What the bot remembers: an index in the prompt, one entry per fact behind tools, and lists of notes (MEM).

The folder can be taken out with its line in `bot/domains/__init__.py` (MEM-9): nothing outside imports it but
what is made for it alone.
"""
