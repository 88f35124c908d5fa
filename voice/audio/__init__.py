"""Sound as data: frames, Opus, the jitter buffer, the playback queue. No sockets, no Discord."""
