"""Fetching models, which is done for the one who asks and for nobody else."""

from voice.providers.packaged_files import ModelMissing
from voice.providers.whisper_download import pull_whisper

__all__ = ["ModelMissing", "pull_whisper"]
