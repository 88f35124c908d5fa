"""A scripted backend agent as a process of its own, and the adapter that speaks with it."""
