"""The terminal as a scene: the same core as in Discord, without Discord (SET-2, SCENE-8)."""
