"""Checks token, privileged intents, permissions, invite link and clock against Discord."""

from collections.abc import Sequence

from bot.doctor.discord_account import Account, DiscordAccount, DiscordUnreachable, Guild, TokenRefused
from bot.doctor.findings import Finding, State
from bot.invite import invite_link, missing_permissions
from bot.settings import DiscordSettings

PORTAL = "https://discord.com/developers/applications"
RESET_TOKEN = (
    f"Make a new one: {PORTAL} > your application > Bot > Reset Token, and put it into DISCORD_TOKEN."
)
# Name of the switch in the portal -> its two application flags: verified, and for bots in under 100 servers.
INTENTS = {"Server Members Intent": (1 << 14) | (1 << 15), "Message Content Intent": (1 << 18) | (1 << 19)}
CLOCK_TOLERATED_S = 5.0


class DiscordProbe:
    """The rows that need the bot's account."""

    check = "Discord"

    def __init__(self, settings: DiscordSettings) -> None:
        self._settings = settings
        self._account = DiscordAccount(settings)

    async def findings(self) -> Sequence[Finding]:
        """Token first; without a working one nothing else can be known."""
        if self._settings.token is None:
            fix = f"{PORTAL} > New Application > Bot > Reset Token; put it into DISCORD_TOKEN in .env."
            return [
                Finding(
                    check="Token", state=State.SKIPPED, found="none: the bot talks in the terminal", fix=fix
                )
            ]
        try:
            account = await self._account.account()
        except TokenRefused:
            found = "Discord does not accept it"
            return [Finding(check="Token", state=State.FAILED, found=found, fix=RESET_TOKEN)]
        except DiscordUnreachable as failure:
            fix = "Check the network, and DISCORD_API_BASE_URL and DISCORD_CA_FILE if you set them."
            return [Finding(check="Token", state=State.FAILED, found=f"not checked: {failure}", fix=fix)]
        return account_findings(account)


def account_findings(account: Account) -> list[Finding]:
    """All rows about an account that could be read."""
    application = account.application
    link = invite_link(application.id)
    return [
        Finding(check="Token", state=State.FINE, found=f"accepted, for {application.name}"),
        *(intent_finding(account, switch) for switch in INTENTS),
        permissions_finding(account.guilds, link),
        Finding(check="Invite link", state=State.FINE, found=link),
        clock_finding(account.clock_ahead_s),
    ]


def intent_finding(account: Account, switch: str) -> Finding:
    """Whether a switch of the portal's page Bot is on."""
    if account.application.flags & INTENTS[switch]:
        return Finding(check=switch, state=State.FINE, found="on")
    page = f"{PORTAL}/{account.application.id}/bot"
    return Finding(
        check=switch,
        state=State.FAILED,
        found="off",
        fix=f"Open {page}, section Privileged Gateway Intents, and switch on {switch}.",
    )


def permissions_finding(guilds: Sequence[Guild], link: str) -> Finding:
    """What the bot lacks in its servers; one row, since the mend is one link."""
    if not guilds:
        return Finding(
            check="Permissions",
            state=State.WARNING,
            found="the bot is in no server yet",
            fix=f"Open {link}",
        )
    lacking = [
        f"{guild.name}: {', '.join(permission.name for permission in missing)}"
        for guild in guilds
        if (missing := missing_permissions(guild.permissions))
    ]
    if not lacking:
        return Finding(check="Permissions", state=State.FINE, found=f"complete in {len(guilds)} server(s)")
    return Finding(
        check="Permissions",
        state=State.WARNING,
        found="missing in " + "; ".join(lacking),
        fix=f"Grant them to the bot's role, or invite it again: {link}",
    )


def clock_finding(ahead_s: float | None) -> Finding:
    """This machine's clock against Discord's; HTTP dates are whole seconds."""
    if ahead_s is None:
        return Finding(check="Clock", state=State.SKIPPED, found="Discord's answer had no date")
    if abs(ahead_s) <= CLOCK_TOLERATED_S:
        return Finding(check="Clock", state=State.FINE, found=f"within {CLOCK_TOLERATED_S:g} s of Discord's")
    direction = "ahead of" if ahead_s > 0 else "behind"
    return Finding(
        check="Clock",
        state=State.FAILED,
        found=f"{abs(ahead_s):.0f} s {direction} Discord's",
        fix="Switch on time synchronisation (timedatectl set-ntp true); interactions expire after 3 s.",
    )
