"""Results and artifacts as JSON text, and back."""

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence

from recipes.tasks.task import Artifact, TaskResult


def encode_artifacts(artifacts: Sequence[Artifact]) -> str:
    """ASCII, whatever the files hold."""
    return json.dumps([[one.name, one.media_type, b64encode(one.content).decode()] for one in artifacts])


def decode_artifacts(text: str) -> tuple[Artifact, ...]:
    """Read what `encode_artifacts` wrote.

    Raises:
        ValueError: something else wrote it.
    """
    return tuple(
        Artifact(name=name, media_type=media_type, content=b64decode(content))
        for name, media_type, content in json.loads(text)
    )


def encode_result(result: TaskResult) -> str:
    """A whole result, as a step records it."""
    return json.dumps([result.text, encode_artifacts(result.artifacts)])


def decode_result(text: str) -> TaskResult:
    """Read what `encode_result` wrote.

    Raises:
        ValueError: something else wrote it.
    """
    words, artifacts = json.loads(text)
    return TaskResult(text=words, artifacts=decode_artifacts(artifacts))
