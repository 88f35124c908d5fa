"""What the bot says: responses, their streams in order, and what of them was heard."""
