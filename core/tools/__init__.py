"""What a model may call: tools, their policies, and how calls become results (CORE-17, CORE-41)."""
