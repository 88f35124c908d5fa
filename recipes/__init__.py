"""Recipes: skills, decisions and automations of a room, and what it remembers (spec: REC, AUTO, MEM)."""
