"""The text of a file whose encoding nobody tells for sure (TEXT-4)."""

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHARSET = re.compile(r"charset\s*=\s*\"?([\w.:-]{1,40})", re.IGNORECASE)
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_LATIN_LETTER = re.compile(rb"[A-Za-z]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decoded(content: bytes, media_type: str | None = None) -> str | None:
    """The text, its lines ended as everywhere; None when the bytes are no text.

    A byte order mark decides, then UTF-8, which hardly anything else resembles, then UTF-16 by its zero
    bytes, then the charset of `media_type`, then an encoding of one language, and last Windows-1252.
    """
    for encoding in _guesses(content, media_type):
        text = _tried(content, encoding)
        if text is not None:
            return text.replace("\r\n", "\n").replace("\r", "\n")
    return None


def _guesses(content: bytes, media_type: str | None) -> tuple[str, ...]:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return (encoding,)
    if b"\0" in content:
        wide = _wide(content)
        return () if wide is None else (wide,)
    declared = _CHARSET.search(media_type or "")
    named = (declared[1],) if declared else ()
    return ("utf-8", *named, *_national(content), "cp1252", "latin-1")


def _wide(content: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of mostly Latin text is zero."""
    even, odd = content[0::2].count(0), content[1::2].count(0)
    half = max(1, len(content) // 2)
    if len(content) % 2 == 0 and odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if len(content) % 2 == 0 and even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _national(content: bytes) -> tuple[str, ...]:
    """The old encoding of a language, by the letters that come out or by how the high bytes stand."""
    if _share(_KANA, content, "shift_jis") > 0.2:
        return ("shift_jis",)
    runs = _HIGH_RUN.findall(content)
    if _in_pairs(runs):
        if _share(_KANA, content, "euc_jp") > 0.2:
            return ("euc_jp",)
        return ("euc_kr",) if _share(_HANGUL, content, "euc_kr") > 0.9 else ("gb18030",)
    mostly_high = sum(map(len, runs)) > len(_LATIN_LETTER.findall(content))
    return ("cp1251",) if mostly_high else ()


def _in_pairs(runs: list[bytes]) -> bool:
    """Whether high bytes come in pairs, and words of them: in Latin text they stand nearly alone."""
    return all(len(run) % 2 == 0 for run in runs) and sum(map(len, runs)) >= 4 * max(1, len(runs))


def _share(letters: re.Pattern[str], content: bytes, encoding: str) -> float:
    """How much of what is not ASCII these letters are."""
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    wide = sum(1 for character in text if character > "\x7f")
    return len(letters.findall(text)) / max(1, wide)


def _tried(content: bytes, encoding: str) -> str | None:
    try:
        text = content.decode(encoding)
    except (UnicodeError, LookupError):
        return None
    return None if len(_CONTROL.findall(text)) > len(text) // 100 else text
