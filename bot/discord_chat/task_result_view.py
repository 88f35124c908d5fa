"""What came of a task as messages: its words, code as code, everything else as files (TASK-24)."""

from datetime import timedelta
from typing import Final

from discord.utils import escape_markdown

from bot.discord_chat.channels import NamedFiles
from bot.discord_chat.languages import told
from bot.discord_chat.mention_rules import LinkPolicy
from bot.discord_chat.reply_pieces import FileReply, ReplyLimits, ReplyPieces
from core.prompts.plain_line import plain_line
from core.sentences import sentence
from recipes.tasks.task import Artifact, Task, TaskKind, TaskState

_LIMITS: Final = ReplyLimits(
    filename="result.md", attached=sentence("-# The whole result is in the attached file.")
)
_CODE: Final = frozenset(
    {
        *("application/json", "application/javascript", "application/xml", "application/x-sh"),
        *("text/javascript", "text/css", "text/html", "text/xml"),
    }
)
_MOST_CODE: Final = 1_500
_MOST_NAME: Final = 100
_MOST_SUFFIX: Final = 10
_FENCE: Final = "```"
_LATE: Final = timedelta(minutes=5)


def shown_result(task: Task, links: LinkPolicy) -> tuple[tuple[str, ...], NamedFiles]:
    """The messages of a result, and the files under the last one."""
    pieces = ReplyPieces(_LIMITS, links)
    title = escape_markdown(task.request.title)
    files: list[tuple[str, bytes]] = []
    if task.kind is TaskKind.REMINDER:
        words = f"<@{task.request.requester.id}> ⏰ {task.result or task.error or ''}"
        pieces.feed(f"{words}\n{note}" if (note := _lateness(task)) else words)
    elif task.state is TaskState.COMPLETED:
        text, files = _with_artifacts(task.result or "", task.artifacts)
        note = told("-# {title} · task {task}", title=title, task=task.short_id)
        pieces.feed(f"{text}\n\n{note}".lstrip())
    else:
        failed = told("{title} failed: {error}", title=title, error=told(task.error or ""))
        pieces.feed(f"{failed}\n\n{told('-# task {task} · `/task retry`', task=task.short_id)}")
    plan = pieces.finish()
    if isinstance(plan, FileReply):
        files.insert(0, (plan.filename, plan.content.encode("utf-8", "replace")))
    return plan.texts, files


def _lateness(task: Task) -> str:
    """That a reminder comes late: nobody was there to bring it in time."""
    due = task.request.due_at
    if due is None or task.updated_at - due < _LATE:
        return ""
    return told("-# It was due {when}: I was not here then.", when=f"<t:{int(due.timestamp())}:R>")


def files_of(task: Task) -> NamedFiles:
    """Everything that a task made, as files."""
    return [(_name(one), one.content) for one in task.artifacts]


def _with_artifacts(text: str, artifacts: tuple[Artifact, ...]) -> tuple[str, list[tuple[str, bytes]]]:
    words = f"{text}\n{_FENCE}" if text.count(_FENCE) % 2 else text
    files: list[tuple[str, bytes]] = []
    for one in artifacts:
        code = _code(one)
        if code is None:
            files.append((_name(one), one.content))
        else:
            words += f"\n\n**{escape_markdown(_name(one))}**\n{_FENCE}{_language(one)}\n{code}\n{_FENCE}"
    return words, files


def _code(artifact: Artifact) -> str | None:
    """The text of a short piece of code; None for everything that is better read as a file."""
    kind = artifact.media_type.partition(";")[0].strip().lower()
    is_code = kind in _CODE or kind.startswith("text/x-")
    if not is_code or len(artifact.content) > _MOST_CODE or _FENCE.encode() in artifact.content:
        return None
    try:
        return artifact.content.decode().strip("\n")
    except UnicodeDecodeError:
        return None


def _language(artifact: Artifact) -> str:
    suffix = artifact.name.rpartition(".")[2]
    is_one = suffix != artifact.name and suffix.isascii() and suffix.isalnum()
    return suffix if is_one and len(suffix) <= _MOST_SUFFIX else ""


def _name(artifact: Artifact) -> str:
    """A name that Discord takes: no folders."""
    return plain_line(artifact.name.replace("\\", "/").rpartition("/")[2], limit=_MOST_NAME) or "file"
