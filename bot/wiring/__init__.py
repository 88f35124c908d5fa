"""The composition root: every adapter is made here, and nothing else makes one.

core          settings -> storage, model, personas, domains, orchestrator
discord_bot   core -> Discord
console       core -> the terminal
doctor        settings -> what the doctor looks at
"""

from bot.wiring.console import run_console
from bot.wiring.core import Core
from bot.wiring.discord_bot import run_discord, running_discord
from bot.wiring.doctor import doctor_probes

__all__ = ["Core", "doctor_probes", "run_console", "run_discord", "running_discord"]
