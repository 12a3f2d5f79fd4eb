"""Print the results of a load test, as a table or as JSON."""

import json
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from cabochon.loadtest import Load, Report, run_load

COLUMNS = ("games", "sockets", "moves/s", "p50 ms", "p99 ms", "max ms", "MiB", "cores", "kept", "lost", "back s")


def _row(report: Report) -> list[str]:
    return [
        str(report.games),
        str(report.sockets),
        f"{report.moves_a_second:.1f}",
        f"{report.p50:.1f}",
        f"{report.p99:.1f}",
        f"{report.longest:.1f}",
        f"{report.memory:.0f}",
        f"{report.server_cores:.2f}",
        str(report.acknowledged - report.lost),
        str(report.lost),
        "" if report.back is None else f"{report.back:.1f}",
    ]


def show_load(loads: list[Load], is_json: bool) -> bool:
    """Run the loads one after the other and print the results; return whether no acknowledged move was lost."""
    reports = [run_load(load) for load in loads]
    if is_json:
        print(json.dumps([asdict(report) for report in reports], indent=2))
    else:
        table = Table(*COLUMNS, box=None, padding=(0, 1), pad_edge=False)
        for report in reports:
            table.add_row(*_row(report))
        Console().print(table)
    return not any(report.lost for report in reports)
