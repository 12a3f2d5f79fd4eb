"""`cabochon verify`: recompute the cards of records from their seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.text import Text

from cabochon.cli.terminal import error_console, output_console, print_json
from cabochon.errors import OptionsError
from cabochon.record import read_records
from cabochon.verification import verify


def verify_file(path: Path, as_json: bool) -> bool:
    """Print for each record of a file whether it passes the check; return whether all do."""
    rows: list[dict[str, Any]] = []
    console = output_console()
    with Progress(SpinnerColumn(), TextColumn("{task.description}"), console=error_console(), transient=True) as bar:
        task = bar.add_task("")
        for number, record in enumerate(read_records(path), start=1):
            bar.update(task, description=f"game {number}")
            verification = verify(record)
            names = [record.tags[key] for key in ("Seat1", "Seat2", "Seat3", "Seat4") if key in record.tags]
            rows.append(
                {
                    "number": number,
                    "line": min(record.tag_lines.values(), default=1),
                    "title": f"{record.tags.get('Game', '?')}: {', '.join(names)}",
                    "true": verification.is_true,
                    "reason": verification.reason,
                }
            )
    if not rows:
        raise OptionsError(f"expected a file with at least one record, got none in {str(path)!r}")
    if as_json:
        print_json(rows)
    else:
        for row in rows:
            mark, style = ("true", "green") if row["true"] else ("NOT TRUE", "bold red")
            line = Text(f"game {row['number']} ({row['title']}): ") + Text(mark, style=style)
            console.print(line + Text(f", {row['reason']}"), soft_wrap=True)
    return all(row["true"] for row in rows)
