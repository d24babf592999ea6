"""Two runs, ten pages that watch, and the pages leave: memory stays bounded, every page hears the same, no run is lost."""

from __future__ import annotations

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep

import pytest

from tests.ui.serving import Served, served, write_table

pytestmark = pytest.mark.slow
PATIENCE = 400.0  # seconds
GROWTH = 40_000_000  # bytes that the server may take beyond what it began with


class Page:
    """A page without a browser: it has the cookie and reads events."""

    def __init__(self, server: Served) -> None:
        self.port = server.port
        token = server.address.partition("token=")[2]
        self.headers = {
            "Cookie": f"subsel-{self.port}={token}",
            "Origin": f"http://127.0.0.1:{self.port}",
        }

    def ask(self, method: str, path: str, body: bytes | None = None) -> dict:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, self.headers)
            answer = connection.getresponse()
            told = json.loads(answer.read())
            assert answer.status < 300, told
            return told
        finally:
            connection.close()

    def watch(self, run: str, leave_after: int | None = None) -> list[str]:
        """The events of a run until it is over, or only the first few."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", f"/runs/{run}/steps", headers=self.headers)
        heard: list[str] = []
        for line in connection.getresponse():
            if line.startswith(b"data: "):
                heard.append(line.decode()[6:].strip())
            if line.startswith(b"event: over") or len(heard) == leave_after:
                break
        connection.close()
        return heard


def test_two_runs_ten_watchers(tmp_path):
    """All watchers of a run hear the same; half of them leave early and take nothing with them."""
    table = write_table(tmp_path / "juice.csv").read_bytes()
    with served(tmp_path / "runs") as server:
        page = Page(server)
        dropped = page.ask("PUT", "/tables/juice.csv", table)
        before = server.rss()
        asked = json.dumps(
            {"table": dropped["id"], "choices": {"target": "taste", "budget": "4s"}}
        ).encode()
        runs = [page.ask("POST", "/runs", asked)["id"] for _ in range(2)]
        with ThreadPoolExecutor(10) as watchers:
            staying = [watchers.submit(page.watch, runs[i % 2]) for i in range(6)]
            leaving = [watchers.submit(page.watch, runs[i % 2], 2) for i in range(4)]
            most = before
            deadline = monotonic() + PATIENCE
            while not all(watcher.done() for watcher in staying) and monotonic() < deadline:
                most = max(most, server.rss())
                sleep(0.5)
            heard = [watcher.result() for watcher in staying]
            assert [len(watcher.result()) for watcher in leaving] == [2] * 4
        for i, run in enumerate(runs):
            assert heard[i] == heard[i + 2] == heard[i + 4] and len(heard[i]) > 5
            assert page.ask("GET", f"/runs/{run}")["state"] == "done"
        assert most - before < GROWTH


def test_runs_outlive_the_server(tmp_path):
    """The server ends in the middle; the run goes on, and the next server shows it running and then done."""
    table = write_table(tmp_path / "juice.csv").read_bytes()
    folder = tmp_path / "runs"
    with served(folder) as server:
        page = Page(server)
        dropped = page.ask("PUT", "/tables/juice.csv", table)
        asked = json.dumps(
            {"table": dropped["id"], "choices": {"target": "taste", "budget": "4s"}}
        ).encode()
        run = page.ask("POST", "/runs", asked)["id"]
        page.watch(run, 1)
    with served(folder) as server:
        page = Page(server)
        heard = page.watch(run)
        assert json.loads(heard[-1])["event"] == "end"
        assert page.ask("GET", f"/runs/{run}")["state"] == "done"
