"""The command line speaks the language that is asked for, or that of the locale."""

from __future__ import annotations

import json

import pytest

from cabochon.rulebook import rule, topics
from tests.cli.command import run


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_rules_in_a_language() -> None:
    assert "Reserviere 1 Karte und nimm dazu 1 Joker." in one_line(run("rules", "trn-7", "--language", "de").output)
    assert run("rules", "--language", "ru").output.startswith("Состав игры\n")
    assert "Chiarimento:" in run("rules", "set-10", "--language", "IT").output


def test_rules_in_the_language_of_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "es_MX.UTF-8")
    assert json.loads(run("rules", "TRN-7", "--json").output)["text"] == rule("TRN-7", "es").text
    assert json.loads(run("rules", "TRN-7", "--language", "en", "--json").output)["text"] == rule("TRN-7").text


def test_an_unknown_language_is_refused() -> None:
    result = run("rules", "--language", "xx")
    assert result.status == 2
    assert "expected one of the languages en, es, de, ru, it, got 'xx'" in result.errors


@pytest.mark.parametrize("language", ["en", "es", "de", "ru", "it"])
def test_the_introduction_has_every_topic_of_a_game(language: str) -> None:
    output = one_line(run("rules", "--introduction", "--game", "marvel", "--language", language).output)
    for topic in topics(language):
        assert (one_line(topic.text[0]) in output) == (topic.game == "marvel")
    as_json = json.loads(run("rules", "--introduction", "--json", "--language", language).output)
    assert [topic["id"] for topic in as_json] == [t.id for t in topics(language) if t.game == "splendor"]
