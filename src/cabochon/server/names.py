"""The names that people give themselves: what they may consist of, and which of them look the same."""

import unicodedata
from collections.abc import Collection
from functools import cache
from itertools import count

from confusable_homoglyphs.confusables import confusables_data

LONGEST = 24
JOINERS = frozenset("\u200d\ufe0f")  # of pictures: one of several parts, one in colour
# Unicode's characters that are meant to show nothing (Default_Ignorable_Code_Point), and one that shows nothing.
INVISIBLE = frozenset(
    chr(code)
    for first, last in (
        *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
        *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164)),
        *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3)),
        *((0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
    )
    for code in range(first, last + 1)
)
SHOWS_SOMETHING = "LNPS"  # letters, numbers, punctuation and symbols, by the first letter of their category


def checked_name(text: str) -> str:
    """Return a name in its normal form; refuse names that are invisible or change the direction of other text."""
    name = " ".join(word for word in unicodedata.normalize("NFC", text).split(" ") if word != "")
    if len(name) > LONGEST:
        raise ValueError(f"expected at most {LONGEST} characters")
    is_allowed = all(c == " " or c in JOINERS or _is_printed(c) for c in name)
    if not is_allowed or not any(unicodedata.category(c)[0] in SHOWS_SOMETHING and c not in INVISIBLE for c in name):
        raise ValueError("expected letters, digits, symbols and single spaces")
    return name


def _is_printed(character: str) -> bool:
    return character.isprintable() and not character.isspace() and character not in INVISIBLE


def distinct_name(name: str, others: Collection[str]) -> str:
    """Return the name, followed by a number if it looks like one of the others."""
    skeletons = {_skeleton(other) for other in others}
    numbers = count(2)
    distinct = name
    while _skeleton(distinct) in skeletons:
        suffix = f" {next(numbers)}"
        distinct = name[: LONGEST - len(suffix)].rstrip() + suffix
    return distinct


def _skeleton(name: str) -> str:
    """Return a text that is the same for names that look the same, by Unicode's list of confusable characters."""
    shown = (c for c in unicodedata.normalize("NFKD", name) if c not in INVISIBLE)
    return " ".join("".join(map(_prototype, shown)).split())


@cache
def _prototype(character: str) -> str:
    """Return the character that stands for all that look like it.

    It lists all its look-alikes, and each of them lists only it. Of a pair, the smaller one is chosen.
    """
    similar = [entry["c"] for entry in confusables_data.get(character, ())]
    if len(similar) != 1:
        return character
    if len(confusables_data.get(similar[0], ())) == 1:
        return str(min(character, similar[0]))
    return str(similar[0])
