"""One run of Piper's program, seen from the bot: segments in, their sound out, its death told to all.

`piper_program.py` is the other half and says how the two talk.
"""

import asyncio
import json
import struct
import sys
from collections.abc import AsyncGenerator
from itertools import count
from pathlib import Path

PROGRAM = Path(__file__).with_name("piper_program.py")
_ANSWER = struct.Struct(">cII")
_LONGEST_ANSWER = 32 * 1024 * 1024
_STOP_TIMEOUT_S = 1.0


class PiperFailed(Exception):
    """The process, or one segment in it, failed; the message is for the log."""


class PiperProcess:
    """Lives until its process ends; `read` is the owner's task and must run."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._segments: dict[int, asyncio.Queue[bytes | PiperFailed | None]] = {}
        self._numbers = count(1)
        self._rate: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._heard_at = asyncio.get_running_loop().time()
        self.is_over = False

    @classmethod
    async def started(cls, voice: Path, *, threads: int, program: Path = PROGRAM) -> "PiperProcess":
        """A process that loads the voice."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            str(program),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in the terminal is for the bot, which stops this process itself
        )
        piper = cls(process)
        piper._order({"voice": str(voice), "threads": threads})
        return piper

    async def rate_hz(self, timeout_s: float) -> int:
        """The rate of its sound, known when the voice is loaded; raises `PiperFailed`."""
        try:
            async with asyncio.timeout(timeout_s):
                return await asyncio.shield(self._rate)
        except TimeoutError:
            self.kill()
            raise PiperFailed(f"the voice was not loaded within {timeout_s:g} s") from None

    async def spoken(self, text: str, *, silence_s: float) -> AsyncGenerator[bytes]:
        """Sentence by sentence, int16 mono. A process that says nothing for `silence_s` is killed.

        Raises:
            PiperFailed: the process died or hung, or cannot speak this text.
        """
        if self.is_over:
            raise PiperFailed("the process is over")
        number = next(self._numbers)
        answers: asyncio.Queue[bytes | PiperFailed | None] = asyncio.Queue()  # bounded by the text
        loop = asyncio.get_running_loop()
        if not self._segments:
            self._heard_at = loop.time()
        self._segments[number] = answers
        is_whole = False
        try:
            self._order({"speak": number, "text": text})
            while True:
                try:
                    async with asyncio.timeout_at(self._heard_at + silence_s):
                        answer = await answers.get()
                except TimeoutError:
                    if loop.time() < self._heard_at + silence_s:  # another segment is spoken first
                        continue
                    self.kill()
                    raise PiperFailed(f"no sound for {silence_s:g} s") from None
                if isinstance(answer, bytes):
                    yield answer
                    continue
                is_whole = True
                if answer is None:
                    return
                raise answer
        finally:
            self._segments.pop(number, None)
            if not is_whole and not self.is_over:
                self._order({"withdraw": number})

    async def read(self) -> None:
        """Passes answers on until the process ends, for whatever reason, and then ends every segment."""
        reason = "the process ended"
        try:
            await self._pass_on()
        except PiperFailed as failed:
            reason = str(failed)
            self.kill()
        except asyncio.IncompleteReadError:
            pass
        finally:
            self.is_over = True
            for answers in self._segments.values():
                answers.put_nowait(PiperFailed(reason))
            if not self._rate.done():
                self._rate.set_exception(PiperFailed(reason))
                self._rate.exception()  # nobody may wait for it
            await self._ended()

    def kill(self) -> None:
        """At once; `read` then ends."""
        self.is_over = True
        if self._process.returncode is None:
            self._process.kill()

    async def stop(self) -> None:
        """Closes its input, which ends it; kills it when it does not listen."""
        if self._process.returncode is None and self._process.stdin is not None:
            self._process.stdin.close()
        await self._ended()

    async def _ended(self) -> None:
        """Whoever has closed its output or lost its input is about to end: a signal is for the others."""
        try:
            async with asyncio.timeout(_STOP_TIMEOUT_S):
                await self._process.wait()
        except TimeoutError:
            self.kill()
            await self._process.wait()

    async def _pass_on(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - asked for at the start
        while True:
            head = await self._process.stdout.readexactly(_ANSWER.size)
            kind, number, length = _ANSWER.unpack(head)
            if kind not in b"RPEF" or length > _LONGEST_ANSWER:
                raise PiperFailed("an answer that is none")
            payload = await self._process.stdout.readexactly(length)
            self._heard_at = asyncio.get_running_loop().time()
            self._take(kind, number, payload)

    def _take(self, kind: bytes, number: int, payload: bytes) -> None:
        answers = self._segments.get(number)
        match kind:
            case b"R":
                if not payload.isdigit() or self._rate.done():
                    raise PiperFailed("an answer that is none")
                self._rate.set_result(int(payload))
            case b"F" if number == 0:
                raise PiperFailed(payload.decode("utf-8", "replace")[:200])
            case b"F" if answers is not None:
                answers.put_nowait(PiperFailed(payload.decode("utf-8", "replace")[:200]))
            case b"P" if answers is not None:
                answers.put_nowait(payload)
            case b"E" if answers is not None:
                answers.put_nowait(None)
            case _:  # of a segment that was withdrawn
                pass

    def _order(self, order: dict[str, object]) -> None:
        if self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
