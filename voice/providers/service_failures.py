"""What went wrong with a speech service, as one sentence for the room and a reason for the log (VOX-25).

Neither holds anything that the service itself said, nor the key.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus

import aiohttp

from core.sentences import Sentence, sentence
from voice.input.speech_to_text import SpeechFailed

_KEY = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
_BUSY = {HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.TOO_MANY_REQUESTS}
_REQUEST = {
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    HTTPStatus.UNPROCESSABLE_ENTITY,
}


class Unreadable(Exception):
    """The service's answer is not what its protocol says; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceFailures:
    """The words of one kind of service: `part` of the bot, and the `way_out` of the one who talks with it."""

    part: str
    way_out: str

    def key_refused(self, reason: str) -> SpeechFailed:
        """The service wants another key."""
        return self._failed(
            sentence("My {part} service refuses its key: {way_out}, and tell my owner."), reason
        )

    def busy(self, reason: str) -> SpeechFailed:
        """Too much was asked, or the account is empty."""
        return self._failed(
            sentence("My {part} service takes no more for now: {way_out}, or try again in a minute."), reason
        )

    def unknown_model(self, reason: str) -> SpeechFailed:
        """The address, the model or the voice does not exist."""
        return self._failed(
            sentence("My {part} service does not know its model or voice: {way_out}, and tell my owner."),
            reason,
        )

    def request_refused(self, reason: str) -> SpeechFailed:
        """This one request is not accepted."""
        return self._failed(sentence("My {part} service does not accept this: {way_out}."), reason)

    def broken(self, reason: str) -> SpeechFailed:
        """It failed, fell silent, or said what nobody understands."""
        return self._failed(sentence("My {part} service failed: {way_out}, or try again."), reason)

    def unreachable(self, reason: str) -> SpeechFailed:
        """No connection."""
        return self._failed(
            sentence("My {part} service cannot be reached: {way_out}, or try again later."), reason
        )

    def of_status(self, status: int) -> SpeechFailed:
        """An answer of HTTP that is no success."""
        reason = f"HTTP {status}"
        if status in _KEY:
            return self.key_refused(reason)
        if status in _BUSY:
            return self.busy(reason)
        if status == HTTPStatus.NOT_FOUND:
            return self.unknown_model(reason)
        return self.request_refused(reason) if status in _REQUEST else self.broken(reason)

    @contextmanager
    def translated(self) -> Generator[None]:
        """Foreign errors become `SpeechFailed`."""
        try:
            yield
        except TimeoutError as error:
            raise self.broken("no answer in time") from error
        except aiohttp.WSServerHandshakeError as error:
            raise self.of_status(error.status) from error
        except (aiohttp.ClientPayloadError, aiohttp.ServerDisconnectedError) as error:
            raise self.broken(f"broke off ({type(error).__name__})") from error
        except (aiohttp.InvalidURL, aiohttp.ClientConnectionError, OSError) as error:
            raise self.unreachable(type(error).__name__) from error
        except (aiohttp.ClientError, Unreadable) as error:
            raise self.broken(f"unreadable ({type(error).__name__})") from error

    def _failed(self, template: Sentence, reason: str) -> SpeechFailed:
        advice = sentence(template.template, part=self.part, way_out=self.way_out)
        return SpeechFailed(advice, reason=f"{self.part} service: {reason}")


HEARING = ServiceFailures(part=sentence("hearing"), way_out=sentence("please write to me"))
SPEAKING = ServiceFailures(part=sentence("voice"), way_out=sentence("please read on in the chat"))
