"""The command `cabochon`. Each command imports its heavy modules itself, so that `--help` is fast."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer
from typer.models import OptionInfo

from cabochon.cli.admin import admin
from cabochon.cli.options import DatabaseOption, JsonOption
from cabochon.errors import CabochonError, needs_extra
from cabochon.language import chosen_language, speaking
from cabochon.train.options import TrainingOptions
from cabochon.version import RULES_VERSION, __version__

if TYPE_CHECKING:
    from cabochon.game import Options

_Number = TypeVar("_Number", int, float)

PROBLEM_STATUS = 1  # the command worked and found a problem
MISUSE_STATUS = 2
INTERRUPTED_STATUS = 130

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
app.add_typer(admin)


def _speak(context: typer.Context, name: str | None) -> None:
    """Use this language until the command ends; by default, the language of the locale."""
    context.with_resource(speaking(chosen_language(name)))


def _setting(variable: str, text: str) -> OptionInfo:
    """An option of the server that can also be set by an environment variable."""
    option: OptionInfo = typer.Option(envvar=f"CABOCHON_{variable}", help=text)
    return option


GameOption = Annotated[str | None, typer.Option("--game", help="The game: splendor or marvel.", metavar="GAME")]
PlayersOption = Annotated[int | None, typer.Option("--players", help="Number of players: 2, 3 or 4.", metavar="N")]
PaymentOption = Annotated[
    str, typer.Option(help="choice: players choose which wilds to spend; automatic: always the fewest (BUY-3).")
]
FreeTakeOption = Annotated[
    bool, typer.Option("--free-take", help="House rule: players may take fewer different tokens (TRN-4).")
]
LanguageOption = Annotated[
    str | None,
    typer.Option(
        help="Language: en, es, de, ru or it. By default, the language of the locale.", metavar="NAME", callback=_speak
    ),
]
BotPauseOption = Annotated[float, _setting("BOT_PAUSE", "Minimum time before a bot moves, in seconds.")]
LogFormatOption = Annotated[str, _setting("LOG_FORMAT", "Log format: text or json.")]
LogLevelOption = Annotated[str, _setting("LOG_LEVEL", "Log level: debug, info, warning or error.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(help="Number of simultaneous games. By default, one per core of the machine or cluster.", metavar="N"),
]
RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray",
        help="Run on the Ray cluster at HOST:PORT; `auto` is the cluster that this machine belongs to.",
        metavar="ADDRESS",
    ),
]
FileArgument = Annotated[Path, typer.Argument(help="File with one or more records.", metavar="FILE")]


def _settings(game: str | None, players: int | None, free_take: bool, payment: str) -> list[Options]:
    """Return the chosen game and number of players, or every one if not chosen."""
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
    if not value >= least:  # so that NaN is refused, too
        raise CabochonError(f"expected {name} to be at least {least}, got {value}")
    return value


def _at_least_one_worker(workers: int | None) -> None:
    if workers is not None:
        _at_least(1, workers, "the number of workers")


def _one_of(choices: tuple[str, ...], value: str, name: str) -> None:
    if value not in choices:
        raise CabochonError(f"expected {name} to be one of {', '.join(choices)}, got {value!r}")


def _with_options_of(options: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for each field of a dataclass that has a help text in its metadata.

    Fields that name `methods` in their metadata have no default here, because it depends on other options.
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
        # mypy reads the hint as a static type.
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
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
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
        list[str] | None,
        typer.Option(
            help="Name of a player, or a bot such as bot:novice. Repeat for each seat; bots take the rest.",
            metavar="WHO",
        ),
    ] = None,
    order: Annotated[
        str, typer.Option(help="Order of the seats: random, or given to keep the order of the names (SET-10).")
    ] = "random",
    seed: Annotated[
        int | None, typer.Option(help="Seed of the deal, to repeat a game. By default, a new secret seed.")
    ] = None,
    payment: PaymentOption = "choice",
    free_take: FreeTakeOption = False,
    resume: Annotated[Path | None, typer.Option(help="Resume the game saved in this file.", metavar="FILE")] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            help="File to save the game to. By default, a new file in the user's data folder.", metavar="FILE"
        ),
    ] = None,
    language: LanguageOption = None,
) -> None:
    """Play a game in the terminal.

    Play against bots, or with other people at one keyboard. Without --seat, asks for the game and the players. The
    game is saved after every decision.
    """
    from cabochon.cli.play import play

    play(game, players, seat or [], order, seed, payment, free_take, resume, save)


@app.command("serve")
def _serve(
    host: Annotated[str, _setting("HOST", "Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, _setting("PORT", "Port to listen on; 0 picks a free port.")] = 8000,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in a web browser.")] = False,
    database: DatabaseOption = None,
    origin: Annotated[
        list[str] | None,
        _setting("ORIGINS", "Another origin that may serve the page, such as https://play.example. Can be repeated."),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        _setting(
            "ALLOWED_HOSTS",
            "Host name under which browsers reach the server. localhost, IP addresses and the hosts of --origin are "
            "always allowed. Can be repeated.",
        ),
    ] = None,
    secure_cookie: Annotated[
        bool | None,
        _setting("SECURE_COOKIE", "Mark cookies as Secure (HTTPS only). By default, only for requests over HTTPS."),
    ] = None,
    trusted_proxies: Annotated[
        str,
        _setting(
            "TRUSTED_PROXIES",
            "Addresses of proxies whose X-Forwarded-* headers are trusted, separated by commas; * trusts all.",
        ),
    ] = "",
    bot_threads: Annotated[
        int | None,
        _setting(
            "BOT_THREADS",
            "Number of threads in which bots search. By default, one per core. 0 leaves bot moves and analyses to "
            "`cabochon think`.",
        ),
    ] = None,
    bot_pause: BotPauseOption = 1.0,
    request_rate: Annotated[
        float, _setting("REQUEST_RATE", "Maximum number of HTTP requests per second from one IP address.")
    ] = 10.0,
    opening_rate: Annotated[
        float,
        _setting(
            "OPENING_RATE",
            "Maximum number of new guests and tables per second from one IP address, after the first 100.",
        ),
    ] = 0.2,
    message_rate: Annotated[
        float, _setting("MESSAGE_RATE", "Maximum number of messages per second over one socket.")
    ] = 10.0,
    sockets_per_address: Annotated[
        int, _setting("SOCKETS_PER_ADDRESS", "Maximum number of open WebSockets from one IP address.")
    ] = 64,
    tables_per_guest: Annotated[
        int, _setting("TABLES_PER_GUEST", "Maximum number of unfinished tables per host.")
    ] = 100,
    clock_grace: Annotated[
        float, _setting("CLOCK_GRACE", "Time after the server starts during which no clock runs out, in seconds.")
    ] = 60.0,
    waiting_minutes: Annotated[
        float, _setting("WAITING_MINUTES", "Close a waiting table if nobody looks at it for this many minutes.")
    ] = 30.0,
    idle_days: Annotated[
        float, _setting("IDLE_DAYS", "Close a game without a clock if nobody moves for this many days.")
    ] = 30.0,
    metrics: Annotated[bool, _setting("METRICS", "Serve metrics for Prometheus at /metrics.")] = True,
    log_format: LogFormatOption = "text",
    log_level: LogLevelOption = "info",
    migrate_only: Annotated[
        bool, typer.Option("--migrate-only", help="Migrate the database to the newest schema and exit.")
    ] = False,
) -> None:
    """Run the server for games in the browser.

    Options with an env var can also be set through that variable. In an env var, separate several origins or hosts
    with spaces.
    """
    with needs_extra("server", "the server"):
        from cabochon.cli.databases import chosen_database
        from cabochon.cli.serve import Listening, migrate, serve
    from cabochon.core.playout import processors
    from cabochon.server.database import is_shared
    from cabochon.server.live_settings import CHANGEABLE, values_of
    from cabochon.server.settings import Limits, Settings

    _check_log_options(log_format, log_level)
    settings = Settings(
        database=chosen_database(database),
        public_origins=tuple(origin or ()),
        allowed_hosts=(host.lower(), *(name.lower() for name in allowed_host or ())),
        is_cookie_secure=secure_cookie,
        bot_threads=processors() if bot_threads is None else _at_least(0, bot_threads, "the number of threads"),
        bot_pause=_at_least(0, bot_pause, "the bot pause"),
        clock_grace=_at_least(0, clock_grace, "the clock grace"),
        waiting_minutes=waiting_minutes,
        idle_days=idle_days,
        has_metrics=metrics,
        limits=Limits(
            request_rate=request_rate,
            opening_rate=opening_rate,
            message_rate=message_rate,
            sockets_per_address=sockets_per_address,
            tables_per_guest=tables_per_guest,
        ),
    )
    for name, value in values_of(settings).items():
        if not CHANGEABLE[name].accepts(value):
            flag = f"--{name.replace('_', '-')}"
            raise CabochonError(f"expected {flag} to be {CHANGEABLE[name].expected}, got {value}")
    if migrate_only:
        migrate(settings)
        typer.echo("The database is up to date.", err=True)
        return
    if settings.bot_threads == 0 and not is_shared(settings.database):
        raise CabochonError("expected at least 1 thread for bots: no other process can use an SQLite database")
    serve(settings, Listening(host, port, open_browser, log_format, log_level, trusted_proxies))


@app.command("think")
def _think(
    database: Annotated[str, _setting("DATABASE", "URL of the PostgreSQL database of the servers.")],
    bot_threads: Annotated[
        int | None, _setting("BOT_THREADS", "Number of threads in which bots search. By default, one per core.")
    ] = None,
    bot_pause: BotPauseOption = 1.0,
    metrics_host: Annotated[str, _setting("METRICS_HOST", "Address to listen on with --metrics-port.")] = "127.0.0.1",
    metrics_port: Annotated[
        int | None,
        _setting("METRICS_PORT", "Port for /metrics, /healthz and /readyz; 0 picks a free port. By default, none."),
    ] = None,
    log_format: LogFormatOption = "text",
    log_level: LogLevelOption = "info",
) -> None:
    """Compute bot moves and analyses for the servers on a PostgreSQL database.

    Needs no open port: it takes its work from the database. Run the servers with --bot-threads 0.
    """
    with needs_extra("server", "the server"):
        from cabochon.cli.databases import chosen_database
        from cabochon.cli.think import think
    from cabochon.core.playout import processors
    from cabochon.server.settings import Settings

    _check_log_options(log_format, log_level)
    settings = Settings(
        database=chosen_database(database),
        bot_threads=processors() if bot_threads is None else _at_least(1, bot_threads, "the number of threads"),
        bot_pause=_at_least(0, bot_pause, "the bot pause"),
    )
    think(settings, None if metrics_port is None else (metrics_host, metrics_port), log_format, log_level)


def _check_log_options(log_format: str, log_level: str) -> None:
    _one_of(("text", "json"), log_format, "--log-format")
    _one_of(("debug", "info", "warning", "error"), log_level, "--log-level")


@app.command("loadtest")
def _loadtest(
    games: Annotated[
        list[int] | None,
        typer.Option(help="Number of simultaneous games. Repeat for several runs in a row.", metavar="N"),
    ] = None,
    players: Annotated[int, typer.Option(help="Players per game: 2, 3 or 4.", metavar="N")] = 4,
    seconds: Annotated[float, typer.Option(help="Duration of each measurement, in seconds.")] = 30.0,
    think: Annotated[float, typer.Option(help="Average time per decision, in seconds.")] = 5.0,
    processes: Annotated[
        list[int] | None,
        typer.Option(help="Number of server processes. Repeat for several runs in a row.", metavar="N"),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(help="URL of an empty PostgreSQL database. By default, an SQLite file for each run."),
    ] = None,
    spread: Annotated[
        bool, typer.Option("--spread", help="Connect the players of a table to different processes.")
    ] = False,
    kill: Annotated[
        bool, typer.Option("--kill", help="Kill a server in the middle of each run, and restart it.")
    ] = False,
    rolling: Annotated[
        bool, typer.Option("--rolling", help="After each run, restart all servers one after the other.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Load-test servers on this machine with many simultaneous games.

    Starts a server, plays 250 games at once by default, and shows how long a move takes to reach the other players.
    The exit status is 1 if an acknowledged move was lost.
    """
    with needs_extra("server", "the server"):
        from cabochon.cli.loadtest import show_load
        from cabochon.loadtest import Load

    loads = [
        Load(count, players, seconds, think, kill, servers, database, spread, rolling)
        for count in games or [250]
        for servers in processes or [1]
    ]
    if not show_load(loads, json):
        raise typer.Exit(PROBLEM_STATUS)


@app.command("replay")
def _replay(
    file: FileArgument,
    game_number: Annotated[int, typer.Option(help="Number of the game in the file, from 1.", metavar="N")] = 1,
    language: LanguageOption = None,
) -> None:
    """Step through a recorded game.

    If the output is not a terminal, prints the whole game. The exit status is 1 if the record is damaged.
    """
    from cabochon.cli.replay import replay

    if not replay(file, _at_least(1, game_number, "the game number")):
        raise typer.Exit(PROBLEM_STATUS)


@app.command("analyse")
def _analyse(
    file: FileArgument,
    bot: Annotated[
        str,
        typer.Option(
            help="Bot that performs the analysis: champion, search:nodes=2000, or any bot that returns an analysis."
        ),
    ] = "champion:nodes=800",
    seat: Annotated[
        int | None, typer.Option(help="Analyse only this seat, from 1. By default, all seats.", metavar="N")
    ] = None,
    game_number: Annotated[
        int | None, typer.Option(help="Number of the game in the file, from 1. By default, the first.", metavar="N")
    ] = None,
    all_games: Annotated[bool, typer.Option("--all", help="Analyse all games in the file, several at a time.")] = False,
    workers: WorkersOption = None,
    ray: RayOption = None,
    language: LanguageOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one line of JSON per decision.")] = False,
) -> None:
    """Analyse the moves of a recorded game, or of all games in a file.

    For each decision, prints the best move given what the seat knew, the seat's chance of winning, and how much of that
    chance the played move lost.
    """
    from cabochon.cli.analyse import show_analyses, show_analysis

    _at_least_one_worker(workers)
    if not all_games:
        if workers is not None or ray is not None:
            raise CabochonError("expected --all with --workers or --ray: they analyse several games at a time")
        number = 1 if game_number is None else game_number
        show_analysis(file, _at_least(1, number, "the game number"), bot, seat, json)
        return
    if game_number is not None:
        raise CabochonError(f"expected --all or --game-number, got both (the game number is {game_number})")
    show_analyses(file, bot, seat, workers, ray, json)


@app.command("verify")
def _verify(file: FileArgument, json: JsonOption = False) -> None:
    """Check recorded games against the rules and their seeds.

    A record passes if it follows the rules and all its cards follow from its seed. The exit status is 1 if one fails.
    """
    from cabochon.cli.verify import verify_file

    if not verify_file(file, json):
        raise typer.Exit(PROBLEM_STATUS)


@app.command("rules")
def _rules(
    rule_id: Annotated[str | None, typer.Argument(metavar="ID", help="Id of a rule, such as TRN-5.")] = None,
    game: GameOption = None,
    introduction: Annotated[
        bool, typer.Option("--introduction", help="Explain the game to a new player, topic by topic.")
    ] = False,
    language: LanguageOption = None,
    json: JsonOption = False,
) -> None:
    """Show the rules, or a single rule by its id.

    By default, shows the rules of both games.
    """
    from cabochon.cli.reference import show_introduction, show_rules

    if introduction:
        show_introduction(game, json)
    else:
        show_rules(rule_id, game, json)


@app.command("simulate")
def _simulate(
    games: Annotated[
        int, typer.Option(help="Number of games; with --check, for each game and number of players.")
    ] = 1000,
    game: GameOption = None,
    players: PlayersOption = None,
    seed: Annotated[
        int, typer.Option(help="Seed of the games. Without --check, the second game uses the seed plus 1, and so on.")
    ] = 0,
    output: Annotated[
        Path | None, typer.Option(help="Record file to write. By default, standard output.", metavar="FILE")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write no records; check the invariants in every state of every game.")
    ] = False,
    payment: PaymentOption = "choice",
    free_take: FreeTakeOption = False,
    workers: WorkersOption = None,
    ray: RayOption = None,
    json: JsonOption = False,
) -> None:
    """Play random games and write their records to a file.

    By default, plays Splendor with 2 players. With --check, plays both games with 2, 3 and 4 players unless --game or
    --players is given, and checks the invariants in every state; the exit status is 1 if one is broken.
    """
    from cabochon.cli import simulation

    _at_least(1, games, "the number of games")
    _at_least_one_worker(workers)
    if check:
        if not simulation.check(_settings(game, players, free_take, payment), games, seed, json, workers, ray):
            raise typer.Exit(PROBLEM_STATUS)
        return
    simulation.simulate(_one_setting(game, players, free_take, payment), games, seed, output, json, workers, ray)


@app.command("perft")
def _perft(
    depth: Annotated[int, typer.Option(help="Maximum number of decisions in a sequence.")] = 3,
    game: GameOption = None,
    players: PlayersOption = None,
    seed: Annotated[int, typer.Option(help="Seed of the decks.")] = 0,
    after: Annotated[
        int, typer.Option(help="Count from the position after this many random decisions.", metavar="N")
    ] = 0,
    payment: PaymentOption = "choice",
    free_take: FreeTakeOption = False,
    divide: Annotated[bool, typer.Option("--divide", help="Also print the count for each first decision.")] = False,
    json: JsonOption = False,
) -> None:
    """Count the sequences of legal decisions up to a depth.

    By default, counts them in Splendor with 2 players.
    """
    from cabochon.cli.perft import show_perft

    _at_least(1, depth, "the depth")
    _at_least(0, after, "the number of decisions")
    show_perft(_one_setting(game, players, free_take, payment), seed, after, depth, divide, json)


@app.command("bench")
def _bench(
    game: GameOption = None,
    players: PlayersOption = None,
    quick: Annotated[bool, typer.Option("--quick", help="Measure for a shorter time, less precisely.")] = False,
    json: JsonOption = False,
) -> None:
    """Measure the speed of Cabochon on this machine.

    By default, measures both games with 2, 3 and 4 players.
    """
    from cabochon.cli.bench import bench

    bench(_settings(game, players, free_take=False, payment="choice"), quick, json)


@app.command("arena")
def _arena(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...",
            help="At least one bot per player: greedy, search:time=1.0, module:Class, online:http://host/GUEST, ...",
        ),
    ],
    game: GameOption = None,
    players: PlayersOption = None,
    games: Annotated[int, typer.Option(help="Number of games per line-up of bots, rounded up to whole deals.")] = 100,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the deals, to repeat them. By default, a new secret seed.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            help="Folder for all games and a report. An interrupted tournament resumes from it.", metavar="FOLDER"
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            help="Number of simultaneous games. By default, one per core, or one with online bots.", metavar="N"
        ),
    ] = None,
    ray: RayOption = None,
    grace: Annotated[
        float, typer.Option(help="By how much a bot may exceed its time limit before it loses, in seconds.")
    ] = 1.0,
    payment: PaymentOption = "choice",
    free_take: FreeTakeOption = False,
    json: JsonOption = False,
) -> None:
    """Play a tournament between bots.

    Every deal is played in every order of seats, so that luck cancels out. By default, the bots play Splendor with
    2 players.
    """
    from cabochon.arena.tournament import Plan
    from cabochon.cli.arena import chosen_seed, hold

    options = _one_setting(game, players, free_take, payment)
    _at_least_one_worker(workers)
    hold(Plan(tuple(bots), options, games, chosen_seed(seed, output), grace), output, workers, ray, json)


@app.command("engine")
def _engine(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="Bot to run, such as greedy, search or module:Class.")
    ] = "search",
) -> None:
    """Run a bot as an engine that speaks the text protocol of docs/bots.md.

    The bot reads from standard input and writes to standard output, as described in docs/bots.md.
    """
    from cabochon.bots.program import serve
    from cabochon.bots.specs import parse_spec

    spec = parse_spec(bot)
    serve(spec.make(), spec.text, sys.stdin, sys.stdout)


@app.command("train")
@_with_options_of(TrainingOptions)
def _train(**options: Any) -> None:
    """Train a network by self-play.

    Writes the network, a checkpoint to resume from, a log and a plot of the training to the output folder. Defaults
    that are not shown depend on the method and the device. Needs the extra cabochon[train].

    If torchrun starts the command in several processes (ranks), they learn together: each plays --games of its own,
    and an update learns from one --minibatch of each.
    """
    from cabochon.cli.train import train

    train(options)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit status. Errors are one line on standard error, never a traceback."""
    arguments = sys.argv[1:] if arguments is None else arguments
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without a character shows `?`
    try:
        status = app(arguments or ["--help"], standalone_mode=False, prog_name="cabochon")
    except CabochonError as error:
        return _misuse(str(error))
    except typer.TyperException as error:
        return _misuse(error.format_message())
    except OSError as error:
        return _misuse(f"expected a usable file, got {error.filename!r}: {error.strerror}")
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED_STATUS
    return status if isinstance(status, int) else 0


def _misuse(message: str) -> int:
    typer.echo(f"cabochon: {' '.join(message.split())}", err=True)
    return MISUSE_STATUS
