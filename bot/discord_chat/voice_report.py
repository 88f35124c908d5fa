"""How a call stands, in words for `/voice doctor`: the connection, and each speaker (VOX-29)."""

from voice.calls import CallStatistics, SpeakerStatistics

_MOST_SPEAKERS = 12
_LONGEST = 2_000


def voice_report(call: CallStatistics) -> str:
    """A message; the people who were heard longest stand first."""
    speakers = sorted(call.speakers, key=lambda one: one.decoded_s, reverse=True)
    lines = [*_connection(call), *map(_speaker, speakers[:_MOST_SPEAKERS])]
    if not speakers:
        lines.append("Nobody was heard yet.")
    if len(speakers) > _MOST_SPEAKERS:
        lines.append(f"- and {len(speakers) - _MOST_SPEAKERS} more")
    return "\n".join(lines)[:_LONGEST]


def _connection(call: CallStatistics) -> list[str]:
    latency = "unknown" if call.latency_s is None else f"{call.latency_s * 1000:.0f} ms"
    state = "Connected" if call.connected else "Connecting"
    sessions = f"{_count(call.sessions, 'session')}, {_count(call.resumes, 'resume')}"
    troubles = f"{_count(call.underruns, 'underrun')}, {_count(call.send_errors, 'error')}"
    lines = [
        f"**{state}**, latency {latency}, {sessions}",
        f"Encryption: {call.encryption_mode or 'none yet'}; {_dave(call)}",
        f"Sent: {_count(call.sent_frames, 'frame')}, {troubles}",
    ]
    refused = ", ".join(f"{reason} {count:,}" for reason, count in sorted(call.refused.items()))
    if refused:
        lines.append(f"Not accepted: {refused}")
    if call.events_dropped:
        lines.append(f"Heard and not fetched in time: {call.events_dropped:,}")
    return lines


def _dave(call: CallStatistics) -> str:
    if not call.dave_version:
        return "DAVE: off"
    state = "ready" if call.dave_ready else "waiting for company"
    epoch = "" if call.dave_epoch is None else f", epoch {call.dave_epoch}"
    again = f", {_count(call.dave_recoveries, 'recovery', 'recoveries')}" if call.dave_recoveries else ""
    code = f", privacy code `{call.privacy_code}`" if call.privacy_code else ""
    return f"DAVE: version {call.dave_version}, {state}{epoch}{again}{code}"


def _speaker(one: SpeakerStatistics) -> str:
    troubles = (
        (one.lost, "lost"),
        (one.late, "late"),
        (one.duplicates, "twice"),
        (one.concealed_frames, "concealed"),
        (one.decode_errors, "not decodable"),
        (one.undecryptable, f"not decryptable ({one.undecryptable_reason or 'no reason known'})"),
    )
    told = "".join(f", {count:,} {what}" for count, what in troubles if count)
    deaf = f"; **not heard: {one.deaf_because}**" if one.deaf_because else ""
    gone = "" if one.present else ", gone"
    who = f"<@{one.user_id}>" if one.user_id else "Not known who"
    return (
        f"- {who}{gone}: {_count(one.packets, 'packet')}{told}, {one.decoded_s:.1f} s decoded,"
        f" buffer {one.jitter_target_ms:.0f} ms{deaf}"
    )


def _count(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
