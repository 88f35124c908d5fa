"""Notices when somebody speaks and nothing is heard (VOX-29). Pure; looks at a speaker's log.

Two signs: packets with sound in them arrive for five seconds and none becomes sound; or SPEAKING was told
and not one packet followed. Whoever is ignored, or has left, is not looked at; nobody is as long as a
moderator has deafened the bot.
"""

from voice.transport.speaker_log import Problem, SpeakerLog

DEAF_AFTER_S = 5.0
MOST_REPAIRS = 3
REPAIRS_COUNT_FOR_S = 600.0
_ENOUGH_PACKETS = 10
_EARLY_S = 1.0
"""SPEAKING may be told this long after the sound that it announces (`wire/discord-voice.md`, trap 6)."""


def deaf_because(log: SpeakerLog, now: float) -> Problem | None:
    """Why this speaker is not heard at `now`; None while all is well."""
    since = log.first_unheard_at
    if since is not None and log.unheard >= _ENOUGH_PACKETS and now - since >= DEAF_AFTER_S:
        return log.problem or Problem.DECODE_ERRORS
    announced = log.announced_at
    if announced is not None and now - announced >= DEAF_AFTER_S:
        came = (log.last_packet_at, log.last_sound_at)
        if not any(at is not None and at >= announced - _EARLY_S for at in came):
            return Problem.NO_PACKETS
    return None


def may_repair(repaired_at: list[float], now: float) -> bool:
    """Whether a fresh voice session is due: at most three within ten minutes."""
    return sum(now - at < REPAIRS_COUNT_FOR_S for at in repaired_at) < MOST_REPAIRS
