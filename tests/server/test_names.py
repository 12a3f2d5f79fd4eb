"""Names that people give themselves."""

from __future__ import annotations

import pytest

from cabochon.server.names import LONGEST, checked_name, distinct_name

CYRILLIC_A = "\N{CYRILLIC SMALL LETTER A}"
FULLWIDTH_B = "\N{FULLWIDTH LATIN CAPITAL LETTER B}"


@pytest.mark.parametrize(
    "name", ["Ada", "Жанна", "阿达", "Zoë", "Ana María", "👩\u200d🚀", "❤\ufe0f", "x" * LONGEST, "7", "?"]
)
def test_names_that_can_be_read(name: str) -> None:
    assert checked_name(f" {name} ") == name


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "\u3164", "\u2800", "\u1160", "\u115f", "\u034f", "\uffa0", "\u200b", "\u200d\ufe0f", "\u0301"),
        *("Ada\u3164", "A\u034fda", "A\u200bda", "Ada\u202e", "A\nda", "A\u00a0da", "\U000e0041da", "Ada\0"),
    ],
)
def test_names_that_show_nothing_or_turn_the_text_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="expected letters"):
        checked_name(name)


def test_spaces_are_single() -> None:
    assert checked_name("Ana   María") == "Ana María"


def test_the_length_of_a_name_is_that_of_its_normal_form() -> None:
    assert checked_name("e\u0301" * LONGEST) == "é" * LONGEST
    with pytest.raises(ValueError, match="expected at most 24"):
        checked_name("\ufb2c" * 9)  # a letter that becomes three


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Ada", "Ada"),
        (f"Ad{CYRILLIC_A}", "Ada"),
        ("Ada", f"Ad{CYRILLIC_A}"),
        (f"{FULLWIDTH_B}o", "Bo"),
        ("Ill", "lIl"),
        ("\N{CYRILLIC SMALL LETTER IE}\u0301", "é"),
        ("A\u200dda", "Ada"),
        ("Ada  B", "Ada B"),
    ],
)
def test_a_name_that_looks_like_another_gets_a_number(name: str, other: str) -> None:
    assert distinct_name(name, [other]) == f"{name} 2"
    assert distinct_name(name, [other, f"{other} 2"]) == f"{name} 3"


def test_other_names_stay_as_they_are() -> None:
    assert distinct_name("Ada", ["Ida", "Adam", "", "ada"]) == "Ada"
    assert distinct_name("x" * LONGEST, ["x" * LONGEST]) == "x" * (LONGEST - 2) + " 2"
