"""Server processes that can be killed and started again on the same database and port."""

import asyncio
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx

from cabochon.errors import CabochonError

SECONDS_TO_START = 120.0
SECONDS_TO_STOP = 30.0
WITHOUT_LIMITS = (
    *("--request-rate", "1000000", "--message-rate", "1000000"),
    *("--sockets-per-address", "1000000", "--opening-rate", "1000000"),
)


class Process:
    """A process of Cabochon on a database: its command, such as `serve`, with more flags."""

    module = "cabochon"
    _process: asyncio.subprocess.Process

    def __init__(self, folder: Path, database: str, command: str, *flags: str) -> None:
        self._log = folder / f"{command}.log"
        self._command = (command, "--database", database, "--log-level", "warning", *flags)

    async def start(self) -> None:
        """Start the process, and wait until it works."""
        with self._log.open("a") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", self.module, *self._command), stdout=log, stderr=log
            )
        deadline = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < deadline and self._process.returncode is None:
            if await self.is_ready():
                return
            await asyncio.sleep(0.1)
        output = self._log.read_text(encoding="utf-8")
        raise CabochonError(f"expected the process to start, got: {output.strip()[-500:]}")

    async def is_ready(self) -> bool:
        """Whether it does its work."""
        return self._process.returncode is None

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, unless the process has ended."""
        if self._process.returncode is None:
            self._process.send_signal(number)

    async def stop(self) -> None:
        """Tell the process to stop, and wait until it has."""
        self.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(self._process.wait(), SECONDS_TO_STOP)
        except TimeoutError as error:
            raise CabochonError(f"expected the process to stop within {SECONDS_TO_STOP:.0f} s") from error

    async def kill(self) -> None:
        """Kill the process as a power cut would."""
        self.send_signal(signal.SIGKILL)
        await self._process.wait()

    @property
    def memory(self) -> float:
        """The resident memory in MiB."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    @property
    def processor_seconds(self) -> float:
        """The CPU time used so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class ServerProcess(Process):
    """A server on a free port, without limits for a single address."""

    def __init__(self, folder: Path, database: str, *flags: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        super().__init__(folder, database, "serve", "--port", str(self.port), *WITHOUT_LIMITS, *flags)

    async def is_ready(self) -> bool:
        """Whether it answers that it is ready."""
        async with httpx.AsyncClient() as client:
            with suppress(httpx.TransportError):
                return (await client.get(f"{self.url}/readyz")).status_code == httpx.codes.OK
        return False

    async def metric(self, name: str) -> float:
        """Return the value of a metric; its name contains its labels, if it has any."""
        async with httpx.AsyncClient() as client:
            lines = (await client.get(f"{self.url}/metrics")).text.splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{name} "))
