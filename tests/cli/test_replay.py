from __future__ import annotations

from pathlib import Path

import pytest

from cabochon import Game
from tests.cli.command import eager_move, run


@pytest.fixture
def game() -> Game:
    game = Game("marvel", players=3, seed=4, names=["Ada", "Bo", "Cy"])
    while not game.is_over:
        game.play(eager_move(game))
    return game


def test_everything_is_printed_where_nobody_can_answer(game: Game, record: Path) -> None:
    result = run("replay", str(record))
    assert (result.status, result.errors) == (0, "")
    lines = result.output.splitlines()
    assert lines[0] == f"Splendor: Marvel, {game.date}: 1 Ada, 2 Bo, 3 Cy"
    assert f"{game.round}.3 Cy: " in result.output
    assert lines[1].startswith("1.1 Ada: ")
    assert "Place" in result.output


def test_stepping(game: Game, record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.cli.replay.is_interactive", lambda: True)
    last = len(game.moves)
    result = run("replay", str(record), keys="\nn\np\n7\n99999\nwhat\nq\n")
    steps = [line.split(":")[0] for line in result.output.splitlines() if line.startswith("Step ")]
    assert steps == [f"Step {step} of {last}" for step in (0, 1, 2, 1, 7, last, last)]
    assert f"Ada played {game.moves[0]}" in result.output
    assert run("replay", str(record), keys="n\n").status == 0


def test_a_damaged_record_is_replayed_up_to_the_damage(game: Game, tmp_path: Path) -> None:
    lines = game.record().splitlines()
    second_round = next(n for n, line in enumerate(lines) if line.startswith("2.1 "))
    lines[second_round] = "2.1 take yyyy"
    path = tmp_path / "damaged.txt"
    path.write_text("\n".join(lines))
    result = run("replay", str(path))
    assert result.status == 1
    assert "1.3 Cy: " in result.output
    assert f"line {second_round + 1}: " in result.errors
    assert "[TRN-2]" in result.errors


def test_a_record_cut_off_is_replayed_up_to_there(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "cut.txt"
    path.write_text("\n".join(game.record().splitlines()[:25]))
    result = run("replay", str(path))
    assert result.status == 1
    assert "the record is incomplete" in result.errors
    assert "1.1 Ada" in result.output


def test_the_game_is_chosen_by_its_number(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text(game.record() + "\n" + Game("splendor", seed=1, names=["X", "Y"]).record())
    assert "1 X, 2 Y" in run("replay", str(path), "--game-number", "2").output
    missing = run("replay", str(path), "--game-number", "3")
    assert (missing.status, missing.errors) == (
        2,
        "cabochon: expected a game number from 1 to 2, got 3\n",
    )
    assert run("replay", str(path), "--game-number", "0").status == 2


@pytest.mark.parametrize("content", ["", "nothing of the kind\n", '[Cabochon "9"]\n', "\0\xff"])
def test_what_is_no_record_is_one_line_and_status_2(content: str, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text(content, encoding="latin-1")
    result = run("replay", str(path))
    assert result.status == 2
    assert result.errors.count("\n") == 1


OLD_RECORDS = Path(__file__).parent.parent / "data" / "records"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("timeout", "Bo ran out of time."),
        ("resignation", "Ada left the table."),
        ("failure", "Cy failed: crashed: RuntimeError: out of ideas"),
        ("forfeit", "Bo forfeited the game: tired"),
    ],
)
def test_a_forfeited_game_ends_in_the_right_words(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = OLD_RECORDS / f"{name}.txt"
    printed = run("replay", str(path)).output
    assert text in printed
    assert "RNK-1" not in printed, "it is not a rule that ended the game"
    monkeypatch.setattr("cabochon.cli.replay.is_interactive", lambda: True)
    assert text in run("replay", str(path), keys="999\nq\n").output
