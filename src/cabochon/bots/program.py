"""Bots that are programs in any language: a line protocol on standard input and output, in the spirit of UCI.

======================================== ==========================================================
the host writes                          the program answers
======================================== ==========================================================
`cabochon 1`                             `name My bot`, then `ready`
`start {"seed": 5}`                      `ready`
`choose {"view": {...}, "seconds": 1.0,  any number of lines `info {...}` (an analysis), then
"nodes": null}`                          `move take wbg`
`quit`                                   nothing; it ends
======================================== ==========================================================

A view is what `View.to_dict` writes, including the legal moves. A line `error ...` says what was wrong.
`cabochon engine greedy` speaks the program's side for any bot.
"""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from typing import TextIO

from cabochon.bots.protocol import Answer, Bot, BotError, Limit, answer_of, start
from cabochon.notation import Move
from cabochon.view import View

PROTOCOL_VERSION = 1
HANDSHAKE_SECONDS = 30.0


def serve(bot: Bot, name: str, lines: TextIO, out: TextIO) -> None:
    """Speak the program's side of the protocol for a bot, until `quit` or the end of the input."""
    for line in lines:
        word, _, rest = line.strip().partition(" ")
        if word == "quit":
            return
        if not word:
            continue
        try:
            answers = _answers(bot, name, word, rest)
        except Exception as error:  # whatever is wrong with a line or a bot, the host may continue
            answers = [f"error {' '.join(str(error).split())}"]
        for answer in answers:
            print(answer, file=out, flush=True)


def _answers(bot: Bot, name: str, word: str, rest: str) -> list[str]:
    match word:
        case "cabochon":
            if rest != str(PROTOCOL_VERSION):
                raise BotError(f"expected the protocol version {PROTOCOL_VERSION}, got {rest!r}")
            return [f"name {name}", "ready"]
        case "start":
            start(bot, int(json.loads(rest)["seed"]))
            return ["ready"]
        case "choose":
            asked = json.loads(rest)
            view = View.from_dict(asked["view"])
            answer = answer_of(bot.choose(view, Limit(asked.get("seconds"), asked.get("nodes"))), view)
            info = [f"info {json.dumps(answer.analysis.to_dict())}"] if answer.analysis else []
            return [*info, f"move {answer.move}"]
    raise BotError(f"expected 'cabochon', 'start', 'choose' or 'quit', got {word!r}")


class ProgramBot:
    """A bot that runs as a separate process; a crash or a wrong line raises `BotError`."""

    def __init__(self, arguments: list[str]) -> None:
        self.arguments = arguments
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def start(self, seed: int) -> None:
        """Begin a game, in a new process if the last one has ended."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._launch()
        self._send("start " + json.dumps({"seed": seed}))
        self._wait_for("ready", HANDSHAKE_SECONDS)

    def choose(self, view: View, limit: Limit) -> Answer:
        """Return the program's move; the caller enforces the time limit."""
        if self._process is None:
            self.start(0)
        question = {"view": view.to_dict(), "seconds": limit.seconds, "nodes": limit.nodes}
        self._send("choose " + json.dumps(question))
        return Answer(Move.from_text(self._wait_for("move", None), view.variant))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            if self._reader is not None:
                self._reader.join()
            with self._process:
                self._process = None

    def _launch(self) -> None:
        try:
            self._process = subprocess.Popen(
                self.arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
            )
        except OSError as error:
            raise BotError(f"expected an executable program, got {self.arguments[0]!r}: {error}") from error
        self._lines = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, args=(self._process, self._lines), daemon=True)
        self._reader.start()
        self._send(f"cabochon {PROTOCOL_VERSION}")
        self._wait_for("ready", HANDSHAKE_SECONDS)

    @staticmethod
    def _read(process: subprocess.Popen[str], lines: queue.SimpleQueue[str | None]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line.strip())
        lines.put(None)

    def _send(self, line: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise BotError("the program has ended") from error

    def _wait_for(self, expected: str, seconds: float | None) -> str:
        """Return the rest of the next line that begins with the word; skip lines `info` and `name`."""
        while True:
            try:
                line = self._lines.get(timeout=seconds)
            except queue.Empty:
                raise BotError(f"expected '{expected}' within {seconds} s, got nothing") from None
            if line is None:
                raise BotError(f"expected '{expected}', but the program has ended")
            word, _, rest = line.partition(" ")
            if word == expected:
                return rest
            if word not in ("info", "name", ""):
                raise BotError(f"expected '{expected}', got {line[:80]!r}")
