"""Speech services behind the ports of `voice.input` and `voice.output`, for the composition root alone."""
