"""A game in the terminal: people at one keyboard, bots at the other seats."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from cabochon.bots import LADDER, is_builtin, parse_spec
from cabochon.bots.protocol import answer_of, start
from cabochon.cli.board import TITLES, board_owner, card_name, colour_name, draw_to_fit, seat_name
from cabochon.cli.move_log import MoveLog, Turn
from cabochon.cli.terminal import is_interactive, output_console, write_file
from cabochon.core.cards import COLOUR_NAMES, VARIANTS
from cabochon.core.state import TOKEN_LIMIT
from cabochon.errors import CabochonError, IllegalMoveError, NotationError, OptionsError
from cabochon.fair import seat_order, seed_bytes
from cabochon.game import Game, Options, Outcome
from cabochon.language import DEFAULT_LANGUAGE, say, spoken_language
from cabochon.notation import COLOUR_LETTERS, WILD_LETTER, Move, variant_index
from cabochon.record import read_records
from cabochon.rulebook import rule
from cabochon.server.settings import data_folder
from cabochon.view import View

Bot = Callable[[View], Move]

BOT_PREFIX = "bot:"
DEFAULT_BOT = "journeyman"
LONGEST_NAME = 24


class _Leave(Exception):  # noqa: N818 - not an error: the person at the keyboard leaves the game
    pass


def bot(name: str, seed: int | None) -> Bot:
    """Return the bot with this name; with a seed, its decisions are repeatable."""
    spec = parse_spec(name)
    made = spec.make()
    start(made, secrets.randbits(32) if seed is None else seed)
    return lambda view: answer_of(made.choose(view, spec.limit), view).move


def games_folder() -> Path:
    """Return the folder in which games are saved by default."""
    return data_folder() / "games"


def _checked_seats(seats: Sequence[str]) -> list[str]:
    checked = []
    for seat in seats:
        name = " ".join(seat.split())
        if name.startswith(BOT_PREFIX):
            parse_spec(name.removeprefix(BOT_PREFIX))
        elif not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise OptionsError(f"expected a name of 1 to {LONGEST_NAME} characters, got {seat!r}")
        checked.append(name)
    return checked


def _default_seats(players: int) -> list[str]:
    return [say("play.guest"), *[f"{BOT_PREFIX}{DEFAULT_BOT}"] * (players - 1)]


def _ask_game(console: Console) -> str:
    while True:
        answer = input(say("play.ask_game") + " ").strip().lower() or "splendor"
        matches = [variant for variant in VARIANTS if variant.startswith(answer)]
        if matches:
            return matches[0]
        console.print(Text(say("play.expected_game", answer=answer), style="red"))


def _ask_seats(console: Console, players: int | None) -> list[str]:
    default = ", ".join(_default_seats(players or 2))
    bots = ", ".join(f"{BOT_PREFIX}{level}" for level in LADDER)
    console.print(Text(say("play.ask_names", bots=bots), style="dim"))
    while True:
        answer = input(say("play.ask_seats", default=default) + " ").strip() or default
        try:
            seats = _checked_seats([name for name in answer.split(",") if name.strip()])
            if len(seats) not in ((players,) if players else (2, 3, 4)):
                raise OptionsError(f"expected {players or '2 to 4'} players, got {len(seats)}", "MAT-8")
            return seats
        except CabochonError as error:
            console.print(Text(str(error), style="red"))


def _choose_game(
    console: Console, variant: str | None, players: int | None, seats: Sequence[str]
) -> tuple[str, list[str]]:
    """Return the game and the names of its players: from the options, from a person's answers, or the defaults."""
    if seats:
        chosen = _checked_seats(seats)
        if players is not None and len(chosen) > players:
            raise OptionsError(f"expected at most {players} seats, got {len(chosen)}", "MAT-8")
        chosen += [f"{BOT_PREFIX}{DEFAULT_BOT}"] * ((players or 2) - len(chosen))
    elif is_interactive():
        variant = variant or _ask_game(console)
        chosen = _ask_seats(console, players)
    else:
        chosen = _default_seats(players or 2)
    return variant or "splendor", chosen


def _resumed_game(path: Path) -> Game:
    records = list(read_records(path))
    if len(records) != 1:
        raise OptionsError(f"expected a file with one game, got {len(records)} in {str(path)!r}")
    game = Game.from_record(records[0])
    if game.is_over:
        raise OptionsError(f"expected an unfinished game, got one that is over; to see it: cabochon replay {path}")
    if game.seed is None:
        raise OptionsError("expected a saved game with its seed, got a record without one")
    for name in game.names:
        if name.startswith(BOT_PREFIX) and not is_builtin(name.removeprefix(BOT_PREFIX)):
            # Any other bot runs foreign code, which a file from somebody else must not be able to start.
            raise OptionsError(f"expected a saved game with built-in bots, got {name!r}")
    return game


def play(
    variant: str | None,
    players: int | None,
    seats: Sequence[str],
    order: str,
    seed: int | None,
    payment: str,
    free_take: bool,
    resume: Path | None,
    save: Path | None,
) -> None:
    """Set up or resume a game, and play it until it ends or somebody leaves."""
    console = output_console()
    if order not in ("random", "given"):
        raise OptionsError(f"expected the order random or given, got {order!r}", "SET-10")
    if save is not None and save.exists() and save != resume:
        raise OptionsError(f"expected a new file to save to, but {str(save)!r} already exists")
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives input() line editing where there is a keyboard
    if resume is not None:
        game = _resumed_game(resume)
    else:
        try:
            variant, names = _choose_game(console, variant, players, seats)
        except (EOFError, KeyboardInterrupt):
            console.print()
            return
        options = Options(variant, len(names), free_take, payment)
        secret = seed_bytes(seed)
        if order == "random":  # SET-10
            names = [names[player] for player in seat_order(secret, len(names))]
        game = Game(options, seed=secret, names=names)
    bots = {
        seat: bot(name.removeprefix(BOT_PREFIX), None if seed is None else (seed * 4 + seat) % (1 << 32))
        for seat, name in enumerate(game.names)
        if name.startswith(BOT_PREFIX)
    }
    now = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    path = save or resume or games_folder() / f"{game.variant}-{now}-{os.getpid()}.txt"
    TerminalGame(console, game, bots, path).run()


_PLACE = re.compile(r"(?:[1-3][. ]?[1-4]|h ?[1-3])")
_SHORT_KINDS = {
    "act": {"t": "take", "b": "buy", "r": "reserve", "recruit": "buy"},
    "pay": {"done": "pay"},
    "return": {"give": "return"},
    "tile": {"t": "tile", "noble": "tile", "location": "tile"},
}


def _place_operand(text: str) -> str:
    """`23` and `2 3` for `2.3`; `h 1` for `h1`."""
    digits = re.sub(r"[. ]", "", text)
    if digits.startswith("h") or len(digits) == 1:
        return digits
    return f"{digits[0]}.{digits[1:]}" if len(digits) == 2 else text


def _letters(text: str, variant: str) -> str | None:
    """Return the letters if the text has only letters of colours, spaces and commas; else None."""
    joined = re.sub(r"[\s,]", "", text)
    known = COLOUR_LETTERS[variant_index(variant)] + WILD_LETTER
    return joined if joined and set(joined) <= set(known) else None


def moves_from_input(text: str, phase: str, variant: str) -> list[Move]:
    """Return the moves in a line of input, in long or short form: one move, except for `return wwb`.

    >>> moves_from_input("wbg", "act", "splendor")
    [Move('take wbg', 'splendor')]
    >>> moves_from_input("23", "act", "splendor")
    [Move('buy 2.3', 'splendor')]
    >>> moves_from_input("wb", "return", "splendor")
    [Move('return w', 'splendor'), Move('return b', 'splendor')]
    """
    text = " ".join(text.lower().split())
    kind, _, operand = text.partition(" ")
    letters = _letters(text, variant)
    if letters is not None:
        kind = {"act": "take", "return": "return", "pay": "wild"}.get(phase, "take")
        operand = letters
    elif phase == "act" and _PLACE.fullmatch(text):
        kind, operand = "buy", text
    elif phase == "tile" and text.isdecimal():
        kind, operand = "tile", text
    else:
        kind = _SHORT_KINDS.get(phase, {}).get(kind, kind)
    if kind in ("buy", "reserve"):
        operand = _place_operand(operand)
    if kind == "return":
        returned = _letters(operand, variant)
        if returned is not None and len(returned) > 1:
            return [Move.from_text(f"return {letter}", variant) for letter in returned]
    return [Move.from_text(f"{kind} {operand}".strip(), variant)]


HELP_MOVES = {
    "take": ("take wbg", "wbg"),
    "take_two": ("take ww", "ww"),
    "buy": ("buy 2.3", "2.3"),
    "buy_reserved": ("buy h1", "h1"),
    "reserve": ("reserve 2.3", "r 2.3"),
    "reserve_unseen": ("reserve 2", "r 2"),
    "return": ("return w", "return wwb"),
    "tile": ("tile 2", ""),
    "wild": ("wild r, pay", ""),
}
HELP_COMMANDS = ("moves", "table", "rules TRN-5", "record", "undo", "save FILE", "quit")


def _help(variant: str) -> Group:
    index = variant_index(variant)
    letters = zip(COLOUR_LETTERS[index], COLOUR_NAMES[index], strict=True)
    colours = ", ".join(f"{letter} {colour_name(name, variant)}" for letter, name in letters)
    table = Table.grid(padding=(0, 2, 0, 0))
    for key, (typed, short) in HELP_MOVES.items():
        table.add_row(Text(typed, style="bold"), say(f"play.help.{key}", short=f"[bold]{short}[/]"))
    table.add_row()
    for typed in HELP_COMMANDS:
        table.add_row(Text(typed, style="bold"), say(f"play.help.{typed.partition(' ')[0]}"))
    table.add_row()
    return Group(table, say("play.help.colours", colours=colours), say("play.help.market"), say("play.help.seats"))


def _hint(view: View) -> str:
    """Return what the seat to move may type now."""
    moves = view.legal_moves
    if view.phase == "return":
        excess = sum(board_owner(view).tokens.values()) - TOKEN_LIMIT
        return say("play.hint.return", count=excess, move=str(moves[0]))
    if view.phase == "tile":
        return say("play.hint.tile", moves=", ".join(map(str, moves)))
    if view.phase == "pay":
        return say("play.hint.pay", moves=", ".join(map(str, moves[:-1])))
    return say("play.hint.pass" if [move.kind for move in moves] == ["pass"] else "play.hint.act")


def _moves_table(moves: Sequence[Move]) -> Table:
    """Return the legal moves, with a line for each kind."""
    by_kind: dict[str, list[str]] = {}
    for move in moves:
        by_kind.setdefault(move.kind, []).append(str(move).partition(" ")[2])
    table = Table.grid(padding=(0, 2, 0, 0))
    for kind, operands in by_kind.items():
        table.add_row(Text(kind, style="bold"), Text("  ".join(operands)))
    return table


def _refusal_text(error: CabochonError) -> str:
    """Return why something was refused: the error, or in languages other than English the text of its rule."""
    if spoken_language() == DEFAULT_LANGUAGE:
        return str(error)
    if error.rule is not None:
        return say("play.refused", rule=rule(error.rule, spoken_language()).text, id=error.rule)
    return say("play.not_a_move") if isinstance(error, NotationError) else str(error)


class TerminalGame:
    """One game on one screen. It is saved after every decision, so that nothing is lost."""

    def __init__(self, console: Console, game: Game, bots: dict[int, Bot], path: Path) -> None:
        self.console = console
        self.game = game
        self.bots = bots
        self.path = path
        self._last_person: int | None = None  # who last saw the screen
        self._last_mover: int | None = None  # who may undo, until another person has the screen
        self._log = MoveLog()
        self._printed_turns = 0

    def run(self) -> None:
        """Play until the game is over or a person leaves."""
        self._save()
        self._open()
        try:
            while not self.game.is_over:
                if self.game.seat in self.bots:
                    self.game.play(self.bots[self.game.seat](self.game.view(self.game.seat)))
                    self._save()
                    if len(self.bots) == self.game.players:
                        self._print_finished_turns()
                else:
                    self._ask_person()
        except (EOFError, KeyboardInterrupt, _Leave):
            self.console.print()
            self._print(say("play.saved", path=str(self.path)))
            self._print(say("play.resume", command=f"cabochon play --resume {self.path}"))
            return
        self._close()

    def _print(self, text: str, style: str = "") -> None:
        self.console.print(Text(text, style=style), soft_wrap=True)

    def _save(self) -> None:
        text = self.game.record(with_seed=True)
        if not self.game.is_over:
            text = "# This game is not over. The seed below determines all cards still to come.\n" + text
        write_file(self.path, text)

    def _open(self) -> None:
        names = ", ".join(f"{seat + 1} {name}" for seat, name in enumerate(self.game.names))
        self._print(f"{TITLES[self.game.variant]}: {names}", "bold")
        self._print(say("play.commitment_of_seed", commitment=str(self.game.commitment)), "dim")
        self._print(say("play.is_saved", path=str(self.path)), "dim")

    def _print_finished_turns(self) -> None:
        """If only bots play: print each turn in a line when it is over."""
        turns = self._log.turns(self.game)
        is_running = not self.game.is_over and self.game.phase != "act"
        for turn in turns[self._printed_turns : len(turns) - is_running]:
            self._print(f"{turn.round}.{turn.seat + 1} {self._sentence(turn, None)}")
        self._printed_turns = len(turns) - is_running

    def _clear(self) -> None:
        if self.console.is_terminal:
            self.console.clear()

    def _clear_for_other_eyes(self) -> None:
        if self.console.is_terminal:
            self.console.file.write("\x1b[H\x1b[2J\x1b[3J")
            self.console.file.flush()
        else:
            self.console.rule(say("play.cleared"))

    def _hand_over(self, before: int | None, after: int) -> bool:
        """Let the next person come to the screen without seeing the last one's hidden cards (RSV-9).

        Return False if the last person undoes the move instead.
        """
        turn = self._log.turns(self.game)[-1]
        if turn.drawn is not None and turn.seat == before:
            self._print(say("play.drew", card=card_name(turn.drawn, self.game.variant)), "bold")
            input(say("play.press_to_clear") + " ")
        self._clear_for_other_eyes()
        can_undo = before is not None and self._can_undo()
        undo = " " + say("play.may_undo", name=self.game.names[before]) if before is not None and can_undo else ""
        self.console.print(
            Panel(
                Text(say("play.your_turn", name=self.game.names[after]), style="bold", justify="center"),
                subtitle=say("play.hand_over"),
                padding=(1, 2),
            )
        )
        answer = input(say("play.press_when_alone", name=self.game.names[after]) + undo + " ")
        if answer.strip().lower() == "undo" and can_undo:
            self._undo()
            return False
        self._last_mover = None
        return True

    def _sentence(self, turn: Turn, viewer: int | None) -> str:
        is_own = turn.seat == viewer
        name = None if is_own else seat_name(self.game.names, turn.seat)
        return turn.sentence(name, self.game.variant, knows_drawn=is_own)

    def _news(self, seat: int) -> list[Text]:
        """The log since the seat's last turn, including that turn."""
        turns = self._log.turns(self.game)
        if turns and (turns[-1].round, turns[-1].seat) == (self.game.round, seat):
            turns.pop()
        last = max((n for n, turn in enumerate(turns) if turn.seat == seat), default=-1)
        news = [] if last >= 0 else [Text(say("play.commitment", commitment=str(self.game.commitment)), style="dim")]
        for turn in turns[max(last, 0) :]:
            news.append(Text(self._sentence(turn, seat), style="dim" if turn.seat == seat else ""))
        return news

    def _show_table(self) -> None:
        view = self.game.view(self.game.seat)
        news = self._news(view.seat)
        self._clear()
        table = draw_to_fit(view, self.console, other_lines=len(news) + 2)
        lines = len(self.console.render_lines(table)) + len(news) + 2
        if self.console.is_terminal and lines > self.console.height:
            news = news[1:]  # the person's own last turn, or the commitment, which was printed at the start
        self.console.print(table)
        for line in news:
            self.console.print(line, no_wrap=True, overflow="ellipsis")
        self._print(_hint(view), "bold")

    def _ask_person(self) -> None:
        seat = self.game.seat
        before = self._last_person
        has_company = self.game.players - len(self.bots) > 1
        if has_company and before != seat:
            people = [person for person in (before, seat) if person is not None]
            hands = [self.game.view(person).seats[person].reserved for person in people]
            has_secrets = any(held.is_blind for hand in hands for held in hand)
            if has_secrets and not self._hand_over(before, seat):
                return
        self._last_person = seat
        self._show_table()
        while not self._answer(input(f"{self.game.names[seat]}> ").strip()):
            pass

    def _answer(self, text: str) -> bool:
        """Do what the person typed; return whether that changed the game."""
        word, _, rest = text.partition(" ")
        try:
            match word.lower():
                case "":
                    pass
                case "help" | "?":
                    self.console.print(_help(self.game.variant))
                case "moves":
                    self.console.print(_moves_table(self.game.legal_moves))
                case "table":
                    self._show_table()
                case "rules" | "rule":
                    self._show_rule(rest.strip())
                case "record":
                    self._show_record()
                case "save":
                    self._save_as(rest.strip())
                case "quit" | "q" | "exit":
                    raise _Leave
                case "undo":
                    self._undo()
                    return True
                case _:
                    self._play(text)
                    return True
        except CabochonError as error:
            self._print(_refusal_text(error), "red")
            if isinstance(error, NotationError):
                self._print(say("play.hint.help"), "dim")
        return False

    def _play(self, text: str) -> None:
        """Play all the moves of a line, or none if one is illegal."""
        attempt = self.game.copy()
        seat = attempt.seat
        for move in moves_from_input(text, attempt.phase, attempt.variant):
            if attempt.seat != seat:
                raise IllegalMoveError(f"expected no more moves than the turn needs, got {text!r}", "LIM-2")
            attempt.play(move)
        before, self.game = self.game, attempt
        try:
            self._save()
        except CabochonError:
            self.game = before  # a move that is not saved does not count
            raise
        self._last_mover = seat

    def _can_undo(self) -> bool:
        """Whether the person who last had the screen made the last move, and it revealed nothing."""
        last = self.game.events[-1]
        return isinstance(last.what, Move) and last.seat == self._last_mover

    def _undo(self) -> None:
        if not self._can_undo():
            raise CabochonError(say("play.cannot_undo"))
        self.game.undo()
        last = self.game.events[-1]
        if (last.round, last.seat) != (self.game.round, self.game.seat):
            self._last_mover = None  # the move before it was another person's
        self._last_person = self.game.seat
        self._save()

    def _show_rule(self, rule_id: str) -> None:
        found = rule(rule_id, spoken_language())
        self._print(f"{found.id}  {found.text}")
        if found.ruling:
            self._print(say("rules.ruling", ruling=found.ruling), "dim")

    def _show_record(self) -> None:
        """Show the record as this person may know it: without the seed, and the others' blind draws as `h=?`."""
        for line in self.game.record(with_seed=False).splitlines():
            label = line.partition(" ")[0]
            is_own = label.endswith(f".{self.game.seat + 1}")
            self._print(line if is_own else re.sub(r"\bh=\d+", "h=?", line))

    def _save_as(self, name: str) -> None:
        if not name:
            self._save()
            self._print(say("play.saved", path=str(self.path)))
            return
        path = Path(name).expanduser()
        if path.exists():
            raise CabochonError(say("play.file_exists", path=name))
        before, self.path = self.path, path
        try:
            self._save()
        except CabochonError:
            self.path = before
            raise
        if before.parent == games_folder():
            before.unlink(missing_ok=True)
        self._print(say("play.kept", path=str(self.path)))

    def _close(self) -> None:
        if len(self.bots) < self.game.players:
            self._clear()
        self.console.print(draw_to_fit(self.game.view(None), self.console, other_lines=12))
        self.console.print(ranking(self.game))
        self._print(say("play.seed", seed=self.game.seed.hex() if self.game.seed else "?"), "dim")
        self._print(say("play.commitment", commitment=str(self.game.commitment)), "dim")
        self._print(say("play.record", path=str(self.path), command=f"cabochon verify {self.path}"))


def _ending(outcome: Outcome, names: tuple[str, ...]) -> str:
    """Return why the game ended: who forfeited it, or the rule that decided."""
    if outcome.forfeit is not None:
        name = seat_name(names, outcome.forfeit.seat)
        return say(f"result.{outcome.termination}", name=name, detail=outcome.forfeit.detail).rstrip(" :")
    found = rule(outcome.rule, spoken_language())
    prefix = say(f"result.{outcome.termination}") + " " if outcome.termination.is_stalemate else ""
    return f"{prefix}{found.text} [{found.id}]"


def ranking(game: Game) -> Panel:
    """Return the places of all seats, and what decided them."""
    outcome = game.outcome
    if outcome is None:
        raise CabochonError("expected a game that has ended")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("place", "points", "cards"):
        table.add_column(say(f"result.{title}"), justify="right")
    table.add_column(say("result.player"))
    for seat in outcome.ranking:
        name = Text(f"{seat + 1} {game.names[seat]}", style="bold" if seat in outcome.winners else "")
        table.add_row(str(outcome.places[seat]), str(outcome.points[seat]), str(outcome.cards[seat]), name)
    winners = [say("table.seat", name=game.names[seat], seat=seat + 1) for seat in outcome.winners]
    if not winners:
        title = say("result.nobody")
    elif len(winners) == 1:
        title = say("result.won", name=winners[0])
    else:
        title = say("result.shared", names=", ".join(winners[:-1]), last=winners[-1])
    grid = Table.grid()
    grid.add_row(table)
    grid.add_row(Text(_ending(outcome, game.names), style="dim"))
    return Panel(grid, title=Text(title, style="bold"), title_align="left", expand=False)
