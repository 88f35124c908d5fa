"""Formulas: TeX and Unicode maths as a tree, read as words or written as MathJSON (SPEECH-6)."""
