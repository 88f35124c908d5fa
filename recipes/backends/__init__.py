"""The backend agent: whoever does what a conversation cannot (TASK-6)."""
