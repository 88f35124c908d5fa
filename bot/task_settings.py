"""Settings of tasks: the backend agent (TASK-6)."""

from pydantic import Field

from bot.setting_slices import Slice


class TaskSettings(Slice):
    """Work beside the conversation."""

    backend: str = Field(
        default="",
        validation_alias="BACKEND",
        description=(
            "The backend agent that does what a conversation cannot, by the name that an installed package"
            " offers it under (entry points of the group parley.backends). Empty: there is none."
        ),
    )
