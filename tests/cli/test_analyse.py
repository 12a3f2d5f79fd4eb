from __future__ import annotations

import json
from pathlib import Path

import pytest

from cabochon import Game, Options
from cabochon.analysis import analyse
from cabochon.cli.simulation import random_game
from cabochon.language import LANGUAGES, say, speaking
from tests.cli.command import eager_move, run


@pytest.fixture
def game() -> Game:
    game = Game("marvel", players=3, seed=4, names=["Ada", "Bo [/x]", "[b]Cy[/b]"])  # brackets are no markup
    while game.round < 10:
        game.play(eager_move(game))
    return game


def test_every_decision_has_a_row_and_every_seat_its_worst_moves(game: Game, record: Path) -> None:
    judgements = list(analyse(game, "greedy"))
    result = run("analyse", str(record), "--bot", "greedy")
    assert result.status == 0
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    assert lines[0] == f"Splendor: Marvel, {game.date}: 1 Ada, 2 Bo [/x], 3 [b]Cy[/b]"
    assert lines[1] == "Turn Player Played Better Win % Lost %"
    rows = lines[2 : 2 + len(judgements)]
    assert any(judgement.played == judgement.best for judgement in judgements)
    for judgement, row in zip(judgements, rows, strict=True):
        better = f"= {100 * judgement.win_probability:.1f}"
        if judgement.played != judgement.best:
            better = f"{judgement.best} {100 * judgement.win_probability:.1f} {100 * judgement.loss:.1f}"
        name = game.names[judgement.seat]
        assert row == f"{judgement.round}.{judgement.seat + 1} {name} {judgement.played} {better}"

    own = [judgement for judgement in judgements if judgement.seat == 0]
    mean = 100 * sum(judgement.loss for judgement in own) / len(own)
    summary = lines.index(f"Ada lost {mean:.1f}% per move on average ({len(own)} moves)")
    worst = max(own, key=lambda judgement: judgement.loss)
    assert lines[summary + 1] == (f"{worst.round}.1 {worst.played}: lost {100 * worst.loss:.1f}%, better: {worst.best}")
    assert sum(" per move on average " in line for line in lines) == 3


def test_one_seat_as_lines_of_json(game: Game, record: Path) -> None:
    result = run("analyse", str(record), "--bot", "champion:nodes=8", "--seat", "2", "--json")
    told = [json.loads(line) for line in result.output.splitlines()]
    assert told == [judgement.to_dict() for judgement in analyse(game, "champion:nodes=8", seats=[1])]
    assert {judgement["seat"] for judgement in told} == {1}


def test_all_games_of_a_file(game: Game, record: Path) -> None:
    other = random_game(Options(), 1)
    record.write_text(game.record() + other.record())
    lines = run("analyse", str(record), "--all", "--workers", "1", "--bot", "greedy", "--seat", "2", "--json").output
    assert [json.loads(line) for line in lines.splitlines()] == [
        {"game": number, **judgement.to_dict()}
        for number, analysed in enumerate((game, other), start=1)
        for judgement in analyse(analysed, "greedy", seats=[1])
    ]
    text = run("analyse", str(record), "--all", "--workers", "1", "--bot", "greedy").output
    assert text.count(" per move on average ") == 3 + 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_speaks_the_language_within_80_columns(language: str, record: Path) -> None:
    lines = run("analyse", str(record), "--bot", "greedy", "--language", language).output.splitlines()
    with speaking(language):
        for column in ("turn", "played", "better", "chance", "loss"):
            assert say(f"analysis.{column}") in lines[1]
        assert say("analysis.worse", turn="@", played="@", loss="@", better="@").split("@")[2] in lines[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bot", "random"], "expected a bot that returns an analysis, such as 'champion'; got RandomBot, which"),
        (["--bot", "dance"], "expected a bot: random, greedy"),
        (["--seat", "4"], "expected a seat from 1 to 3, got 4"),
        (["--game-number", "2"], "expected a game number from 1 to 1, got 2"),
        (["--game-number", "2", "--all"], "expected --all or --game-number, got both"),
        (["--ray", "auto"], "expected --all with --workers or --ray"),
        (["--all", "--seat", "4"], "expected a seat from 1 to 3, got 4"),
        (["--all", "--workers", "0"], "expected the number of workers to be at least 1, got 0"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(arguments: list[str], message: str, record: Path) -> None:
    result = run("analyse", str(record), *arguments)
    assert (result.status, result.output) == (2, "")
    assert message in result.errors.splitlines()[-1]


def test_a_file_that_is_missing_or_damaged_is_refused(record: Path, tmp_path: Path) -> None:
    assert "No such file" in run("analyse", str(tmp_path / "none")).errors
    cut = tmp_path / "cut.txt"
    cut.write_text("\n".join(record.read_text().splitlines()[:-1]))
    result = run("analyse", str(cut))
    assert (result.status, result.output) == (2, "")
    assert "the record is incomplete" in result.errors
