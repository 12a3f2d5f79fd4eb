"""`python -m cabochon` is the command `cabochon`."""

from __future__ import annotations

import sys

from cabochon.cli import main

if __name__ == "__main__":
    sys.exit(main())
