"""What may be remembered, by whom it may be read, and how an entry changes (MEM-2, MEM-3, MEM-4)."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recipes.memory.entries import EntryKind, MemoryEntry, kept_entry
from recipes.memory.index import fitted
from recipes.memory.memory_rules import (
    MemoryRefused,
    appended,
    checked,
    is_secret_like,
    made_general,
    may_read,
    rank,
    replaced,
    used,
)
from recipes.run_scene import Place
from recipes.search_rules import query_words, score, words_of
from recipes.spaces import reach_of
from tests.memory_setup import (
    CONSOLE,
    DM_MIA,
    DM_SAM,
    ELSEWHERE,
    GENERAL,
    NOON,
    OTHER,
    PLACES,
    PRIVATE,
    PRIVATE_2,
    entry,
)

LATER = NOON + timedelta(hours=1)


def kept(title: str = "cake", number: int = 1, **more: object) -> MemoryEntry:
    return kept_entry(entry(title, **more), f"m{number}")


READS = {
    "general": [GENERAL],
    "other channel": [OTHER],
    "private channel": [PRIVATE],
    "second private channel": [PRIVATE_2],
    "other server": [ELSEWHERE],
    "direct message of Mia": [DM_MIA],
    "direct message of Sam": [DM_SAM],
    "console": [CONSOLE],
}
SHARED = {("general", "other channel"), ("other channel", "general")}
FROM_SERVER = {
    (public, private)
    for public in ("general", "other channel")
    for private in ("private channel", "second private channel")
}


@pytest.mark.parametrize("written", PLACES)
@pytest.mark.parametrize("read", PLACES)
def test_what_is_learned_in_one_place_is_read_only_where_it_may_be(written: str, read: str) -> None:
    """MEM-2: a server's channels share, a private one reads its server and tells it nothing."""
    learned = kept(space=reach_of(PLACES[written]).own)
    expected = written == read or (written, read) in SHARED | FROM_SERVER
    assert may_read(learned, reach_of(PLACES[read]), "default") is expected


def test_an_entry_belongs_to_its_persona_until_it_is_general() -> None:
    """MEM-2."""
    learned = kept()
    reach = reach_of(GENERAL)
    assert may_read(learned, reach, "default")
    assert not may_read(learned, reach, "pirate")
    general = made_general(learned, public=False, now=LATER)
    assert may_read(general, reach, "pirate")
    assert not may_read(general, reach_of(DM_MIA), "pirate")
    public = made_general(learned, public=True, now=LATER)
    assert all(may_read(public, reach_of(place), "pirate") for place in PLACES.values())


def test_public_alone_crosses_nothing() -> None:
    """MEM-2: only what is general and public."""
    assert not may_read(kept(public=True), reach_of(DM_MIA), "default")


def test_a_place_that_is_not_known_is_private() -> None:
    """MEM-2: closed unless it is known to be open."""
    unknown = Place(session_id="discord:channel:1", guild_id="7", channel_id="1")
    assert reach_of(unknown).own != reach_of(GENERAL).own


def test_a_preference_is_never_general() -> None:
    """MEM-3: it holds for its person, where they said it."""
    with pytest.raises(MemoryRefused):
        made_general(kept(kind=EntryKind.PREFERENCE, about="111"), public=False, now=LATER)


@given(st.text(min_size=1, max_size=12), st.text(max_size=30), st.text(max_size=12))
def test_replace_needs_a_fragment_that_stands_there_once(fragment: str, around: str, new: str) -> None:
    """MEM-4: a missing or ambiguous fragment fails and changes nothing."""
    text = around + fragment + around[::-1]
    assume(text.strip() and not is_secret_like(text))
    known = kept(text=text)
    starts = [place for place in range(len(text)) if text.startswith(fragment, place)]
    if len(starts) == 1 and (text.replace(fragment, new.strip(), 1)).strip():
        changed = replaced(known, fragment, new, LATER)
        assert changed.text == text.replace(fragment, new.strip(), 1).strip()
        assert changed.updated_at == LATER
    else:
        with pytest.raises(MemoryRefused):
            replaced(known, fragment, new, LATER)


def test_overlapping_places_are_ambiguous() -> None:
    """MEM-4."""
    with pytest.raises(MemoryRefused, match="stands 2 times"):
        replaced(kept(text="aaa"), "aa", "b", LATER)


def test_append_keeps_the_size_limit() -> None:
    """MEM-4."""
    known = kept(text="a" * 1_990)
    assert appended(known, " more ", LATER).text.endswith("a\nmore")
    for text in ("", "b" * 20):
        with pytest.raises(MemoryRefused):
            appended(known, text, LATER)


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": " "},
        {"title": "t" * 81},
        {"title": "two\nlines"},
        {"summary": ""},
        {"summary": "s" * 161},
        {"text": "t" * 2_001},
        {"kind": EntryKind.PREFERENCE},
        {"about": "111"},
        {"summary": "his password is hunter2"},
    ],
)
def test_what_is_not_whole_is_refused(wrong: dict[str, Any]) -> None:
    """MEM-4."""
    with pytest.raises(MemoryRefused):
        checked(entry(**wrong))


def pieces(*parts: str) -> str:
    """A secret that does not stand in this file as one."""
    return "".join(parts)


@pytest.mark.parametrize(
    "text",
    [
        pieces("sk-", "abcdefghijklmnop1234"),
        pieces("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"),
        pieces("AKIA", "ABCDEFGHIJKLMNOP"),
        pieces("-----BEGIN RSA PRIVATE", " KEY-----"),
        pieces("M", "a" * 24, ".abcdef.", "b" * 30),
        "Bearer abcdefghijklmnopqrst",
        "the Password is swordfish",
        "Passwort: geheim",
        "my PIN 4711",
        "API key = abc123",
        "密码是abc123",
        "パスワードはhimitsu1",
        "card 4111 1111 1111 1111",
        "IBAN DE89 3704 0044 0532 0130 00",
        pieces("hf_", "abcdefghijklmnopqrstuvwxyz"),
        pieces("AIza", "SyA-abcdefghijklmnopqrstuvwxyz12345"),
        pieces("postgres://", "bot:", "swordfish@db/parley"),
        "Password\N{IDEOGRAPHIC SPACE}\N{FULLWIDTH EQUALS SIGN}\N{IDEOGRAPHIC SPACE}swordfish",
        "pass\N{ZERO WIDTH SPACE}word: swordfish",
    ],
)
def test_secrets_are_refused(text: str) -> None:
    """MEM-4."""
    assert is_secret_like(text)


@pytest.mark.parametrize(
    "text",
    [
        "Mia forgot her password again.",
        "The secret is love.",
        "Her pin is lost.",
        "They meet on 2026-11-30 at 18:47.",
        "Call +49 30 1234567.",
        "Order 1234 5678 9012 3456",
        "The token economy is dull.",
        "Task 12345, user 112233445566778899",
        "密码学是她的专业",
        "Write to https://example.org:8080/@mia",
    ],
)
def test_what_only_speaks_of_secrets_is_kept(text: str) -> None:
    """MEM-4."""
    assert not is_secret_like(text)


def test_use_and_recency_make_the_rank() -> None:
    """MEM-1: lately used before long ago; used often counts like some days."""
    fresh, old = kept(created_at=LATER), kept()
    assert rank(fresh) > rank(old)
    often = old
    for _ in range(3):
        often = used(often, NOON)
    assert rank(often) > rank(fresh)
    assert rank(often) < rank(kept(created_at=NOON + timedelta(days=7)))


def test_everything_is_listed_while_it_fits_and_the_best_after_that() -> None:
    """MEM-1: in the order in which it came, so that the text before a new entry stays."""
    best_first = [kept(f"t{number}", number) for number in (5, 1, 4, 2, 3)]
    whole = fitted(best_first)
    assert [one.id for one in whole.entries] == ["m1", "m2", "m3", "m4", "m5"]
    assert not whole.more
    by_lines = fitted(best_first, most_lines=3)
    assert [one.id for one in by_lines.entries] == ["m1", "m4", "m5"]
    assert by_lines.more
    by_tokens = fitted(best_first, most_tokens=15)
    assert 0 < len(by_tokens.entries) < 5
    assert by_tokens.more


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("The cakes cost thirty.", "cake", True),
        ("The cake", "CAKES", True),
        ("We meet at the lake", "lak", False),
        ("我们星期二见面", "星期二", True),
        ("我们星期二见面", "见", True),
        ("我们星期二见面", "星期五", True),
        ("我们星期二见面", "周末", False),
        ("来週の会議は京都です", "京都", True),
        ("来週の会議は京都です", "東京", False),
        ("カレーを食べる", "カレー", True),
        ("회의는 화요일에 있다", "화요일", True),
        ("회의는 화요일에 있다", "금요일", True),
        ("Parley会议室", "parley", True),
        ("Parley会议室", "会议", True),
        ("Die Straße", "strasse", True),
        ("naïve", "nai\u0308ve", True),
        ("anything", "?!", False),
    ],
)
def test_words_are_found_in_every_script(text: str, query: str, found: bool) -> None:
    """MEM-1: what shares letters but not the whole word is found too, and scores lower."""
    hits = set(query_words(query)) & words_of(text)
    assert (score(hits) > 0) is found


def test_the_whole_word_scores_more_than_a_part() -> None:
    """MEM-1."""
    query = query_words("星期二")
    right, near = (score(set(query) & words_of(text)) for text in ("我们星期二见", "我们星期五见"))
    assert right > near > 0


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_text_is_found_by_any_of_its_words(before: str, after: str) -> None:
    """MEM-1: whatever stands around it."""
    for word in ("harbour", "星期", "京都", "회의"):
        assert set(query_words(word)) <= words_of(f"{before} {word} {after}")


@given(st.text(max_size=200))
def test_questions_stay_bounded(text: str) -> None:
    """MEM-1."""
    assert len(query_words(text)) <= 24
    assert all(len(word) <= 40 for word in (*query_words(text), *words_of(text)))


def test_a_changed_entry_is_checked_whole() -> None:
    """MEM-4."""
    with pytest.raises(MemoryRefused):
        replaced(kept(text="The cake is cold."), "cold", "password is swordfish", LATER)
    assert replace(kept(), uses=1).uses == 1
