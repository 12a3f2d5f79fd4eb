"""Generate what the page needs from the server and the games: the types of the messages, the cards, tiles and rules.

`python tools/page_types.py` writes `web/src/generated`; a test fails when it is out of date.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from cabochon.bots.levels import LADDER
from cabochon.core.cards import CARD_LIST, COLOUR_NAMES, TILE_LIST, VARIANTS
from cabochon.core.state import HAND, TOKEN_LIMIT
from cabochon.language import LANGUAGES, local_names
from cabochon.notation import WILD_NAMES
from cabochon.rulebook import rules, topics
from cabochon.server import protocol

FOLDER = Path(__file__).parent.parent / "web" / "src" / "generated"
HEADER = "// Written by tools/page_types.py; do not edit.\n\n"


def messages() -> list[type[BaseModel]]:
    """Return every message of the protocol, in the order of its file."""
    return [
        kind
        for kind in vars(protocol).values()
        if isinstance(kind, type) and issubclass(kind, protocol.Message) and kind is not protocol.Message
    ]


def type_of(schema: dict[str, Any]) -> str:
    """Return a JSON schema as a TypeScript type."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " | ".join(type_of(option) for option in schema[union])
    kind = schema.get("type")
    if kind == "array":
        item = type_of(schema["items"])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if kind == "object":
        return f"Record<string, {type_of(schema['additionalProperties'])}>"
    return {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}[
        str(kind)
    ]


def interface(name: str, schema: dict[str, Any]) -> str:
    """Return a message as a TypeScript interface."""
    required = schema.get("required", [])
    lines = [f"/** {' '.join(schema.get('description', '').split())} */", f"export interface {name} {{"]
    for key, field in schema.get("properties", {}).items():
        # Fields with a default are always present in what the server sends.
        is_sent_by_server = "const" in field
        mark = "" if key in required or is_sent_by_server else "?"
        lines.append(f"  {key}{mark}: {type_of(field)};")
    return "\n".join([*lines, "}"])


def protocol_text() -> str:
    """Return the types of all messages."""
    _, schema = models_json_schema([(message, "validation") for message in messages()])
    definitions = schema["$defs"]
    blocks = [interface(message.__name__, definitions[message.__name__]) for message in messages()]
    unions = {
        "ClientMessage": protocol.CLIENT_MESSAGES.json_schema(),
        "ServerMessage": protocol.SERVER_MESSAGES.json_schema(),
    }
    blocks += [f"export type {name} = {type_of(union)};" for name, union in unions.items()]
    error_codes = definitions["ErrorInfo"]["properties"]["code"]
    blocks.append(f"export type ErrorCode = {type_of(error_codes)};")
    blocks.append(f"export const PROTOCOL_VERSION = {protocol.PROTOCOL_VERSION};")
    return HEADER + "\n\n".join(blocks) + "\n"


CATALOGUE_TYPES = """\
export type GameName = 'splendor' | 'marvel';

/** A card as printed; `cost` in the order of the game's colours. */
export interface Card {
  number: number;
  level: number;
  name: string | null;
  bonus: string;
  points: number;
  cost: number[];
  tags: number;
}

/** A noble or a location as printed; `needs` in the order of the game's colours, `sheet` shared by two faces. */
export interface Tile {
  number: number;
  name: string | null;
  sheet: number;
  points: number;
  needs: number[];
}

/** Everything in the box of one game. Cards and tiles are found by `number - 1`. */
export interface Catalogue {
  colours: string[];
  wild: string;
  cards: Card[];
  tiles: Tile[];
}
"""


def catalogue_text() -> str:
    """Return the cards and tiles of both games, names in other languages, and the levels of the bots."""
    boxes = {
        variant: {
            "colours": COLOUR_NAMES[index],
            "wild": WILD_NAMES[index],
            "cards": [
                {
                    "number": card.number,
                    "level": card.level,
                    "name": card.name,
                    "bonus": card.bonus,
                    "points": card.points,
                    "cost": card.cost,
                    "tags": card.tags,
                }
                for card in CARD_LIST[index]
            ],
            "tiles": [
                {
                    "number": tile.number,
                    "name": tile.name,
                    "sheet": tile.sheet,
                    "points": tile.points,
                    "needs": tile.needs,
                }
                for tile in TILE_LIST[index]
            ],
        }
        for index, variant in enumerate(VARIANTS)
    }
    names = json.dumps({language: local_names(language) for language in LANGUAGES}, ensure_ascii=False)
    parts = [
        CATALOGUE_TYPES,
        f"export const CATALOGUES: Record<GameName, Catalogue> = {json.dumps(boxes, separators=(',', ':'))};\n",
        f"export const LOCAL_NAMES: Record<string, Record<string, string>> = {names};\n",
        f"export const LEVELS = {json.dumps(list(LADDER))} as const;\n",
        f"export const TOKEN_LIMIT = {TOKEN_LIMIT};\n",
        f"export const HAND_LIMIT = {HAND};\n",
    ]
    return HEADER + "\n".join(parts)


def book_text(language: str) -> str:
    """Return the rules and introductions in one language: a separate file, which the page loads when it is needed."""
    book = {
        "rules": [asdict(rule) for rule in rules(language)],
        "topics": [asdict(topic) for topic in topics(language)],
    }
    return json.dumps(book, ensure_ascii=False, indent=1) + "\n"


def files() -> dict[str, str]:
    """Return the name and the text of every generated file."""
    types = {"protocol.ts": protocol_text(), "catalogue.ts": catalogue_text()}
    return types | {f"rules.{language}.json": book_text(language) for language in LANGUAGES}


def main() -> None:
    """Write the files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
