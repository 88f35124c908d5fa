"""Files that were given to a place, asked for their words and cited by source and place (MEM-8).

A domain that can be taken out: this folder and one line in `bot/domains` (MEM-9).
"""
