"""Foreign errors become ours at the door: of the SDK, the transport and the provider itself (CORE-30)."""

import json
from collections.abc import Generator
from contextlib import contextmanager

import httpx2
import openai

from core.failures import GenerationFailed
from core.generation import failure_advice
from core.generation.model_protocol import StatusRefused
from core.generation.protocols.event_stream import LineTooLong, StreamUnreadable
from core.generation.protocols.json_access import object_in, parse_object, text_in

_LONGEST_DETAIL = 500
_CAUSES = (
    (("context_length", "context length", "context window", "context size"), failure_advice.CONTEXT_FULL),
    (("content_filter", "content_policy"), failure_advice.FILTERED),
    (("insufficient_quota", "insufficient_funds", "insufficient credits"), failure_advice.NO_CREDIT),
    (("rate_limit", "rate limit", "too many requests"), failure_advice.BUSY),
)


@contextmanager
def translated(*, api_key: str | None) -> Generator[None]:
    """Whatever SDK, transport or decoders raise inside leaves as `StatusRefused` or `GenerationFailed`."""
    try:
        yield
    except openai.APIStatusError as error:
        raise _status_refused(error, api_key) from error
    except (openai.APIConnectionError, httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise GenerationFailed(failure_advice.UNREACHABLE, reason=_chain(error)) from error
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise GenerationFailed(failure_advice.BROKE_OFF, reason=_chain(error)) from error
    except LineTooLong as error:
        raise GenerationFailed(failure_advice.TOO_LONG_LINE, reason=str(error)) from error
    except (StreamUnreadable, json.JSONDecodeError, ValueError) as error:
        raise GenerationFailed(failure_advice.UNREADABLE, reason=f"unreadable stream: {error}") from error
    except openai.OpenAIError as error:
        raise GenerationFailed(failure_advice.UNREADABLE, reason=_chain(error)) from error


def reported_failure(error: object) -> GenerationFailed:
    """A failure that the provider reports inside its stream: an object with message and code, or a text."""
    text = error if isinstance(error, str) else json.dumps(error, default=str)
    detail = f"reported by the provider: {text[:_LONGEST_DETAIL]}"
    return GenerationFailed(advice_for_detail(text) or failure_advice.PROVIDER_TROUBLE, reason=detail)


def advice_for_detail(text: str) -> str | None:
    """Advice where the provider's words name a cause that people can act on."""
    lowered = text.lower()
    return next((advice for marks, advice in _CAUSES if any(mark in lowered for mark in marks)), None)


def _status_refused(error: openai.APIStatusError, api_key: str | None) -> StatusRefused:
    text = error.response.text
    detail = _message(text)
    if api_key:
        detail = detail.replace(api_key, "[key]")
    return StatusRefused(
        error.status_code,
        retry_after=error.response.headers.get("retry-after"),
        detail=detail[:_LONGEST_DETAIL],
        advice=advice_for_detail(text),
    )


def _message(body: str) -> str:
    try:
        parsed = parse_object(body)
    except ValueError:
        return body
    return text_in(object_in(parsed, "error"), "message") or body


def _chain(error: BaseException) -> str:
    cause = error.__cause__
    return f"{type(error).__name__}: {error}" + (f" ({type(cause).__name__}: {cause})" if cause else "")
