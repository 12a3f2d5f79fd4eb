"""What the files in `deploy/` say, as the programs that read them understand it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import typer
import yaml  # type: ignore[import-untyped]
from typer.core import TyperGroup

from cabochon.cli import app
from tests.test_targets import ROOT

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
SITE = {"HOST_NAME": "play.example", "POSTGRES_PASSWORD": "secret"}  # the file .env


@dataclass(frozen=True)
class Service:
    """A service of compose.yaml that runs `cabochon`: its arguments, and its variables with those of the image."""

    arguments: list[str]
    variables: dict[str, str]


def compose() -> dict[str, Any]:
    """Return compose.yaml with the variables of the site."""
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    filled = re.sub(r"\$\{(\w+)(:\?[^}]*)?\}", lambda match: SITE[match[1]], text)
    parsed: dict[str, Any] = yaml.safe_load(filled)
    return parsed


def image_variables() -> dict[str, str]:
    """Return the variables that the Dockerfile sets."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    return dict(re.findall(r"(\w+)=(\S+)", " ".join(re.findall(r"^ENV (.*)$", text, re.MULTILINE))))


def services() -> dict[str, Service]:
    """Return the services that run `cabochon`, the entry point of the image."""
    return {
        name: Service(service["command"], image_variables() | service["environment"])
        for name, service in compose()["services"].items()
        if service["image"] == "cabochon" and "entrypoint" not in service
    }


def flags_and_variables(command: str) -> tuple[set[str], set[str]]:
    """Return the flags of a command of `cabochon`, and the variables that it reads."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    parameters = group.commands[command].params
    flags = {flag for parameter in parameters for flag in (*parameter.opts, *parameter.secondary_opts)}
    return flags, {str(parameter.envvar) for parameter in parameters if parameter.envvar}


def metrics_of(page: str) -> set[str]:
    """Return the names of the metrics on a page for Prometheus, with those of the series of histograms."""
    found = re.findall(r"^# TYPE (\w+) (\w+)$", page, re.MULTILINE)
    parts = {"histogram": ("_bucket", "_count", "_sum")}
    return {name + part for name, kind in found for part in parts.get(kind, ("",))}


def metrics_in(expression: str) -> set[str]:
    """Return the names of our metrics in an expression of PromQL."""
    return set(re.findall(r"\b(?:cabochon|process|python)_\w+", expression))


def replaced(text: str, replacements: Mapping[str, str]) -> str:
    """Replace texts that must be there."""
    for old, new in replacements.items():
        assert old in text, f"expected {old!r} in the file"
        text = text.replace(old, new)
    return text
