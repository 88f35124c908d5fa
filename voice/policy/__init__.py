"""Manners: pure decisions about when to listen, to wait, to answer, and to be silent."""
