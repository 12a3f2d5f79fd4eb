"""Options that commands in several modules have in common."""

from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
DatabaseOption = Annotated[
    str | None,
    typer.Option(
        envvar="CABOCHON_DATABASE",
        help="SQLite file, or URL of a database. By default, a file in the user's data folder.",
    ),
]
