"""The command `cabochon`. What is heavy is imported by the command that needs it, so that help is quick."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer
from typer.models import OptionInfo

from cabochon.errors import CabochonError
from cabochon.language import chosen_language, speaking
from cabochon.train.options import TrainingOptions
from cabochon.version import RULES_VERSION, __version__

if TYPE_CHECKING:
    from cabochon.game import Options

_Number = TypeVar("_Number", int, float)

PROBLEM_STATUS = 1  # the command worked, and what it found is not well
MISUSE_STATUS = 2
INTERRUPTED_STATUS = 130

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


def _speak(context: typer.Context, name: str | None) -> None:
    """Use a language, or that of the locale, until the command ends."""
    context.with_resource(speaking(chosen_language(name)))


def _setting(variable: str, text: str) -> OptionInfo:
    """An option of the server that can also be set in the environment."""
    option: OptionInfo = typer.Option(envvar=f"CABOCHON_{variable}", help=text)
    return option


GameOption = Annotated[str | None, typer.Option("--game", help="splendor or marvel.", metavar="GAME")]
PlayersOption = Annotated[int | None, typer.Option("--players", help="2, 3 or 4.", metavar="N")]
PaymentOption = Annotated[str, typer.Option(help="choice: the payer says which wilds to spend; automatic: the fewest.")]
FreeTakeOption = Annotated[bool, typer.Option("--free-take", help="House rule: take fewer tokens by choice (TRN-4).")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
LanguageOption = Annotated[
    str | None,
    typer.Option(help="en, es, de, ru or it; by default that of the locale.", metavar="NAME", callback=_speak),
]
FileArgument = Annotated[Path, typer.Argument(help="A file of records.", metavar="FILE")]


def _settings(game: str | None, players: int | None, free_take: bool, payment: str) -> list[Options]:
    """The chosen setting, or all where nothing is chosen."""
    from cabochon.core.cards import VARIANTS
    from cabochon.game import Options

    return [
        Options(variant, count, free_take, payment)
        for variant in ([game] if game else VARIANTS)
        for count in ([players] if players is not None else (2, 3, 4))
    ]


def _one_setting(game: str | None, players: int | None, free_take: bool, payment: str) -> Options:
    return _settings(game or "splendor", 2 if players is None else players, free_take, payment)[0]


def _at_least(least: int, value: _Number, name: str) -> _Number:
    if value < least:
        raise CabochonError(f"expected {name} of at least {least}, got {value}")
    return value


def _one_of(choices: tuple[str, ...], value: str, name: str) -> None:
    if value not in choices:
        raise CabochonError(f"expected {name} to be {' or '.join(choices)}, got {value!r}")


def _with_options_of(options: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for each field of a dataclass that has a help text in its metadata.

    Fields that say for which `methods` they are have no default here: it depends on other options.
    """
    types = get_type_hints(options)
    parameters = []
    for field in dataclasses.fields(options):
        help_text, metavar = field.metadata.get("help"), field.metadata.get("metavar")
        if help_text is None:
            continue
        flag = field.metadata.get("flag") or f"--{field.name.replace('_', '-')}"
        hint, default = types[field.name], field.default
        if "methods" in field.metadata:
            hint, default = hint | None, None
        elif default is dataclasses.MISSING:
            default = inspect.Parameter.empty
        # mypy takes the hint for a type that it should know.
        annotation = Annotated[hint, typer.Option(flag, help=help_text, metavar=metavar)]  # type: ignore[valid-type]
        parameters.append(
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        command.__dict__["__signature__"] = inspect.Signature(parameters)
        return command

    return decorate


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"cabochon {__version__}, rules {RULES_VERSION}")
        raise typer.Exit


@app.callback()
def _all_commands(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Splendor and Splendor: Marvel, complete and by the book."""
    from cabochon.cli.terminal import announce_compilation

    announce_compilation()


@app.command("play")
def _play(
    game: GameOption = None,
    players: PlayersOption = None,
    seat: Annotated[
        list[str] | None, typer.Option(help="A name, or a bot such as bot:novice; once a seat.", metavar="WHO")
    ] = None,
    order: Annotated[str, typer.Option(help="random, or given: the seats as named (SET-10).")] = "random",
    seed: Annotated[int | None, typer.Option(help="Play the game of this number again.")] = None,
    payment: PaymentOption = "choice",
    free_take: FreeTakeOption = False,
    resume: Annotated[Path | None, typer.Option(help="Go on with a saved game.", metavar="FILE")] = None,
    save: Annotated[Path | None, typer.Option(help="Where to save the game.", metavar="FILE")] = None,
    language: LanguageOption = None,
) -> None:
    """Play a game in the terminal."""
    from cabochon.cli.play import play

    play(game, players, seat or [], order, seed, payment, free_take, resume, save)


@app.command("serve")
def _serve(
    host: Annotated[str, _setting("HOST", "The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, _setting("PORT", "The port; 0 for a free one.")] = 8000,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    database: Annotated[
        str | None,
        _setting("DATABASE", "A file for SQLite, or the URL of a database; by default in the user's data folder."),
    ] = None,
    origin: Annotated[
        list[str] | None,
        _setting("ORIGINS", "An origin of the page besides the server's own, such as https://play.example."),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        _setting("ALLOWED_HOSTS", "A name by which browsers reach the server, besides localhost and those of origins."),
    ] = None,
    secure_cookie: Annotated[
        bool | None, _setting("SECURE_COOKIE", "Cookies for HTTPS alone; by default as each request came.")
    ] = None,
    trusted_proxies: Annotated[
        str,
        _setting("TRUSTED_PROXIES", "Addresses whose X-Forwarded-* headers are believed, with commas between, or *."),
    ] = "",
    bot_threads: Annotated[
        int | None, _setting("BOT_THREADS", "Bots that think at a time; by default one per core.")
    ] = None,
    bot_pause: Annotated[float, _setting("BOT_PAUSE", "Seconds before a bot answers, at least.")] = 1.0,
    request_rate: Annotated[float, _setting("REQUEST_RATE", "HTTP requests per second from one address.")] = 10.0,
    opening_rate: Annotated[
        float, _setting("OPENING_RATE", "New guests and tables per second from one address, after the first 100.")
    ] = 0.2,
    message_rate: Annotated[float, _setting("MESSAGE_RATE", "Messages per second over one socket.")] = 10.0,
    sockets_per_address: Annotated[int, _setting("SOCKETS_PER_ADDRESS", "Sockets open from one address.")] = 64,
    tables_per_guest: Annotated[int, _setting("TABLES_PER_GUEST", "Tables of one host that are not over.")] = 100,
    clock_grace: Annotated[float, _setting("CLOCK_GRACE", "Seconds after a start in which no clock runs out.")] = 60.0,
    waiting_minutes: Annotated[
        float, _setting("WAITING_MINUTES", "How long a table waits while nobody is there.")
    ] = 30.0,
    idle_days: Annotated[float, _setting("IDLE_DAYS", "How long a game without a clock stands still.")] = 30.0,
    metrics: Annotated[bool, _setting("METRICS", "Offer /metrics for Prometheus.")] = True,
    log_format: Annotated[str, _setting("LOG_FORMAT", "text or json.")] = "text",
    log_level: Annotated[str, _setting("LOG_LEVEL", "debug, info, warning or error.")] = "info",
    migrate_only: Annotated[
        bool, typer.Option("--migrate-only", help="Bring the database up to date, and do nothing else.")
    ] = False,
) -> None:
    """Serve the game to browsers."""
    try:
        from cabochon.cli.serve import Listening, migrate, serve
    except ImportError as error:
        raise CabochonError(f"the server needs more packages: pip install 'cabochon[server]' ({error})") from error
    from cabochon.core.playout import processors
    from cabochon.server.settings import Limits, Settings, data_folder, database_url

    _one_of(("text", "json"), log_format, "the log format")
    _one_of(("debug", "info", "warning", "error"), log_level, "the log level")
    settings = Settings(
        database=database_url(database or str(data_folder() / "server.db")),
        public_origins=tuple(origin or ()),
        allowed_hosts=(host.lower(), *(name.lower() for name in allowed_host or ())),
        is_cookie_secure=secure_cookie,
        bot_threads=_at_least(1, bot_threads or processors(), "a number of threads"),
        bot_pause=_at_least(0, bot_pause, "a pause"),
        clock_grace=_at_least(0, clock_grace, "a grace"),
        waiting_minutes=_at_least(1, waiting_minutes, "minutes to wait"),
        idle_days=_at_least(1, idle_days, "days to stand still"),
        has_metrics=metrics,
        limits=Limits(
            request_rate=request_rate,
            opening_rate=opening_rate,
            message_rate=message_rate,
            sockets_per_address=sockets_per_address,
            tables_per_guest=tables_per_guest,
        ),
    )
    if migrate_only:
        migrate(settings)
        typer.echo("The database is up to date.", err=True)
        return
    serve(settings, Listening(host, port, open_browser, log_format, log_level, trusted_proxies))


@app.command("loadtest")
def _loadtest(
    games: Annotated[
        list[int] | None, typer.Option(help="Games at once; given several times, one after the other.", metavar="N")
    ] = None,
    players: Annotated[int, typer.Option(help="2, 3 or 4 a game.", metavar="N")] = 4,
    seconds: Annotated[float, typer.Option(help="How long to measure.")] = 30.0,
    think: Annotated[float, typer.Option(help="Seconds before a decision, on average.")] = 5.0,
    kill: Annotated[bool, typer.Option("--kill", help="Kill the server in the middle, and start it again.")] = False,
    json: JsonOption = False,
) -> None:
    """Play many games at once against a server on this machine.

    Shows how long a move takes to reach the other players. The status is 1 if an acknowledged move was lost.
    """
    try:
        from cabochon.cli.loadtest import show_load
        from cabochon.loadtest import Load
    except ImportError as error:
        raise CabochonError(f"the server needs more packages: pip install 'cabochon[server]' ({error})") from error

    loads = [Load(count, players, seconds, think, kill) for count in games or [250]]
    if not show_load(loads, json):
        raise typer.Exit(PROBLEM_STATUS)


@app.command("replay")
def _replay(
    file: FileArgument,
    game_number: Annotated[int, typer.Option(help="Which game of the file, from 1.", metavar="N")] = 1,
    language: LanguageOption = None,
) -> None:
    """Step through a record.

    Where the output is no terminal, all of it is printed. The status is 1 if the record is damaged.
    """
    from cabochon.cli.replay import replay

    if not replay(file, _at_least(1, game_number, "a game number")):
        raise typer.Exit(PROBLEM_STATUS)


@app.command("analyse")
def _analyse(
    file: FileArgument,
    bot: Annotated[
        str, typer.Option(help="Who judges: champion, search:nodes=2000 or another bot that says what it thinks.")
    ] = "champion:nodes=800",
    seat: Annotated[int | None, typer.Option(help="Judge this seat alone, from 1.", metavar="N")] = None,
    game_number: Annotated[int, typer.Option(help="Which game of the file, from 1.", metavar="N")] = 1,
    language: LanguageOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each decision.")] = False,
) -> None:
    """Judge the moves of a record.

    For each decision: the better move by what the seat knew, the chance of winning before it, and how much of it
    the played move gave away.
    """
    from cabochon.cli.analyse import show_analysis

    show_analysis(file, _at_least(1, game_number, "a game number"), bot, seat, json)


@app.command("verify")
def _verify(file: FileArgument, json: JsonOption = False) -> None:
    """Say for each record whether it is true.

    It is if it follows the rules, and its cards follow from the seed. The status is 1 if one is not.
    """
    from cabochon.cli.verify import verify_file

    if not verify_file(file, json):
        raise typer.Exit(PROBLEM_STATUS)


@app.command("rules")
def _rules(
    rule_id: Annotated[str | None, typer.Argument(metavar="ID", help="Such as TRN-5.")] = None,
    game: GameOption = None,
    introduction: Annotated[
        bool, typer.Option("--introduction", help="The game explained to a new player, topic by topic.")
    ] = False,
    language: LanguageOption = None,
    json: JsonOption = False,
) -> None:
    """Show the rules, or one of them by its id."""
    from cabochon.cli.reference import show_introduction, show_rules

    if introduction:
        show_introduction(game, json)
    else:
        show_rules(rule_id, game, json)


@app.command("simulate")
def _simulate(
    games: Annotated[int, typer.Option(help="How many; with --check, of each setting.")] = 1000,
    game: GameOption = None,
    players: PlayersOption = None,
    seed: Annotated[int, typer.Option(help="Game number i is that of the seed + i.")] = 0,
    output: Annotated[
        Path | None, typer.Option(help="The record file; by default standard output.", metavar="FILE")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; check every state of every game in the core.")
    ] = False,
    payment: PaymentOption = "choice",
    free_take: FreeTakeOption = False,
    json: JsonOption = False,
) -> None:
    """Play random games into a record file.

    With --check, play them in the core and check every state; the status is 1 if an invariant breaks.
    """
    from cabochon.cli import simulation

    _at_least(1, games, "a number of games")
    if check:
        if not simulation.check(_settings(game, players, free_take, payment), games, seed, json):
            raise typer.Exit(PROBLEM_STATUS)
        return
    simulation.simulate(_one_setting(game, players, free_take, payment), games, seed, output, json)


@app.command("perft")
def _perft(
    depth: Annotated[int, typer.Option(help="How many decisions.")] = 3,
    game: GameOption = None,
    players: PlayersOption = None,
    seed: Annotated[int, typer.Option(help="Whose decks to play with.")] = 0,
    after: Annotated[int, typer.Option(help="Count after so many random decisions.", metavar="N")] = 0,
    payment: PaymentOption = "choice",
    free_take: FreeTakeOption = False,
    divide: Annotated[bool, typer.Option("--divide", help="Also by the first decision.")] = False,
    json: JsonOption = False,
) -> None:
    """Count the sequences of decisions to a depth."""
    from cabochon.cli.perft import show_perft

    _at_least(1, depth, "a depth")
    _at_least(0, after, "a number of decisions")
    show_perft(_one_setting(game, players, free_take, payment), seed, after, depth, divide, json)


@app.command("bench")
def _bench(
    game: GameOption = None,
    players: PlayersOption = None,
    quick: Annotated[bool, typer.Option("--quick", help="A short, rough run.")] = False,
    json: JsonOption = False,
) -> None:
    """Measure how fast it is on this machine."""
    from cabochon.cli.bench import bench

    bench(_settings(game, players, free_take=False, payment="choice"), quick, json)


@app.command("arena")
def _arena(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...", help="Such as greedy, search:time=1.0, module:Class, online:http://host/GUEST."
        ),
    ],
    game: GameOption = None,
    players: PlayersOption = None,
    games: Annotated[int, typer.Option(help="Of each line-up of bots, rounded up to whole deals.")] = 100,
    seed: Annotated[int | None, typer.Option(help="Play the deals of this number again; secret by default.")] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Keep all games here, with a report; go on from here if interrupted.", metavar="FOLDER"),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Games at a time; by default one per core, and one against online bots.")
    ] = None,
    grace: Annotated[float, typer.Option(help="Seconds beyond its limit after which a bot loses.")] = 1.0,
    payment: PaymentOption = "choice",
    free_take: FreeTakeOption = False,
    json: JsonOption = False,
) -> None:
    """Let bots play against each other.

    Every deal is played in every order of seats, so that luck cancels.
    """
    from cabochon.arena.tournament import Plan
    from cabochon.cli.arena import chosen_seed, hold

    options = _one_setting(game, players, free_take, payment)
    if workers is not None:
        _at_least(1, workers, "a number of workers")
    hold(Plan(tuple(bots), options, games, chosen_seed(seed, output), grace), output, workers, json)


@app.command("engine")
def _engine(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="Such as greedy, search, module:Class.")] = "search",
) -> None:
    """Let a bot speak the line protocol on standard input and output."""
    from cabochon.bots.program import serve
    from cabochon.bots.specs import parse_spec

    spec = parse_spec(bot)
    serve(spec.make(), spec.text, sys.stdin, sys.stdout)


@app.command("train")
@_with_options_of(TrainingOptions)
def _train(**options: Any) -> None:
    """Train a network by self-play.

    The folder gets a checkpoint to continue from, a log, a plot of the training, and the network. Needs the
    extra cabochon[train].
    """
    from cabochon.cli.train import train

    train(options)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status. An error is one line on standard error, never a traceback."""
    arguments = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows `?`
    try:
        status = app(arguments or ["--help"], standalone_mode=False, prog_name="cabochon")
    except CabochonError as error:
        return _misuse(str(error))
    except typer.TyperException as error:
        return _misuse(error.format_message())
    except OSError as error:
        return _misuse(f"expected a file that can be used, got {error.filename!r}: {error.strerror}")
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED_STATUS
    return status if isinstance(status, int) else 0


def _misuse(message: str) -> int:
    typer.echo(f"cabochon: {' '.join(message.split())}", err=True)
    return MISUSE_STATUS
