"""Numbers, dates, units and signs in running text: found as typed spans, said by a pack (SPEECH-8)."""
