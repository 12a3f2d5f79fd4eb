"""Translations of the command line: choosing a language, and looking up its texts."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from importlib import resources

from cabochon.errors import CabochonError

LANGUAGES = {"en": "English", "es": "Español", "de": "Deutsch", "ru": "Русский", "it": "Italiano"}
DEFAULT_LANGUAGE = "en"
LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first that is set decides, as in POSIX


def checked_language(name: str) -> str:
    """Return the language with this code, in upper or lower case.

    >>> checked_language("DE")
    'de'
    """
    language = name.strip().lower()
    if language not in LANGUAGES:
        raise CabochonError(f"expected one of the languages {', '.join(LANGUAGES)}, got {name!r}")
    return language


def language_of_locale(environment: Mapping[str, str]) -> str:
    """Return the language of the locale, or English if there is no translation.

    >>> language_of_locale({"LANG": "ru_RU.UTF-8"})
    'ru'
    """
    locale = next((environment[name] for name in LOCALE_VARIABLES if environment.get(name)), "")
    language = locale.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return language if language in LANGUAGES else DEFAULT_LANGUAGE


def chosen_language(name: str | None) -> str:
    """Return the language with this code, or that of the locale if omitted."""
    return language_of_locale(os.environ) if name is None else checked_language(name)


def plural_form(language: str, count: int) -> str:
    """Return the plural form for a number: "one", "few", "many" or "other", as Unicode names them.

    >>> [plural_form("ru", count) for count in (1, 3, 5, 11, 21, 22)]
    ['one', 'few', 'many', 'many', 'one', 'few']
    """
    if language != "ru":
        return "one" if count == 1 else "other"
    if count % 10 == 1 and count % 100 != 11:
        return "one"
    if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14):
        return "few"
    return "many"


@cache
def catalogue(language: str) -> dict[str, str | dict[str, str]]:
    """Return every text of the command line by its key; some have plural forms."""
    path = resources.files("cabochon").joinpath("data", f"messages.{language}.json")
    texts: dict[str, str | dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return texts


_PLACEHOLDER = re.compile(r"\{(\w+)\}(\.?)")
_spoken = ContextVar("_spoken", default=DEFAULT_LANGUAGE)


@contextlib.contextmanager
def speaking(language: str) -> Iterator[None]:
    """Use this language inside a `with` block; outside, the language is English."""
    token = _spoken.set(checked_language(language))
    try:
        yield
    finally:
        _spoken.reset(token)


def spoken_language() -> str:
    """Return the current language."""
    return _spoken.get()


@cache
def local_names(language: str) -> dict[str, str]:
    """Return the names of characters that the rulebook of a language prints in its own way, by the English name."""
    text = resources.files("cabochon").joinpath("data", "names.csv").read_text(encoding="utf-8")
    return {row["name"]: row[language] for row in csv.DictReader(text.splitlines()) if row.get(language)}


def local_name(name: str) -> str:
    """Return the name of a character in the current language.

    >>> with speaking("es"):
    ...     local_name("Captain America"), local_name("Rocket")
    ('Capitán América', 'Rocket')
    """
    return local_names(spoken_language()).get(name, name)


def say(key: str, **values: str | int) -> str:
    """Return the text for a key with its values filled in; `count` chooses the plural form.

    >>> with speaking("ru"):
    ...     say("table.points", count=3)
    '3 очка'
    """
    language = spoken_language()
    text = catalogue(language)[key]
    if not isinstance(text, str):
        count = values["count"]
        if not isinstance(count, int):
            raise TypeError(f"expected a whole number as the count, got {count!r}")
        text = text[plural_form(language, count)]
    return _PLACEHOLDER.sub(lambda found: _inserted(str(values[found[1]]), found[2]), text)


def _inserted(value: str, stop: str) -> str:
    """Return a value with the full stop after it, unless the value brings its own, as S.H.I.E.L.D. does."""
    return value if value.endswith((".", "…", "!", "?")) else value + stop


def decimal(value: float) -> str:
    """Format a number with one digit after the decimal separator of the current language.

    >>> with speaking("it"):
    ...     decimal(2.25), decimal(0.5)
    ('2,2', '0,5')
    """
    return f"{value:.1f}".replace(".", "." if spoken_language() == "en" else ",")
