"""Who runs when: one queue and one worker per session, many at once (CORE-18 to CORE-24, CORE-27)."""
