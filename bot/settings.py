"""The settings of one start: a frozen tree, parsed once, handed on as narrow slices (SET-1).

Each slice is a plain value with defaults. Every field has one flat name (`DISCORD_TOKEN`) that stands in
`.env` or in the environment; `bot/settings_source.py` reads those, and `bot/settings_example.py` writes
`.env.example` from the descriptions below. Nothing is read at import.
"""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from bot.limit_settings import LimitSettings
from bot.setting_slices import HttpAddress, Seconds, Slice, UserIds, WebSocketAddress
from bot.speech_settings import SpeechSettings
from bot.talk_settings import TalkSlice
from bot.task_settings import TaskSettings
from bot.voice_settings import VoiceRoomSettings
from core.generation.capability_changes import CAPABILITY_WORDS, CapabilityChanges

_DATABASE_SERVER = re.compile(r"(?:[^:/@]*(?::([^@]*))?@)?(?:\[[^\]/]+\]|[^:/\[\]]*)(?::\d{1,5})?(?:/.*)?")
"""User, password (group 1; it may hold anything but @), host, port and name, as SQLAlchemy reads them."""

OPENAI_ADDRESS = "https://api.openai.com/v1"


def _database_url(value: str) -> str:
    """SQLite needs a file (one in memory has no second connection), a server a port that is a number."""
    kind, _, place = value.partition("://")
    match kind.split("+")[0]:
        case "sqlite":
            is_usable = place.startswith("/") and place.strip("/") not in ("", ":memory:")
        case "postgresql":
            is_usable = _DATABASE_SERVER.fullmatch(place) is not None
        case _:
            is_usable = False
    if not is_usable:
        raise ValueError("an address that starts with sqlite:/// or postgresql://, and its file or server")
    return value


DatabaseUrl = Annotated[str, AfterValidator(_database_url)]


def _model_capabilities(value: str) -> str:
    CapabilityChanges.read(value)
    return value


ModelCapabilities = Annotated[str, AfterValidator(_model_capabilities)]


class DiscordSettings(Slice):
    """How Discord is reached."""

    token: SecretStr | None = Field(
        default=None,
        validation_alias="DISCORD_TOKEN",
        description="The bot's token (Developer Portal, page Bot). Without it, a chat in the terminal.",
    )
    client_id: int | None = Field(
        default=None,
        gt=0,
        validation_alias="DISCORD_BOT_CLIENT_ID",
        description="The application's id, for the invite link; asked from Discord when a token is set.",
    )
    owner_ids: UserIds | None = Field(
        default=None,
        validation_alias="DISCORD_OWNER_IDS",
        description="User ids, with commas between, that count as the bot's owner beside its application's.",
    )
    api_base_url: HttpAddress = Field(
        default="https://discord.com/api/v10",
        validation_alias="DISCORD_API_BASE_URL",
        description="Discord's API, with its version; for a proxy or for tests.",
    )
    gateway_url: WebSocketAddress | None = Field(
        default=None,
        validation_alias="DISCORD_GATEWAY_URL",
        description="Discord's gateway (wss://...); asked from the API when empty.",
    )
    ca_file: Path | None = Field(
        default=None,
        validation_alias="DISCORD_CA_FILE",
        description="A PEM file with one more certificate to trust for Discord's addresses.",
    )


class ModelSettings(Slice):
    """Which language model answers."""

    name: str | None = Field(
        default=None,
        validation_alias="OPENAI_MODEL",
        description="The model's name at the endpoint; the endpoint's first model when empty.",
    )
    api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENAI_API_KEY",
        description="The key of the endpoint, where it wants one.",
    )
    base_url: HttpAddress | None = Field(
        default=None,
        validation_alias="OPENAI_API_BASE_URL",
        description=(
            "Any OpenAI-compatible endpoint, with its /v1. With a key or a model alone it is"
            " https://api.openai.com/v1; with none of the three the small embedded model answers."
        ),
    )
    protocol: Literal["chat", "responses"] = Field(
        default="chat",
        validation_alias="OPENAI_PROTOCOL",
        description="Which protocol the endpoint is asked in: Chat Completions or Responses.",
    )
    local_discovery: bool = Field(
        default=True,
        validation_alias="LOCAL_MODEL_DISCOVERY",
        description="Whether the console, without an endpoint, uses a model server on this machine.",
    )
    small_profile: Literal["auto", "on", "off"] = Field(
        default="auto",
        validation_alias="SMALL_MODEL_PROFILE",
        description="Short instructions and no tools, for small models; auto means for the embedded model.",
    )

    capabilities: ModelCapabilities | None = Field(
        default=None,
        validation_alias="MODEL_CAPABILITIES",
        description=(
            "What models take where the built-in table is wrong: vision-*=images;qwen3:8b=images,-tools. The"
            f" words, which a minus takes away, are {', '.join(CAPABILITY_WORDS)}."
        ),
    )

    @property
    def capability_changes(self) -> CapabilityChanges:
        """What the setting changes in the table of known models."""
        return CapabilityChanges.read(self.capabilities or "")

    @property
    def endpoint(self) -> str | None:
        """The address that the settings mean; None when they name no model at all."""
        return self.base_url or (OPENAI_ADDRESS if self.api_key or self.name else None)


class GenerationSettings(Slice):
    """Bounds of one generation and of all of them together."""

    context_tokens: int = Field(
        default=32_000,
        ge=1_000,
        validation_alias="MODEL_CONTEXT_TOKENS",
        description="The window that a request must fit, in tokens.",
    )
    max_tokens: int | None = Field(
        default=None,
        ge=1,
        validation_alias="MODEL_MAX_TOKENS",
        description="The longest answer, in tokens; the provider's own limit when empty.",
    )
    requests_at_once: int = Field(
        default=8,
        ge=1,
        le=1_000,
        validation_alias="MODEL_REQUESTS_AT_ONCE",
        description="How many requests may run at the same time, over all rooms.",
    )
    connect_timeout_s: Seconds = Field(
        default=10,
        validation_alias="MODEL_CONNECT_TIMEOUT_S",
        description="Seconds to wait for a connection.",
    )
    first_token_timeout_s: Seconds = Field(
        default=60,
        validation_alias="MODEL_FIRST_TOKEN_TIMEOUT_S",
        description="Seconds to wait for the first token.",
    )
    idle_timeout_s: Seconds = Field(
        default=30, validation_alias="MODEL_IDLE_TIMEOUT_S", description="Seconds to wait between two events."
    )
    total_timeout_s: Seconds = Field(
        default=600,
        validation_alias="MODEL_TOTAL_TIMEOUT_S",
        description="Seconds that a whole answer may take.",
    )


class TextSettings(Slice):
    """How the bot behaves in a text room. Channels may have settings of their own later."""

    bot_name: str = Field(
        default="Parley",
        max_length=32,
        validation_alias="BOT_NAME",
        description="What the bot is called where the file of its persona gives no name.",
    )
    trigger_mode: Literal["mention", "all", "off"] = Field(
        default="mention",
        validation_alias="TRIGGER_MODE",
        description=(
            "What is answered in a server where no /session mode is set: mentions and replies, all, or"
            " nothing. DMs always."
        ),
    )
    answer_to_name: bool = Field(
        default=False,
        validation_alias="ANSWER_TO_NAME",
        description="Whether its name as a word, the persona's or that of the server, counts as a mention.",
    )
    burst_window_ms: int = Field(
        default=1_500,
        ge=0,
        le=60_000,
        validation_alias="BURST_WINDOW_MS",
        description="Messages of one author within this many milliseconds are answered as one.",
    )
    backfill_messages: int = Field(
        default=20,
        ge=0,
        le=100,
        validation_alias="BACKFILL_MESSAGES",
        description="How many earlier messages of a channel are read as context when the bot enters it.",
    )
    answer_missed_within_s: int = Field(
        default=600,
        ge=0,
        le=2_592_000,
        validation_alias="ANSWER_MISSED_WITHIN_S",
        description="Messages missed while the bot was down are answered when younger than this, in seconds.",
    )
    answered_bots: UserIds | None = Field(
        default=None,
        validation_alias="ANSWERED_BOTS",
        description="Ids of bots, with commas between, that are answered like people; three times in a row.",
    )
    edits_replace_reply: bool = Field(
        default=True,
        validation_alias="EDITS_REPLACE_REPLY",
        description="Whether a question that is edited while its answer is written is answered anew.",
    )
    stream_edits: bool = Field(
        default=True,
        validation_alias="STREAM_EDITS",
        description="Whether an answer appears while it is written (by edits) or only when it is finished.",
    )
    ping_replied_user: bool = Field(
        default=True,
        validation_alias="PING_REPLIED_USER",
        description="Whether a reply notifies the person it answers; nobody else is ever notified.",
    )
    masked_links: Literal["keep", "show_address"] = Field(
        default="keep",
        validation_alias="MASKED_LINKS",
        description="Whether a link behind other words in an answer stays so, or shows its address.",
    )
    invite_links: Literal["keep", "remove"] = Field(
        default="remove",
        validation_alias="INVITE_LINKS",
        description="Whether invitations to Discord servers stay in an answer.",
    )
    small_print: bool = Field(
        default=True,
        validation_alias="SMALL_PRINT",
        description="Whether a line under a reply says which recipe ran and what was decided.",
    )
    stickers: bool = Field(
        default=True,
        validation_alias="STICKERS",
        description="Whether a reply may choose one of the server's stickers.",
    )
    remember_after_s: int = Field(
        default=900,
        ge=0,
        le=86_400,
        validation_alias="REMEMBER_AFTER_S",
        description=(
            "After so many idle seconds a talk is looked through for what nobody asked to remember; 0: never."
            " With the embedded model never."
        ),
    )
    max_reply_messages: int = Field(
        default=6,
        ge=1,
        le=50,
        validation_alias="MAX_REPLY_MESSAGES",
        description="An answer longer than this many messages becomes a file.",
    )


class StorageSettings(Slice):
    """Where the bot keeps what it must not forget."""

    data_dir: Path = Field(
        default=Path("data"),
        validation_alias="DATA_DIR",
        description="The one folder for data; one process at a time.",
    )
    media_mb: int = Field(
        default=500,
        ge=1,
        validation_alias="MEDIA_MAX_MB",
        description="Room for attached pictures and files in DATA_DIR, in MB; the oldest go first.",
    )
    media_days: int = Field(
        default=30,
        ge=1,
        validation_alias="MEDIA_KEEP_DAYS",
        description="How many days attached pictures and files are kept.",
    )
    configured_database_url: DatabaseUrl | None = Field(
        default=None,
        validation_alias="DATABASE_URL",
        description=(
            "Another database: postgresql://user:password@host/name or sqlite:///file; by default a file in"
            " DATA_DIR."
        ),
        repr=False,
    )

    @property
    def database_url(self) -> str:
        """The configured address, else SQLite in the data folder; it may hold a password."""
        return self.configured_database_url or f"sqlite:///{self.data_dir.absolute() / 'parley.db'}"

    @property
    def database_password(self) -> str | None:
        """The password inside the database's address, as it stands there."""
        server = _DATABASE_SERVER.fullmatch(self.database_url.partition("://")[2])
        return None if server is None else server[1]


class LogSettings(Slice):
    """What is logged, and in which form."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO",
        validation_alias="LOG_LEVEL",
        description="The least level that is logged, on standard error.",
    )
    format: Literal["console", "json"] = Field(
        default="console",
        validation_alias="LOG_FORMAT",
        description="Lines for people, or JSON for machines.",
    )


class Settings(BaseModel):
    """The whole tree."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    discord: DiscordSettings = DiscordSettings()
    model: ModelSettings = ModelSettings()
    generation: GenerationSettings = GenerationSettings()
    text: TextSettings = TextSettings()
    limits: LimitSettings = LimitSettings()
    storage: StorageSettings = StorageSettings()
    log: LogSettings = LogSettings()
    voice_rooms: VoiceRoomSettings = VoiceRoomSettings()
    speech: SpeechSettings = SpeechSettings()
    talk: TalkSlice = TalkSlice()
    tasks: TaskSettings = TaskSettings()
