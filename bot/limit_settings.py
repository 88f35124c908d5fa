"""Settings about who may use the bot, and how much (TEXT-9)."""

from pydantic import Field

from bot.setting_slices import Slice, UserIds


class LimitSettings(Slice):
    """Limits that hold where the owner has set no others, and the lists of who and where is served."""

    user_messages: int | None = Field(
        default=None,
        ge=1,
        validation_alias="LIMIT_USER_MESSAGES_PER_MINUTE",
        description="How many messages of one person are answered within a minute; all when empty.",
    )
    channel_messages: int | None = Field(
        default=None,
        ge=1,
        validation_alias="LIMIT_CHANNEL_MESSAGES_PER_MINUTE",
        description="The same for one channel.",
    )
    guild_messages: int | None = Field(
        default=None,
        ge=1,
        validation_alias="LIMIT_GUILD_MESSAGES_PER_MINUTE",
        description="The same for one server.",
    )
    user_tokens: int | None = Field(
        default=None,
        ge=1,
        validation_alias="LIMIT_USER_TOKENS_PER_DAY",
        description="How many tokens replies to one person may take in a day (UTC); any number when empty.",
    )
    channel_tokens: int | None = Field(
        default=None,
        ge=1,
        validation_alias="LIMIT_CHANNEL_TOKENS_PER_DAY",
        description="The same for one channel.",
    )
    guild_tokens: int | None = Field(
        default=None,
        ge=1,
        validation_alias="LIMIT_GUILD_TOKENS_PER_DAY",
        description="The same for one server.",
    )
    user_cost: float | None = Field(
        default=None,
        gt=0,
        validation_alias="LIMIT_USER_COST_PER_MONTH",
        description="What replies to one person may cost in a month, by the prices below.",
    )
    channel_cost: float | None = Field(
        default=None,
        gt=0,
        validation_alias="LIMIT_CHANNEL_COST_PER_MONTH",
        description="The same for one channel.",
    )
    guild_cost: float | None = Field(
        default=None,
        gt=0,
        validation_alias="LIMIT_GUILD_COST_PER_MONTH",
        description="The same for one server.",
    )
    price_input: float = Field(
        default=0,
        ge=0,
        validation_alias="MODEL_PRICE_INPUT",
        description="What the model costs for a million tokens read, in any currency.",
    )
    price_output: float = Field(
        default=0,
        ge=0,
        validation_alias="MODEL_PRICE_OUTPUT",
        description="What it costs for a million tokens written.",
    )
    allowed_tools: str = Field(
        default="*",
        validation_alias="ALLOWED_TOOLS",
        description="Names of tools that replies may use, with commas between; * stands for any letters.",
    )
    allowed_guilds: UserIds | None = Field(
        default=None,
        validation_alias="ALLOWED_GUILDS",
        description="Ids of servers, with commas between, that alone are served; all when empty.",
    )
    denied_guilds: UserIds | None = Field(
        default=None, validation_alias="DENIED_GUILDS", description="Ids of servers that are not served."
    )
    allowed_channels: UserIds | None = Field(
        default=None,
        validation_alias="ALLOWED_CHANNELS",
        description="Ids of channels that alone are served in servers, with their threads; all when empty.",
    )
    denied_channels: UserIds | None = Field(
        default=None,
        validation_alias="DENIED_CHANNELS",
        description="Ids of channels that are not served, nor their threads.",
    )
    allowed_roles: UserIds | None = Field(
        default=None,
        validation_alias="ALLOWED_ROLES",
        description="Ids of roles; with them or ALLOWED_USERS set, people with none of both are not served.",
    )
    denied_roles: UserIds | None = Field(
        default=None,
        validation_alias="DENIED_ROLES",
        description="Ids of roles whose members are not served.",
    )
    allowed_users: UserIds | None = Field(
        default=None,
        validation_alias="ALLOWED_USERS",
        description="Ids of people who are served whatever their roles; see ALLOWED_ROLES.",
    )
    denied_users: UserIds | None = Field(
        default=None,
        validation_alias="DENIED_USERS",
        description="Ids of people who are not served.",
    )
