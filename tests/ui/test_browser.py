"""The page in a real browser: from a dropped table to its report, a broken file, a stop, a resume, a foreign page."""

from __future__ import annotations

import http.server
import json
import threading
from pathlib import Path

import pytest

from tests.report.browser import CHROMIUM, Browser
from tests.ui.serving import end_runs, served, write_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine"),
]
PATIENCE = 400.0  # seconds; a busy machine is slow


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    with served(folder) as server:
        yield server
    end_runs(folder)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def page(browser, server) -> Browser:
    browser.look(1280)
    arrive(browser, server.address)
    return browser


def arrive(browser: Browser, address: str) -> None:
    """Leave whatever is shown, open the page, and wait until it stands."""
    browser.open("about:blank")
    browser.wait_for("location.href === 'about:blank'")
    browser.open(address)
    browser.wait_for(
        "document.readyState === 'complete' && document.querySelector('#drop') !== null"
    )


def text(page: Browser, selector: str) -> str:
    return page.run(f"document.querySelector({json.dumps(selector)}).innerText")


def choose(page: Browser, **choices: str) -> None:
    for name, value in choices.items():
        field = f"document.forms[0].elements[{name!r}]"
        page.run(
            f"{field}.value = {value!r}, {field}.dispatchEvent(new Event('change', {{bubbles: true}}))"
        )


def drop_and_run(page: Browser, table: Path, **choices: str) -> str:
    """Drop a table, choose, run; gives the identifier of the run."""
    page.drop("#drop", table)
    page.wait_for("!document.querySelector('#choices').hidden", PATIENCE)
    choose(page, **choices)
    page.click("#choices button")
    return page.wait_for(
        "!document.querySelector('#run').hidden && location.hash.slice(1)", PATIENCE
    )


def state(page: Browser) -> str:
    return page.wait_for("document.querySelector('#state .state')?.innerText")


def until(page: Browser, wanted: str) -> None:
    page.wait_for(f"document.querySelector('#state .state')?.innerText === {wanted!r}", PATIENCE)


def test_from_drop_to_report(page, tmp_path):
    """A table is dropped, its columns shown, a run watched to its end, and the report opens; nobody complains."""
    run = drop_and_run(page, write_table(tmp_path / "juice.csv"), budget="3s", prefer="few")
    assert "sensor 0" in text(page, "#columns") and "90 rows, 14 columns" in text(
        page, "#recognised"
    )
    page.wait_for("!document.querySelector('#standings').hidden", PATIENCE)
    assert page.run("document.querySelectorAll('#standings tr').length") > 3
    assert page.run("document.querySelectorAll('#front circle').length") > 1
    until(page, "done")
    answer = text(page, "#answer")
    assert "sensor 0" in answer and "sensor 1" in answer and "accuracy" in answer
    page.wait_for("document.querySelector('#list').innerText.includes('done')", PATIENCE)
    assert page.complaints == []
    page.open(page.run("document.querySelector('#report').href"))
    assert page.complaints == []
    assert "sensor 0" in page.run("document.body.innerText") and run in page.run("location.href")
    assert (
        page.run("fetch('/runs').then(() => 'read', () => 'refused')") == "refused"
    )  # reports are strangers


def test_a_ranking_and_a_named_search(page, server, tmp_path):
    """Other jobs show their own fields only, and end with their own answers."""
    run = drop_and_run(page, write_table(tmp_path / "juice.csv"), job="rank", cut="2")
    until(page, "done")
    assert "2 of 13 columns kept" in text(page, "#answer") and "best of 2 parts" in text(
        page, "#answer"
    )
    assert page.run(
        "!document.querySelector('#ranking').hidden && document.querySelector('#report').hidden"
    )
    arrive(page, server.address)
    again = drop_and_run(
        page,
        write_table(tmp_path / "juice.csv"),
        job="search",
        search="sfs",
        estimator="nb",
        budget="40",
    )
    assert again != run
    until(page, "done")
    assert "sensor 0" in text(page, "#answer") and page.complaints == []


def test_a_broken_file_is_told_and_the_page_goes_on(page, tmp_path):
    """Words, not a crash; the next table is taken."""
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"PK\x03\x04 not a workbook")
    page.drop("#drop", broken)
    words = page.wait_for("document.querySelector('#trouble').innerText", PATIENCE)
    assert "broken.xlsx" in words
    assert page.run("document.querySelector('#choices').hidden")
    page.drop("#drop", write_table(tmp_path / "juice.csv"))
    page.wait_for("!document.querySelector('#choices').hidden", PATIENCE)
    assert page.run("document.querySelector('#trouble').hidden")


def test_stop_and_resume(page, server, tmp_path):
    """A run outlives its page, is stopped, keeps what it has, and goes on where it was."""
    run = drop_and_run(page, write_table(tmp_path / "more.csv", 90, 8), budget="10m")
    page.wait_for("!document.querySelector('#standings').hidden", PATIENCE)
    arrive(page, f"{server.address.split('?')[0]}#{run}")  # closing the page ends nothing
    assert state(page) == "running"
    page.click("#stop")
    until(page, "stopped")
    assert page.run("!document.querySelector('#report').hidden")
    page.click("#resume")
    until(page, "running")
    patient = "document.querySelector('#stop').click(), document.querySelector('#state').innerText.includes('stopping')"
    page.wait_for(patient, PATIENCE)  # it is told to wait while the process begins
    until(page, "stopped")


def test_two_runs_are_compared(page):
    """What both selected stands side by side, with score and price."""
    page.wait_for("document.querySelectorAll('#list input:not(:disabled)').length >= 2", PATIENCE)
    page.run(
        "[...document.querySelectorAll('#list input:not(:disabled)')].slice(0, 2).forEach(box => box.click())"
    )
    page.click("#compare")
    page.wait_for("!document.querySelector('#comparison').hidden", PATIENCE)
    words = text(page, "#comparison")
    assert "Columns selected" in words and "Against all columns" in words and "sensor 0" in words


class _Foreign(http.server.BaseHTTPRequestHandler):
    """Another page of this machine, on another port."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>foreign</title>")

    def log_message(self, *given: object) -> None:
        pass


def test_a_second_origin_is_refused(page, server):
    """A page of another port can neither read the runs nor begin one, though the browser sends it our cookie."""
    foreign = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Foreign)
    threading.Thread(target=foreign.serve_forever, daemon=True).start()
    try:
        assert page.run("fetch('/runs').then(r => r.status)") == 200
        page.open(f"http://127.0.0.1:{foreign.server_port}/")
        ours = f"http://127.0.0.1:{server.port}/runs"
        ask = "fetch({!r}, {{method: {!r}, mode: {!r}, credentials: 'include'}}).then(r => r.type, () => 'refused')"
        assert page.run(ask.format(ours, "GET", "cors")) == "refused"
        assert page.run(ask.format(ours, "POST", "no-cors")) == "refused"
        page.run("new Promise(done => setTimeout(done, 500))")
        told = [
            e["params"]
            for e in page.events
            if e.get("method") == "Network.responseReceivedExtraInfo"
        ]
        assert {answer["statusCode"] for answer in told} >= {403}
    finally:
        foreign.shutdown()
        foreign.server_close()
