"""The rules and the introductions say the same in every language, in the words of its rulebooks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cabochon.language import LANGUAGES
from cabochon.rulebook import Rule, Topic, rules, topics

OTHERS = [language for language in LANGUAGES if language != "en"]

# Words that docs/languages.md does not use, since the books have another for the same thing; and what a
# translation must name where the English text does. Both are patterns, whatever the case of the letters.
WORDS = json.loads((Path(__file__).parent.parent / "data" / "words.json").read_text(encoding="utf-8"))
FORBIDDEN = WORDS["forbidden"]
TERMS = WORDS["terms"]


def pairs(language: str) -> list[tuple[Rule, Rule]]:
    return list(zip(rules(), rules(language), strict=True))


def topic_pairs(language: str) -> list[tuple[Topic, Topic]]:
    return list(zip(topics(), topics(language), strict=True))


def numbers(text: str) -> list[str]:
    return sorted(re.findall(r"\d+", text))


def all_texts(language: str) -> list[tuple[str, str]]:
    texts = [(rule.id, f"{rule.section} {rule.text} {rule.ruling}") for rule in rules(language)]
    return texts + [(topic.id, " ".join([topic.title, *topic.text, topic.example])) for topic in topics(language)]


@pytest.mark.parametrize("language", OTHERS)
def test_every_rule_is_translated(language: str) -> None:
    for english, other in pairs(language):
        assert (other.id, other.game) == (english.id, english.game)
        assert other.text.endswith(".")
        assert other.text != english.text
        assert bool(other.ruling) == bool(english.ruling), other.id
        assert not other.ruling or other.ruling.endswith(".")
        assert not other.ruling or other.ruling != english.ruling


@pytest.mark.parametrize("language", OTHERS)
def test_translations_keep_the_numbers(language: str) -> None:
    """Levels and players may be numbered in words; what is paid, held or scored is in digits in every language."""
    for english, other in pairs(language):
        assert set(numbers(other.text)) <= set(numbers(english.text)), other.id
        for number in set(numbers(english.text)) - set(numbers(other.text)):
            assert re.search(rf"level {number}|[Ww]ith {number} players", english.text), other.id
        assert numbers(other.ruling) == numbers(english.ruling), other.id
    for topic, translated in topic_pairs(language):
        assert len(translated.text) == len(topic.text), topic.id
        assert bool(translated.example) == bool(topic.example), topic.id


@pytest.mark.parametrize("language", OTHERS)
def test_translations_are_about_as_long(language: str) -> None:
    for english, other in pairs(language):
        assert 0.45 * len(english.text) < len(other.text) < 1.6 * len(english.text) + 15, other.id
    for topic, translated in topic_pairs(language):
        before, after = (*topic.text, topic.example), (*translated.text, translated.example)
        for original, text in zip(before, after, strict=True):
            assert 0.5 * len(original) <= len(text) <= 1.6 * len(original) + 15, topic.id


@pytest.mark.parametrize("language", OTHERS)
def test_sections_are_translated_one_to_one(language: str) -> None:
    titles = {(english.section, other.section) for english, other in pairs(language)}
    assert len(titles) == len({rule.section for rule in rules()}) == len({rule.section for rule in rules(language)})
    assert {other for english, other in titles if english == other} <= {"Material"}


@pytest.mark.parametrize("language", OTHERS)
def test_the_words_are_those_of_the_rulebooks(language: str) -> None:
    wrong = {
        f"{where}: {word}"
        for where, text in all_texts(language)
        for word in FORBIDDEN[language]
        if re.search(word, text, re.IGNORECASE)
    }
    assert not wrong


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("term", ["token", "wild", "noble", "location", "Gauntlet"])
def test_terms_are_translated_by_their_terms(language: str, term: str) -> None:
    lost = [
        other.id
        for english, other in pairs(language)
        if re.search(rf"\b{term}s?\b", english.text) and not re.search(TERMS[language][term], other.text, re.IGNORECASE)
    ]
    assert not lost


@pytest.mark.parametrize("game", ["splendor", "marvel"])
def test_the_topics_of_a_game_have_all_its_rules(game: str) -> None:
    reached = {rule_id for topic in topics() if topic.game == game for rule_id in topic.rules}
    assert reached == {rule.id for rule in rules() if rule.game in (game, "both")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_topics_are_complete(language: str) -> None:
    for topic in topics(language):
        assert topic.id.partition(".")[0] == topic.game
        assert topic.title
        assert not topic.title.endswith(".")
        assert all(paragraph.endswith(".") for paragraph in topic.text)
    assert [topic.id for topic in topics(language)] == [topic.id for topic in topics()]


@pytest.mark.parametrize("language", OTHERS)
def test_topics_are_translated(language: str) -> None:
    for english, other in topic_pairs(language):
        assert other.title != english.title
        assert not set(other.text) & set(english.text)
        assert not other.example or other.example != english.example
