"""The ranks of a run: processes that learn together, one for each GPU, as `torchrun` starts them.

Every rank plays its own games and computes its own gradient. The gradients are averaged, so all ranks make the same
updates to the same parameters. The first rank writes the files and prints the progress.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np
import torch
from torch import distributed
from torch.distributed.rendezvous import rendezvous

from cabochon.errors import CabochonError
from cabochon.jobs import VERSION
from cabochon.train.options import TrainingError, TrainingOptions

FACTS = "facts"  # the key in the store of all ranks for what the first one has
FAILURE = "failure"  # the key in the store of all ranks for the message of the first that fails
FAILED_STATUS = 1
SECONDS_BETWEEN_CHECKS = 1.0  # whether another rank has failed
SECONDS_TO_END = 5.0  # after another rank has failed, until this process ends itself


class Ranks:
    """What one rank knows about all ranks, and exchanges with them. This class is for a run in a single process."""

    rank = 0
    count = 1

    @property
    def is_first(self) -> bool:
        """Whether this rank writes the files and prints the progress."""
        return self.rank == 0

    def seed(self, seed: int) -> int:
        """Return the seed of this rank's games in a run with this seed; that of the first rank is the same."""
        if self.is_first:
            return seed
        return int(np.random.SeedSequence((seed, self.rank)).generate_state(1, np.uint64)[0] >> np.uint64(1))

    def average(self, tensor: Any) -> None:
        """Replace a tensor by its mean over all ranks."""

    def copy_first(self, tensor: Any) -> None:
        """Replace a tensor by that of the first rank."""

    def gather(self, value: Any) -> list[Any]:
        """Return the values of all ranks on the first rank, and nothing on the others."""
        return [value]

    def scatter(self, values: list[Any]) -> Any:
        """Return this rank's value of those that the first rank has for all."""
        return values[self.rank]


ALONE = Ranks()


class ProcessGroup(Ranks):
    """The ranks of PyTorch's default process group."""

    def __init__(self) -> None:
        self.rank = distributed.get_rank()
        self.count = distributed.get_world_size()

    def average(self, tensor: Any) -> None:
        """Replace a tensor by its mean over all ranks."""
        distributed.all_reduce(tensor)
        tensor /= self.count

    def copy_first(self, tensor: Any) -> None:
        """Replace a tensor by that of the first rank."""
        distributed.broadcast(tensor, src=0)

    def gather(self, value: Any) -> list[Any]:
        """Return the values of all ranks on the first rank, and nothing on the others."""
        values = [None] * self.count if self.is_first else None
        distributed.gather_object(value, values, dst=0)
        return values or []

    def scatter(self, values: list[Any]) -> Any:
        """Return this rank's value of those that the first rank has for all."""
        received = [None]
        distributed.scatter_object_list(received, values if self.is_first else None, src=0)
        return received[0]


@contextlib.contextmanager
def join_ranks(options: TrainingOptions) -> Iterator[Ranks]:
    """Join the other ranks if `torchrun` started this process. If the body raises an error, all ranks end."""
    if not distributed.is_torchelastic_launched():
        yield ALONE
        return
    store, rank, count = next(rendezvous("env://"))
    with _failing_together(store, rank):
        _compare(store, rank, facts_of(options))
        if options.device == "cuda":
            _select_gpu(int(os.environ["LOCAL_RANK"]))
        backend = "cpu:gloo,cuda:nccl" if options.device == "cuda" else "gloo"
        distributed.init_process_group(backend, store=store, rank=rank, world_size=count)
        yield ProcessGroup()
        distributed.destroy_process_group()


def facts_of(options: TrainingOptions) -> dict[str, Any]:
    """Return what all ranks must have in common."""
    names = ("game", "players", "resume", "device", "decisions", "seconds", "seed")
    return {"cabochon": VERSION, **{name: getattr(options, name) for name in names}, **options.settings()}


def _compare(store: Any, rank: int, facts: dict[str, Any]) -> None:
    """Refuse a rank that differs from the first one."""
    if rank == 0:
        store.set(FACTS, json.dumps(facts))
        return
    first = json.loads(store.get(FACTS))  # waits for the first rank
    names = [name for name in {**first, **facts} if first.get(name) != facts.get(name)]
    if names:
        expected, got = (", ".join(f"{name} {some.get(name)!r}" for name in names) for some in (first, facts))
        raise TrainingError(f"expected all ranks to have {expected}, got {got}")


def _select_gpu(number: int) -> None:
    """Make this GPU of the host the current one, for PyTorch and for the kernels of the games."""
    found = torch.cuda.device_count()
    if number >= found:
        raise TrainingError(f"expected a GPU for each rank on this host, got {found} for at least {number + 1} ranks")
    torch.cuda.set_device(number)
    with contextlib.suppress(ImportError):  # the batch of games says which packages are missing
        from cabochon.core.cuda_kernels import cuda

        cuda.select_device(number)


@contextlib.contextmanager
def _failing_together(store: Any, rank: int) -> Iterator[None]:
    """End this rank when another fails, and the others if the body raises an error."""
    is_over = threading.Event()
    watch = threading.Thread(target=_watch, args=(store.clone(), is_over), daemon=True)
    watch.start()
    try:
        yield
    except BaseException as error:
        is_over.set()  # or the watch would find what is reported here
        own = f"rank {rank} {_describe(error)}"
        first = _report(store, own)
        if first != own or isinstance(error, CabochonError):
            raise TrainingError(first) from error
        raise
    finally:
        is_over.set()
        watch.join()


def _describe(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "was interrupted"
    return f"failed: {str(error) or type(error).__name__}"


def _report(store: Any, failure: str) -> str:
    """Report a failure to all ranks; return the first that was reported, of which the others are consequences."""
    try:
        first: bytes = store.compare_set(FAILURE, "", failure)
    except RuntimeError:  # the process that has the store has ended
        return failure
    return first.decode()


def _watch(store: Any, is_over: threading.Event) -> None:
    """End this process when another rank has failed, if nothing else does: the main thread may wait for that rank."""
    while not is_over.wait(SECONDS_BETWEEN_CHECKS):
        try:
            failure = store.get(FAILURE).decode() if store.check([FAILURE]) else None
        except RuntimeError as error:
            failure = f"lost the connection to the first host: {error}"
        if failure is not None and not is_over.wait(SECONDS_TO_END):
            _exit(failure)


def _exit(failure: str) -> NoReturn:
    print(f"cabochon: {failure}", file=sys.stderr, flush=True)
    os._exit(FAILED_STATUS)
