"""From a conversation to the events of one assistant turn (CORE-6 to CORE-17, CORE-31, CORE-45)."""
