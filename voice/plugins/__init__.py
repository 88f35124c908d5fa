"""Trusted extensions: watchers, finalize stages, rules, windows of sound (VOX-12, VOX-35)."""
