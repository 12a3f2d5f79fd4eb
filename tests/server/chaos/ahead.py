"""`python -m tests.server.chaos.ahead serve ...`: the command `cabochon` on a machine whose clock is an hour ahead."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta, tzinfo

from cabochon.cli import main
from cabochon.server import clocks


class Ahead(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Ahead:
        return cls.fromtimestamp((datetime.now(UTC) + timedelta(hours=1)).timestamp(), tz)


if __name__ == "__main__":
    vars(clocks)["datetime"] = Ahead
    clocks.process_time.set(Ahead.now(UTC))
    sys.exit(main())
