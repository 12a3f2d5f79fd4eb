"""Bots by name: `greedy`, `search:time=1.0,threads=2`, `journeyman`, `module:Class`, `program:./my-bot`."""

from __future__ import annotations

import importlib
import math
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from cabochon.bots.levels import LADDER
from cabochon.bots.protocol import Bot, BotError, Limit, close, parameters_of

BUILTIN = ("random", "greedy", "search", "learner", "policy", "champion")
ENTRY_POINT_GROUP = "cabochon.bots"
PROGRAM = "program"
ONLINE = "online"


@dataclass(frozen=True)
class BotSpec:
    """A bot by name: its text, its limit, and a function that makes a new bot."""

    text: str
    limit: Limit
    make: Callable[[], Bot]


def is_builtin(text: str) -> bool:
    """Return whether a name stands for a built-in bot or level, and so runs no foreign code."""
    return LADDER.get(text, text).partition(":")[0] in BUILTIN


def _builtin(name: str) -> Callable[..., Bot] | None:
    if name not in BUILTIN:
        return None
    from cabochon.bots import learner, players

    factories: dict[str, Callable[..., Bot]] = {
        "random": players.RandomBot,
        "greedy": players.GreedyBot,
        "search": players.SearchBot,
        "learner": learner.LearnerBot,
        "policy": players.PolicyBot,
        "champion": players.ChampionBot,
    }
    return factories[name]


def _from_entry_point(name: str) -> Callable[..., Bot] | None:
    for entry_point in entry_points(group=ENTRY_POINT_GROUP, name=name):
        factory: Callable[..., Bot] = entry_point.load()
        return factory
    return None


def _from_module(module: str, class_name: str) -> Callable[..., Bot]:
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # the installed command does not search the current folder by default
    try:
        factory: Callable[..., Bot] = getattr(importlib.import_module(module), class_name)
    except Exception as error:  # a foreign module may fail in any way
        raise BotError(f"expected a class {class_name!r} in a module {module!r}: {error}") from error
    return factory


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _split_parameters(text: str, spec: str) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.isidentifier():
            raise BotError(f"expected parameters such as 'time=1.0,threads=2' in {spec!r}, got {part!r}")
        parameters[key] = _number(value)
    return parameters


def _limit(parameters: dict[str, Any], spec: str) -> Limit:
    seconds, nodes = parameters.pop("time", None), parameters.pop("nodes", None)
    if seconds is not None and not (isinstance(seconds, int | float) and 0 < seconds < math.inf):
        raise BotError(f"expected a time above 0 seconds in {spec!r}, got {seconds!r}")
    if nodes is not None and not (isinstance(nodes, int) and nodes > 0):
        raise BotError(f"expected nodes to be a whole number above 0 in {spec!r}, got {nodes!r}")
    return Limit(seconds, nodes)


def parse_spec(text: str) -> BotSpec:
    """Parse and check the name of a bot with its parameters; raise `BotError` if there is no such bot."""
    text = text.strip()
    if text.startswith(PROGRAM + ":"):
        return _program_spec(text)
    if text.startswith(ONLINE + ":"):
        raise BotError(f"expected a local bot, got {text!r}: online bots play only in the arena")
    head, _, rest = LADDER.get(text, text).partition(":")
    factory = _builtin(head) or _from_entry_point(head)
    if factory is None and rest:
        class_name, _, rest = rest.partition(":")
        factory = _from_module(head, class_name)
    if factory is None:
        known = ", ".join([*BUILTIN, *LADDER])
        raise BotError(f"expected a bot: {known}, an installed one, 'module:Class' or 'program:command'; got {text!r}")
    parameters = _split_parameters(rest, text)
    limit = _limit(parameters, text)
    allowed = parameters_of(factory)
    for key in parameters:
        if key not in allowed:
            raise BotError(f"expected only {', '.join(['time', 'nodes', *allowed])} in {text!r}, got {key!r}")
    chosen = factory
    try:  # a wrong value fails now, not in the middle of a tournament
        close(chosen(**parameters))
    except BotError:
        raise
    except Exception as error:  # a foreign class may fail in any way
        raise BotError(f"expected a bot that can be created, got {text!r}: {error}") from error
    return BotSpec(text, limit, lambda: chosen(**parameters))


def _program_spec(text: str) -> BotSpec:
    """Parse `program:command` or `program:time=1.0:command`; the command may have arguments."""
    from cabochon.bots.program import ProgramBot

    rest = text[len(PROGRAM) + 1 :]
    head, colon, command = rest.partition(":")
    parameters: dict[str, Any] = {}
    if colon and "=" in head:
        parameters = _split_parameters(head, text)
    else:
        command = rest
    limit = _limit(parameters, text)
    arguments = shlex.split(command)
    if parameters or not arguments:
        raise BotError(f"expected 'program:command' or 'program:time=1.0:command', got {text!r}")
    return BotSpec(text, limit, lambda: ProgramBot(arguments))
