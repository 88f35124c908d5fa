"""What a model writes beside its words: `<|...|>` markers and a prefix not its to write (CORE-29)."""
