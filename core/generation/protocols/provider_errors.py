"""Foreign errors become ours at the door: of the transport and the provider itself (CORE-30)."""

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from urllib.parse import urlsplit

import aiohttp

from core.failures import GenerationFailed
from core.generation import failure_advice
from core.generation.model_protocol import StatusRefused
from core.generation.protocols.event_stream import LineTooLong, StreamUnreadable
from core.generation.protocols.json_access import object_in, parse_object, text_in

_LONGEST_DETAIL = 500
_BYTES_RECEIVED = re.compile(r"\bb\\?['\"].*", re.DOTALL)
_CAUSES = (
    (("context_length", "context length", "context window", "context size"), failure_advice.CONTEXT_FULL),
    (("content_filter", "content_policy"), failure_advice.FILTERED),
    (("insufficient_quota", "insufficient_funds", "insufficient credits"), failure_advice.NO_CREDIT),
    (("rate_limit", "rate limit", "too many requests"), failure_advice.BUSY),
)


@contextmanager
def translated(
    *,
    api_key: str | None,
    unreadable: str = failure_advice.UNREADABLE,
    broken: str = failure_advice.BROKE_OFF,
) -> Generator[None]:
    """Whatever transport or decoders raise inside leaves as `GenerationFailed`.

    `unreadable` is the advice about a value that makes no sense, `broken` the one about a connection that
    ends. The words of the error go to the log without the key, which some of them repeat.
    """
    try:
        yield
    except Exception as error:
        advice = _advice_for(error, unreadable, broken)
        if advice is None:
            raise
        raise GenerationFailed(advice, reason=_without_key(_chain(error), api_key)) from error


def _advice_for(error: Exception, unreadable: str, broken: str) -> str | None:
    """What to do about a foreign error; None for one that is not foreign, or a defect of ours."""
    match error:
        case aiohttp.InvalidURL():
            return failure_advice.MALFORMED
        case aiohttp.ClientHttpProxyError():
            return broken
        case aiohttp.ClientResponseError():
            return failure_advice.NOT_A_STREAM
        case aiohttp.ClientError() | TimeoutError():
            return broken
        case LineTooLong():
            return failure_advice.TOO_LONG_LINE
        case StreamUnreadable() | ValueError():
            return unreadable
        case _:
            return None


def reported_failure(error: object) -> GenerationFailed:
    """A failure that the provider reports inside its stream: an object with message and code, or a text."""
    text = error if isinstance(error, str) else json.dumps(error, default=str)
    detail = f"reported by the provider: {text[:_LONGEST_DETAIL]}"
    return GenerationFailed(advice_for_detail(text) or failure_advice.PROVIDER_TROUBLE, reason=detail)


def advice_for_detail(text: str) -> str | None:
    """Advice where the provider's words name a cause that people can act on."""
    lowered = text.lower()
    return next((advice for marks, advice in _CAUSES if any(mark in lowered for mark in marks)), None)


def refused(response: aiohttp.ClientResponse, text: str, api_key: str | None) -> StatusRefused:
    """An answer of another status than success, and what it says."""
    detail = _without_key(_message(text) or _redirection(response), api_key)
    return StatusRefused(
        response.status,
        retry_after=response.headers.get("retry-after"),
        detail=detail[:_LONGEST_DETAIL],
        advice=advice_for_detail(text),
    )


def _redirection(response: aiohttp.ClientResponse) -> str:
    """Where a redirect leads, which is not followed: its server alone, since the rest may hold secrets."""
    try:
        location = urlsplit(response.headers.get("location", ""))
    except ValueError:
        return ""
    return f"leads to {location.scheme}://{location.hostname}" if location.hostname else ""


def _message(body: str) -> str:
    try:
        parsed = parse_object(body)
    except ValueError:
        return body
    return text_in(object_in(parsed, "error"), "message") or body


def _without_key(text: str, api_key: str | None) -> str:
    return text.replace(api_key.strip(), "[key]") if api_key and api_key.strip() else text


def _chain(error: BaseException) -> str:
    """The words of an error and its cause, up to where one repeats what came: a model's text may be there."""
    told = [f"{type(one).__name__}: {one}" for one in (error, error.__cause__) if one is not None]
    whole, *cause = [_BYTES_RECEIVED.sub("(bytes)", words) for words in told]
    return " ".join((whole, *(f"({words})" for words in cause)))
