"""Vocabulary and rules of a conversation: values, generation, orchestration, context, markers.

Knows nothing of Discord, of storage or of voice; those come in through ports.
"""
