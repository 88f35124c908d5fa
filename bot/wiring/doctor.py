"""What `python -m bot doctor` looks at."""

from urllib.parse import urlsplit

from bot.doctor.database_probe import DatabaseProbe
from bot.doctor.findings import Probe
from bot.doctor.probes import probes_without_adapters
from bot.doctor.voice_probe import VoiceProbe
from bot.settings import Settings
from sessions.storage.database import Database
from voice.transport.capabilities import voice_capabilities


def doctor_probes(settings: Settings) -> list[Probe]:
    """What `python -m bot doctor` looks at."""
    url = settings.storage.database_url
    database = DatabaseProbe(lambda: Database(url), where=urlsplit(url).scheme)
    return [*probes_without_adapters(settings), VoiceProbe(voice_capabilities), database]
