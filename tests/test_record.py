"""Records: what is written reads back, and what is damaged is refused with its line and its rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabochon import Game, Options, OptionsError, Record, RecordError, Termination, read_records
from cabochon.record import parse_record, split_records
from cabochon.verification import verify
from tests.playing import SETTINGS, all_options, random_game, seeds

WHOLE = random_game(Options("marvel", 3), 5).record()
OLD_RECORDS = Path(__file__).parent / "data" / "records"  # written before there was a tag `Termination`


def refuse(text: str) -> RecordError:
    """The error that reading this text gives."""
    with pytest.raises(RecordError) as refused:
        Game.from_record(text)
    return refused.value


def line_of(text: str, start: str) -> int:
    """The number of the first line that begins so."""
    return next(n for n, line in enumerate(text.splitlines(), 1) if line.startswith(start))


@given(all_options, seeds, st.integers(0, 300))
def test_a_game_reads_back_as_it_was_written(options: Options, seed: int, length: int) -> None:
    game = random_game(options, seed, length)
    again = Game.from_record(game.record(with_seed=True))
    assert again.state.tobytes() == game.state.tobytes()
    assert again.events == game.events
    assert again.outcome == game.outcome
    assert again.seed == game.seed
    assert again.record(with_seed=True) == game.record(with_seed=True)
    assert again.view(0).to_dict() == game.view(0).to_dict()


@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_a_whole_turn_stands_on_one_line(variant: str, players: int) -> None:
    game = random_game(Options(variant, players), 3)
    record = parse_record(game.record())
    labels = [line.label for line in record.lines]
    assert labels[0] == "deal"
    assert labels[1:] == [f"{n // players + 1}.{n % players + 1}" for n in range(len(labels) - 1)]


def test_the_seed_stays_secret_until_the_game_is_over() -> None:
    game = random_game(Options(), 3, 10)
    assert game.seed is not None
    assert game.seed.hex() not in game.record()
    assert game.commitment is not None
    assert game.commitment in game.record()
    over = random_game(Options(), 3)
    assert over.seed is not None
    assert over.seed.hex() in over.record()


def test_a_record_needs_no_generator() -> None:
    without_seed = re.sub(r'\[(Seed|Commitment) ".*"\]\n', "", WHOLE)
    game = Game.from_record(without_seed)
    assert game.is_over
    assert game.seed is None


def test_a_game_without_a_seed_goes_on_by_hand() -> None:
    game = Game.from_record(random_game(Options(), 3, 4).record())
    game.play("reserve 1")
    assert game.phase == "reveal"
    assert game.reveal(game.legal_reveals[0]).where == "h"


def test_a_resumed_game_draws_the_same_cards() -> None:
    game = random_game(Options("marvel", 2), 8, 6)
    again = Game.from_record(game.record(with_seed=True))
    for one in (game, again):
        one.play("reserve 2")
    assert again.state.tobytes() == game.state.tobytes()


def test_names_and_own_tags_survive() -> None:
    game = Game("splendor", seed=1, names=['Zoë "Z" \\ Ünal', "# [not a tag]"])
    game.tags["Event"] = "Sunday; round 2 # final"
    again = Game.from_record(game.record())
    assert again.names == game.names
    assert again.tags == game.tags


def test_names_keep_every_letter() -> None:
    names = ("x\u00a0y\u3000z", "\U0001f468\u200d\U0001f469")
    assert Game.from_record(Game("splendor", seed=1, names=names).record()).names == names


def test_a_record_cannot_command_the_terminal() -> None:
    text = Game("splendor", seed=1).record().replace("Seat 1", "\x1b[31mred\x07")
    assert Game.from_record(text).names[0] == "[31mred"


def test_a_byte_order_mark_and_other_line_ends_are_read() -> None:
    assert Game.from_record("\ufeff" + WHOLE.replace("\n", "\r\n")).record() == WHOLE


def test_tags_that_would_spoil_the_record_are_left_out() -> None:
    game = Game("splendor", seed=1)
    game.tags = {"bad key": "x", "Game": "marvel", "Event": "ok"}
    assert Game.from_record(game.record()).tags == {"Event": "ok"}


def test_a_control_character_in_a_name_does_not_break_the_form() -> None:
    game = Game("splendor", seed=1, names=["a\nb", "c\r\x1b[31m"])
    assert Game.from_record(game.record()).names == ("ab", "c[31m")


def test_comments_and_blank_lines_are_skipped() -> None:
    commented = WHOLE.replace("\n1.1 ", "\n\n# the first turn\n1.1 ").replace("\nend\n", "\nend # done\n")
    commented = commented.replace('[Players "3"]', '[Players "3"] # "three"')
    assert Game.from_record(commented).record() == WHOLE


@pytest.mark.parametrize(
    ("edit", "label", "rule", "message"),
    [
        (("\n1.2 ", "\n2.2 "), "2.2", "SET-10", "expected the turn 1.2, got 2.2"),
        (("\n1.1 take", "\n1.1 tkae"), "1.1", None, "expected a move such as"),
        (("deal 1.1=", "deal 1.2="), "deal", "SET-2", "expected a reveal at 1.1"),
        (('[Players "3"]', '[Players "5"]'), "[Players", None, "expected Players to be '2' or '3' or '4'"),
        (('[Game "marvel"]', '[Game "chess"]'), "[Game", None, "expected Game to be 'splendor' or 'marvel'"),
        (('[Rules "1"]', '[Rules "99"]'), "[Rules", None, "expected Rules to be '1', got '99'"),
        (('[Cabochon "1"]', '[Cabochon "2"]'), "[Cabochon", None, "expected Cabochon to be '1', got '2'"),
        (('[Payment "choice"]', '[Payment "mine"]'), "[Payment", None, "expected Payment to be"),
        (('[Seed "0', '[Seed "x'), "[Seed", None, "64 hexadecimal digits"),
        (('[End "won"]', '[End "all passed"]'), "[End", "END-M3", "expected End to be 'won' as replayed"),
        (("\n1.1 ", "\nnonsense\n1.1 "), "nonsense", None, "expected a tag such as"),
        (("\n1.1 ", '\n[Late "x"]\n1.1 '), "[Late", None, "a tag in the middle of a game"),
        (('[Rules "1"]', '[Rules "1"]\n[Rules "1"]'), None, None, "expected each tag once, got Rules twice"),
        (("\nend\n", "\nend\n99.1 pass\n"), "99.1", None, "expected nothing more after 'end'"),
        (("\nend\n", "\n99.1 pass\nend\n"), "99.1", "END-M2", "the game is over"),
        (("\n2.1 ", "\n2.1\n2.1 "), "2.1", "TRN-1", "expected moves after '2.1'"),
    ],
)
def test_an_edited_record_is_refused_with_line_and_rule(
    edit: tuple[str, str], label: str | None, rule: str | None, message: str
) -> None:
    assert edit[0] in WHOLE
    edited = WHOLE.replace(*edit, 1)
    error = refuse(edited)
    assert message in str(error)
    assert error.rule == rule
    assert error.line == (line_of(edited, label) if label else 3)


def test_an_illegal_move_in_a_record_is_refused_and_the_rest_readable() -> None:
    lines = WHOLE.splitlines()
    number = line_of(WHOLE, "4.1 ")
    lines[number - 1] = "4.1 buy h3"
    error = refuse("\n".join(lines))
    assert (error.line, error.rule) == (number, "TRN-8")
    assert error.game is not None
    assert (error.game.round, error.game.seat) == (4, 0)
    assert [str(event.what) for event in error.game.events] == [
        text for line in parse_record(WHOLE).lines if line.number < number for text in line.events
    ]


def forfeited(variant: str) -> tuple[Game, tuple[int, ...]]:
    game = random_game(Options(variant, 4), 3, 150)
    assert not game.is_over
    return game, game.forfeit(2, "out of time", Termination.TIMEOUT)


@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_the_result_of_a_game_given_up_is_told_and_checked(variant: str) -> None:
    game, places = forfeited(variant)
    record = game.record(with_seed=True)
    assert places[2] == 4
    others = [(int(game.state.points[seat]), -places[seat]) for seat in (0, 1, 3)]
    assert sorted(others) == sorted(others, key=lambda pair: pair[1])  # more points, better place
    assert min(places) == 1
    assert f'[Result "{" ".join(map(str, places))}"]' in record
    assert '[End "forfeit"]\n[Termination "timeout"]\n[Forfeit "seat 3: out of time"]' in record
    again = Game.from_record(record)
    assert again.record(with_seed=True) == record
    assert again.outcome == game.outcome
    assert again.outcome is not None
    assert (again.outcome.termination, again.outcome.seat, again.outcome.reason) == (Termination.TIMEOUT, 2, "forfeit")
    assert not again.is_over
    assert verify(record).is_true


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (r'\[Result "[^"]*"\]->[Result "1 1 1 4"]', "expected Result to be"),
        (r'\[End "forfeit"\]->[End "won"]', "expected End to be 'forfeit' as replayed, got 'won'"),
        (r"seat 3: out of time->seat 5: out of time", "expected Forfeit to be 'seat N: reason'"),
        (r'\[Termination "timeout"\]->[Termination "points"]', "expected Termination to be 'resignation' or 'timeout'"),
        (r"seat 3: out of time->tired", "expected Forfeit to be 'seat N: reason' in an unfinished game, got 'tired'"),
    ],
)
def test_a_wrong_forfeit_is_refused(change: str, message: str) -> None:
    before, _, after = change.partition("->")
    text = re.sub(before, after, forfeited("splendor")[0].record())
    assert message in str(refuse(text))


def test_a_game_that_is_over_cannot_be_given_up() -> None:
    finished = Game.from_record(WHOLE)
    with pytest.raises(OptionsError, match="expected a game in progress, got one that is over"):
        finished.forfeit(0, "tired")
    with pytest.raises(OptionsError, match="expected a seat from 0 to 1, got 2"):
        Game("splendor", seed=1).forfeit(2, "tired")
    with pytest.raises(OptionsError, match="expected the termination of a forfeit"):
        Game("splendor", seed=1).forfeit(1, "", Termination.POINTS)
    assert "expected Forfeit" in str(refuse(WHOLE.replace("[Rules", '[Forfeit "seat 1: tired"]\n[Rules')))


@pytest.mark.parametrize(
    ("name", "termination", "seat", "reason"),
    [
        ("points", Termination.POINTS, None, "won"),
        ("gauntlet", Termination.GAUNTLET, None, "won"),
        ("resignation", Termination.RESIGNATION, 0, "forfeit"),
        ("timeout", Termination.TIMEOUT, 1, "forfeit"),
        ("timeout_of_a_bot", Termination.TIMEOUT, 1, "forfeit"),
        ("failure", Termination.FAILURE, 2, "forfeit"),
        ("forfeit", Termination.FORFEIT, 1, "forfeit"),
    ],
)
def test_old_records_load_with_their_termination(
    name: str, termination: Termination, seat: int | None, reason: str
) -> None:
    text = (OLD_RECORDS / f"{name}.txt").read_text(encoding="utf-8")
    game = Game.from_record(text)
    outcome = game.outcome
    assert outcome is not None
    assert (outcome.termination, outcome.seat, outcome.reason) == (termination, seat, reason)
    assert f'[Result "{" ".join(map(str, outcome.places))}"]' in text
    assert outcome.winners == tuple(seat for seat, place in enumerate(outcome.places) if place == 1)
    assert Game.from_record(game.record(with_seed=True)).outcome == outcome
    assert verify(text).is_true
    old, new = set(text.splitlines()), set(game.record(with_seed=True).splitlines())
    assert new - old == ({f'[Termination "{termination}"]'} if seat is not None else set())
    assert old <= new


def test_the_tag_termination_of_a_finished_game_is_anybodys() -> None:
    game = Game.from_record((OLD_RECORDS / "gauntlet.txt").read_text(encoding="utf-8"))
    assert game.tags == {"Termination": "normal"}


def test_whoever_plays_on_or_undoes_withdraws_the_forfeit() -> None:
    game = random_game(Options(), 3, 6)
    for is_undo in (False, True):
        game.forfeit(1, "left the table", Termination.RESIGNATION)
        assert game.outcome is not None
        if is_undo:
            game.undo()
        else:
            game.play(game.legal_moves[0])
        assert game.outcome is None
        assert Game.from_record(game.record(with_seed=True)).outcome is None


def test_a_card_cannot_come_twice() -> None:
    twice = re.sub(r"1\.2=\d+", "1.2=" + re.search(r"1\.1=(\d+)", WHOLE).group(1), WHOLE, count=1)  # type: ignore[union-attr]
    error = refuse(twice)
    assert (error.line, error.rule) == (line_of(WHOLE, "deal"), "SET-2")


def test_every_truncation_is_noticed() -> None:
    lines = WHOLE.splitlines(keepends=True)
    for kept in range(len(lines)):
        error = refuse("".join(lines[:kept])) if kept else refuse("")
        assert error.line <= max(kept, 1)
        if kept > line_of(WHOLE, "deal"):
            assert error.game is not None


def read_or_refuse(text: str) -> Game | RecordError:
    """The game, or the one error that reading a text may end in."""
    try:
        return Game.from_record(text)
    except RecordError as error:
        return error


@given(st.text(max_size=200))
def test_any_text_is_refused_or_read(text: str) -> None:
    read = read_or_refuse(text)
    assert isinstance(read, RecordError)
    assert read.line >= 1


@given(st.integers(0, len(WHOLE) - 1), st.sampled_from('0123456789abk.;=#[]"\\ \n*\x00é'), st.booleans())
def test_a_changed_character_never_crashes_the_reader(position: int, character: str, insert: bool) -> None:
    text = WHOLE[:position] + character + WHOLE[position + (0 if insert else 1) :]
    read = read_or_refuse(text)
    if isinstance(read, RecordError):
        assert 1 <= read.line <= text.count("\n") + 1
    else:
        again = Game.from_record(WHOLE)
        assert (read.events, read.outcome) == (again.events, again.outcome)


def test_many_games_stream_from_one_file(tmp_path: Path) -> None:
    texts = [random_game(Options("splendor", 2), seed, 30).record() for seed in range(5)]
    damaged = texts[2].replace("\n1.1 ", "\nrubbish\n1.1 ")
    path = tmp_path / "games.cabochon"
    path.write_text("\n".join([texts[0], texts[1], damaged, texts[3], texts[4]]), encoding="utf-8")
    records = list(read_records(path))
    assert len(records) == 5
    assert [Game.from_record(records[n]).record() for n in (0, 1, 3, 4)] == [texts[n] for n in (0, 1, 3, 4)]
    with pytest.raises(RecordError) as refused:
        Game.from_record(records[2])
    assert path.read_text(encoding="utf-8").splitlines()[refused.value.line - 1] == "rubbish"


def test_records_are_read_one_at_a_time() -> None:
    def lines() -> object:
        yield from WHOLE.splitlines()
        yield from WHOLE.splitlines()
        raise AssertionError("read too far")

    records = split_records(lines())  # type: ignore[arg-type]
    assert isinstance(next(records), Record)


def test_one_game_is_expected_where_one_is_asked_for() -> None:
    assert "expected one game, got 2" in str(refuse(WHOLE + WHOLE))
    assert "expected one game, got 0" in str(refuse("\n"))
