"""Discord voice channel <-> PCM.

Gateway, RTP, transport encryption, DAVE, one thread to hear and one to speak.
"""
