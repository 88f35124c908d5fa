"""Tests that hold the conventions: arrows, purity, owners of tasks, the index of the specification."""
