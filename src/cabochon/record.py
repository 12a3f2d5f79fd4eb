"""The record of a game as text, in the spirit of PGN: tags, then a turn a line, then `end`.

    [Cabochon "1"]
    [Rules "1"]
    [Game "splendor"]
    [Players "2"]
    [Seat1 "Ada"]
    [Seat2 "Bo"]
    [Date "2026-11-15"]
    [FreeTake "no"]
    [Payment "choice"]
    [Commitment "4842..."]
    [Seed "0000..."]
    [Result "1 2"]
    [Points "16 11"]
    [End "won"]

    deal 1.1=5; 1.2=31; ...; t3=8
    1.1 take wbg
    1.2 reserve 2.3; 2.3=57
    2.1 buy 1.4; wild r; 1.4=12
    end

A turn begins with its round and its seat, both from 1, and has its moves and reveals (see `cabochon.notation`) in
order. `Result` has the place of each seat, or `*` for an unfinished game. If a seat forfeited the game, `Termination`
says how, `Forfeit` has the seat and the details, and the result includes the forfeit. Text after `#` is a comment. A
file may contain many games, one after the other.

This module only parses records; `cabochon.Game.from_record` checks them against the rules.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cabochon.errors import RecordError

FORMAT_VERSION = "1"
END_LINE = "end"
DEAL_LABEL = "deal"
SEPARATOR = "; "

_TAG = re.compile(r'\[(?P<key>[A-Za-z][A-Za-z0-9]*) "(?P<value>(?:[^"\\]|\\.)*)"\]')
_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_LABEL = re.compile(r"(?P<label>deal|[1-9][0-9]*\.[1-4])(?: (?P<events>.*))?")


@dataclass(frozen=True)
class Line:
    """A line of the body: the turn it is labelled with, and the texts of its moves and reveals."""

    number: int
    label: str
    events: tuple[str, ...]


@dataclass
class Record:
    """The text of one game, parsed but not replayed."""

    tags: dict[str, str] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    tag_lines: dict[str, int] = field(default_factory=dict)  # where each tag was read
    last_line: int = 0
    is_ended: bool = False
    fault: RecordError | None = None  # about the first line that is not part of a record

    def __str__(self) -> str:
        values = {key: re.sub(r'(["\\])', r"\\\1", _without_controls(value)) for key, value in self.tags.items()}
        tags = [f'[{key} "{value}"]' for key, value in values.items()]
        body = [f"{line.label} {SEPARATOR.join(line.events)}".rstrip() for line in self.lines]
        return "\n".join([*tags, "", *body, *([END_LINE] if self.is_ended else [])]) + "\n"


def _without_controls(text: str) -> str:
    """Return the text without line breaks and without characters that a terminal takes for commands."""
    return "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Zl", "Zp", "Cs"))


def is_tag_name(key: str) -> bool:
    """Return whether a record can have a tag with this name."""
    return _TAG_NAME.fullmatch(key) is not None


def _without_comment(line: str) -> str:
    """Cut off a comment, except inside the quotes of a tag."""
    line = line.removeprefix("\ufeff").strip()
    tag = _TAG.match(line)
    start = tag.end() if tag is not None else 0
    return line[:start] + line[start:].partition("#")[0].rstrip()


def _add_line(record: Record, number: int, text: str) -> None:
    record.last_line = number
    tag = _TAG.fullmatch(text)
    if tag is not None:
        if record.lines:
            raise RecordError("expected a turn or 'end', got a tag in the middle of a game", number)
        if tag["key"] in record.tags:
            raise RecordError(f"expected each tag once, got {tag['key']} twice", number)
        record.tags[tag["key"]] = _without_controls(re.sub(r"\\(.)", r"\1", tag["value"]))
        record.tag_lines[tag["key"]] = number
        return
    if text == END_LINE:
        record.is_ended = True
        return
    label = _LABEL.fullmatch(text)
    if label is None:
        expected = 'a tag such as [Game "splendor"], a turn such as "1.1 take wbg", or "end"'
        raise RecordError(f"expected {expected}; got {text[:60]!r}", number)
    events = tuple(event.strip() for event in (label["events"] or "").split(";") if event.strip())
    record.lines.append(Line(number, label["label"], events))


def split_records(lines: Iterable[str]) -> Iterator[Record]:
    """Yield the records of a file one at a time, without reading further than needed.

    A damaged record contains what precedes the damage, and the error in `fault`; parsing continues at the next
    `[Cabochon ...]` tag.
    """
    record = Record()
    for number, line in enumerate(lines, start=1):
        text = _without_comment(line)
        if text.startswith("[Cabochon ") and (record.tags or record.lines or record.fault):
            yield record
            record = Record()
        if not text or record.fault is not None:
            continue
        try:
            if record.is_ended:
                raise RecordError(f"expected nothing more after 'end', got {text[:60]!r}", number)
            _add_line(record, number, text)
        except RecordError as fault:
            record.fault = fault
    if record.tags or record.lines or record.fault:
        yield record


def parse_record(text: str) -> Record:
    """Parse the text of exactly one game; raise `RecordError` if there is another number of games."""
    records = list(split_records(text.splitlines()))
    if len(records) != 1:
        raise RecordError(f"expected one game, got {len(records)}", 1)
    return records[0]


def read_records(path: str | Path) -> Iterator[Record]:
    """Yield the records of a file one at a time, so that even a large file takes the memory of one game."""
    with Path(path).open(encoding="utf-8", errors="replace") as lines:
        yield from split_records(lines)
