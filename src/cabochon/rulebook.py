"""The rules by id, which errors, tests and the rule reference cite."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources

from cabochon.errors import CabochonError
from cabochon.language import DEFAULT_LANGUAGE, checked_language


@dataclass(frozen=True)
class Rule:
    """One rule, as a sentence for players; `game` is "splendor", "marvel" or "both".

    `ruling` says how Cabochon plays where the rulebooks leave a question open, and is empty otherwise.
    """

    id: str
    game: str
    section: str
    text: str
    ruling: str


@dataclass(frozen=True)
class Topic:
    """One topic of the introduction to a game: paragraphs, an optional example, and the ids of its rules."""

    id: str
    game: str
    rules: tuple[str, ...]
    title: str
    text: tuple[str, ...]
    example: str


def _data(name: str) -> str:
    return resources.files("cabochon").joinpath("data", name).read_text(encoding="utf-8")


def rules(language: str = DEFAULT_LANGUAGE) -> tuple[Rule, ...]:
    """Return every rule of both games, in the order of a rulebook."""
    return _rules(checked_language(language))


@cache
def _rules(language: str) -> tuple[Rule, ...]:
    english = [Rule(**row) for row in csv.DictReader(_data("rules.csv").splitlines())]
    if language == DEFAULT_LANGUAGE:
        return tuple(english)
    rows = {row["id"]: row for row in csv.DictReader(_data(f"rules.{language}.csv").splitlines())}
    return tuple(Rule(**(rows[rule.id] | {"game": rule.game})) for rule in english)


def rule(rule_id: str, language: str = DEFAULT_LANGUAGE) -> Rule:
    """Return the rule with this id, in upper or lower case.

    >>> rule("trn-5").game
    'both'
    >>> rule("trn-7", "it").text
    'Prenota 1 carta e prendi 1 jolly.'
    """
    by_id = {rule.id: rule for rule in rules(language)}
    found = by_id.get(rule_id.strip().upper())
    if found is None:
        close = get_close_matches(rule_id.strip().upper(), by_id, n=3) or ["TRN-1", "BUY-2", "END-M1"]
        raise CabochonError(f"expected the id of a rule, such as {', '.join(close)}; got {rule_id!r}")
    return found


def topics(language: str = DEFAULT_LANGUAGE) -> tuple[Topic, ...]:
    """Return the introductions to both games, topic by topic; the topics of a game cover all its rules."""
    return _topics(checked_language(language))


@cache
def _topics(language: str) -> tuple[Topic, ...]:
    texts = json.loads(_data(f"topics.{language}.json"))
    return tuple(
        Topic(
            id=row["id"],
            game=row["game"],
            rules=tuple(row["rules"].split()),
            title=texts[row["id"]]["title"],
            text=tuple(texts[row["id"]]["text"]),
            example=texts[row["id"]].get("example", ""),
        )
        for row in csv.DictReader(_data("topics.csv").splitlines())
    )
