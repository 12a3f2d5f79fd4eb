"""Let people and bots play through faults of all kinds, and check that nothing is lost.

    python -m tools.chaos --minutes 10 --faults 200

Three servers and two thinkers share one PostgreSQL. They are killed and paused, PostgreSQL is restarted, connections
are cut, and the clock of one machine is an hour ahead. The exit status is not 0 if a check fails.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from tests.server.chaos.trial import Trial, run_trial
from tests.server.postgres import own_server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    trial = Trial(60 * options.minutes, options.faults, options.tables, options.seed)
    with tempfile.TemporaryDirectory() as folder, own_server() as postgres, postgres.database() as database:
        result = asyncio.run(run_trial(trial, Path(folder), postgres, database))
    print(f"{result.faults.total()} faults:", ", ".join(f"{count} {kind}" for kind, count in result.faults.items()))
    print(f"{result.told} moves told to people, all of them in the logs ({result.entries} entries)")
    print(f"{result.forfeits} games lost on time, none too early; no game is stuck")


if __name__ == "__main__":
    main()
