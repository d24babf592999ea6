"""Serve the page on this machine until Ctrl-C."""

from __future__ import annotations

import socket
import sys
import webbrowser
from pathlib import Path
from secrets import token_urlsafe

import uvicorn

from subsel.runtime.atomic_files import check_writable
from subsel.ui.application import application

__all__ = ["serve"]


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
