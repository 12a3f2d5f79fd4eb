from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

from cabochon import RULES_VERSION, Game, __version__, read_records, verify
from cabochon.cli import bench, simulation
from cabochon.cli.terminal import CompilationNotice
from cabochon.core import compilation
from cabochon.core.invariants import INVARIANTS
from tests.cli.command import run

COMPILE_SECONDS = 1000.0

# Help


def test_help_imports_nothing_heavy() -> None:
    """So it is quick, whatever else the machine does."""
    heavy = ("numpy", "numba", "rich", "torch", "asyncio", "httpx", "starlette", "sqlalchemy", "multiprocessing")
    script = (
        "import sys; from cabochon.cli import main; status = main(['--help']); "
        f"print([name for name in {heavy} if name in sys.modules], status)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[] 0\n")
    assert "simulate" in done.stdout


def test_the_first_compilation_is_announced_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(CompilationNotice, "is_printed", False)
    logger = logging.getLogger(compilation.__name__)
    monkeypatch.setattr(logger, "handlers", [CompilationNotice()])
    logger.setLevel(logging.INFO)
    add = numba.njit(lambda x, y: x + y)
    assert capsys.readouterr().err == ""
    assert add(1, 2) == add(1.0, 2.0) == 3
    assert capsys.readouterr().err.splitlines() == [
        "Compiling the rules for this machine (only once, a few seconds) ..."
    ]


@pytest.mark.parametrize(
    "command", [[], ["play"], ["replay"], ["analyse"], ["verify"], ["rules"], ["simulate"], ["perft"], ["bench"]]
)
def test_every_command_has_help(command: list[str]) -> None:
    result = run(*command, "--help")
    assert result.status == 0
    assert result.output.startswith("Usage: cabochon")


def test_version() -> None:
    assert run("--version").output == f"cabochon {__version__}, rules {RULES_VERSION}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dance"], "No such command 'dance'"),
        (["perft", "--dance"], "No such option: --dance"),
        (["verify"], "Missing argument"),
        (["verify", "/nowhere"], "expected a usable file, got '/nowhere': No such file or directory"),
        (["replay", "/"], "got '/': Is a directory"),
        (["rules", "TRN-99"], "got 'TRN-99'"),
        (["rules", "--game", "chess"], "expected the game 'splendor' or 'marvel', got 'chess'"),
        (["perft", "--depth", "0"], "expected the depth to be at least 1, got 0"),
        (["perft", "--after", "100000"], "expected a game of at least 100000 decisions"),
        (["simulate", "--games", "0"], "expected the number of games to be at least 1, got 0"),
        (["simulate", "--json"], "expected --output FILE with --json"),
        (["simulate", "--output", "/nowhere/x"], "expected a writable file, got '/nowhere/x'"),
        (["simulate", "--check", "--seed", "-1"], "expected a seed from 0 to 2**63 - 1"),
        (["simulate", "--check", "--players", "1"], "expected 2 to 4 players, got 1 [MAT-8]"),
        (["bench", "--game", "chess"], "expected the game 'splendor' or 'marvel', got 'chess'"),
    ],
)
def test_misuse_is_one_line_and_status_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.status == 2
    assert message in result.errors
    assert "Traceback" not in result.errors
    assert result.errors.splitlines()[-1].startswith("cabochon: ")


# Rules


def test_all_rules_by_section() -> None:
    output = run("rules").output
    assert "TRN-5" in output
    assert "END-M1" in output
    assert "Ruling: " in output


def test_rules_of_one_game() -> None:
    output = run("rules", "--game", "splendor").output
    assert "END-B1" in output
    assert "END-M1" not in output


def test_one_rule() -> None:
    rule = json.loads(run("rules", "trn-5", "--json").output)
    assert rule["id"] == "TRN-5"
    assert set(rule) == {"id", "game", "section", "text", "ruling"}
    assert run("rules", "trn-5").output.startswith("TRN-5")
    assert rule in json.loads(run("rules", "--json").output)


# Simulate


def simulated(path: Path, *more: str) -> bytes:
    result = run("simulate", "--games", "5", "--game", "marvel", "--players", "3", "--output", str(path), *more)
    assert result.status == 0, result.errors
    return path.read_bytes()


def test_simulated_games_are_the_same_for_a_seed_and_true(tmp_path: Path) -> None:
    first = simulated(tmp_path / "a.txt", "--seed", "7")
    assert simulated(tmp_path / "b.txt", "--seed", "7") == first
    assert simulated(tmp_path / "c.txt", "--seed", "8") != first
    games = [Game.from_record(record) for record in read_records(tmp_path / "a.txt")]
    assert [game.seed for game in games] == [seed.to_bytes(32, "big") for seed in range(7, 12)]
    assert all(verify(record).is_true for record in read_records(tmp_path / "a.txt"))
    assert sorted(path.name for path in tmp_path.glob("*")) == ["a.txt", "b.txt", "c.txt"]


def test_simulated_games_go_to_standard_output(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text(run("simulate", "--games", "2", "--seed", "3").output)
    assert len(list(read_records(tmp_path / "out.txt"))) == 2


def test_summary_of_simulated_games(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    summary = json.loads(run("simulate", "--games", "3", "--output", str(path), "--json").output)
    assert summary["games"] == sum(summary["endings"].values()) == 3
    assert summary["moves"] == sum(len(Game.from_record(record).moves) for record in read_records(path))
    assert "3 games" in run("simulate", "--games", "3", "--output", str(path)).output


def test_a_device_is_written_to_and_not_replaced() -> None:
    assert run("simulate", "--games", "1", "--output", "/dev/null").status == 0
    assert Path("/dev/null").is_char_device()


def test_an_interrupted_simulation_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.txt"
    path.write_text("old")

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulation, "random_game", interrupt)
    assert run("simulate", "--workers", "1", "--output", str(path)).status == 130
    assert path.read_text() == "old"
    assert list(tmp_path.glob("*")) == [path]


def test_check_finds_nothing_broken() -> None:
    result = run("simulate", "--check", "--games", "1200", "--game", "splendor", "--players", "2", "--json")
    assert result.status == 0
    (check,) = json.loads(result.output)["checks"]
    assert check["games"] == sum(check["endings"].values()) == 1200
    assert check["moves"] > 1200 * 20
    assert check["broken"] is None


def test_check_takes_both_games_and_all_numbers_of_players() -> None:
    result = run("simulate", "--check", "--games", "3")
    assert "No broken invariant" in result.output
    assert len(re.findall(r"^ (?:splendor|marvel) +[234] +3 ", result.output, re.MULTILINE)) == 6


def test_check_names_the_first_broken_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_in_the_third(*arguments: Any) -> int:
        tally = arguments[-1]
        tally[1] += 2
        return 4

    monkeypatch.setattr(simulation, "check_games", break_in_the_third)
    result = run("simulate", "--check", "--games", "4000", "--game", "marvel", "--players", "4", "--json")
    assert result.status == 1
    (check,) = json.loads(result.output)["checks"]
    assert (check["broken"], check["broken_game"]) == (INVARIANTS[4], 2)
    told = run("simulate", "--check", "--games", "4000", "--game", "marvel", "--players", "4").output
    assert "game number 2: broken: at most 10 tokens" in told


# Verify


def test_verify_says_of_each_record_whether_it_is_true(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    simulated(path)
    assert run("verify", str(path)).status == 0
    true = path.read_text()
    other_seed = true.replace('[Seed "' + "0" * 63 + '1"]', '[Seed "' + "0" * 63 + '9"]')
    path.write_text(other_seed)
    result = run("verify", str(path), "--json")
    assert result.status == 1
    rows = json.loads(result.output)
    assert [row["true"] for row in rows] == [True, False, True, True, True]
    assert rows[1]["reason"] == "the commitment is not the SHA-256 of the seed"
    assert "game 2 (marvel: bot:random, bot:random, bot:random): NOT TRUE" in run("verify", str(path)).output


def test_an_edited_record_is_not_true(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    simulated(path)
    text = path.read_text()
    path.write_text(re.sub(r"1\.1 (take|reserve|buy) .*", "1.1 pass", text, count=1))
    rows = json.loads(run("verify", str(path), "--json").output)
    assert rows[0]["true"] is False
    assert "[TRN-9]" in rows[0]["reason"]
    assert all(row["true"] for row in rows[1:])


def test_a_game_that_goes_on_is_not_yet_true(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(Game("splendor", seed=1).record())
    result = run("verify", str(path))
    assert result.status == 1
    assert "the record has no seed" in result.output


def test_a_file_without_records_is_misuse(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_text("\n")
    result = run("verify", str(path))
    assert result.status == 2
    assert "expected a file with at least one record, got none" in result.errors


# Perft


def test_perft_counts_and_divides() -> None:
    result = json.loads(run("perft", "--depth", "3", "--divide", "--json").output)
    assert [row["depth"] for row in result["depths"]] == [1, 2, 3]
    assert [row["count"] for row in result["depths"]][:2] == [30, 865]
    assert sum(result["divide"].values()) == result["depths"][-1]["count"]
    told = run("perft", "--depth", "1", "--divide").output
    assert re.search(r"^take wbg +1$", told, re.MULTILINE)
    assert "depth 1: 30 sequences" in told


# Bench


def test_bench_has_the_agreed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = bench._seconds_of
    cold_starts = 0

    def seconds_of(script: str, cache: Path | None = None) -> float:
        """The time of a script, which finds the compiled code also where it is to start with an empty cache."""
        nonlocal cold_starts
        if cache is None or any(cache.iterdir()):
            return measure(script)
        (cache / "compiled").touch()
        cold_starts += 1
        return measure(script) + COMPILE_SECONDS

    monkeypatch.setattr(bench, "_seconds_of", seconds_of)
    monkeypatch.setattr(bench, "BATCH_GAMES", {"core": 16, "cores": 32, "gpu": 64})
    result = json.loads(run("bench", "--quick", "--game", "splendor", "--players", "2", "--json").output)
    rows = result["playouts"]
    assert [row["where"] for row in rows][:2] == ["core", "cores"]
    for row in rows:
        assert (row["game"], row["players"]) == ("splendor", 2)
        assert row["moves_per_second"] > row["games_per_second"] > 0
    environments = result["environments"]
    assert [row["what"] for row in environments][:2] == ["batch, int8, core", "batch, float32, core"]
    assert environments[-1]["what"] == "pettingzoo"
    for row in environments:
        assert (row["game"], row["players"]) == ("splendor", 2)
        assert row["decisions_per_second"] > row["games"] > 0
    assert cold_starts == 1
    assert result["start"]["cold_first_game_seconds"] > COMPILE_SECONDS
    assert result["start"]["warm_first_game_seconds"] > 0
    assert result["start"]["import_seconds"] > 0
    assert result["replays"][0]["replays_per_second"] > 0
    assert result["machine"]["cabochon"] == __version__
