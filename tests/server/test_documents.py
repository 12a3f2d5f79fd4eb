"""The documents name everything there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from cabochon.server import protocol
from cabochon.server.errors import HTTP_STATUSES
from cabochon.server.sockets import CloseCode
from tests.cli.command import run
from tests.server.running import RunningServer

DOCUMENTS = Path(__file__).parent.parent.parent / "docs"


def test_every_address_is_described(server: RunningServer) -> None:
    text = (DOCUMENTS / "protocol.md").read_text(encoding="utf-8")
    described = set(re.findall(r"`(GET|PUT|POST|DELETE) ([^`?]+)`", text))
    offered = {
        (method.upper(), path) for path, operations in server.app.openapi()["paths"].items() for method in operations
    }
    assert described - {("GET", "/api/openapi.json")} == offered


def test_every_message_of_the_socket_is_described() -> None:
    text = (DOCUMENTS / "protocol.md").read_text(encoding="utf-8")
    for union in (protocol.ClientMessage, protocol.ServerMessage):
        for message in get_args(get_args(union)[0]):
            (name,) = get_args(message.model_fields["type"].annotation)
            assert f"| `{name}` |" in text, name


def test_every_refusal_is_described() -> None:
    text = (DOCUMENTS / "protocol.md").read_text(encoding="utf-8")
    assert set(HTTP_STATUSES) == set(get_args(protocol.ErrorCode))
    for code, status in HTTP_STATUSES.items():
        assert f"| `{code}` | {status} |" in text, code
    for number in CloseCode:
        assert f"| {number} |" in text


def test_every_setting_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = (DOCUMENTS / "running.md").read_text(encoding="utf-8")
    shown = run("serve", "--help").output + run("think", "--help").output
    for name in re.findall(r"--[a-z-]+|CABOCHON_[A-Z_]+", shown):
        assert f"`{name}`" in text or name in ("--help", "--no-secure-cookie"), name
