"""What `python -m bot doctor` looks at."""

from functools import partial
from urllib.parse import urlsplit

from bot.doctor.database_probe import DatabaseProbe
from bot.doctor.findings import Probe
from bot.doctor.probes import probes_without_adapters
from bot.doctor.speech_probe import SpeechProbe
from bot.doctor.voice_probe import VoiceProbe
from bot.settings import Settings
from bot.wiring.speech import hosted_services, speech_services
from sessions.storage.database import Database
from voice.transport.capabilities import voice_capabilities


def doctor_probes(settings: Settings) -> list[Probe]:
    """What `python -m bot doctor` looks at."""
    url = settings.storage.database_url
    database = DatabaseProbe(lambda: Database(url), where=urlsplit(url).scheme)
    speech = SpeechProbe(partial(speech_services, settings), hosted_services(settings))
    return [*probes_without_adapters(settings), VoiceProbe(voice_capabilities), speech, database]
