"""Which scene an input belongs to, that scene's history and settings, and everything that is stored.

Values, rules and ports stand here; `sessions/storage/` keeps them in a database and `in_memory.py` keeps them
nowhere. Both pass the same contract tests.
"""
