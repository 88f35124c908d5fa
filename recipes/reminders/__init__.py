"""Reminders: a task whose whole work is to wait (TASK-14)."""
