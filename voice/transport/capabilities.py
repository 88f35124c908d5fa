"""What this machine can do in a voice channel, for the doctors and before a join: Opus, DAVE, ciphers."""

from dataclasses import dataclass

import davey

from voice.audio import opus
from voice.transport.transport_crypto import KEY_SIZE, PREFERRED_MODES, cipher_for


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceCapabilities:
    """The `*_problem`s are words for a person; without any the bot hears and speaks."""

    opus: str | None
    dave_version: int
    davey: str
    encryption_modes: tuple[str, ...]
    opus_problem: str | None
    dave_problem: str | None
    encryption_problem: str | None

    @property
    def problems(self) -> tuple[str, ...]:
        """All of them."""
        each = (self.opus_problem, self.dave_problem, self.encryption_problem)
        return tuple(problem for problem in each if problem is not None)


def voice_capabilities() -> VoiceCapabilities:
    """Tries each part once: an Opus round trip, a key package, a sealed packet. Blocks for milliseconds."""
    opus_version = opus_problem = dave_problem = encryption_problem = None
    try:
        opus_version = opus.version()
        opus.Decoder().decode(opus.Encoder().encode(bytes(3_840)))
    except (opus.OpusMissing, opus.BadOpus) as error:
        opus_problem = str(error)
    try:
        davey.DaveSession(davey.DAVE_PROTOCOL_VERSION, 1, 2).get_serialized_key_package()
    except (ValueError, RuntimeError) as error:
        dave_problem = str(error)
    for mode in PREFERRED_MODES:
        cipher = cipher_for(mode, bytes(KEY_SIZE))
        if cipher.open(cipher.seal(bytes(12), b"sound"), 12) != b"sound":
            encryption_problem = f"{mode}: a packet did not come back"
    return VoiceCapabilities(
        opus=opus_version,
        dave_version=davey.DAVE_PROTOCOL_VERSION,
        davey=davey.__version__,
        encryption_modes=PREFERRED_MODES,
        opus_problem=opus_problem,
        dave_problem=dave_problem,
        encryption_problem=encryption_problem,
    )
