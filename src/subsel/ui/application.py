"""The routes of the page."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator
from pathlib import Path
from secrets import token_urlsafe
from time import monotonic
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from subsel.runtime.atomic_files import check_writable
from subsel.ui.errors import Refused
from subsel.ui.guard import Guard
from subsel.ui.run_folder import RESULTS, RunFolder
from subsel.ui.runs import Runs
from subsel.ui.tables import Tables

__all__ = ["application", "events", "serve"]

HERE = Path(__file__).parent
PAGE = {"/": "page.html", "/page.css": "page.css", "/page.js": "page.js"}
REPORT = "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'none'"  # a page of its own, far from ours
LARGEST_QUESTION = 100_000  # bytes of JSON
MOST_WATCHERS = 64


def application(folder: Path, *, token: str, port: int, most_bytes: int = 500_000_000) -> Starlette:
    """The page as an ASGI application.

    Parameters
    ----------
    folder : Path
        Where tables and runs are kept.
    token : str
        What the address must hold.
    port : int
        Where it will be served.
    most_bytes : int
        How large a dropped file may be.

    Returns
    -------
    Starlette
        Give it to any ASGI server that listens on 127.0.0.1.
    """
    folder = folder.absolute()
    page = _Page(Tables(folder / "tables", most_bytes), Runs(folder / "runs"))
    routes = [
        *(Route(path, _shipped(name)) for path, name in PAGE.items()),
        Route("/tables/{name}", page.drop, methods=["PUT"]),
        Route("/runs", page.listed),
        Route("/runs", page.begin, methods=["POST"]),
        Route("/runs/{id}", page.one),
        Route("/runs/{id}/steps", page.steps),
        Route("/runs/{id}/stop", page.stop, methods=["POST"]),
        Route("/runs/{id}/resume", page.resume, methods=["POST"]),
        Route("/runs/{id}/results/{name}", page.result),
    ]
    guard = Middleware(Guard, token=token, port=port)
    return Starlette(routes=routes, middleware=[guard], exception_handlers={Refused: _refuse})


class _Page:
    """What the routes answer."""

    def __init__(self, tables: Tables, runs: Runs) -> None:
        self.tables, self.runs, self.watchers = tables, runs, 0

    async def drop(self, request: Request) -> Response:
        size = _whole_number(request.headers.get("content-length", "0"))
        return JSONResponse(
            await self.tables.add(request.path_params["name"], size, request.stream())
        )

    async def listed(self, request: Request) -> Response:  # noqa: ARG002
        return JSONResponse(self.runs.listed())

    async def begin(self, request: Request) -> Response:
        asked = await _question(request)
        choices = asked.get("choices")
        if not isinstance(choices, dict):
            raise Refused("say what was chosen.", 422)
        return JSONResponse(
            {"id": self.runs.begin(self.tables.path(asked.get("table")), choices)}, 201
        )

    async def one(self, request: Request) -> Response:
        return JSONResponse(self.runs.describe(self.runs.run(request.path_params["id"])))

    async def stop(self, request: Request) -> Response:
        self.runs.stop(request.path_params["id"])
        return JSONResponse({})

    async def resume(self, request: Request) -> Response:
        asked = await _question(request)
        self.runs.resume(request.path_params["id"], asked.get("budget"))
        return JSONResponse({})

    async def steps(self, request: Request) -> Response:
        run = self.runs.run(request.path_params["id"])
        if self.watchers >= MOST_WATCHERS:
            raise Refused("too many pages are watching: close some.", 429)
        place = _whole_number(request.headers.get("last-event-id", "0"))
        told = self._counted(events(self.runs, run, place))
        return StreamingResponse(told, media_type="text/event-stream")

    async def _counted(self, told: Any) -> Any:
        self.watchers += 1
        try:
            async for event in told:
                yield event
        finally:
            self.watchers -= 1

    async def result(self, request: Request) -> Response:
        run, name = self.runs.run(request.path_params["id"]), request.path_params["name"]
        path = run.results / name
        if name not in RESULTS or not path.is_file():
            raise Refused("there is no such file.", 404)
        headers = {}
        if name.endswith(".html"):
            headers["content-security-policy"] = REPORT
        return FileResponse(path, media_type=RESULTS[name], headers=headers)


def _shipped(name: str) -> Any:
    async def answer(request: Request) -> Response:  # noqa: ARG001
        return FileResponse(HERE / name)

    return answer


def _whole_number(header: str) -> int:
    """The number in a header; 0 where it holds something else."""
    if not header.isdigit():
        return 0
    return int(header)


async def _question(request: Request) -> dict[str, Any]:
    """The JSON of a request, which must be small."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_QUESTION:
            raise Refused("this is too much.", 413)
    try:
        asked = json.loads(body or b"{}")
    except ValueError:
        raise Refused("this is no JSON.", 400) from None
    if not isinstance(asked, dict):
        raise Refused("this is no question.", 400)
    return asked


async def _refuse(request: Request, why: Exception) -> Response:  # noqa: ARG001
    assert isinstance(why, Refused)
    return JSONResponse({"error": str(why)}, why.status)


def serve(
    folder: Path, *, port: int = 0, most_bytes: int = 500_000_000, browser: bool = True
) -> int:
    """Serve the page on 127.0.0.1, print its address, and open it in a browser; gives 0 after Ctrl-C.

    Parameters
    ----------
    folder : Path
        Where tables and runs are kept.
    port : int
        Where to listen; 0 takes a free one.
    most_bytes : int
        How large a dropped file may be.
    browser : bool
        Whether to open the page.

    Returns
    -------
    int
        The exit code. Runs that were begun go on.
    """
    check_writable(folder)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()
        port, token = listening.getsockname()[1], token_urlsafe(24)
        app = application(folder, token=token, port=port, most_bytes=most_bytes)
        settings = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=1, lifespan="off"
        )
        address = f"http://127.0.0.1:{port}/?token={token}"
        print(
            f"subsel: {address}\nsubsel: runs are kept in {folder}; Ctrl-C ends the page, not the runs",
            flush=True,
        )
        if browser:
            webbrowser.open(address)
        try:
            uvicorn.Server(settings).run(sockets=[listening])
        except KeyboardInterrupt:
            print("subsel: the page is closed; runs that were going go on", file=sys.stderr)
    return 0


PACE = 0.25  # seconds between two looks
ALIVE = 10.0  # seconds of silence after which a page is told that we are still here
CHUNK = 65_536  # bytes that are held at once


async def events(runs: Runs, run: RunFolder, begin: int = 0) -> AsyncIterator[str]:
    """Give every line that the run has told after a place in its file, and at last what became of the run."""
    place, spoken = begin, monotonic()
    while True:
        running = runs.is_running(run)
        while lines := _lines(run.steps, place):
            for line in lines:
                place += len(line)
                yield f"id: {place}\ndata: {line.decode('utf8').strip()}\n\n"
            spoken = monotonic()
        if not running:
            yield f"event: over\ndata: {json.dumps(runs.describe(run))}\n\n"
            return
        if monotonic() - spoken > ALIVE:
            yield ": still here\n\n"
            spoken = monotonic()
        await asyncio.sleep(PACE)


def _lines(path: Path, place: int) -> list[bytes]:
    """The whole lines that begin at a place; a line that is not yet whole is left for the next look."""
    if not path.exists():
        return []
    with path.open("rb") as file:
        file.seek(place)
        held = file.read(CHUNK)
        while b"\n" not in held and (more := file.read(CHUNK)):
            held += more
    return held[: held.rfind(b"\n") + 1].splitlines(keepends=True)
