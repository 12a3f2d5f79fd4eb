"""The languages: how one is chosen, how it counts, and the texts of the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Formatter

import pytest

from cabochon import CabochonError
from cabochon.cli.board import card_name
from cabochon.core.cards import CARD_LIST
from cabochon.language import (
    LANGUAGES,
    catalogue,
    checked_language,
    language_of_locale,
    local_name,
    local_names,
    plural_form,
    say,
    speaking,
    spoken_language,
)

DATA = Path(__file__).parent.parent / "src" / "cabochon" / "data"
FORMS = {"en": {"one", "other"}, "es": {"one", "other"}, "de": {"one", "other"}, "it": {"one", "other"}}
FORMS["ru"] = {"one", "few", "many"}
OTHERS = [language for language in LANGUAGES if language != "en"]
# Names, and words that are the same in both languages.
SAME = {
    "all": {"rules.game.splendor", "rules.game.marvel"},
    "es": {"table.tiles.splendor", "table.head.points"},
    "de": {"table.hand"},
    "ru": set(),
    "it": {"table.round"},
}


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "it"}, "it"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "es-AR"}, "es"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": ""}, "de"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
    ],
)
def test_the_locale_chooses_the_language(environment: dict[str, str], language: str) -> None:
    assert language_of_locale(environment) == language


def test_a_language_is_asked_for_by_its_short_name() -> None:
    assert checked_language(" RU ") == "ru"
    with pytest.raises(CabochonError, match="expected one of the languages en, es, de, ru, it, got 'deutsch'"):
        checked_language("deutsch")


def test_the_page_speaks_the_same_languages() -> None:
    page = DATA.parent.parent.parent / "web" / "src"
    for catalogues in (page.glob("messages/*.json"), page.glob("content/guide.*.json")):
        assert {path.stem.rpartition(".")[2] for path in catalogues} == set(LANGUAGES)


def test_plural_forms() -> None:
    assert [plural_form("ru", n) for n in (0, 1, 2, 4, 5, 11, 12, 14, 21, 24, 25, 101, 111)] == (
        ["many", "one", "few", "few", "many", "many", "many", "many", "one", "few", "many", "one", "many"]
    )
    for language in ("en", "es", "de", "it"):
        assert [plural_form(language, n) for n in (0, 1, 2, 21)] == ["other", "one", "other", "other"]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def forms(entry: str | dict[str, str]) -> list[str]:
    return [entry] if isinstance(entry, str) else list(entry.values())


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_translated(language: str) -> None:
    english, translated = catalogue("en"), catalogue(language)
    assert list(english) == list(translated)
    for key, entry in translated.items():
        original = english[key]
        assert isinstance(entry, str) == isinstance(original, str), key
        assert all(text.strip() for text in forms(entry)), key
        names = set().union(*map(placeholders, forms(original)))
        assert all(placeholders(text) | {"count"} == names | {"count"} for text in forms(entry)), key
        if re.search(r"[a-z]{2}", re.sub(r"\{\w+\}|\[[^]]*\]", "", forms(original)[-1])):
            assert (entry == original) == (key in SAME["all"] | SAME[language]), key


@pytest.mark.parametrize("language", OTHERS)
def test_the_words_are_those_of_the_rulebooks(language: str) -> None:
    forbidden = json.loads((Path(__file__).parent / "data" / "words.json").read_text(encoding="utf-8"))["forbidden"]
    wrong = {
        f"{key}: {word}"
        for key, entry in catalogue(language).items()
        for text in forms(entry)
        for word in forbidden[language]
        if re.search(word, re.sub(r"\{\w+\}", "", text), re.IGNORECASE)
    }
    assert not wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_plurals_have_the_forms_of_the_language(language: str) -> None:
    for key, entry in catalogue(language).items():
        if not isinstance(entry, str):
            assert set(entry) == FORMS[language], key


def test_every_text_is_used() -> None:
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (DATA.parent / "cli").glob("*.py"))
    quoted = set(re.findall(r"""["']([a-z]+\.[a-z_.]+)["']""", sources))
    prefixes = tuple(re.findall(r'f"([a-z]+\.[a-z_.]*)\{', sources))
    unused = {key for key in catalogue("en") if key not in quoted and not key.startswith(prefixes)}
    assert not unused


def test_what_is_said_follows_the_language_and_the_number() -> None:
    assert say("table.points", count=1) == "1 pt"
    with speaking("ru"):
        assert [say("table.points", count=n) for n in (1, 3, 5, 21)] == ["1 очко", "3 очка", "5 очков", "21 очко"]
        with speaking("DE"):
            assert say("table.supply") == "Vorrat"
        assert spoken_language() == "ru"
    assert spoken_language() == "en"
    with pytest.raises(KeyError):
        say("table.nonsense")


def test_a_name_that_ends_with_a_full_stop_ends_the_sentence() -> None:
    assert say("result.timeout", name="J. R.") == "J. R. ran out of time."
    with speaking("it"):
        assert say("result.timeout", name="J. R.") == "Tempo scaduto: J. R."


def test_characters_have_the_names_of_the_rulebook_of_the_language() -> None:
    printed = {card.name for card in CARD_LIST[1]}
    for language in LANGUAGES:
        assert set(local_names(language)) <= printed
    with speaking("ru"):
        assert [local_name(name) for name in ("Rocket", "Thor")] == ["Ракета", "Thor"]
        captain = next(card for card in CARD_LIST[1] if card.name == "Captain America")
        assert "Капитан Америка" in card_name(captain, "marvel")
    assert local_name("Rocket") == "Rocket"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_files_are_written_one_way(language: str) -> None:
    text = (DATA / f"messages.{language}.json").read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"
