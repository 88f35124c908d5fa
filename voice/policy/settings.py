"""Every threshold of turn taking, in milliseconds unless the name says otherwise (VOX-15)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTakingSettings:
    """Defaults after VOX-15 to VOX-18; see the rules for what each one does."""

    # speech activity
    start_score: float = 0.5
    """Voice activity from which silence becomes speech."""
    keep_score: float = 0.35
    """Voice activity down to which speech goes on."""
    begin_ms: int = 60
    """Speech that begins an input."""
    minimum_speech_ms: int = 100
    """An input with less is cancelled once `silence_limit_ms` is over: a click, not a word."""
    silence_limit_ms: int = 500
    pause_ms: int = 120
    """Quiet that counts as a pause; the tail is transcribed and the turn model asked."""
    stalled_ms: int = 200
    """No frame for so long, from a client that did not stop to send, is a pause; less is a lost packet."""
    preroll_ms: int = 300
    """Sound before the first voiced frame that belongs to the input."""

    # end of turn
    agree_ms: int = 200
    """Packets stopped, the model and the text all say that the turn is over."""
    packets_go_on_ms: int = 300
    """The same while packets still come: an open microphone."""
    partly_ms: int = 600
    """The signals disagree, or one is missing."""
    open_ms: int = 1_200
    """The sentence is open; also the longest wait for a text."""
    complete_from: float = 0.5
    """Completeness from which the turn model means yes."""
    long_turn_ms: int = 60_000
    """A turn of this length ends at the next pause."""
    longest_turn_ms: int = 120_000
    """A turn of this length ends; what follows is the next one."""

    # barge-in
    barge_in_ms: int = 200
    """Speech that pauses playback; the same length makes a speaker hold the floor."""
    resume_after_ms: int = 2_000
    """Playback paused for so long without words that count goes on."""

    wake_word_from: float = 0.5
    """Score of a wake word's model from which the bot was called."""

    # the floor
    longest_hold_ms: int = 6_000
    """What waits for a free floor is submitted after this."""
    follow_up_ms: int = 15_000
    """For so long after an exchange its speaker need not name the bot."""
    push_ms: int = 30_000
    """For so long after asking to talk the utterance may begin."""

    # speculation
    most_speculations: int = 3
    """For one input."""

    # after the end
    transcript_wait_ms: int = 8_000
    """Longest wait for the final transcript of a sealed input."""
