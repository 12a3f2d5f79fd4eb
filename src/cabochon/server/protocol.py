"""All messages between the server and a client, over HTTP and over the socket of a table.

A client receives what its viewer may know and which moves are legal, so it does not need to know the rules. The page's
TypeScript types are generated from this file (`python tools/page_types.py`); `docs/protocol.md` describes the order of
messages.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

from cabochon.server.names import LONGEST, checked_name

PROTOCOL_VERSION = 1

GameName = Literal["splendor", "marvel"]
LevelName = Literal["novice", "apprentice", "journeyman", "artisan", "expert", "master", "grandmaster"]
Payment = Literal["choice", "automatic"]
PhaseName = Literal["act", "pay", "reveal", "return", "tile", "over"]
MoveKind = Literal["take", "buy", "reserve", "pass", "return", "tile", "wild", "pay"]
TerminationName = Literal[
    "points", "gauntlet", "all_passed", "no_progress", "resignation", "timeout", "failure", "forfeit"
]
TableStatus = Literal["waiting", "playing", "over", "closed"]
Visibility = Literal["public", "private"]
_PhraseDuringGame = Literal["hello", "good_luck", "nice_move", "thanks", "oops", "one_moment", "your_turn"]
_PhraseAfterGame = Literal["close_game", "well_played", "another_game"]
_Face = Literal["smile", "laugh", "surprise", "sweat", "applause", "heart"]
PhraseName = Literal[_PhraseDuringGame, _PhraseAfterGame, _Face]
Tokens = dict[str, int]  # the name of a token, as in the catalogue of the game, and the number of tokens


Nickname = Annotated[  # the length counts in its normal form, which may be shorter or longer than what is sent
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4 * LONGEST), AfterValidator(checked_name)
]
GuestId = Annotated[str, StringConstraints(min_length=1, max_length=32, pattern="^[A-Za-z0-9_-]+$")]
MoveText = Annotated[str, StringConstraints(min_length=1, max_length=32)]
Reference = Annotated[str, StringConstraints(max_length=36)]
Sequence = Annotated[int, Field(ge=0, le=1_000_000)]


class Message(BaseModel):
    """The base class of all messages: immutable, without undeclared fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# What is on the table


class ReservedCard(Message):
    """A card in a hand. `card` is null if the viewer may not know it."""

    level: int
    card: int | None
    blind: bool


class SeatView(Message):
    """One seat's side of the table. Cards and tiles are given by their numbers in the catalogue."""

    seat: int
    name: str
    points: int
    tokens: Tokens
    bonuses: Tokens
    cards: list[int]
    reserved: list[ReservedCard]
    tiles: list[int]
    tags: int
    avengers_tile: bool
    qualifies: bool


class TilePlace(Message):
    """A noble or location at its place. `owner` is null while it is on the table."""

    place: int
    tile: int
    owner: int | None


class TurnView(Message):
    """The unfinished part of the current turn, and the counters towards a stalemate (STL-1)."""

    buying: str | None
    wilds: Tokens
    pending: str | None
    is_wild_due: bool
    passes: int
    idle_turns: int


class TableView(Message):
    """Everything the viewer may know about the game, as `cabochon.View.to_dict` writes it."""

    game: GameName
    players: int
    viewer: int | None
    seat: int
    round: int
    phase: PhaseName
    free_take: bool
    payment: Payment
    turn: TurnView
    ending: str
    market: list[list[int | None]]
    decks: list[int]
    supply: Tokens
    tiles: list[TilePlace]
    seats: list[SeatView]
    legal_moves: list[str]
    commitment: str | None


class LegalMove(Message):
    """A move that the viewer may play now. To play it, the client sends back its text `move`."""

    move: str
    kind: MoveKind
    tokens: list[str]  # taken, returned, or paid for with a wild
    place: str | None  # `2.3`, `h1`, `2` for the top of a deck or for a tile


class Price(Message):
    """What a card costs the viewer.

    `due` is the cost minus the bonuses. `missing` is the part of `due` that the viewer's coloured tokens do not cover,
    and `wilds` the number of wilds needed for it. The card is affordable if the viewer has that many wilds.
    """

    place: str
    card: int
    due: Tokens
    missing: Tokens
    wilds: int
    is_affordable: bool


class Progress(Message):
    """How close a seat is to meeting the conditions of victory.

    `has_time` and `colours` (the colours of its bonuses) count only in Marvel, where all conditions must be met
    (END-M1).
    """

    seat: int
    points: int
    points_needed: int
    colours: list[str]
    needs_colours: bool
    has_time: bool
    needs_time: bool
    tags: int
    tags_needed: int | None  # to take the Avengers tile; null if the seat has it or the game has none
    qualifies: bool


class Outcome(Message):
    """How the game ended.

    `termination` is how it ended, and `reason` groups terminations: "won", "all passed", "no progress" or "forfeit".
    If a seat forfeited the game, `seat` is that seat and `detail` explains it in free text; otherwise both are null.
    `rule` is the rule that decided who comes first. `seed` is the seed of the commitment; it is null in the replay of a
    record that does not contain it.
    """

    places: list[int]
    winners: list[int]
    points: list[int]
    cards: list[int]
    reason: str
    termination: TerminationName
    seat: int | None
    detail: str | None
    rule: str
    seed: str | None


class RunningClock(Message):
    """Whose time is running, and until when, in the server's time.

    The time for the turn runs until `reserve_from`, then the seat's reserve runs until `deadline`. Both are null while
    a bot decides. `reserves` are the seconds that each seat had in reserve when this turn began.
    """

    seat: int
    reserve_from: datetime | None
    deadline: datetime | None
    reserves: list[float]


class Position(Message):
    """The position of a game for one viewer, after `seq` entries of its log. `clock` is null if no clock is running.

    `undo_makes_practice` is true if the viewer may undo, and the game would then become practice.
    """

    seq: int
    view: TableView
    legal: list[LegalMove]
    prices: list[Price]
    progress: list[Progress]
    can_undo: bool
    undo_makes_practice: bool
    outcome: Outcome | None
    clock: RunningClock | None


class CardPlaced(Message):
    """A card that was revealed at a place of the market."""

    place: str
    card: int


class Step(Message):
    """One decision and its results, as far as the viewer may know.

    `card` is the card bought or reserved (null if another seat drew it unseen), `level` its level, and `place` where it
    was. `gained` and `spent` are the tokens that the seat gained and spent. `at` is null in a replay.
    """

    type: Literal["step"] = "step"
    seq: int
    round: int
    seat: int
    move: str
    kind: MoveKind
    place: str | None
    card: int | None
    level: int | None
    is_card_bought: bool
    gained: Tokens
    spent: Tokens
    revealed: CardPlaced | None
    tiles: list[int]
    takes_avengers_tile: bool
    is_turn_over: bool
    at: datetime | None


class Undone(Message):
    """The steps with the numbers in `undoes` were taken back: the last one of this seat, and what followed it."""

    type: Literal["undone"] = "undone"
    seq: int
    seat: int
    undoes: list[int]
    at: datetime


class Left(Message):
    """A person left or ran out of time. A bot of this `level` plays on; if `level` is null, the game is over."""

    type: Literal["left"] = "left"
    seq: int
    seat: int
    reason: Literal["left", "clock"]
    level: LevelName | None
    at: datetime


GameEvent = Annotated[Step | Undone | Left, Field(discriminator="type")]


# Who sits at it


class LiveClock(Message):
    """A number of seconds for each turn, and a reserve for the whole game."""

    kind: Literal["live"]
    move_seconds: Annotated[int, Field(ge=5, le=3600)]
    reserve_seconds: Annotated[int, Field(ge=0, le=86_400)]


class DaysClock(Message):
    """A number of days for each turn."""

    kind: Literal["days"]
    days: Annotated[int, Field(ge=1, le=30)]


Clock = Annotated[LiveClock | DaysClock, Field(discriminator="kind")]


class SeatInfo(Message):
    """Who has a seat: a person, a bot, or nobody yet.

    `is_you` is true for the seat from which the client looks. `is_yours` is true for every seat of the guest, who may
    have several on one device, and for a seat that is kept for the guest. An open seat with `is_kept` is kept for the
    person in `name`. If a person `has_left`, `name` is still theirs; with three or four players, a bot plays on.
    """

    seat: int
    kind: Literal["person", "bot", "open"]
    name: str
    level: LevelName | None
    is_you: bool
    is_yours: bool
    is_kept: bool
    has_left: bool
    is_connected: bool


class TableInfo(Message):
    """A table, without its game.

    `clock` is null if there is no time limit. `watching` is the number of spectators. `next` is the id of the table of
    the rematch, or null. Public tables that wait for players are in the lobby. `is_practice` is true once the person
    took back more than people may who play each other: the game does not count in the statistics.
    """

    id: str
    game: GameName
    players: int
    free_take: bool
    payment: Payment
    clock: Clock | None
    visibility: Visibility
    status: TableStatus
    is_practice: bool
    seats: list[SeatInfo]
    you: int | None
    is_host: bool
    created_at: datetime
    commitment: str
    seq: int
    watching: int
    next: str | None


class OpenTableSeat(Message):
    """Who has a seat at a table that waits for players."""

    kind: Literal["person", "bot", "open"]
    name: str
    level: LevelName | None


class OpenTable(Message):
    """A public table that waits for players, as listed in the lobby. `free` is the number of seats open to anyone."""

    id: str
    host: str
    game: GameName
    players: int
    free: int
    free_take: bool
    payment: Payment
    clock: Clock | None
    seats: list[OpenTableSeat]
    created_at: datetime


class Lobby(Message):
    """A page of the public tables that wait for players, the newest first; pages count from 1, and there is one."""

    tables: list[OpenTable]
    page: int
    pages: int


# Over HTTP


class Guest(Message):
    """The guest that a client is signed in as."""

    id: str
    nickname: str


class Me(Message):
    """The client's own guest; null if it has none yet."""

    guest: Guest | None


class NewGuest(Message):
    """A nickname for a new guest, or a new nickname for a guest."""

    nickname: Nickname


class SeatPlan(Message):
    """Who gets a seat: `me`, a `bot`, whoever joins (`open`), or another person on the same device (`here`).

    A person `here` needs a `name`. An `open` seat can be kept for an invited guest: `kept_for` is the guest's id, which
    `Me` contains.
    """

    kind: Literal["me", "bot", "open", "here"]
    level: LevelName | None = None
    name: Nickname | None = None
    kept_for: GuestId | None = None


class SeatChange(Message):
    """The host gives a seat at a waiting table to a bot, or makes it open, whoever has it."""

    kind: Literal["bot", "open"]
    level: LevelName | None = None


class NewTable(Message):
    """The options of a new table. The order of the seats is random unless it is `given` (SET-10)."""

    game: GameName
    seats: Annotated[list[SeatPlan], Field(min_length=2, max_length=4)]
    order: Literal["random", "given"] = "random"
    free_take: bool = False
    payment: Payment = "choice"
    visibility: Visibility = "private"
    clock: Clock | None = None


class Join(Message):
    """Take an open seat: this one, or by default the first."""

    seat: Annotated[int, Field(ge=0, le=3)] | None = None


class Tables(Message):
    """The guest's tables: unfinished ones first, then the newest."""

    tables: list[TableInfo]


class Replay(Message):
    """A game from the deal to its end, or to the end of its record. Step n leads from position n to the next position.

    It shows what the seat `viewer` saw; if `viewer` is null, all cards are open. `record` is the record of the game.
    """

    viewer: int | None
    positions: list[Position]
    steps: list[Step]
    record: str


class RecordToReplay(Message):
    """The record of a game, and the seat whose view to show."""

    record: Annotated[str, StringConstraints(min_length=1)]
    viewer: Annotated[int, Field(ge=0, le=3)] | None = None


class Judgement(Message):
    """A bot's judgement of the decision in step `seq` of a replay, given what the seat knew.

    `win_probabilities` are the win probabilities of all seats before the decision. `loss` is the win probability that
    the seat lost compared with the bot's move, from 0 to 1. `best` is what the bot's move would have done, or null if
    it was played. `line` is the play that the bot expects after its move, at most to the end of the seat's next turn.
    Neither contains cards that would have been revealed.
    """

    seq: int
    seat: int
    win_probabilities: list[float]
    loss: float
    best: Step | None
    line: list[Step]


class Analysis(Message):
    """A bot's analysis of a finished game: the judgements so far, and the number of `decisions` to judge.

    Until `is_complete`, the analysis continues, and the client can repeat its request for more judgements.
    """

    decisions: int
    judgements: list[Judgement]
    is_complete: bool


class RecordToAnalyse(Message):
    """The record of a finished game."""

    record: Annotated[str, StringConstraints(min_length=1)]


class PlayedSeat(Message):
    """A seat of a finished game: who had it, and their result.

    If its person `has_left`, `leaving` tells whether they did so themselves or ran out of time.
    """

    seat: int
    kind: Literal["person", "bot"]
    name: str
    level: LevelName | None
    is_you: bool
    has_left: bool
    leaving: Literal["left", "clock"] | None
    place: int
    points: int
    has_won: bool


class PlayedGame(Message):
    """A finished game of the guest. If it `is_practice`, it does not count in the statistics."""

    table: str
    game: GameName
    players: int
    is_practice: bool
    finished_at: datetime
    seats: list[PlayedSeat]


class History(Message):
    """The guest's finished games, the newest first. `next` is the cursor for older games, or null."""

    games: list[PlayedGame]
    next: str | None


class Score(Message):
    """The guest's results in games of one kind, against one person or only against bots.

    `name` is the person's current nickname. `level` is the level of the bots, if they all had the same. A game with
    several people counts for each of them. Practice, and games in which the guest had several seats, do not count.
    """

    game: GameName
    players: int
    name: str | None
    level: LevelName | None
    played: int
    won: int
    mean_place: float
    mean_points: float


class Statistics(Message):
    """The guest's results by game, number of players and opponent."""

    scores: list[Score]


class DeviceLink(Message):
    """A private link that signs in another device as this guest. Anyone who has the link can play as this guest."""

    path: str
    expires_at: datetime


class Claim(Message):
    """The key of a device link: the part after the `#`."""

    key: Annotated[str, StringConstraints(min_length=16, max_length=64)]


class NewBotToken(Message):
    """The name of a new token."""

    name: Nickname


class BotToken(Message):
    """A token with which a program can play as the guest."""

    id: str
    name: str
    created_at: datetime


class GivenBotToken(Message):
    """A new token with its secret, which no other message contains."""

    token: str
    info: BotToken


class BotTokens(Message):
    """The guest's tokens, the newest first."""

    tokens: list[BotToken]


class Health(Message):
    """The server is ready, and its database answers."""

    status: Literal["ok"]
    version: str
    rules: int
    protocol: int


ErrorCode = Literal[
    "malformed",  # not a message of this protocol
    "too_large",
    "too_fast",  # too many requests or messages per second
    "limit_reached",  # too many tables, tokens, sockets or analyses; finish or close one first
    "no_guest",  # the client needs a nickname first
    "not_found",
    "not_yours",  # a seat, table or action of somebody else
    "not_your_turn",
    "stale",  # meant for an earlier moment of the game
    "illegal",  # the move breaks the rule in `rule`
    "cannot_undo",
    "over",
    "not_playing",  # seats are still open
    "begun",  # too late: the game has begun
    "closed",  # the table was closed by its host or because it was abandoned
    "bad_record",  # a record that is damaged or breaks the rules; `line` says where
    "banned",  # the guest, from this server
    "origin",
    "busy",  # the server starts or stops, or has too many analyses or no threads for them; try again later
    "unavailable",
]


class ErrorInfo(Message):
    """Why a request or message was refused. Nothing has changed.

    `rule` is the id of the broken rule, if any. `line` is the line where a record is damaged or breaks the rules.
    """

    code: ErrorCode
    message: str
    rule: str | None = None
    line: int | None = None


class Problem(Message):
    """The body of every HTTP response that is not a success."""

    error: ErrorInfo


# Over the socket, from the client


class Play(Message):
    """Play a move. `seq` is the length of the log for which it is meant. A refusal repeats `id`.

    A client may send it again after a broken connection: the same move of the same seat with the same `seq` is played
    only once.
    """

    type: Literal["play"]
    seq: Sequence
    move: MoveText
    id: Reference = ""


class Undo(Message):
    """Take back your last decision. Between people, this is possible until a card is revealed or another seat decides.

    Against bots alone and without a clock, it is always possible until the game is over, and takes back what the bots
    decided since.
    """

    type: Literal["undo"]
    seq: Sequence
    id: Reference = ""


class Say(Message):
    """Send a phrase to everybody at the table. Only players may do this, and only at a limited rate."""

    type: Literal["say"]
    phrase: PhraseName
    id: Reference = ""


class Catch(Message):
    """Ask for a `sync` with everything after the first `since` entries of the log."""

    type: Literal["catch_up"]
    since: Sequence


class Ping(Message):
    """Ask for a `pong`."""

    type: Literal["ping"]


ClientMessage = Annotated[Play | Undo | Say | Catch | Ping, Field(discriminator="type")]


# Over the socket, from the server


class Sync(Message):
    """The table, what happened after the first `since` entries of the log, and the position.

    The server sends it first, on `catch_up`, and when the whole state may have changed. `now` is the server's time, for
    clocks.
    """

    type: Literal["sync"] = "sync"
    now: datetime
    table: TableInfo
    since: int
    events: list[GameEvent]
    position: Position


class Moved(Message):
    """A step, an undo, or a person who left, and the position after it."""

    type: Literal["moved"] = "moved"
    now: datetime
    event: GameEvent
    position: Position


class TableChanged(Message):
    """The table changed: somebody sat down, left, connected or disconnected, or opened a rematch."""

    type: Literal["table"] = "table"
    table: TableInfo


class Said(Message):
    """A player sent a phrase."""

    type: Literal["said"] = "said"
    seat: int
    phrase: PhraseName
    at: datetime


class Refused(Message):
    """A message of the client was refused and changed nothing. `seq` is the length of the log."""

    type: Literal["refused"] = "refused"
    id: str
    seq: int
    error: ErrorInfo


class Pong(Message):
    """The answer to `ping`."""

    type: Literal["pong"] = "pong"


ServerMessage = Annotated[Sync | Moved | TableChanged | Said | Refused | Pong, Field(discriminator="type")]

CLIENT_MESSAGES: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)
SERVER_MESSAGES: TypeAdapter[Any] = TypeAdapter(ServerMessage)
