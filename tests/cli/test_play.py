from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cabochon import Game, NotationError, verify
from cabochon.bots.protocol import BotError
from cabochon.cli.board import seat_name
from cabochon.cli.play import bot, moves_from_input
from tests.cli.command import eager_move, run

CLEARED = "screen cleared"
PATIENCE_SECONDS = 600  # a test that passes never waits for it


def two_people(variant: str, seed: int, save: Path, *more: str) -> list[str]:
    people = ["--seat", "Ada", "--seat", "Bo", "--order", "given"]
    return ["play", "--game", variant, "--seed", str(seed), "--save", str(save), *people, *more]


def game_of(variant: str, seed: int) -> Game:
    return Game(variant, players=2, seed=seed, names=["Ada", "Bo"])


@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_a_whole_game_between_people(variant: str, tmp_path: Path) -> None:
    game = game_of(variant, seed=3)
    while not game.is_over:
        game.play(eager_move(game))
    save = tmp_path / "game.txt"
    result = run(*two_people(variant, 3, save), keys="\n".join(map(str, game.moves)) + "\n")
    assert (result.status, result.errors) == (0, "")
    assert f"Commitment, the SHA-256 of the secret seed: {game.commitment}" in result.output
    assert game.seed is not None
    assert f"Seed: {game.seed.hex()}" in result.output
    assert game.outcome is not None
    assert f"[{game.outcome.rule}]" in result.output
    assert str(save) in result.output
    assert CLEARED not in result.output
    assert Game.from_record(save.read_text()).events == game.events
    assert verify(save.read_text()).is_true


@pytest.mark.parametrize("players", ["2", "3", "4"])
@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_bots_play_to_the_end_with_nobody_at_the_keyboard(variant: str, players: str, tmp_path: Path) -> None:
    save = tmp_path / "game.txt"
    result = run(
        *("play", "--game", variant, "--players", players, "--seed", "1", "--save", str(save)),
        *("--seat", "bot:random", "--seat", "bot:random"),
    )
    assert result.status == 0
    assert "won" in result.output
    assert "\x1b" not in result.output
    assert verify(save.read_text()).is_true


def test_without_options_and_keyboard_the_game_is_saved_in_the_games_folder(tmp_path: Path) -> None:
    result = run("play")
    assert result.status == 0
    (saved,) = (tmp_path / "data" / "cabochon" / "games").iterdir()
    assert f"Continue with: cabochon play --resume {saved}" in result.output
    assert Game.from_record(saved.read_text()).options.variant == "splendor"


def test_a_blind_reserve_is_shown_to_nobody_else(tmp_path: Path) -> None:
    keys = ["reserve 2", "", "", "record", "moves", "take ypb", "", "record"]
    result = run(*two_people("marvel", 5, tmp_path / "game.txt"), keys="\n".join(keys) + "\n")
    ada, bo, ada_again = re.split(f".*{CLEARED}.*", result.output)
    assert "You drew Ghost-Spider (blue) worth 2 pts." in ada
    assert "press Enter when only you can see the screen" in bo
    assert "unseen level II" in bo
    assert "h=?" in bo
    assert "Ghost-Spider" not in bo
    assert "hidden" not in bo
    assert "Seed" not in bo
    assert not re.search(r"h=\d", bo)
    assert "Ghost-Spider" in ada_again
    assert " b  2 pts hidden" in ada_again
    assert re.search(r"h=\d", ada_again)


def test_the_screen_is_handed_over_first_when_a_game_with_hidden_cards_is_resumed(tmp_path: Path) -> None:
    save = tmp_path / "game.txt"
    run(*two_people("marvel", 5, save), keys="reserve 2\n\n\ntake ypb\n")
    result = run("play", "--resume", str(save))
    assert CLEARED in result.output
    assert "Ghost-Spider" not in result.output


def test_save_and_resume_in_the_middle_of_a_decision(tmp_path: Path) -> None:
    game = game_of("splendor", seed=8)
    while game.phase != "return":
        takes = [move for move in game.legal_moves if move.kind == "take"]
        game.play(takes[-1] if takes else eager_move(game))
    save = tmp_path / "game.txt"
    first = run(*two_people("splendor", 8, save), keys="\n".join(map(str, game.moves)) + "\nquit\n")
    assert first.status == 0
    assert f"Saved to {save}" in first.output
    assert Game.from_record(save.read_text()).phase == "return"
    second = run("play", "--resume", str(save), keys=f"{game.legal_moves[0]}\n")
    assert "Return 1 token, for example: return" in second.output
    game.play(game.legal_moves[0])
    assert Game.from_record(save.read_text()).events == game.events


def test_illegal_input_names_the_rule_and_changes_nothing(tmp_path: Path) -> None:
    save = tmp_path / "game.txt"
    keys = ["take w", "buy 3.1", "dance", "return w", "rules", "rules TRN-99", "save /dev/null/x", ""]
    result = run(*two_people("splendor", 1, save), keys="\n".join(keys))
    assert "[TRN-4]" in result.output
    assert "[BUY-2]" in result.output
    assert "expected a move such as" in result.output
    assert "[TRN-1]" in result.output
    assert "got 'TRN-99'" in result.output
    assert "expected a writable file" in result.output
    assert Game.from_record(save.read_text()).moves == ()


def test_commands_at_the_prompt(tmp_path: Path) -> None:
    keys = ["help", "moves", "rules TRN-5", "take wbg", "undo", "record", f"save {tmp_path / 'other.txt'}", "table"]
    result = run(*two_people("splendor", 1, tmp_path / "game.txt"), keys="\n".join(keys) + "\n")
    assert "take two of one colour" in result.output
    assert re.search(r"take +wbg  wbr", result.output)
    assert "TRN-5" in result.output
    assert '[Result "*"]' in result.output
    assert "from now on, the game is saved there" in result.output
    assert Game.from_record((tmp_path / "other.txt").read_text()).moves == ()


def test_undo_reaches_no_further_than_a_card_turned_up(tmp_path: Path) -> None:
    save = tmp_path / "game.txt"
    result = run(*two_people("splendor", 1, save), keys="undo\nreserve 1.1\nundo\n")
    assert result.output.count("you can take back only your own last move") == 2
    assert len(Game.from_record(save.read_text()).moves) == 1


def test_undo_never_shows_another_persons_hidden_card(tmp_path: Path) -> None:
    """Ada draws blind and later takes tokens; Bo resumes at his turn and types undo."""
    save = tmp_path / "game.txt"
    run(*two_people("splendor", 1, save), keys="reserve 3\n\n\ntake wbg\n\ntake wbr\n\n")
    resumed = run("play", "--resume", str(save), keys="\nundo\nundo\n")
    assert "you can take back only your own last move" in resumed.output
    assert "Ada>" not in resumed.output


def test_a_saved_game_cannot_start_a_program(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    game = Game("splendor", seed=1, names=["Ada", f"bot:program:touch {mark}"])
    (tmp_path / "game.txt").write_text(game.record(with_seed=True))
    result = run("play", "--resume", str(tmp_path / "game.txt"), keys="take wbg\n")
    assert result.status == 2
    assert "expected a saved game with built-in bots" in result.errors
    assert not mark.exists()


def test_undo_at_the_hand_over_gives_the_screen_back(tmp_path: Path) -> None:
    save = tmp_path / "game.txt"
    keys = "reserve 2\n\n\ntake ypb\n\ntake ypb\nundo\ntake bro\n"
    result = run(*two_people("marvel", 5, save), keys=keys)
    assert "Ada can still type undo." in result.output
    moves = [str(move) for move in Game.from_record(save.read_text()).moves]
    assert moves == ["reserve 2", "take ypb", "take bro"]


def test_a_line_is_played_whole_or_not_at_all(tmp_path: Path) -> None:
    game = game_of("splendor", seed=8)
    while game.phase != "return":
        takes = [move for move in game.legal_moves if move.kind == "take"]
        game.play(takes[-1] if takes else eager_move(game))
    save = tmp_path / "game.txt"
    letter = str(game.legal_moves[0]).split()[1]
    keys = "\n".join([*map(str, game.moves), f"return {letter * 3}"]) + "\n"
    result = run(*two_people("splendor", 8, save), keys=keys)
    assert "[LIM-2]" in result.output
    assert Game.from_record(save.read_text()).events == game.events


@pytest.mark.parametrize(
    ("text", "phase", "variant", "expected"),
    [
        ("wbg", "act", "splendor", ["take wbg"]),
        ("g w b", "act", "splendor", ["take wbg"]),
        ("t kk", "act", "splendor", ["take kk"]),
        ("Take White, Blue, Green", "act", "splendor", ["take wbg"]),
        ("2.3", "act", "splendor", ["buy 2.3"]),
        ("b 23", "act", "splendor", ["buy 2.3"]),
        ("b h1", "act", "splendor", ["buy h1"]),
        ("h2", "act", "marvel", ["buy h2"]),
        ("recruit 1.4", "act", "marvel", ["buy 1.4"]),
        ("r 3", "act", "marvel", ["reserve 3"]),
        ("r 3.1", "act", "marvel", ["reserve 3.1"]),
        ("bro", "act", "marvel", ["take bro"]),
        ("pass", "act", "splendor", ["pass"]),
        ("w", "return", "splendor", ["return w"]),
        ("return *w", "return", "splendor", ["return *", "return w"]),
        ("r", "pay", "splendor", ["wild r"]),
        ("done", "pay", "splendor", ["pay"]),
        ("p", "pay", "marvel", ["wild p"]),
        ("pay", "pay", "marvel", ["pay"]),
        ("2", "tile", "splendor", ["tile 2"]),
        ("noble 2", "tile", "splendor", ["tile 2"]),
    ],
)
def test_short_forms(text: str, phase: str, variant: str, expected: list[str]) -> None:
    assert [str(move) for move in moves_from_input(text, phase, variant)] == expected


@pytest.mark.parametrize("text", ["", "x", "buy", "buy 9.9", "take", "reserve h1", "2.5", "return", "tile 9", "[/]"])
def test_what_is_no_move_is_refused(text: str) -> None:
    for phase in ("act", "pay", "return", "tile"):
        with pytest.raises(NotationError):
            moves_from_input(text, phase, "splendor")


def test_markup_in_a_name_is_only_text(tmp_path: Path) -> None:
    save = tmp_path / "game.txt"
    arguments = ["play", "--seat", "[bold]A[/x]", "--seat", 'B"\\', "--order", "given", "--save", str(save)]
    assert "[bold]A[/x]" in run(*arguments).output
    assert Game.from_record(save.read_text()).names == ("[bold]A[/x]", 'B"\\')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "chess", "--seat", "A"], "expected the game 'splendor' or 'marvel', got 'chess'"),
        (["--players", "5"], "expected 2 to 4 players, got 5 [MAT-8]"),
        (["--players", "x"], "Invalid value for '--players'"),
        (["--players", "2", *["--seat", "A"] * 3], "expected at most 2 seats, got 3 [MAT-8]"),
        (["--seat", "bot:clever"], "expected a bot: random, greedy, search"),
        (["--seat", ""], "expected a name of 1 to 24 characters, got ''"),
        (["--order", "up"], "expected the order random or given, got 'up'"),
        (["--payment", "never"], "expected the payment 'choice' or 'automatic', got 'never'"),
        (["--seed", "-1"], "expected a seed of 32 bytes"),
        (["--resume", "/nowhere"], "got '/nowhere': No such file or directory"),
        (["--save", "/dev/null/x"], "expected a writable file"),
    ],
)
def test_bad_options_are_one_line_and_status_2(arguments: list[str], message: str) -> None:
    result = run("play", *arguments)
    assert result.status == 2
    assert message in result.errors
    assert result.errors.count("\n") == 1


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    save = tmp_path / "precious.txt"
    save.write_text("precious")
    assert "already exists" in run("play", "--save", str(save)).errors
    assert save.read_text() == "precious"


def test_only_a_game_that_goes_on_with_its_seed_is_resumed(tmp_path: Path) -> None:
    game = game_of("splendor", seed=3)
    path = tmp_path / "game.txt"
    path.write_text(game.record())
    assert "expected a saved game with its seed" in run("play", "--resume", str(path)).errors
    path.write_text(game.record() * 2)
    assert "expected a file with one game, got 2" in run("play", "--resume", str(path)).errors
    path.write_text(game.record(with_seed=True).replace("\nend", "\n1.1 buy 3.1\nend"))
    damaged = run("play", "--resume", str(path))
    assert damaged.status == 2
    assert "[BUY-2]" in damaged.errors
    while not game.is_over:
        game.play(eager_move(game))
    path.write_text(game.record())
    assert "got one that is over" in run("play", "--resume", str(path)).errors


def test_random_order_of_seats_is_that_of_the_seed() -> None:
    seats = ["--seat", "A", "--seat", "B", "--seat", "C", "--seat", "D"]
    orders = {run("play", "--seed", str(seed), *seats).output.splitlines()[0] for seed in range(8)}
    assert len(orders) > 1
    assert run("play", "--order", "given", *seats).output.startswith("Splendor: 1 A, 2 B, 3 C, 4 D\n")


def test_equal_names_are_told_apart_by_their_seats() -> None:
    names = ("Ada", "bot:novice", "bot:novice")
    assert [seat_name(names, seat) for seat in range(3)] == ["Ada", "bot:novice (seat 2)", "bot:novice (seat 3)"]


def test_an_unknown_bot_is_refused() -> None:
    with pytest.raises(BotError, match="expected a bot: random"):
        bot("x", None)


class Keyboard:
    """The command in its own terminal."""

    def __init__(self, *arguments: str) -> None:
        self.master, slave = pty.openpty()
        # What a shell starts in the background, tests too, ignores the signal from its start.
        heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
        script = f"{heed}; import sys; from cabochon.cli import main; sys.exit(main())"
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm"},
        )
        os.close(slave)
        self.shown = ""

    def wait_for(self, text: str) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while text not in self.shown:
            assert time.monotonic() < end, self.shown
            if select.select([self.master], [], [], 1)[0]:
                read = self._read()
                assert read, self.shown
                self.shown += read

    def _read(self) -> str:
        try:
            return os.read(self.master, 65536).decode(errors="replace")
        except OSError:  # the other end is closed
            return ""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C, and again if nothing comes of it: between the prompt and the wait for a key it is lost."""
        for _ in range(PATIENCE_SECONDS // 5):
            os.kill(self.process.pid, signal.SIGINT)
            if select.select([self.master], [], [], 5)[0]:
                return

    def leave(self) -> int:
        self.wait_for("Continue with: cabochon play --resume")
        return self.process.wait(timeout=PATIENCE_SECONDS)

    def __enter__(self) -> Keyboard:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def test_enter_and_enter_starts_a_game_and_control_d_saves_it() -> None:
    with Keyboard("play") as keyboard:
        keyboard.wait_for("Which game, splendor or marvel? [splendor]")
        keyboard.type("\n")
        keyboard.wait_for("Who is playing? [Guest, bot:journeyman]")
        keyboard.type("\n")
        keyboard.wait_for("Guest> ")
        keyboard.type("\x04")
        assert keyboard.leave() == 0
        assert "Traceback" not in keyboard.shown


def test_control_c_saves_the_game() -> None:
    with Keyboard("play", "--game", "marvel", "--seat", "Ada") as keyboard:
        keyboard.wait_for("Ada> ")
        keyboard.interrupt()
        assert keyboard.leave() == 0
        assert "Traceback" not in keyboard.shown


def test_a_hand_over_on_a_terminal_wipes_the_scrollback() -> None:
    with Keyboard("play", "--seat", "Ada", "--seat", "Bo", "--order", "given") as keyboard:
        keyboard.wait_for("Ada> ")
        keyboard.type("reserve 1\n")
        keyboard.wait_for("Press Enter to clear the screen.")
        assert "\x1b[3J" not in keyboard.shown
        keyboard.type("\n")
        keyboard.wait_for("press Enter when only you can see the screen.")
        assert "\x1b[3J" in keyboard.shown
        keyboard.type("\x04")
        assert keyboard.leave() == 0
