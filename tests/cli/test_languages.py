"""The command line speaks the language that is asked for, or that of the locale."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cabochon.language import say, speaking
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


GREETINGS = {
    "en": ("You: took", "Saved to", "[TRN-5]", "Supply"),
    "es": ("Tú: tomas", "Guardada en", "[TRN-5]", "Centro"),
    "de": ("Du: nimmst", "Gespeichert in", "[TRN-5]", "Vorrat"),
    "ru": ("Вы: берёте", "Сохранено в", "[TRN-5]", "Стопки"),
    "it": ("Tu: prendi", "Salvata in", "[TRN-5]", "Pile"),
}


@pytest.mark.parametrize("language", GREETINGS)
@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_a_person_plays_in_a_language(language: str, variant: str, tmp_path: Path) -> None:
    keys = "help\nnonsense\nbb\nbb\nrules TRN-5\nquit\n"
    seats = ["--seat", "Ada", "--seat", "bot:random", "--order", "given", "--seed", "4"]
    saved = ["--save", str(tmp_path / "game.txt"), "--language", language]
    output = run("play", "--game", variant, *seats, *saved, keys=keys).output
    for words in GREETINGS[language]:
        assert words in output
    assert one_line(rule("TRN-5", language).text) in one_line(output)
    with speaking(language):  # on 80 columns no heading is cut
        heading = next(line for line in output.splitlines() if say("table.head.to_win") in line)
        for column in ("seat", "points", "held", "cards"):
            assert say(f"table.head.{column}") in heading


@pytest.mark.parametrize("language", GREETINGS)
def test_bots_play_and_a_record_is_replayed_in_a_language(language: str, tmp_path: Path) -> None:
    save = tmp_path / "game.txt"
    seats = ["--seat", "bot:greedy", "--seat", "bot:greedy", "--seed", "2"]
    played = run("play", "--game", "marvel", *seats, "--save", str(save), "--language", language)
    replayed = run("replay", str(save), "--language", language)
    assert (played.status, replayed.status) == (0, 0)
    with speaking(language):
        for clause in ("time", "buy.marvel"):
            words = say(f"log.name.{clause}", card="@").partition("@")[0]
            assert words in played.output
            assert words in replayed.output
        assert say("table.over") in played.output


def test_a_refusal_is_told_by_the_rule_where_it_has_no_words_of_its_own(tmp_path: Path) -> None:
    keys = "reserve 1\nreserve 1\nreserve 1\nreserve 1\nquit\n"
    seats = ["--seat", "Ada", "--seat", "bot:random", "--order", "given", "--seed", "4"]
    output = run("play", *seats, "--save", str(tmp_path / "game.txt"), "--language", "it", keys=keys).output
    assert "Non è permesso: Puoi avere al massimo 3 carte prenotate. [RSV-4]" in one_line(output)


def test_the_locale_chooses_the_language_of_a_game(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    output = run("play", "--players", "2", "--save", str(tmp_path / "game.txt"), keys="quit\n").output
    assert "Die Partie wird in" in output
    assert "Gast>" in output
