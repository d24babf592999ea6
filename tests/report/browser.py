"""A headless Chromium driven over a pipe, with nothing but the standard library (Chrome DevTools Protocol)."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
from base64 import b64decode
from pathlib import Path
from time import monotonic, sleep
from typing import Any

CHROMIUM = next(
    (
        path
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    None,
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-extensions",
)


class Browser:
    """One page; remembers what it said on its console and asked of the network."""

    def __init__(self, profile: Path) -> None:
        assert CHROMIUM is not None
        to_child, self._out = os.pipe()
        self._in, from_child = os.pipe()

        def place_pipes() -> None:  # the browser reads from 3 and writes to 4
            reading, writing = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_child, from_child))
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-pipe"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, pass_fds=(3, 4), preexec_fn=place_pipes, **quiet)
        os.close(to_child)
        os.close(from_child)
        self._number, self._rest, self._session = 0, b"", None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask for something and wait for the answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, place: Path | str) -> None:
        """Load a file or an address and wait until it is there; forgets the events of earlier pages."""
        self.events = []
        self.call(
            "Page.navigate", url=place if isinstance(place, str) else place.resolve().as_uri()
        )
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._read())

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def key(self, key: str) -> None:
        """Press a key."""
        code = {"Tab": 9, "Enter": 13, "ArrowRight": 39, "Escape": 27}[key]
        extra = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **extra,
            )

    def wait_for(self, script: str, patience: float = 60.0) -> Any:
        """The value of an expression in the page, once it is true."""
        deadline = monotonic() + patience
        while not (value := self.run(script)):
            if monotonic() > deadline:
                raise TimeoutError(f"{script} did not come true in {patience:.0f} s")
            sleep(0.1)
        return value

    def click(self, selector: str) -> None:
        """Press the mouse on the middle of an element, as a person would."""
        box = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{box}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        x, y = self.run(
            f"(({{left, top, width, height}}) => [left + width / 2, top + height / 2])({box}.getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drop(self, selector: str, file: Path) -> None:
        """Drag a file onto an element and let go."""
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        x, y = self.run(
            f"(({{left, top, width, height}}) => [left + width / 2, top + height / 2])({box})"
        )
        data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def look(self, width: int, height: int = 900, scheme: str = "light") -> None:
        """Set the window and the colour scheme."""
        phone = width < 600
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def screenshot(self, path: Path) -> Path:
        """The whole page as a PNG."""
        path.write_bytes(
            b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"])
        )
        return path

    def pdf(self) -> bytes:
        """The page as it prints."""
        return b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    @property
    def complaints(self) -> list[str]:
        """Everything on the console, every exception, everything in the log."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(e["params"])[:500] for e in self.events if e.get("method") in kinds]

    @property
    def requests(self) -> list[str]:
        """What was asked of the network or the disk; inline data is not."""
        asked = [
            e["params"]["request"]["url"]
            for e in self.events
            if e.get("method") == "Network.requestWillBeSent"
        ]
        return [url for url in asked if not url.startswith("data:")]

    def close(self) -> None:
        """End the browser."""
        try:
            self._session = None
            self.call("Browser.close")
            self._process.wait(10)
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._out)
            os.close(self._in)

    def _read(self, patience: float = 60.0) -> dict[str, Any]:
        deadline = monotonic() + patience
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - monotonic()))
            chunk = os.read(self._in, 1 << 20) if ready else b""
            if not chunk:
                raise TimeoutError("the browser does not answer.")
            self._rest += chunk
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)
