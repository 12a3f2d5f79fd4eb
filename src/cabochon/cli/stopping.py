"""How a process stops: in an orderly way, and in any case within 10 seconds."""

import asyncio
import faulthandler
import signal
import sys
from contextlib import suppress
from functools import cache
from types import FrameType

SECONDS_TO_LIVE = 9.5  # after the signal to stop


@cache
def end_in_time() -> None:
    """End this process soon, even if no Python code runs any more, and print what every thread was doing.

    The first signal counts: another one does not give the process more time.
    """
    with suppress(OSError, ValueError):  # there may be no standard error to print to
        faulthandler.dump_traceback_later(SECONDS_TO_LIVE, exit=True, file=sys.__stderr__ or 2)


async def stop_signal() -> signal.Signals:
    """Wait for SIGTERM or Ctrl+C, and see to it that the process then ends."""
    loop = asyncio.get_running_loop()
    received: asyncio.Future[signal.Signals] = loop.create_future()

    def note(number: int) -> None:
        if not received.done():
            received.set_result(signal.Signals(number))

    def handle(number: int, _: FrameType | None) -> None:
        end_in_time()
        loop.call_soon_threadsafe(note, number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handle)
    return await received


def end_by(number: signal.Signals) -> None:
    """End this process by a signal, without waiting for threads whose results nobody needs any more."""
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
