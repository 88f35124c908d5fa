"""MEM-6: what a person takes out is whole, however much it is."""

import json

from bot.discord_chat.commands.parts import json_files


def test_what_is_too_large_for_a_file_comes_in_several() -> None:
    """MEM-6: cut anywhere, in the middle of a character too; put together it is the same."""
    held = {"turns": ["牛奶", "milk"] * 40}
    (whole,) = json_files(held, "about-me")
    assert whole.filename == "about-me.json"
    files = json_files(held, "about-me", most_bytes=100)
    assert [file.filename for file in files[:2]] == ["about-me.1.json", "about-me.2.json"]
    pieces = [file.fp.read() for file in files]
    assert max(map(len, pieces)) <= 100
    assert json.loads(b"".join(pieces)) == held == json.loads(whole.fp.read())
