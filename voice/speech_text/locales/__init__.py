"""The languages that are built in, one folder each, and the registry that every reading uses by default."""

from typing import Final

from voice.speech_text.locale_pack import LocalePacks
from voice.speech_text.locales import en, ja, ko, zh

math_speech: Final = LocalePacks(en.PACK, zh.PACK, ja.PACK, ko.PACK)
"""Built-in packs, with chemistry; `math_speech.register(pack)` adds or changes a language."""
