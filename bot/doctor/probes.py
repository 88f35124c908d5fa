"""The probes that need no adapter; the wiring adds the database's."""

from bot.doctor.discord_probe import DiscordProbe
from bot.doctor.findings import Probe
from bot.doctor.machine_probes import DataFolderProbe, DaveProbe, OpusProbe
from bot.doctor.model_probe import ModelProbe
from bot.settings import Settings


def probes_without_adapters(settings: Settings) -> list[Probe]:
    """All but the database, in the order of the table."""
    return [
        DiscordProbe(settings.discord),
        OpusProbe(),
        DaveProbe(),
        ModelProbe(settings.model, for_console=settings.discord.token is None),
        DataFolderProbe(settings.storage.data_dir),
    ]
