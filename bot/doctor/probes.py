"""The probes that need no adapter; the wiring adds those of voice and the database."""

from bot.doctor.discord_probe import DiscordProbe
from bot.doctor.findings import Probe
from bot.doctor.machine_probes import DataFolderProbe
from bot.doctor.model_probe import ModelProbe
from bot.settings import Settings


def probes_without_adapters(settings: Settings) -> list[Probe]:
    """All but voice and the database."""
    return [
        DiscordProbe(settings.discord),
        ModelProbe(settings.model, for_console=settings.discord.token is None),
        DataFolderProbe(settings.storage.data_dir),
    ]
