"""The settings that an operator can change while a server runs, and how the server takes them over."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cabochon.errors import CabochonError
from cabochon.server.settings import Limits, Settings
from cabochon.server.stored_settings import StoredSettings
from cabochon.server.telemetry import log_event


@dataclass(frozen=True)
class Changeable:
    """A number that can be changed: the least value, what it means, and the greatest value."""

    least: float
    meaning: str
    is_whole: bool = False
    most: float = 1e9

    def accepts(self, value: object) -> bool:
        """Whether it may have this value."""
        is_number = isinstance(value, int if self.is_whole else (int, float)) and not isinstance(value, bool)
        return is_number and self.least <= value <= self.most  # type: ignore[operator]

    @property
    def expected(self) -> str:
        """The values that it may have, in words."""
        return f"a {'whole ' if self.is_whole else ''}number from {self.least:g} to {self.most:,.0f}"


CHANGEABLE = {
    "request_rate": Changeable(0.1, "HTTP requests per second from one IP address"),
    "replay_rate": Changeable(0, "Replays per second for one IP address"),
    "opening_rate": Changeable(0, "New guests and tables per second from one IP address"),
    "message_rate": Changeable(0.1, "Messages per second over one socket; for sockets opened from now on"),
    "sockets_per_address": Changeable(1, "Open WebSockets from one IP address", is_whole=True),
    "spectators_per_table": Changeable(0, "Spectators at one table", is_whole=True),
    "tables_per_guest": Changeable(0, "Unfinished tables of one host", is_whole=True),
    "tokens_per_guest": Changeable(0, "Tokens for programs of one guest", is_whole=True),
    "waiting_minutes": Changeable(1, "Minutes that a table waits for players while nobody looks at it", most=1e7),
    "idle_days": Changeable(1, "Days that a game without a clock may go without a move", most=1e4),
}


def parsed_value(name: str, text: str) -> float:
    """Return the value that a text stands for; refuse other names and values with what was expected."""
    changeable = checked_name(name)
    try:
        value = int(text) if changeable.is_whole else float(text)
    except ValueError:
        value = math.nan
    if not changeable.accepts(value):
        raise CabochonError(f"expected {name} to be {changeable.expected}, got {text!r}")
    return value


def checked_name(name: str) -> Changeable:
    """Return the setting of this name."""
    if name not in CHANGEABLE:
        raise CabochonError(f"expected one of the settings {', '.join(CHANGEABLE)}, got {name!r}")
    return CHANGEABLE[name]


class LiveSettings:
    """Keeps the settings of a running server as an operator has changed them, in place of its flags."""

    def __init__(self, settings: Settings, stored: StoredSettings, on_change: Callable[[], None]) -> None:
        self._settings = settings
        self._stored = stored
        self._on_change = on_change
        self._flags = values_of(settings)

    async def refresh(self) -> None:
        """Take over what the database has now."""
        stored = await self._stored.all()
        valid = {name: stored[name] for name in CHANGEABLE if CHANGEABLE[name].accepts(stored.get(name))}
        current = values_of(self._settings)
        changes = {name: value for name, value in (self._flags | valid).items() if value != current[name]}
        if changes:
            for name, value in changes.items():
                setattr(_owner(self._settings, name), name, value)
            log_event("settings_changed", **changes)
            self._on_change()


def values_of(settings: Settings) -> dict[str, Any]:
    """Return the values of the settings that can be changed, by name."""
    return {name: getattr(_owner(settings, name), name) for name in CHANGEABLE}


def _owner(settings: Settings, name: str) -> Settings | Limits:
    return settings.limits if hasattr(settings.limits, name) else settings
