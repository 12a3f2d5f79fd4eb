"""Print the results of a load test, as a table or as JSON."""

import json
from collections.abc import Callable
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from cabochon.loadtest import Load, Report, run_load


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.1f}"


ROWS: dict[str, Callable[[Report], str]] = {
    "processes": lambda report: str(report.processes),
    "games": lambda report: str(report.games),
    "sockets": lambda report: str(report.sockets),
    "moves per second": lambda report: f"{report.moves_a_second:.1f}",
    "median, ms": lambda report: f"{report.p50:.1f}",
    "99th percentile, ms": lambda report: f"{report.p99:.1f}",
    "maximum, ms": lambda report: f"{report.longest:.1f}",
    "memory, MiB": lambda report: f"{report.memory:.0f}",
    "  of which for the games": lambda report: f"{report.growth:.0f}",
    "cores": lambda report: f"{report.server_cores:.2f}",
    "CPU time per move, ms": lambda report: f"{report.processor_ms:.2f}",
    "messages per move": lambda report: f"{report.messages:.2f}",
    "notices per move": lambda report: f"{report.notices:.2f}",
    "moves kept": lambda report: str(report.acknowledged - report.lost),
    "moves lost": lambda report: str(report.lost),
    "all back after, s": lambda report: _seconds(report.back),
    "longest time without a connection, s": lambda report: _seconds(report.away),
    "longest time to stop, s": lambda report: _seconds(report.stopping),
}


def show_load(loads: list[Load], is_json: bool) -> bool:
    """Run the loads one after the other and print the results; return whether no acknowledged move was lost."""
    reports = [run_load(load) for load in loads]
    if is_json:
        print(json.dumps([asdict(report) for report in reports], indent=2))
    else:
        table = Table("", *[""] * len(reports), box=None, padding=(0, 1), pad_edge=False, show_header=False)
        for column in table.columns[1:]:
            column.justify = "right"
        for name, show in ROWS.items():
            table.add_row(name, *map(show, reports))
        Console().print(table)
    return not any(report.lost for report in reports)
