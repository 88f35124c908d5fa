"""The doctor's table."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.doctor.findings import Finding, State

STYLES = {State.FINE: "green", State.WARNING: "yellow", State.FAILED: "bold red", State.SKIPPED: "dim"}
WIDTH_OF_A_FILE = 140


def print_report(findings: Sequence[Finding], console: Console | None = None) -> int:
    """Prints the table and a last line; returns the exit code: 1 when a check failed, else 0."""
    console = console or Console()
    if not console.is_terminal:
        console.width = WIDTH_OF_A_FILE
    table = Table("Check", "State", "Found", "What to do", show_lines=True)
    for row in findings:
        state = Text(row.state, style=STYLES[row.state])
        table.add_row(
            Text(row.check), state, Text(row.found, overflow="fold"), Text(row.fix, overflow="fold")
        )
    console.print(table)
    failed = [row.check for row in findings if row.state is State.FAILED]
    console.print(Text(f"To mend: {', '.join(failed)}." if failed else "Nothing stands in the way."))
    return 1 if failed else 0
