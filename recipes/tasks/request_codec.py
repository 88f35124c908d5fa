"""What was asked for as JSON text, and back. A new field needs a default, for rows of an older version."""

import json

from pydantic import TypeAdapter

from recipes.tasks.task import TaskRequest

_codec = TypeAdapter(TaskRequest)


def encode_request(request: TaskRequest) -> str:
    """ASCII, so that whatever people wrote can be stored."""
    return json.dumps(_codec.dump_python(request, mode="json"), separators=(",", ":"))


def decode_request(text: str) -> TaskRequest:
    """Read what `encode_request` wrote.

    Raises:
        ValueError: something else wrote it.
    """
    return _codec.validate_python(json.loads(text))
