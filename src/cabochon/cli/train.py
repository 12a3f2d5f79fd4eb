"""`cabochon train`: from the options to a finished network."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from typing import Any

from cabochon.cli.terminal import output_console
from cabochon.errors import CabochonError
from cabochon.train.options import TrainingOptions


def train(chosen: dict[str, Any]) -> None:
    """Train with the chosen options, named as in `TrainingOptions`; None means the default."""
    if find_spec("torch") is None:
        raise CabochonError("expected PyTorch to be installed; run: pip install 'cabochon[train]'")
    import torch

    from cabochon.train.checkpoints import CHECKPOINT
    from cabochon.train.distributed import join_ranks
    from cabochon.train.run import Run

    device = chosen["device"] or ("cuda" if torch.cuda.is_available() else "cpu")
    if device not in ("cpu", "cuda"):
        raise CabochonError(f"expected the device cpu or cuda, got {device!r}")
    command = shlex.join(["cabochon", *sys.argv[1:]])
    options = TrainingOptions.choose({**chosen, "device": device, "command": command})
    console = output_console()
    with join_ranks(options) as ranks:

        def report(line: str) -> None:
            if ranks.is_first:
                console.print(line, highlight=False, soft_wrap=True)

        if ranks.is_first and (options.output / CHECKPOINT).exists() != options.resume:
            found = "found none" if options.resume else "found one; use --resume, or another folder"
            raise CabochonError(f"expected {'a' if options.resume else 'no'} checkpoint in {options.output}, {found}")
        run = Run(options, report, ranks)
        if options.resume:
            run.resume()
        run.train()
        report(f"the network is in {options.output / 'network.npz'}")
