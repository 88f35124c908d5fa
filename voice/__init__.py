"""Ears, manners and mouth: what a voice channel says becomes turns, and answers become speech."""
