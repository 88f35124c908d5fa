"""What the bot says about its calls, and who may call it: tables."""

import discord
import pytest

from bot.discord_chat.languages import speaking
from bot.discord_chat.voice_access_rules import (
    Asking,
    Present,
    VoiceRefused,
    channel_to_join,
    require_may_dismiss,
)
from bot.discord_chat.voice_report import voice_report
from bot.discord_chat.voice_words import what_is_missing, why_gone, why_not_back, why_not_joined
from voice.calls import CallEnded, CallStatistics, EndReason, SpeakerStatistics
from voice.transport.speaker_log import Problem

HERE, THERE = 10, 20
QUIET_ENDS = {EndReason.LEFT, EndReason.SHUT_DOWN}


@pytest.mark.parametrize("reason", EndReason)
def test_each_end_has_its_sentence(reason: EndReason) -> None:
    """VOX-7: told in the channel unless somebody here asked for it; one sentence that says what to do."""
    said = why_gone(CallEnded(reason=reason), comes_back=False)
    staying = why_gone(CallEnded(reason=reason), comes_back=True)
    assert (said is None) == (staying is None) == (reason in QUIET_ENDS)
    joining = why_not_joined(CallEnded(reason=reason))
    returning = why_not_back(CallEnded(reason=reason))
    for sentence in (said, staying, joining, returning):
        if sentence is not None:
            assert sentence.endswith(".")
            assert sentence.count(". ") <= 1
            assert len(sentence) < 160


def test_ends_are_told_apart() -> None:
    """VOX-7."""
    ends = [CallEnded(reason=reason) for reason in EndReason if reason not in QUIET_ENDS]
    said = {why_gone(end, comes_back=False) for end in ends}
    assert len(said) == len(EndReason) - len(QUIET_ENDS)
    assert why_not_joined(None).startswith("Discord let nobody in")


def test_where_it_comes_back_by_itself_nobody_is_asked_to_call_it() -> None:
    """VOX-7: told so for every end after which `/voice stay` returns, and for every try that failed."""
    for reason in (EndReason.UNREACHABLE, EndReason.RATE_LIMITED):
        ended = CallEnded(reason=reason)
        for said in (why_gone(ended, comes_back=True), why_not_back(ended)):
            assert said is not None
            assert "by myself" in said
            assert "/summon" not in said
        assert "by myself" not in str(why_gone(ended, comes_back=False))
    assert "by myself" in str(why_not_back(None))
    refused = VoiceRefused("Go on.", unasked=why_not_back(CallEnded(reason=EndReason.DISCONNECTED)))
    assert refused.unasked == "Go on."


def test_missing_permissions_are_named() -> None:
    """TEXT-7."""
    assert "permissions Speak, Send Messages in <#10>" in what_is_missing(("Speak", "Send Messages"), HERE)


def asking(in_channel_id: int | None, *, is_manager: bool = False) -> Asking:
    return Asking(user_id=1, in_channel_id=in_channel_id, is_manager=is_manager)


@pytest.mark.parametrize(
    ("who", "wanted", "present", "goes"),
    [
        (asking(HERE), None, None, HERE),
        (asking(HERE), HERE, None, HERE),
        (asking(HERE), THERE, None, "only managers"),
        (asking(None), None, None, "Go into a voice channel"),
        (asking(None), THERE, None, "only managers"),
        (asking(None, is_manager=True), THERE, None, THERE),
        (asking(None, is_manager=True), None, None, "Go into a voice channel"),
        (asking(HERE), None, Present(channel_id=HERE, with_people=True), HERE),
        (asking(HERE), None, Present(channel_id=THERE, with_people=True), "I am with people in <#20>"),
        (asking(HERE), None, Present(channel_id=THERE, with_people=False), HERE),
        (asking(HERE, is_manager=True), None, Present(channel_id=THERE, with_people=True), HERE),
    ],
)
def test_who_calls_it_where(
    who: Asking, wanted: int | None, present: Present | None, goes: int | str
) -> None:
    """CMD-2: whoever is in a channel calls the bot there; taking it from others is for managers."""
    if isinstance(goes, int):
        assert channel_to_join(who, wanted, present) == goes
    else:
        with pytest.raises(VoiceRefused, match=goes):
            channel_to_join(who, wanted, present)


@pytest.mark.parametrize(
    ("who", "present", "refused"),
    [
        (asking(HERE), Present(channel_id=HERE, with_people=True), None),
        (asking(None, is_manager=True), Present(channel_id=HERE, with_people=True), None),
        (asking(THERE), Present(channel_id=HERE, with_people=False), "Only who is in <#10>"),
        (asking(None), Present(channel_id=HERE, with_people=True), "Only who is in <#10>"),
        (asking(HERE, is_manager=True), None, "no voice channel"),
    ],
)
def test_who_sends_it_away(who: Asking, present: Present | None, refused: str | None) -> None:
    """CMD-2."""
    if refused is None:
        require_may_dismiss(who, present)
    else:
        with pytest.raises(VoiceRefused, match=refused):
            require_may_dismiss(who, present)


def speaker(user_id: int, **found: object) -> SpeakerStatistics:
    values: dict[str, object] = {
        "user_id": user_id,
        "ssrc": 5,
        "present": True,
        "packets": 1_000,
        "lost": 0,
        "late": 0,
        "duplicates": 0,
        "concealed_frames": 0,
        "decoded_s": 20.0,
        "undecryptable": 0,
        "undecryptable_reason": None,
        "decode_errors": 0,
        "quiet_for_s": 0.1,
        "jitter_target_ms": 60.0,
        "deaf_because": None,
    }
    return SpeakerStatistics(**values | found)  # type: ignore[arg-type] # a table of values


def statistics(*speakers: SpeakerStatistics, dave_version: int = 1) -> CallStatistics:
    return CallStatistics(
        connected=True,
        encryption_mode="aead_aes256_gcm_rtpsize",
        dave_version=dave_version,
        dave_ready=dave_version > 0,
        dave_epoch=3 if dave_version else None,
        privacy_code="12345" if dave_version else None,
        latency_s=0.0421,
        sessions=2,
        resumes=1,
        dave_recoveries=1,
        sent_frames=50,
        send_errors=0,
        underruns=1,
        refused={"not RTP": 7},
        events_dropped=3,
        speakers=speakers,
    )


def test_the_doctor_shows_everything_that_was_counted() -> None:
    """VOX-29: who is not heard, and why, is seen at a glance."""
    deaf = speaker(
        8, decoded_s=0.0, lost=4, undecryptable=900, undecryptable_reason="no key", deaf_because="no key"
    )
    dave = "DAVE: version 1, ready, epoch 3, 1 recovery, privacy code `12345`"
    rest = ", 0.0 s decoded, buffer 60 ms; **not heard: no key**"
    assert voice_report(statistics(deaf, speaker(7)), ["I am muted."]).splitlines() == [
        "**Connected**, latency 42 ms, 2 sessions, 1 resume",
        "Encryption: aead_aes256_gcm_rtpsize; " + dave,
        "Sent: 50 frames, 1 underrun, 0 errors",
        "Not accepted: not RTP 7",
        "Heard and not fetched in time: 3",
        "I am muted.",
        "- <@7>: 1,000 packets, 20.0 s decoded, buffer 60 ms",
        "- <@8>: 1,000 packets, 4 lost, 900 not decryptable (no key)" + rest,
    ]


@pytest.mark.parametrize("problem", Problem)
def test_the_doctor_has_words_for_each_cause(problem: Problem) -> None:
    """VOX-29: in every language; what the log calls it is for who runs the bot."""
    with speaking(discord.Locale.korean):
        report = voice_report(statistics(speaker(8, deaf_because=problem.value)))
    assert problem.value not in report


def test_the_doctor_fits_a_message() -> None:
    """VOX-29."""
    crowd = [speaker(10**18 + one, present=False, lost=9, late=9, duplicates=9) for one in range(60)]
    report = voice_report(statistics(*crowd, dave_version=0))
    assert len(report) <= 2_000
    assert "DAVE: off" in report
    assert "and 48 more" in report
    assert "Nobody was heard yet." in voice_report(statistics())
