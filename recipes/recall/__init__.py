"""The bot's own past conversations, when they are asked for (TASK-33)."""
