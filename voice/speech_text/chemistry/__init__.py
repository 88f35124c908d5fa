r"""Chemical formulas and equations in mhchem's notation, `\ce{...}` (SPEECH-7)."""
