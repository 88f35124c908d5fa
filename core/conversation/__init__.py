"""Values of a conversation: frozen, comparable, free of I/O and of time (CORE-1 to CORE-9, CORE-26)."""
