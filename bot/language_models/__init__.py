"""Which language model answers, and the small one that is always there (wire/models.md, SET-2)."""
