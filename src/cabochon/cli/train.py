"""`cabochon train`: self-play from start to finished weights."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

from cabochon.cli.terminal import output_console
from cabochon.errors import CabochonError
from cabochon.game import Options

# On a CPU, a network and a batch small enough to learn something in minutes.
CPU_GAMES = 256
CPU_STEPS = 32
CPU_MINIBATCH = 1024
CPU_WIDTH = 128


def train(
    options: Options,
    output: Path,
    *,
    resume: bool,
    device: str | None,
    decisions: float | None,
    seconds: float | None,
    games: int | None,
    steps: int | None,
    minibatch: int | None,
    width: int | None,
    rate: float | None,
    entropy: float | None,
    smoothing: float | None,
    seed: int,
    start: Path | None,
    trial_every: int,
    checkpoint_every: int,
) -> None:
    """Learn, and leave checkpoint, log, picture and network in the folder."""
    if find_spec("torch") is None:
        raise CabochonError("expected PyTorch; install it with: pip install 'cabochon[train]'")
    import torch

    from cabochon.train.ppo import Settings
    from cabochon.train.run import CHECKPOINT, Plan, Run

    chosen = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if chosen not in ("cpu", "cuda"):
        raise CabochonError(f"expected the device cpu or cuda, got {chosen!r}")
    usual = Settings() if chosen == "cuda" else Settings(CPU_GAMES, CPU_STEPS, CPU_MINIBATCH, width=CPU_WIDTH)
    settings = Settings(
        games=games or usual.games,
        steps=steps or usual.steps,
        minibatch=minibatch or usual.minibatch,
        width=width or usual.width,
        first_rate=rate or usual.first_rate,
        first_entropy=entropy or usual.first_entropy,
        smoothing=usual.smoothing if smoothing is None else smoothing,
    )
    plan = Plan(
        variant=options.variant,
        players=options.players,
        settings=settings,
        decisions=None if decisions is None else int(decisions),
        seconds=seconds,
        seed=seed,
        device=chosen,
        start=start,
        trial_every=trial_every,
        checkpoint_every=checkpoint_every,
        command=shlex.join(["cabochon", *sys.argv[1:]]),
    )
    if (output / CHECKPOINT).exists() != resume:
        found = "and there is none" if resume else "so that --resume is needed, or another folder"
        raise CabochonError(f"expected {'a' if resume else 'no'} checkpoint in {output}, {found}")
    console = output_console()
    run = Run(plan, output, lambda line: console.print(line, highlight=False, soft_wrap=True))
    if resume:
        run.resume()
    run.go()
    console.print(f"the network is in {output / 'network.npz'}", highlight=False, soft_wrap=True)
