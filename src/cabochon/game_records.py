"""Convert games to records and back, for `Game.record` and `Game.from_record`."""

from __future__ import annotations

import re
from itertools import groupby

from cabochon.core.cards import VARIANTS
from cabochon.errors import CabochonError, RecordError
from cabochon.game import Game
from cabochon.options import PAYMENTS, Options
from cabochon.outcome import FORFEITS, Forfeit, Termination
from cabochon.record import DEAL_LABEL, FORMAT_VERSION, Line, Record, is_tag_name, parse_record
from cabochon.version import RULES_VERSION

_SETUP = ("Cabochon", "Rules", "Game", "Players", "Seat1", "Seat2", "Seat3", "Seat4", "Date", "FreeTake", "Payment")
_OWN_TAGS = frozenset([*_SETUP, "Commitment", "Seed", "Result", "Points", "End", "Forfeit"])


def record_of(game: Game, with_seed: bool) -> Record:
    """Return the record of a game."""
    tags = {
        "Cabochon": FORMAT_VERSION,
        "Rules": str(RULES_VERSION),
        "Game": game.variant,
        "Players": str(game.players),
        **{f"Seat{n}": name for n, name in enumerate(game.names, start=1)},
        "Date": game.date,
        "FreeTake": "yes" if game.options.free_take else "no",
        "Payment": game.options.payment,
    }
    if game.commitment is not None:
        tags["Commitment"] = game.commitment
    if game.seed is not None and with_seed:
        tags["Seed"] = game.seed.hex()
    tags |= _result_tags(game)
    others = {key: value for key, value in game.tags.items() if is_tag_name(key) and key not in _OWN_TAGS | tags.keys()}
    return Record(tags | others, _lines(game), is_ended=True)


def _result_tags(game: Game) -> dict[str, str]:
    outcome = game.outcome
    if outcome is None:
        return {"Result": "*"}
    tags = {
        "Result": " ".join(map(str, outcome.places)),
        "Points": " ".join(map(str, outcome.points)),
        "End": outcome.reason,
    }
    if outcome.forfeit is not None:
        tags |= {"Termination": outcome.termination.value, "Forfeit": str(outcome.forfeit)}
    return tags


def _turn_label(round_number: int, seat: int) -> str:
    return f"{round_number}.{seat + 1}" if round_number else DEAL_LABEL


def _labels(game: Game) -> list[str]:
    return [_turn_label(*turn) for turn in game._turns]


def _lines(game: Game) -> list[Line]:
    turns = groupby(zip(_labels(game), game.texts, strict=True), key=lambda event: event[0])
    return [Line(0, label, tuple(text for _, text in events)) for label, events in turns]


def game_of(record: str | Record) -> Game:
    """Replay a record by the rules; `Game.from_record` says what a `RecordError` contains."""
    if isinstance(record, str):
        record = parse_record(record)
    if not isinstance(record, Record):
        raise RecordError(f"expected a Record or its text, got {record!r}", 1)
    if record.fault is not None and not record.lines:
        raise record.fault
    seed = _hex_tag(record, "Seed")
    game = _replay(_undealt_game(record), record.lines)
    if record.fault is not None:
        raise RecordError(record.fault.message.partition(": ")[2], record.fault.line, record.fault.rule, game)
    if not record.is_ended:
        raise RecordError("the record is incomplete: expected another turn or 'end'", record.last_line, game=game)
    _read_forfeit(game, record)
    _check_result(game, record)
    game.seed = seed
    if game.outcome is None:
        game._draw_reveals()
    return game


def _tag(record: Record, key: str, allowed: tuple[str, ...], default: str | None = None) -> str:
    value = record.tags.get(key, default)
    if value is None:
        raise RecordError(f'expected a tag [{key} "..."], found none', max(record.last_line, 1))
    if value not in allowed:
        expected = " or ".join(repr(str(choice)) for choice in allowed)
        raise RecordError(f"expected {key} to be {expected}, got {value!r}", record.tag_lines[key])
    return value


def _hex_tag(record: Record, key: str) -> bytes | None:
    value = record.tags.get(key)
    if value is None:
        return None
    if not re.fullmatch("[0-9a-f]{64}", value):
        raise RecordError(f"expected {key} to be 64 hexadecimal digits, got {value!r}", record.tag_lines[key])
    return bytes.fromhex(value)


def _undealt_game(record: Record) -> Game:
    """Return a game by hand, set up from the tags."""
    _tag(record, "Cabochon", (FORMAT_VERSION,))
    _tag(record, "Rules", (str(RULES_VERSION),))
    options = Options(
        variant=_tag(record, "Game", VARIANTS),
        players=int(_tag(record, "Players", ("2", "3", "4"))),
        free_take=_tag(record, "FreeTake", ("no", "yes"), "no") == "yes",
        payment=_tag(record, "Payment", PAYMENTS, "choice"),
    )
    names = [record.tags.get(f"Seat{n}", f"Seat {n}") for n in range(1, options.players + 1)]
    commitment = _hex_tag(record, "Commitment")
    game = Game.by_hand(options, names=names, date=record.tags.get("Date", "?"))
    game.tags = {key: value for key, value in record.tags.items() if key not in _OWN_TAGS}
    game.commitment = None if commitment is None else commitment.hex()
    return game


def _replay(game: Game, lines: list[Line]) -> Game:
    """Play all the lines at once, which is fast; if that fails, play them one by one to find the fault."""
    quick = game.copy()
    try:
        quick.play_texts([text for line in lines for text in line.events])
    except CabochonError:
        pass
    else:
        if all(line.events for line in lines) and _labels(quick) == [line.label for line in lines for _ in line.events]:
            return quick
    for line in lines:
        _replay_line(game, line)
    return game


def _replay_line(game: Game, line: Line) -> None:
    if not line.events:
        raise RecordError(f"expected moves after {line.label!r}", line.number, "TRN-1", game)
    for text in line.events:
        label = _turn_label(game.round, game.seat)
        if line.label != label and not game.is_over:
            raise RecordError(f"expected the turn {label}, got {line.label}", line.number, "SET-10", game)
        try:
            if "=" in text:
                game.reveal(text)
            else:
                game.play(text)
        except CabochonError as error:
            raise RecordError(error.message, line.number, error.rule, game) from error


def _read_forfeit(game: Game, record: Record) -> None:
    """Forfeit the game if the record has the tag `Forfeit`; without it, `Termination` has no meaning."""
    text = record.tags.get("Forfeit")
    if text is None:
        return
    termination = None
    if "Termination" in record.tags:
        termination = Termination(_tag(record, "Termination", FORFEITS))
        del game.tags["Termination"]
    forfeit = Forfeit.from_text(text, termination)
    if forfeit is None or forfeit.seat >= game.players or game.is_over:
        message = f"expected Forfeit to be 'seat N: reason' in an unfinished game, got {text!r}"
        raise RecordError(message, record.tag_lines["Forfeit"], game=game)
    game.forfeit(forfeit.seat, forfeit.detail, forfeit.termination)


def _check_result(game: Game, record: Record) -> None:
    rule = "END-M3" if game.variant == "marvel" else "END-B2"
    tags = _result_tags(game)
    for key in ("Result", "Points", "End"):
        expected = tags.get(key)
        found = record.tags.get(key, expected)
        if found != expected:
            message = f"expected {key} to be {expected!r} as replayed, got {found!r}"
            raise RecordError(message, record.tag_lines[key], rule, game)
