"""A listener's judgements: is the sentence open, am I meant, does this count, was it said at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.policy import language_rules
from voice.policy.addressed_rules import calls_one_of, calls_person
from voice.policy.backchannel_rules import is_backchannel, words_that_count
from voice.policy.end_of_turn_rules import Signals, silence_needed_ms
from voice.policy.language_rules import LanguageBelief
from voice.policy.phantom_rules import phantom_reason
from voice.policy.settings import TurnTakingSettings
from voice.policy.text_tail_rules import Tail, tail_of, word_count
from voice.policy.turn_words import ASSENTS, BACKCHANNELS


@pytest.mark.parametrize(
    ("text", "language", "tail"),
    [
        ("", "en", Tail.EMPTY),
        (" ... ", "en", Tail.EMPTY),
        ("How late is it?", "en", Tail.COMPLETE),
        ("I want tea and", "en", Tail.OPEN),
        ("I want tea and.", "en", Tail.OPEN),
        ("I think, um.", "en", Tail.OPEN),
        ("First,", "en", Tail.OPEN),
        ("I was thinking…", "en", Tail.OPEN),
        ("Is it that?", "en", Tail.COMPLETE),
        ("tell me a story", "en", Tail.UNCLEAR),
        ("Ich komme, weil", "de", Tail.OPEN),
        ("Ich komme morgen.", "de", Tail.COMPLETE),
        ("Je voudrais un.", "fr", Tail.OPEN),
        ("Quiero ir a", "es", Tail.OPEN),
        ("我想去因为", "zh", Tail.OPEN),
        ("现在几点？", None, Tail.COMPLETE),
        ("行きたいんですけど", "ja", Tail.OPEN),
        ("그런데", None, Tail.OPEN),
        ("Idę do", "pl", Tail.UNCLEAR),
    ],
)
def test_the_end_of_a_text_tells_whether_its_sentence_is_open(
    text: str, language: str | None, tail: Tail
) -> None:
    """VOX-15."""
    assert tail_of(text, language) is tail


@given(
    tail=st.sampled_from(Tail),
    stopped=st.booleans(),
    completeness=st.none() | st.floats(0, 1),
    has_model=st.booleans(),
    fresh=st.booleans(),
)
def test_silence_is_short_only_where_all_agree_and_never_too_long(
    *, tail: Tail, stopped: bool, completeness: float | None, has_model: bool, fresh: bool
) -> None:
    """VOX-15: 200 ms when all signals agree, up to 1,200 ms when the sentence is open."""
    signals = Signals(
        tail=tail,
        packets_stopped=stopped,
        completeness=completeness if has_model else None,
        has_model=has_model,
        text_is_fresh=fresh,
    )
    needed = silence_needed_ms(signals, TurnTakingSettings())
    assert 200 <= needed <= 1_200
    agrees = not has_model or (completeness is not None and completeness >= 0.5)
    assert (needed == 200) == (tail is Tail.COMPLETE and stopped and fresh and agrees)
    if tail is Tail.OPEN:
        assert needed == 1_200


@pytest.mark.parametrize(
    "text",
    [
        "Parley, what time is it?",
        "What time is it, Parley?",
        "Hey Parley",
        "Okay, so Parley, go on.",
        "Parlay, what time is it?",
        "Barley what time is it",
        "Par ley, are you there?",
        "Thank you, Parley, please.",
        "No idea. Parley, do you know?",
        "PARLEY!",
    ],
)
def test_the_bot_is_called_at_the_start_or_the_end_also_when_misheard(text: str) -> None:
    """VOX-18."""
    assert calls_one_of(text, ("Parley",))


@pytest.mark.parametrize(
    "text",
    [
        "I told Parley about it yesterday.",
        "The barge is late.",
        "Charlie, come here.",
        "Party is at eight.",
        "",
        "Hey.",
    ],
)
def test_other_words_do_not_call_it(text: str) -> None:
    """VOX-18."""
    assert not calls_one_of(text, ("Parley",))


def test_short_names_and_names_without_spaces_are_matched_more_strictly() -> None:
    """VOX-18."""
    assert calls_one_of("Bo, are you there?", ("Bo",))
    assert not calls_one_of("So, are you there?", ("Bo",))
    assert calls_one_of("小派现在几点", ("小派",))
    assert calls_one_of("现在几点，小派", ("小派",))
    assert calls_one_of("ねえパーリー、今何時？", ("パーリー",))
    assert not calls_one_of("昨天我跟小派说了这件事", ("小派",))
    assert not calls_one_of("Anna, come here", ("Ann",), fuzzy=False)


@pytest.mark.parametrize(
    ("text", "name", "called"),
    [
        ("Ben, what do you think?", "Ben Smith (he)", True),
        ("What do you think, Ben?", "Ben | EU", True),
        ("Benefits are fine.", "Ben Smith", False),
        ("Will it rain tomorrow?", "Will", False),
        ("Will, is it raining?", "Will Jones", True),
        ("May I ask something?", "May", False),
        ("And you, Grace?", "Grace", True),
        ("☆, hello", "☆", False),
    ],
)
def test_people_are_called_by_their_first_names_and_not_by_ordinary_words(
    *, text: str, name: str, called: bool
) -> None:
    """VOX-18: a follow-up to somebody else is not for the bot, and a question that opens with "will" is."""
    assert calls_person(text, (name,)) is called


@pytest.mark.parametrize(
    ("text", "language", "counts"),
    [
        ("Uh-huh.", "en", False),
        ("mm-hmm", None, False),
        ("Yeah, right.", "en", False),
        ("I see.", "en", False),
        ("Hahaha!", "en", False),
        ("[laughter]", "en", False),
        ("(coughs)", "en", False),
        ("♪♪", None, False),
        ("", "en", False),
        ("Yeah, yeah, yeah, yeah, yeah.", "en", False),
        ("Genau.", "de", False),
        ("うん", "ja", False),
        ("对对", "zh", False),
        ("Stop.", "en", True),
        ("No.", "en", True),
        ("Yeah but that is wrong", "en", True),
        ("Wait", "en", True),
        ("等一下", "zh", True),
    ],
)
def test_words_count_when_they_are_more_than_a_sign_of_listening(
    *, text: str, language: str | None, counts: bool
) -> None:
    """VOX-17."""
    assert words_that_count(text, language) is counts
    assert not (counts and is_backchannel(text, language))


@pytest.mark.parametrize(
    ("text", "language", "answers"),
    [
        ("Yes.", "en", True),
        ("Uh-huh.", "en", True),
        ("Oh, okay!", "en", True),
        ("Ja, genau.", "de", True),
        ("Sí, sí.", "es", True),
        ("はい", "ja", True),
        ("是的", "zh", True),
        ("네", "ko", True),
        ("Mhm.", None, True),
        ("No.", "en", True),
        ("Hahaha!", "en", False),
        ("Jaja.", "es", False),
        ("Hmm.", "en", False),
        ("[laughter]", "en", False),
        ("", "en", False),
    ],
)
def test_yes_counts_where_it_answers_a_question(*, text: str, language: str | None, answers: bool) -> None:
    """VOX-17: laughter and hesitation answer nothing."""
    assert words_that_count(text, language, over_question=True) is answers


def test_what_says_yes_is_else_a_nod() -> None:
    assert set(ASSENTS) == set(BACKCHANNELS)
    assert all(words <= BACKCHANNELS[language] for language, words in ASSENTS.items())


@pytest.mark.parametrize(
    ("text", "speech_ms", "reason"),
    [
        ("Thank you.", 200, "known phantom"),
        ("Thank you.", 600, None),
        ("Subtitles by the Amara.org community", 3_000, "known phantom"),
        ("Untertitelung des ZDF, 2020", 3_000, "known phantom"),
        ("ご視聴ありがとうございました", 3_000, "known phantom"),
        ("I'm going to put the light on", 250, "more words than fit the time"),
        ("I am here and I am here and I am here and I am here", 6_000, "repeats itself"),
        ("no no no no no no no no no no no no", 6_000, "repeats itself"),
        ("No, no, no, wait.", 900, None),
        ("[music]", 3_000, "no words"),
        ("What is the capital of France?", 1_400, None),
    ],
)
def test_what_was_never_said_is_found_by_its_text_and_the_speech_there_was(
    text: str, speech_ms: int, reason: str | None
) -> None:
    """VOX-19."""
    assert phantom_reason(text, speech_ms=speech_ms) == reason


def test_a_single_short_utterance_does_not_change_the_language() -> None:
    """VOX-19: hysteresis."""
    belief = language_rules.after_utterance(LanguageBelief(), "de", speech_ms=500)
    assert belief.language == "de"
    belief = language_rules.after_utterance(belief, "cy", speech_ms=400)
    assert belief.language == "de"
    belief = language_rules.after_utterance(belief, "de", speech_ms=400)
    belief = language_rules.after_utterance(belief, "en", speech_ms=900)
    assert belief.language == "de"
    belief = language_rules.after_utterance(belief, "en", speech_ms=900)
    assert belief.language == "en"
    assert language_rules.after_utterance(belief, "fr", speech_ms=5_000).language == "fr"


def test_words_are_counted_in_scripts_without_spaces() -> None:
    assert word_count("I have to go") == 4
    assert word_count("我要走了") == 2
