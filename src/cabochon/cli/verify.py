"""The commands that recompute: `verify` for records, and `perft`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table
from rich.text import Text

from cabochon.cli.perft import perft, position
from cabochon.cli.terminal import error_console, output_console, print_json
from cabochon.errors import OptionsError
from cabochon.game import Options
from cabochon.record import Record, read_records
from cabochon.verification import verify


def verify_file(path: Path, as_json: bool) -> bool:
    """Print for each record of a file whether it is true; return whether all are."""
    rows: list[dict[str, Any]] = []
    console = output_console()
    with Progress(SpinnerColumn(), TextColumn("{task.description}"), console=error_console(), transient=True) as bar:
        task = bar.add_task("")
        for number, record in enumerate(read_records(path), start=1):
            bar.update(task, description=f"game {number}")
            rows.append(_verified(number, record))
    if not rows:
        raise OptionsError(f"expected a file with at least one record, got none in {str(path)!r}")
    if as_json:
        print_json(rows)
        return all(row["true"] for row in rows)
    for row in rows:
        mark, style = ("true", "green") if row["true"] else ("NOT TRUE", "bold red")
        line = Text(f"game {row['number']} ({row['title']}): ") + Text(mark, style=style)
        console.print(line + Text(f", {row['reason']}"), soft_wrap=True)
    return all(row["true"] for row in rows)


def _verified(number: int, record: Record) -> dict[str, Any]:
    verification = verify(record)
    names = [record.tags[key] for key in ("Seat1", "Seat2", "Seat3", "Seat4") if key in record.tags]
    return {
        "number": number,
        "line": min(record.tag_lines.values(), default=1),
        "title": f"{record.tags.get('Game', '?')}: {', '.join(names)}",
        "true": verification.is_true,
        "reason": verification.reason,
    }


def show_perft(options: Options, seed: int, after: int, depth: int, divide: bool, as_json: bool) -> None:
    """Print the counts of each depth up to the one asked for, and the split of the last by first move."""
    game = position(options, seed, after)
    console = output_console()
    counts = []
    split = {}
    for so_far in range(1, depth + 1):
        with error_console().status(f"depth {so_far}"):
            begun = time.perf_counter()
            split = perft(game, so_far)
            seconds = time.perf_counter() - begun
        counts.append({"depth": so_far, "count": sum(split.values()), "seconds": round(seconds, 4)})
    if as_json:
        result: dict[str, Any] = {
            "game": options.variant,
            "players": options.players,
            "free_take": options.free_take,
            "payment": options.payment,
            "seed": seed,
            "after": after,
            "depths": counts,
        }
        if divide:
            result["divide"] = {str(move): count for move, count in split.items()}
        print_json(result)
        return
    if divide:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column()
        table.add_column(justify="right")
        for move, count in split.items():
            table.add_row(str(move), f"{count:,}")
        console.print(table)
    for row in counts:
        console.print(f"depth {row['depth']}: {row['count']:,} sequences in {row['seconds']:.3f} s")
