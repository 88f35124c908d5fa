"""`python -m bot doctor`: what is right and wrong with a set-up, and how to mend it (SET-2, SET-7)."""
