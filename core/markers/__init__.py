"""What must not reach people from a reply: markers, a prefix not its to write, circles (CORE-29, CORE-46)."""
