"""`cabochon train`: self-play from start to finished weights."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cabochon.cli.terminal import output_console
from cabochon.errors import CabochonError
from cabochon.game import Options

# On a CPU, a network and a batch small enough to learn something in minutes.
CPU_SETTINGS = {"games": 256, "steps": 32, "minibatch": 1024, "width": 32}
CPU_SEARCH = {"steps": 4, "minibatch": 256, "simulations": 16, "window": 4}


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
    blocks: int | None,
    rate: float | None,
    entropy: float | None,
    smoothing: float | None,
    value_smoothing: float | None,
    simulations: int | None,
    seed: int,
    start: Path | None,
    teacher: Path | None,
    trial_every: int,
    checkpoint_every: int,
) -> None:
    """Learn, and leave checkpoint, log, picture and network in the folder."""
    if find_spec("torch") is None:
        raise CabochonError("expected PyTorch; install it with: pip install 'cabochon[train]'")
    import torch

    from cabochon.train.distillation import PupilSettings
    from cabochon.train.expert_iteration import ExpertSettings
    from cabochon.train.ppo import PolicySettings
    from cabochon.train.run import CHECKPOINT, Plan, Run

    chosen = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if chosen not in ("cpu", "cuda"):
        raise CabochonError(f"expected the device cpu or cuda, got {chosen!r}")
    given: dict[str, Any] = {
        "games": games,
        "steps": steps,
        "minibatch": minibatch,
        "width": width,
        "blocks": blocks,
        "first_rate": rate,
        "smoothing": smoothing,
        "value_smoothing": value_smoothing,
        "simulations": simulations,
        "first_entropy": entropy,
    }
    chosen_settings = {name: value for name, value in given.items() if value is not None}
    if simulations is not None and teacher is not None:
        raise CabochonError("expected simulations or a teacher, got both")
    for source, says in ((simulations, "simulations: searches say"), (teacher, "a teacher: it says")):
        if source is not None and not {"first_entropy", "smoothing"}.isdisjoint(chosen_settings):
            raise CabochonError(f"expected no entropy and no smoothing with {says} what to learn")
    usual: dict[str, Any] = {} if chosen == "cuda" else {**CPU_SETTINGS, **(CPU_SEARCH if simulations else {})}
    kind: type[PolicySettings | ExpertSettings | PupilSettings] = PolicySettings
    if simulations is not None:
        kind = ExpertSettings
    elif teacher is not None:
        kind = PupilSettings
    settings = kind(**{**usual, **chosen_settings})
    plan = Plan(
        variant=options.variant,
        players=options.players,
        settings=settings,
        decisions=None if decisions is None else int(decisions),
        seconds=seconds,
        seed=seed,
        device=chosen,
        start=start,
        teacher=teacher,
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
