"""The commands of `errsage`; what they need is imported where it is used."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

# The guard against foreign modules of our names runs on this import, before any other of ours.
import assistant.shadowing  # noqa: F401
from records.errors import ErrsageError
from records.stages import LOGGER
from ui.terminal.inert import inert_json, one_line

if TYPE_CHECKING:
    from pydantic import BaseModel

    from assistant import Assistant
    from assistant.status import Status

USAGE, FAULTS, BROKEN_INDEX = 2, 1, 3
INTERRUPTED = 130
# The commands that write, and what goes on when one was stopped.
_WRITING = {
    "add": "errsage add or errsage embed",
    "embed": "errsage embed",
    "rebuild": "errsage rebuild",
}

app = typer.Typer(
    name="errsage",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Paste an error, get the record that explains it: where it is raised, why, how to fix it.",
)


def _path(text: str) -> Path:
    if not text:  # as a path it would be the current folder
        raise typer.BadParameter("the path is empty; is a variable of the shell not set?")
    return Path(text)


def _tell_version(asked: bool) -> None:
    if not asked:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        typer.echo(f"errsage {version('errsage')}")
    except PackageNotFoundError:
        raise typer.BadParameter("errsage runs from a folder and is not installed") from None
    raise typer.Exit


DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        parser=_path,
        metavar="PATH",
        help="The data folder [env: ERRSAGE_HOME]",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait for another process that is adding.")]


class _State:
    """The command, and the options that stand before it."""

    command: str | None = None
    data_dir: Path | None = None


@app.callback()
def options(
    context: typer.Context,
    data_dir: DataDir = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Announce the stages of writing on stderr.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_tell_version, is_eager=True, help="Print the version and end."
        ),
    ] = False,
) -> None:
    """Take the options that every command shares."""
    _State.command = context.invoked_subcommand
    _State.data_dir = data_dir
    if verbose:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("stage: %(message)s"))
        logging.getLogger(LOGGER).addHandler(handler)
        logging.getLogger(LOGGER).setLevel(logging.DEBUG)


@app.command()
def add(
    paths: Annotated[list[Path], typer.Argument(parser=_path, help="Files or folders of records.")],
    vectors: Annotated[
        bool, typer.Option("--vectors/--no-vectors", help="Embed now, or later with `embed`.")
    ] = True,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 2 when any record is refused.")
    ] = False,
    wait: Wait = False,
    data_dir: DataDir = None,
) -> None:
    """Take records into the store and the index."""
    from ui.terminal.progress import reporter

    with _opened(data_dir) as assistant, reporter() as report:
        added = assistant.add(*paths, vectors=vectors, wait=wait, progress=report)
    for line in added.first_refused:
        _tell(f"refused: {line}")
    if added.refused:
        _tell(f"refused {added.refused:,} in all; they are listed in {added.rejects}")
    if added.skipped:
        _tell(f"skipped {added.skipped:,} JSON files that hold no records")
    if not added.accepted and not added.refused:
        _tell(f"errsage: no records in {', '.join(map(str, paths))}")
    if added.note:
        _tell(f"note: {added.note}")
    typer.echo(
        f"accepted {added.accepted:,} records ({added.changed:,} new or changed); the index holds "
        f"{added.records:,}, {added.vectors:,} with a vector"
    )
    if not added.accepted or (strict and added.refused):
        raise typer.Exit(USAGE)


@app.command()
def embed(
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Embed at most so many texts.")
    ] = None,
    wait: Wait = False,
    data_dir: DataDir = None,
) -> None:
    """Finish missing vectors; resumable."""
    from ui.terminal.progress import reporter

    with _opened(data_dir) as assistant, reporter() as report:
        count = assistant.embed(limit=limit, wait=wait, progress=report)
        status = assistant.status()
    typer.echo(
        f"embedded {count:,} texts; {status.vectors:,} of {status.records:,} records have a vector"
    )


@app.command()
def search(
    text: Annotated[
        list[str] | None,
        typer.Argument(help="The error; `-` or nothing reads standard input.", show_default=False),
    ] = None,
    count: Annotated[int, typer.Option("-k", min=1, max=100, help="Hits at most.")] = 5,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Find the record that explains an error."""
    from ui.terminal.reading import query_text

    query = query_text(text or [])
    with _opened(data_dir) as assistant:
        result = assistant.search(query, k=count)
    if as_json:
        _print_json(result)
    else:
        from ui.terminal.result import result_text

        typer.echo(result_text(result))


@app.command()
def show(
    record_id: Annotated[str, typer.Argument(metavar="ID", help="16 hex digits.")],
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Show one record, whole, and its sources."""
    with _opened(data_dir) as assistant:
        found = assistant.get(record_id)
    if found is None:
        _tell(f"errsage: no record has the id {record_id!r}")
        raise typer.Exit(FAULTS)
    if as_json:
        _print_json(found)
    else:
        from ui.terminal.record import record_text

        typer.echo(record_text(found))


@app.command()
def status(as_json: Json = False, data_dir: DataDir = None) -> None:
    """Tell what is stored and searchable."""
    with _opened(data_dir) as assistant:
        found = assistant.status()
    if as_json:
        _print_json(found)
    else:
        from ui.terminal.status import status_text

        typer.echo(status_text(found))


@app.command()
def verify(data_dir: DataDir = None) -> None:
    """Check store and index; exit code 1 when faults are listed."""
    with _opened(data_dir) as assistant:
        faults = assistant.verify()
        empty = not faults and _holds_nothing(assistant.status())
        folder = assistant.folder
    for fault in faults:
        typer.echo(one_line(fault, width=2_000))
    if faults:
        raise typer.Exit(FAULTS)
    if empty:
        typer.echo(one_line(f"there is nothing in {folder} yet", width=2_000))
    else:
        typer.echo("store and index are sound")


@app.command()
def rebuild(wait: Wait = False, data_dir: DataDir = None) -> None:
    """Build the index anew from the store."""
    from ui.terminal.progress import reporter

    with _opened(data_dir) as assistant, reporter() as report:
        count = assistant.rebuild(wait=wait, progress=report)
    typer.echo(f"the index holds {count:,} records")


@app.command()
def serve(
    host: Annotated[
        str | None, typer.Option("--host", help="Address to listen on [default: 127.0.0.1]")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="Port [default: 7860]; 0: any")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", help="Another name by which browsers may ask."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Serve the web chat."""
    from ui.serve import serve as serve_chat

    with _opened(data_dir) as assistant:
        settings = assistant.settings
        serve_chat(
            assistant,
            host=host or settings.host,
            port=settings.port if port is None else port,
            allow_hosts=allow_host or (),
        )


def run() -> int:
    """Run the command of `sys.argv`; gives the exit code."""
    code = 0
    try:
        app()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    except KeyboardInterrupt:
        code = INTERRUPTED
    except ErrsageError as error:
        _tell(f"errsage: {error}")
        code = _code_of(error)
    if code == INTERRUPTED and _State.command in _WRITING:
        goes_on = _WRITING[_State.command]
        _tell(f"errsage: stopped; what was committed is kept, {goes_on} goes on")
    return code


def _code_of(error: ErrsageError) -> int:
    from index.errors import IndexFault

    broken = isinstance(error, IndexFault) and _State.command not in _WRITING
    return BROKEN_INDEX if broken else USAGE


def _opened(data_dir: Path | None) -> Assistant:
    from assistant import Assistant

    return Assistant.open(data_dir or _State.data_dir)


def _holds_nothing(found: Status) -> bool:
    return not (found.records or found.pending or sum(found.disk.model_dump().values()))


def _print_json(value: BaseModel) -> None:
    typer.echo(inert_json(value.model_dump_json(by_alias=True, indent=2)))


def _tell(line: str) -> None:
    typer.echo(one_line(line, width=2_000), err=True)
