"""Every text of the command line that takes insertions, with every kind of insertion that is made there.

tests/data/rendered has these sentences as players see them, for native speakers to review. Where a change is meant,
write them anew with `python -m tests.test_rendered_texts`, and read the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from string import Formatter

import pytest
from rich.text import Text

from cabochon.bots import LADDER
from cabochon.cli.board import LEVEL_NUMERALS, card_name, colour_name
from cabochon.cli.move_log import Clause, Turn
from cabochon.cli.play import BOT_PREFIX, DEFAULT_BOT, HELP_MOVES
from cabochon.core.cards import CARD_LIST, COLOUR_NAMES, TILE_LIST, VARIANTS, Card
from cabochon.language import LANGUAGES, catalogue, local_name, local_names, plural_form, say, speaking, spoken_language
from cabochon.notation import COLOUR_LETTERS, WILD_LETTER, WILD_NAMES, Move, variant_index
from cabochon.rulebook import rule, rules, topics

Value = str | int
Kind = Callable[[str], Sequence[Value]]  # what is inserted in a variant, in the current language

FOLDER = Path(__file__).parent / "data" / "rendered"
NUMBERS = (1, 2, 5, 11, 21)  # they need every plural form of every language
BOT = f"{BOT_PREFIX}{DEFAULT_BOT}"
# Names with an article or a full stop of their own, and those that a rulebook translates.
CHARACTERS = dict.fromkeys(
    ["Thor", "The Collector", "M.O.D.O.K.", *(name for language in LANGUAGES for name in local_names(language))]
)


# What is inserted


def cards(variant: str) -> list[Card]:
    """The characters; in Splendor a card of each colour without points, and one of each with 1 to 5 points."""
    index = variant_index(variant)
    if variant == "marvel":
        return [card for name in CHARACTERS for card in CARD_LIST[index] if card.name == name]
    wanted = [(colour, points) for n, colour in enumerate(COLOUR_NAMES[index], start=1) for points in (0, n)]
    return [next(card for card in CARD_LIST[index] if (card.bonus, card.points) == pair) for pair in wanted]


def card_names(variant: str) -> list[str]:
    return [card_name(card, variant) for card in cards(variant)]


def colours(variant: str) -> list[str]:
    return [colour_name(name, variant) for name in COLOUR_NAMES[variant_index(variant)]]


def colours_and_wild(variant: str) -> list[str]:
    return [*colours(variant), colour_name(WILD_NAMES[variant_index(variant)], variant)]


def legend(variant: str) -> list[str]:
    """Each colour with its letter."""
    letters = COLOUR_LETTERS[variant_index(variant)]
    return [", ".join(f"{letter} {name}" for letter, name in zip(letters, colours(variant), strict=True))]


def taken(variant: str) -> list[str]:
    """Three different tokens, and each colour twice."""
    letters = COLOUR_LETTERS[variant_index(variant)]
    moves = [Move.from_text(f"take {tokens}", variant) for tokens in (letters[:3], *(2 * one for one in letters))]
    return [", ".join(colour_name(name, variant) for name in move.colours) for move in moves]


def numbers(_: str) -> Sequence[int]:
    """Where a language has only two plural forms, the first two numbers will do."""
    forms = {plural_form(spoken_language(), number) for number in NUMBERS}
    return NUMBERS if len(forms) > 2 else NUMBERS[:2]


def people(_: str) -> list[str]:
    return ["Ada", "J. R."]


def seats(variant: str) -> list[str]:
    """Whoever plays alone against bots is called "You" if they give no name."""
    return [*people(variant), BOT, say("play.you"), say("table.seat", name="Ada", seat=2)]


def winners(_: str) -> list[str]:
    return [say("table.seat", name=name, seat=seat) for seat, name in enumerate(("Ada", BOT, say("play.you")), start=1)]


def only(*values: Value) -> Kind:
    return lambda _: values


# By the name of the placeholder.
KINDS: dict[str, Kind] = {
    "answer": only("chess"),
    "better": only("buy 2.3"),
    "bots": only(", ".join(f"{BOT_PREFIX}{level}" for level in LADDER)),
    "card": card_names,
    "colour": colours,
    "colours": legend,
    "command": only("cabochon play --resume game.txt"),
    "commitment": only("c0ffee"),
    "count": numbers,
    "default": lambda _: [f"{say('play.you')}, {BOT}"],
    "detail": only("no answer within 2 s"),
    "example": lambda _: [next(topic.example for topic in topics(spoken_language()) if topic.example)],
    "id": only("TRN-5"),
    "last": lambda variant: winners(variant)[-1:],
    "level": only(1, 2, 3),
    "loss": only("5.0", "21.3"),
    "move": only("take wbg"),
    "moves": only("tile 1, tile 3"),
    "name": seats,
    "names": lambda variant: [winners(variant)[0], ", ".join(winners(variant)[:2])],
    "path": only("game.txt"),
    "place": only("2.3"),
    "played": only("take wbg"),
    "points": lambda variant: [say("table.points", count=number) for number in numbers(variant)],
    "round": only(12),
    "rule": lambda _: [rule("TRN-5", spoken_language()).text],
    "ruling": lambda _: [next(found.ruling for found in rules(spoken_language()) if found.ruling)],
    "seat": only(2),
    "seed": only("5eed"),
    "step": only(3),
    "steps": only(61),
    "tile": lambda variant: [
        tile.name or tile.number for tile in TILE_LIST[variant_index(variant)] if tile.number in (1, 5)
    ],
    "token": colours_and_wild,
    "tokens": taken,
    "turn": only("4.2"),
    "wilds": only(f"1{WILD_LETTER}", f"2{WILD_LETTER}"),
}

# Where a placeholder stands for something else.
EXCEPTIONS: dict[str, dict[str, Kind]] = {
    "card.named": {"name": lambda _: [local_name(name) for name in CHARACTERS]},
    "card.worth": {"card": lambda variant: [card_name(card, variant) for card in cards(variant) if not card.points]},
    "log.name.wild": {"token": colours},
    "log.you.wild": {"token": colours},
    "play.hint.pay": {"moves": only("wild r, wild g")},
    "play.hint.return": {"move": only("return w")},
    "play.may_undo": {"name": people},
    "play.press_when_alone": {"name": people},
    "play.record": {"command": only("cabochon verify game.txt")},
    "play.your_turn": {"name": people},
    "result.failure": {"name": only(BOT)},
    "result.won": {"name": winners},
    "table.seat": {"name": only("Ada", BOT)},
    "table.unseen": {"level": only(*LEVEL_NUMERALS)},
    **{f"play.help.{key}": {"short": only(f"[bold]{short}[/]")} for key, (_, short) in HELP_MOVES.items() if short},
}

# Texts of one game whose keys do not say so.
ONE_VARIANT = {"card.named": "marvel", "card.plain": "splendor"}


# Rendering


def placeholders(entry: str | dict[str, str]) -> list[str]:
    """Return the placeholders in their order; a text with plural forms needs a number in any case."""
    texts = [entry] if isinstance(entry, str) else ["{count}", *entry.values()]
    return list(dict.fromkeys(name for text in texts for _, name, _, _ in Formatter().parse(text) if name))


def kind_of(key: str, name: str) -> Kind:
    kind = EXCEPTIONS.get(key, {}).get(name) or KINDS.get(name)
    assert kind is not None, f"expected a kind of insertion for {{{name}}} of the text {key}, found none"
    return kind


def one_by_one(options: dict[str, Sequence[Value]]) -> Iterable[dict[str, Value]]:
    """All choices that differ from the first choice in one place at most."""
    first = {name: values[0] for name, values in options.items()}
    return [{**first, name: value} for name, values in options.items() for value in values] or [first]


def sentence(person: str, clauses: list[Clause], variant: str) -> str:
    return Turn(1, 0, clauses).sentence("Ada" if person == "name" else None, variant, knows_drawn=True)


def text_of(key: str, values: dict[str, Value], variant: str) -> str:
    """The text as it appears: what a seat did with its name before it, and help without its markup."""
    if key.startswith("log."):
        _, person, kind = key.split(".", maxsplit=2)
        return sentence(person, [(kind, values)], variant)
    text = say(key, **values)
    return Text.from_markup(text).plain if key.startswith("play.help.") else text


def texts_of(key: str, entry: str | dict[str, str], variant: str) -> list[str]:
    names = placeholders(entry)
    if not names and not key.startswith("log."):
        return []
    if (ONE_VARIANT.get(key) or next((one for one in VARIANTS if key.endswith(f".{one}")), variant)) != variant:
        return []
    options = {name: kind_of(key, name)(variant) for name in names}
    return [text_of(key, values, variant) for values in one_by_one(options)]


def whole_turns(variant: str) -> list[str]:
    """Return turns in which much happens, of somebody else and of the reader."""
    tokens, cards = KINDS["tokens"](variant)[0], card_names(variant)
    wilds = colours_and_wild(variant)[-1]
    taking: list[Clause] = [("take", {"tokens": tokens}), ("return", {"token": wilds}), ("return", {"token": wilds})]
    buying: list[Clause] = [
        ("wild", {"token": colours(variant)[0]}),
        (f"buy.{variant}", {"card": cards[1]}),
        *([("time", {}), ("avengers", {})] if variant == "marvel" else []),
        (f"tile.{variant}", {"tile": KINDS["tile"](variant)[0]}),
    ]
    return [sentence(person, clauses, variant) for person in ("name", "you") for clauses in (taking, buying)]


def rendered(language: str) -> list[str]:
    """Return all of it, one rendering per line."""
    with speaking(language):
        texts = [
            (key, text)
            for key, entry in catalogue("en").items()
            for variant in VARIANTS
            for text in texts_of(key, entry, variant)
        ]
        texts += [("log", text) for variant in VARIANTS for text in whole_turns(variant)]
    return list(dict.fromkeys(f"{key}: {text}" for key, text in texts))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sentences_are_the_reviewed_ones(language: str) -> None:
    reviewed = (FOLDER / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    assert rendered(language) == reviewed


def test_every_kind_of_insertion_is_used() -> None:
    names = {(key, name) for key, entry in catalogue("en").items() for name in placeholders(entry)}
    exceptions = {(key, name) for key, kinds in EXCEPTIONS.items() for name in kinds}
    assert exceptions <= names
    assert {name for _, name in names - exceptions} == set(KINDS)


def test_every_file_belongs_to_a_language() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {f"{language}.txt" for language in LANGUAGES}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        (FOLDER / f"{language}.txt").write_text("\n".join(rendered(language)) + "\n", encoding="utf-8")
