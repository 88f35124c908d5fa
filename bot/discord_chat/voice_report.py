"""How a call stands, in words for `/voice doctor`: the connection, and each speaker (VOX-29)."""

from collections.abc import Sequence
from typing import Final

from bot.discord_chat.languages import told
from core.sentences import Sentence, sentence
from voice import (
    CallStatistics,
    SpeakerStatistics,
)

_SESSIONS: Final = (sentence("{count:,} session"), sentence("{count:,} sessions"))
_RESUMES: Final = (sentence("{count:,} resume"), sentence("{count:,} resumes"))
_UNDERRUNS: Final = (sentence("{count:,} underrun"), sentence("{count:,} underruns"))
_ERRORS: Final = (sentence("{count:,} error"), sentence("{count:,} errors"))
_FRAMES: Final = (sentence("{count:,} frame"), sentence("{count:,} frames"))
_PACKETS: Final = (sentence("{count:,} packet"), sentence("{count:,} packets"))
_RECOVERIES: Final = (sentence("{count:,} recovery"), sentence("{count:,} recoveries"))
_DEAF: Final = {
    "no key": sentence("no key"),
    "no user for the SSRC": sentence("nobody knows whose it is"),
    "decode errors": sentence("broken sound"),
    "no packets": sentence("no packets"),
}
_MOST_SPEAKERS = 12
_LONGEST = 2_000


def voice_report(call: CallStatistics, hindrances: Sequence[str] = ()) -> str:
    """A message; who was heard longest stands first. `hindrances` are sentences of `VoicePlaces`."""
    speakers = sorted(call.speakers, key=lambda one: one.decoded_s, reverse=True)
    lines = [*_connection(call), *map(told, hindrances), *map(_speaker, speakers[:_MOST_SPEAKERS])]
    if not speakers:
        lines.append(told("Nobody was heard yet."))
    if len(speakers) > _MOST_SPEAKERS:
        lines.append(told("- and {count} more", count=len(speakers) - _MOST_SPEAKERS))
    return "\n".join(lines)[:_LONGEST]


def _connection(call: CallStatistics) -> list[str]:
    latency = told("unknown") if call.latency_s is None else f"{call.latency_s * 1000:.0f} ms"
    state = told("Connected") if call.connected else told("Connecting")
    sessions = f"{_count(call.sessions, _SESSIONS)}, {_count(call.resumes, _RESUMES)}"
    troubles = f"{_count(call.underruns, _UNDERRUNS)}, {_count(call.send_errors, _ERRORS)}"
    lines = [
        told("**{state}**, latency {latency}, {sessions}", state=state, latency=latency, sessions=sessions),
        told("Encryption: {mode}; {dave}", mode=call.encryption_mode or told("none yet"), dave=_dave(call)),
        told(
            "Sent: {sent_frames}, {troubles}",
            sent_frames=_count(call.sent_frames, _FRAMES),
            troubles=troubles,
        ),
    ]
    refused = ", ".join(f"{reason} {count:,}" for reason, count in sorted(call.refused.items()))
    if refused:
        lines.append(told("Not accepted: {refused}", refused=refused))
    if call.events_dropped:
        lines.append(
            told("Heard and not fetched in time: {events_dropped:,}", events_dropped=call.events_dropped)
        )
    return lines


def _dave(call: CallStatistics) -> str:
    if not call.dave_version:
        return told("DAVE: off")
    state = told("ready") if call.dave_ready else told("waiting for company")
    epoch = "" if call.dave_epoch is None else told(", epoch {dave_epoch}", dave_epoch=call.dave_epoch)
    again = f", {_count(call.dave_recoveries, _RECOVERIES)}" if call.dave_recoveries else ""
    code = (
        told(", privacy code `{privacy_code}`", privacy_code=call.privacy_code) if call.privacy_code else ""
    )
    return told(
        "DAVE: version {dave_version}, {state}{epoch}{again}{code}",
        dave_version=call.dave_version,
        state=state,
        epoch=epoch,
        again=again,
        code=code,
    )


def _speaker(one: SpeakerStatistics) -> str:
    troubles = (
        (one.lost, told("lost")),
        (one.late, told("late")),
        (one.duplicates, told("twice")),
        (one.concealed_frames, told("concealed")),
        (one.decode_errors, told("not decodable")),
        (
            one.undecryptable,
            told("not decryptable ({reason})", reason=one.undecryptable_reason or told("no reason known")),
        ),
    )
    troubled = "".join(f", {count:,} {what}" for count, what in troubles if count)
    why = _DEAF.get(one.deaf_because, one.deaf_because) if one.deaf_because else None
    deaf = told("; **not heard: {deaf_because}**", deaf_because=why) if why else ""
    gone = "" if one.present else told(", gone")
    who = f"<@{one.user_id}>" if one.user_id else told("Not known who")
    return told(
        "- {who}{gone}: {packets}{troubled}, {decoded_s:.1f} s decoded,"
        " buffer {jitter_target_ms:.0f} ms{deaf}",
        who=who,
        gone=gone,
        packets=_count(one.packets, _PACKETS),
        troubled=troubled,
        decoded_s=one.decoded_s,
        jitter_target_ms=one.jitter_target_ms,
        deaf=deaf,
    )


def _count(count: int, words: tuple[Sentence, Sentence]) -> str:
    one, many = words
    return told(one if count == 1 else many, count=count)
