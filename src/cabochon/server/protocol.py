"""Every message between the server and a client, over HTTP and over the socket of a table.

A client receives what its viewer may know and what is legal; it needs no rules of its own. The TypeScript types of the
page are generated from this file (`python tools/page_types.py`); `docs/protocol.md` describes the order of messages.
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
Tokens = dict[str, int]  # the name of a token, as in the catalogue of the game, and how many


Nickname = Annotated[  # its length is that of its normal form, which may be shorter or longer than what is sent
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4 * LONGEST), AfterValidator(checked_name)
]
GuestId = Annotated[str, StringConstraints(min_length=1, max_length=32, pattern="^[A-Za-z0-9_-]+$")]
MoveText = Annotated[str, StringConstraints(min_length=1, max_length=32)]
Reference = Annotated[str, StringConstraints(max_length=36)]
Sequence = Annotated[int, Field(ge=0, le=1_000_000)]


class Message(BaseModel):
    """The base of all messages: immutable, and without any other fields than those declared."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# What is on the table


class ReservedCard(Message):
    """A card in a hand; `card` is null if the viewer may not know it."""

    level: int
    card: int | None
    blind: bool


class SeatView(Message):
    """One seat's side of the table; cards and tiles by their numbers in the catalogue."""

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
    """A noble or location in its place; `owner` is null while it lies on the table."""

    place: int
    tile: int
    owner: int | None


class TurnView(Message):
    """What the turn has begun and not finished."""

    buying: str | None
    wilds: Tokens
    pending: str | None
    is_wild_due: bool
    passes: int
    idle_turns: int


class TableView(Message):
    """Everything a viewer may know about the game: `cabochon.View.to_dict`, typed."""

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
    """A move that the viewer may play now: its text, which the client sends back, and what it is about."""

    move: str
    kind: MoveKind
    tokens: list[str]  # taken, returned, or paid for with a wild
    place: str | None  # `2.3`, `h1`, `2` for the top of a deck or for a tile


class Price(Message):
    """What a card costs the viewer.

    `due` is its cost less the bonuses. `missing` is the part of it that the coloured tokens do not cover, and `wilds`
    the number of wilds that this takes. The card is affordable if the viewer has that many wilds.
    """

    place: str
    card: int
    due: Tokens
    missing: Tokens
    wilds: int
    is_affordable: bool


class Progress(Message):
    """How close a seat is to the end of the game.

    `has_time` and `colours` (those of its bonuses) count only in Marvel, where all conditions must be met (END-M1).
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
    """How the game ended; `rule` is the rule that decided, `seed` the seed of the commitment.

    `termination` is what ended the game. If a seat did, by a forfeit, `seat` is that seat and `detail` explains it in
    free text; otherwise both are null. `reason` is a coarser form of the termination: "won", "all passed",
    "no progress" or "forfeit". `seed` is null in the replay of a record that does not contain it.
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
    """Whose time runs, and until when, in the server's time.

    Until `reserve_from` the time for the turn runs, then until `deadline` the seat's reserve. Both are null while a bot
    decides. `reserves` are the seconds that each seat had left when this turn began.
    """

    seat: int
    reserve_from: datetime | None
    deadline: datetime | None
    reserves: list[float]


class Position(Message):
    """Where a game stands, for one viewer, after `seq` entries of its log. `clock` is null if no clock runs."""

    seq: int
    view: TableView
    legal: list[LegalMove]
    prices: list[Price]
    progress: list[Progress]
    can_undo: bool
    outcome: Outcome | None
    clock: RunningClock | None


class CardPlaced(Message):
    """A card that was turned up at a place of the market."""

    place: str
    card: int


class Step(Message):
    """One decision and its results, as far as the viewer may know.

    `card` is the card bought or reserved (null if another seat drew it unseen), `level` its level, `place` where it
    lay. `gained` and `spent` are the tokens that the seat got and gave. `at` is null in a replay.
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
    """The step number `undoes` was taken back."""

    type: Literal["undone"] = "undone"
    seq: int
    seat: int
    undoes: int
    at: datetime


class Left(Message):
    """A person left or ran out of time. A bot of `level` plays on; if it is null, the game is over."""

    type: Literal["left"] = "left"
    seq: int
    seat: int
    reason: Literal["left", "clock"]
    level: LevelName | None
    at: datetime


Happening = Annotated[Step | Undone | Left, Field(discriminator="type")]


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
    """Who has a seat: a person, a bot of a level, or nobody yet.

    `is_you` is the seat from which the client looks. `is_yours` is true for every seat of the guest, who may have
    several at one device, and for a seat that is kept for the guest. An open seat that `is_kept` is kept for the person
    who is named. If a person `has_left`, the name is still theirs, and in a game of three or four a bot plays.
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
    """A table, without its game. `next` is the table of the rematch, once there is one.

    `clock` is null if there is no time limit; `watching` is the number of spectators. Public tables that wait for
    players are in the lobby.
    """

    id: str
    game: GameName
    players: int
    free_take: bool
    payment: Payment
    clock: Clock | None
    visibility: Visibility
    status: TableStatus
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
    """A public table that waits for players, as the lobby lists it; `free` seats are open to anyone."""

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
    """Who gets a seat: the guest, a bot, whoever joins, or another person `here`, at the same device, with a name.

    An `open` seat may be kept for an invited guest, by the id that `Me` contains.
    """

    kind: Literal["me", "bot", "open", "here"]
    level: LevelName | None = None
    name: Nickname | None = None
    kept_for: GuestId | None = None


class SeatChange(Message):
    """The host gives a seat at a waiting table to a bot, or opens it again, whoever sat there."""

    kind: Literal["bot", "open"]
    level: LevelName | None = None


class NewTable(Message):
    """The options of a new table. The order of the seats is drawn unless it is `given` (SET-10)."""

    game: GameName
    seats: Annotated[list[SeatPlan], Field(min_length=2, max_length=4)]
    order: Literal["random", "given"] = "random"
    free_take: bool = False
    payment: Payment = "choice"
    visibility: Visibility = "private"
    clock: Clock | None = None


class Join(Message):
    """Sit down at an open seat: this one, or the first."""

    seat: Annotated[int, Field(ge=0, le=3)] | None = None


class Tables(Message):
    """The guest's tables, the newest first."""

    tables: list[TableInfo]


class Replay(Message):
    """A game from the deal to its end, or to the end of its record: step n leads from position n to the next.

    It is what the seat `viewer` saw; if that is null, all cards are open. `record` is the whole game as text.
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
    """What a bot thinks of the decision of step `seq` of a replay, by what its seat knew.

    `win_probabilities` are those of all seats before the decision. `loss` is how much win probability the seat lost
    against the bot's own move, from 0 to 1. `best` is what that move would have done, null if it was played. `line` is
    what the bot expected after it, at most until the end of the seat's next turn. Neither contains cards that would
    have been revealed.
    """

    seq: int
    seat: int
    win_probabilities: list[float]
    loss: float
    best: Step | None
    line: list[Step]


class Analysis(Message):
    """What a bot thinks of a game that is over: the judgements so far, of all the `decisions`.

    Until it is complete, the bot goes on, and the client can ask again.
    """

    decisions: int
    judgements: list[Judgement]
    is_complete: bool


class RecordToAnalyse(Message):
    """The record of a game that is over."""

    record: Annotated[str, StringConstraints(min_length=1)]


class PlayedSeat(Message):
    """A seat of a finished game: who sat there, and how it ended for them."""

    seat: int
    kind: Literal["person", "bot"]
    name: str
    level: LevelName | None
    is_you: bool
    has_left: bool
    place: int
    points: int
    has_won: bool


class PlayedGame(Message):
    """A finished game of the guest."""

    table: str
    game: GameName
    players: int
    finished_at: datetime
    seats: list[PlayedSeat]


class History(Message):
    """The guest's finished games, the newest first; `next` is the cursor of the older ones, or null."""

    games: list[PlayedGame]
    next: str | None


class Score(Message):
    """The guest's results in games of one kind, against a person with the latest nickname `name`, or only against bots.

    `level` is the level of the bots, if they all had the same. A game with several people counts for each of them.
    Games in which the guest had several seats do not count.
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
    """A private link that signs another device in as this guest; whoever has it plays as this guest."""

    path: str
    expires_at: datetime


class Claim(Message):
    """The secret of a device link."""

    key: Annotated[str, StringConstraints(min_length=16, max_length=64)]


class NewBotToken(Message):
    """A name for a new token."""

    name: Nickname


class BotToken(Message):
    """A token with which a program plays as the guest."""

    id: str
    name: str
    created_at: datetime


class GivenBotToken(Message):
    """A new token; no other message contains its secret."""

    token: str
    info: BotToken


class BotTokens(Message):
    """The guest's tokens, the newest first."""

    tokens: list[BotToken]


class Health(Message):
    """Whether the server and its database answer."""

    status: Literal["ok"]
    version: str
    rules: int
    protocol: int


ErrorCode = Literal[
    "malformed",  # not a message of this protocol
    "too_large",
    "too_fast",  # too many requests or messages a second
    "limit_reached",  # of tables, tokens, sockets or analyses; finish or close one first
    "no_guest",  # the client needs a nickname first
    "not_found",
    "not_yours",  # a seat, table or action of somebody else
    "not_your_turn",
    "stale",  # meant for an earlier moment of the game
    "illegal",  # against the rule that is named
    "cannot_undo",
    "over",
    "not_playing",  # seats are still open
    "begun",  # too late for it: the game has begun
    "closed",  # the table was closed before its game began, or was forgotten
    "bad_record",  # a record that is damaged or breaks the rules; its line is named
    "origin",
    "busy",  # with as many requests as possible; try again later
    "unavailable",
]


class ErrorInfo(Message):
    """Why something was refused; nothing has changed. `rule` is an id of the rule catalogue.

    `line` is the line of a record that cannot be replayed any further.
    """

    code: ErrorCode
    message: str
    rule: str | None = None
    line: int | None = None


class Problem(Message):
    """The body of every HTTP answer that is not a success."""

    error: ErrorInfo


# Over the socket, from the client


class Play(Message):
    """Play a move. `seq` is the length of the log for which it is meant; a refusal repeats `id`.

    A client may send it again after a broken connection: the same move of the same seat for the same `seq` is played
    only once.
    """

    type: Literal["play"]
    seq: Sequence
    move: MoveText
    id: Reference = ""


class Undo(Message):
    """Take back one's last move: possible until a card is revealed or another seat decides."""

    type: Literal["undo"]
    seq: Sequence
    id: Reference = ""


class Say(Message):
    """Send a phrase to everybody at the table; only for those who have a seat, and not too often."""

    type: Literal["say"]
    phrase: PhraseName
    id: Reference = ""


class Catch(Message):
    """Ask for everything after `since`, as at the start."""

    type: Literal["catch_up"]
    since: Sequence


class Ping(Message):
    """Ask for a `pong`."""

    type: Literal["ping"]


ClientMessage = Annotated[Play | Undo | Say | Catch | Ping, Field(discriminator="type")]


# Over the socket, from the server


class Sync(Message):
    """Sent first, and on `catch_up`: the table, what happened after `since`, and the position.

    `now` is the server's time when it was sent, for clocks.
    """

    type: Literal["sync"] = "sync"
    now: datetime
    table: TableInfo
    since: int
    happenings: list[Happening]
    position: Position


class Moved(Message):
    """A step, an undo, or somebody who left, and the position after it."""

    type: Literal["moved"] = "moved"
    now: datetime
    happening: Happening
    position: Position


class TableChanged(Message):
    """Somebody sat down, left, connected or disconnected; or there is a table for the rematch."""

    type: Literal["table"] = "table"
    table: TableInfo


class Said(Message):
    """A phrase from somebody at the table."""

    type: Literal["said"] = "said"
    seat: int
    phrase: PhraseName
    at: datetime


class Refused(Message):
    """A message of the client was refused and changed nothing; `seq` is the length of the log."""

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
