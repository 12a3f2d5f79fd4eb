"""The files in `deploy/` name what is there: flags, variables, processes and metrics."""

from __future__ import annotations

import configparser
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.server.databases import NO_DATABASE
from tests.server.deployment import (
    DEPLOY,
    UNITS,
    compose,
    flags_and_variables,
    image_variables,
    metrics_in,
    metrics_of,
    services,
)
from tests.server.running import Client

OTHER_VARIABLES = {"CABOCHON_CACHE"}  # read by every command
PROGRAM = "/opt/cabochon/bin/cabochon"


def unit(path: Path) -> dict[str, str]:
    """Return the section [Service] of a unit."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)  # a key may be repeated
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path, encoding="utf-8")
    assert parser.sections() == ["Unit", "Service", "Install"]
    return dict(parser["Service"])


def check_command(arguments: list[str], variables: set[str]) -> None:
    command, *flags = arguments
    known_flags, known_variables = flags_and_variables(command)
    assert {flag for flag in flags if flag.startswith("--")} <= known_flags
    assert {name for name in variables if name.startswith("CABOCHON_")} <= known_variables


def all_variables() -> set[str]:
    return flags_and_variables("serve")[1] | flags_and_variables("think")[1] | OTHER_VARIABLES


def test_compose_runs_two_servers_and_a_thinker() -> None:
    found = {name: service.arguments[0] for name, service in services().items()}
    assert found == {"server-1": "serve", "server-2": "serve", "thinker": "think"}
    for name, service in services().items():
        own = set(compose()["services"][name]["environment"])
        check_command(service.arguments, own)
    assert {name for name in image_variables() if name.startswith("CABOCHON_")} <= all_variables()


def test_containers_can_write_nowhere_but_to_volumes() -> None:
    for name, service in compose()["services"].items():
        assert service["read_only"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["mem_limit"], name
        assert service["restart"] == ("no" if name == "compile" else "unless-stopped")
    volumes = set(compose()["volumes"])
    mounted = {volume for service in compose()["services"].values() for volume in service.get("volumes", ())}
    assert {volume.split(":")[0] for volume in mounted if not volume.endswith(":ro")} == volumes


def test_no_password_is_in_a_file() -> None:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    assert text.count("${POSTGRES_PASSWORD:?") == 2


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_starts_a_command(path: Path) -> None:
    program, *arguments = shlex.split(unit(path)["ExecStart"])
    assert program == PROGRAM
    check_command(arguments, set())
    assert unit(path)["Environment"].split("=")[0] in all_variables()


def test_units_run_the_same_processes_as_compose() -> None:
    by_name = {path.name: shlex.split(unit(path)["ExecStart"])[1:] for path in UNITS}
    server, thinker = by_name["cabochon@.service"], by_name["cabochon-think.service"]
    assert server == ["serve", "--port", "%i", *services()["server-1"].arguments[1:]]
    assert thinker[0] == services()["thinker"].arguments[0]
    assert set(by_name) == {"cabochon.service", "cabochon@.service", "cabochon-think.service"}


def test_the_settings_of_the_units_exist() -> None:
    lines = (DEPLOY / "systemd" / "cabochon.env").read_text(encoding="utf-8").splitlines()
    names = {line.lstrip("#").split("=")[0] for line in lines if "=" in line}
    assert names
    assert names <= all_variables()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@NO_DATABASE
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    for path in UNITS:
        text = path.read_text(encoding="utf-8").replace(PROGRAM, sys.executable)
        (tmp_path / path.name.replace("@", "@8001")).write_text(text, encoding="utf-8")
    names = sorted(str(path) for path in tmp_path.iterdir())
    done = subprocess.run(
        ["systemd-analyze", "verify", *names], capture_output=True, text=True, check=False, env=os.environ
    )
    assert (done.returncode, done.stderr) == (0, "")


def expressions() -> dict[str, str]:
    """The expressions of the dashboard and of the alerts, by their titles."""
    dashboard = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))
    found = {
        f"{panel['title']}: {target['legendFormat']}": target["expr"]
        for panel in dashboard["panels"]
        for target in panel.get("targets", ())
    }
    (group,) = yaml.safe_load((DEPLOY / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    return found | {rule["alert"]: rule["expr"] for rule in group["rules"]}


def test_the_dashboard_and_the_alerts_use_metrics_that_exist(ada: Client) -> None:
    offered = metrics_of(ada.http.get("/metrics").text)
    for title, expression in expressions().items():
        used = metrics_in(expression)
        assert used <= offered, title
        assert used or "up{" in expression, title


def test_every_alert_is_explained() -> None:
    (group,) = yaml.safe_load((DEPLOY / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    page = (DEPLOY.parent / "docs" / "running.md").read_text(encoding="utf-8")
    for rule in group["rules"]:
        assert f"| `{rule['alert']}` |" in page


def test_prometheus_watches_every_process() -> None:
    (job,) = yaml.safe_load((DEPLOY / "prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"]
    (targets,) = job["static_configs"]
    assert targets["targets"] == [f"{name}:8000" for name in services()]
    allowed = services()["server-1"].variables["CABOCHON_ALLOWED_HOSTS"].split()
    assert {"server-1", "server-2"} <= set(allowed)
