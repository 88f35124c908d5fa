"""Numbers, dates, units and signs in running text: found as typed spans, said by a language pack (SPEECH-8)."""
