"""What is committed is safe to publish: no secrets, no index addresses, no paths of one machine."""

import re

from tests.architecture.sources import ROOT, place, project_files

FORBIDDEN = {
    "a Discord token": re.compile(r"\b[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40}\b"),
    "an API key": re.compile(
        r"\b(?:sk|xi|pk)-[A-Za-z\d_-]{24,}|\bgh[pousr]_[A-Za-z\d]{30,}|\bAKIA[A-Z\d]{16}\b"
    ),
    "a private key": re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"),
    "a package index": re.compile(
        r"--(?:extra-)?index[-]url|--find[-]links|--trusted[-]host|://[^\s/\"']+/simple\b"
    ),
    "a path of one machine": re.compile(r"(?<![\w.~])/(?:home|Users|root|work)/[\w.-]+"),
}
BINARY = {".gguf", ".onnx", ".png", ".jpg", ".wav", ".ogg", ".opus", ".db", ".bin", ".gz"}


def offences(text: str) -> list[tuple[int, str]]:
    """Line and kind of everything that must not be committed."""
    return [
        (number, kind)
        for number, line in enumerate(text.splitlines(), 1)
        for kind, pattern in FORBIDDEN.items()
        if pattern.search(line)
    ]


def test_committed_files_hold_no_secret_address_or_local_path() -> None:
    wrong = [
        f"{place(file, line)}: {kind}"
        for file in project_files()
        if file.suffix not in BINARY
        for line, kind in offences(file.read_text("utf-8", errors="replace"))
    ]
    assert not wrong, "\n".join(wrong)


def test_lock_files_hold_names_versions_and_hashes_only() -> None:
    """SET-5: lock files carry no addresses, and every pin has a hash."""
    locks = sorted((ROOT / "requirements").glob("*.txt"))
    assert locks
    for lock in locks:
        text = lock.read_text("utf-8")
        assert "://" not in text, lock.name
        for entry in re.split(r"\n(?=[A-Za-z])", text):
            if "==" in entry.splitlines()[0]:
                assert "--hash=sha256:" in entry, entry.splitlines()[0]


def test_the_lock_for_tests_holds_all_of_the_lock_for_running() -> None:
    """SET-5: an environment made for `make test` serves `make run` as well."""
    pin = re.compile(r"^([A-Za-z0-9._-]+==\S+)", re.MULTILINE)
    base, dev = (
        set(pin.findall((ROOT / "requirements" / name).read_text("utf-8")))
        for name in ("base.txt", "dev.txt")
    )
    assert base
    assert base <= dev


def test_each_kind_is_found() -> None:
    token = "M" + "a" * 24 + ".abcdef." + "b" * 30
    samples = [
        token,
        "sk-" + "a" * 30,
        "-----BEGIN RSA PRIVATE" + " KEY-----",
        "--index" + "-url x",
        "see /ho" + "me/someone/x",
    ]
    assert [kind for sample in samples for _, kind in offences(sample)] == list(FORBIDDEN)
