"""The server of the page, asked directly: what it refuses, what it keeps, what it tells."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from subsel.cli import main
from subsel.cli.commands.rank import _cut
from subsel.models.short_names import ESTIMATORS
from subsel.ranking.cuts.registry import find_cut
from subsel.ranking.registry import SCORES
from subsel.runtime.events import emit, events_to
from subsel.search import SEARCHES
from subsel.ui.application import CHUNK, LARGEST_QUESTION, application
from subsel.ui.errors import Refused
from subsel.ui.identifiers import new_identifier
from subsel.ui.run_folder import RunFolder
from subsel.ui.runs import CHOICES, JOBS, MOST_RUNS, Runs, checked
from subsel.ui.tables import ENDINGS, safe_name
from tests.ui.serving import write_table

testclient = pytest.importorskip("starlette.testclient")
PORT, TOKEN, MOST = 8123, "a-token", 200_000
HOME = f"http://127.0.0.1:{PORT}"


def client_of(folder: Path, token: str | None = TOKEN) -> testclient.TestClient:
    app = application(folder, token=TOKEN, port=PORT, most_bytes=MOST)
    client = testclient.TestClient(app, base_url=HOME, follow_redirects=False)
    if token is not None:
        client.get(f"/?token={token}")
    return client


@pytest.fixture
def client(tmp_path):
    return client_of(tmp_path)


@pytest.fixture(scope="module")
def dropped(tmp_path_factory):
    """A folder in which one table was dropped, and what was answered."""
    folder = tmp_path_factory.mktemp("runs")
    table = write_table(folder / "juice.csv")
    answer = client_of(folder).put("/tables/juice.csv", content=table.read_bytes())
    assert answer.status_code == 200, answer.text
    return folder, answer.json()


def a_run(folder: Path, *steps: dict, **request: object) -> RunFolder:
    """A run as it lies on the disk."""
    run = RunFolder(folder / "runs" / new_identifier())
    run.path.mkdir(parents=True)
    run.keep_request({"file": "juice.csv", "choices": {"target": "taste"}, **request})
    run.steps.write_text("".join(json.dumps(step) + "\n" for step in steps))
    return run


# Who is let in ------------------------------------------------------------------------------------------------------


def test_without_the_token_nothing_is_answered(tmp_path):
    """Neither the page nor a file of it nor a run is shown to who has no token, or a wrong one."""
    for client in (client_of(tmp_path, None), client_of(tmp_path, "another")):
        for path in ("/", "/page.js", "/runs", "/?token=", "/?token=a-toke"):
            assert client.get(path).status_code == 403


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(tmp_path):
    """The address with the token leads to the plain one, so that it does not stay in the history's last entry."""
    answer = client_of(tmp_path, None).get(f"/?token={TOKEN}")
    assert answer.status_code == 303 and answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and f"subsel-{PORT}=" in cookie


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", ""]
)
def test_other_hosts_are_refused(client, host):
    """A name that was rebound to this machine is not ours, even with the cookie."""
    assert client.get("/runs").status_code == 200
    assert client.get("/runs", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_origins_are_refused(client, headers):
    """A page from elsewhere, from another port of this machine or from a sandbox can neither read nor begin anything."""
    assert client.get("/runs", headers=headers).status_code == 403
    assert client.post("/runs", json={}, headers=headers).status_code == 403
    assert client.put("/tables/a.csv", content=b"a,b\n1,2\n", headers=headers).status_code == 403


def test_our_own_origin_is_let_in(client):
    """What the browser says of our own page is accepted under both names of this machine."""
    for host in (f"127.0.0.1:{PORT}", f"localhost:{PORT}"):
        headers = {"host": host, "origin": f"http://{host}", "sec-fetch-site": "same-origin"}
        assert client.get("/runs", headers=headers).status_code == 200


def test_the_page_asks_for_nothing_from_elsewhere(client):
    """One page, one style, one script, all ours; its policy allows nothing else."""
    page = client.get("/")
    assert set(re.findall(r'(?:src|href)="([^"#]+)"', page.text)) == {
        "data:,",
        "page.css",
        "page.js",
    }
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for name in ("page.css", "page.js"):
        text = client.get(f"/{name}").text
        assert not [
            url for url in re.findall(r"https?://[^\s\"'`)]+", text) if "www.w3.org" not in url
        ]
        assert "innerHTML" not in text


# Tables -------------------------------------------------------------------------------------------------------------


def test_a_dropped_table_is_told(dropped):
    """Its columns come back with what they hold; the last is taken for the target."""
    told = {column["name"]: column["kind"] for column in dropped[1]["columns"]}
    assert (
        told["sensor 0"] == "numbers" and told["town"] == "text" and dropped[1]["target"] == "taste"
    )
    assert dropped[1]["rows"] == 90 and dropped[1]["n_columns"] == 14


def test_a_broken_file_is_refused_in_words_and_not_kept(client, tmp_path):
    """What cannot be read is told without the server's folders, and leaves nothing behind."""
    answer = client.put("/tables/broken.parquet", content=b"PAR1 this is none")
    assert answer.status_code == 422
    assert "broken.parquet" in answer.json()["error"] and str(tmp_path) not in answer.text
    assert list((tmp_path / "tables").iterdir()) == []


def test_a_file_that_is_too_large_is_refused(client, tmp_path):
    """By what is announced before anything is sent, and by what comes where nothing was announced."""
    large = b"x" * (MOST + 1)
    assert client.put("/tables/a.csv", content=large).status_code == 413
    assert client.put("/tables/a.csv", content=iter([large[:MOST], b"y"])).status_code == 413
    assert list((tmp_path / "tables").glob("*/*")) == []


@pytest.mark.parametrize("name", ["a.py", ".csv", "a.csv.exe", "%2e%2e", "a.param"])
def test_only_tables_can_be_dropped(client, name):
    """The ending must be that of a table."""
    assert client.put(f"/tables/{name}", content=b"1").status_code in (404, 415)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/pass.csv", "pass.csv"),
        ("C:\\a\\b.xlsx", "b.xlsx"),
        ("-rf.csv", "rf.csv"),
        ("é;$(x).tsv", "é___x_.tsv"),
    ],
)
def test_names_hold_no_folders(given, kept):
    """A name is only a name."""
    assert safe_name(given) == kept
    assert len(safe_name("a" * 999 + ".csv")) < 200


def test_every_ending_is_one_that_is_read():
    """The page takes what `read_table` takes, but for files that are parts of several."""

    assert set(ENDINGS) == set(import_module("subsel.data.files.read_table")._READERS) - {".param"}


# Runs ---------------------------------------------------------------------------------------------------------------


def test_choices_are_options_of_the_command_line(capsys):
    """Whatever the page offers for a job, the help of its command has."""
    for command, names in JOBS.values():
        with pytest.raises(SystemExit):
            main([command, "--help"])
        known = capsys.readouterr().out
        assert [name for name in names if f"--{name.replace('_', '-')}" not in known] == []


def test_the_page_suggests_what_there_is(client):
    """Every search, model, score and cut of its lists is known; every choice has a field."""
    page = client.get("/").text
    suggested = {
        name: re.findall(r"<option>([^<]+)", part)
        for name, part in re.findall(r'list id="(\w+)">(.*?)</', page)
    }
    assert all(key in SEARCHES for key in suggested["searches"]) and all(
        key in SCORES for key in suggested["scores"]
    )
    assert all(key in ESTIMATORS for key in suggested["estimators"])
    assert all(find_cut(_cut(text)) for text in suggested["cuts"])
    assert [name for name in ("job", *CHOICES) if f'name="{name}"' not in page] == []


def test_a_ranking_is_run_and_told(dropped):
    """The same command as on the command line, with its rows, its evidence and its files."""
    folder, table = dropped
    client = client_of(folder)
    choices = {
        "job": "rank",
        "target": "taste",
        "cut": "2",
        "score": "",
        "budget": "60s",
        "prefer": "few",
    }
    run = client.post("/runs", json={"table": table["id"], "choices": choices}).json()["id"]
    over = json.loads(client.get(f"/runs/{run}/steps").text.rpartition("event: over\ndata: ")[2])
    assert over["state"] == "done" and over["choices"] == {
        "job": "rank",
        "target": "taste",
        "cut": "2",
    }
    assert (
        set(over["ranking"]["kept"]) == {"sensor 0", "sensor 1"}
        and over["ranking"]["columns"] == 13
    )
    assert "ranking.csv" in over["results"] and not over["resumable"] and over["selection"] is None
    assert client.get(f"/runs/{run}/results/ranking.csv").text.startswith("rank,feature")


def test_a_named_search_is_no_race():
    """A search without a name is the usual one; a job that there is not is refused."""
    assert checked({"job": "search", "target": "y", "prefer": "few"})["search"] == "sffs"
    assert "search" not in checked({"job": "search", "estimator": "nb"})
    with pytest.raises(Refused, match="no job"):
        checked({"job": "resume"})


def test_a_run_that_fails_says_why(dropped):
    """A real process that the options make fail ends as failed, with the command's own words; events end the stream."""
    folder, table = dropped
    client = client_of(folder)
    choices = {"target": "no such column", "budget": "5s", "task": ""}
    begun = client.post("/runs", json={"table": table["id"], "choices": choices})
    assert begun.status_code == 201
    run = begun.json()["id"]
    told = client.get(f"/runs/{run}/steps").text
    over = json.loads(told.rpartition("event: over\ndata: ")[2])
    assert over["state"] == "failed" and "no such column" in over["error"] and over["results"] == []
    assert "juice.csv" in over["error"] and str(folder) not in over["error"]
    assert run in [r["id"] for r in client.get("/runs").json()]


@pytest.mark.parametrize(
    ("steps", "state"),
    [
        ([], "failed"),
        ([{"event": "begin", "pid": 1}], "broken off"),
        ([{"event": "begin", "pid": 1}, {"event": "end", "code": 0, "error": None}], "done"),
        ([{"event": "begin", "pid": 1}, {"event": "end", "code": 130, "error": None}], "stopped"),
        ([{"event": "begin", "pid": 1}, {"event": "end", "code": 143, "error": None}], "stopped"),
        (
            [
                {"event": "begin", "pid": 1},
                {"event": "end", "code": None, "error": "interrupted before"},
            ],
            "stopped",
        ),
        ([{"event": "begin", "pid": 1}, {"event": "end", "code": None, "error": "no"}], "failed"),
        ([{"event": "end", "code": 0, "error": None}, {"event": "begin", "pid": 1}], "broken off"),
        (
            [{"event": "begin", "pid": 1}, *([{"event": "race", "standings": ["x" * 90_000]}] * 2)],
            "broken off",
        ),
    ],
)
def test_the_state_of_a_run_is_read_from_its_folder(tmp_path, steps, state):
    """Nobody must have watched it."""
    run = a_run(tmp_path, *steps)
    assert Runs(tmp_path / "runs").describe(run)["state"] == state


def test_a_run_of_another_server_is_seen_to_run(tmp_path):
    """Who tells steps holds the file; as soon as it lets go, the run was broken off."""
    run = a_run(tmp_path)
    runs = Runs(tmp_path / "runs")
    with events_to(run.steps):
        emit("begin", pid=1)
        assert runs.describe(run)["state"] == "running"
        with pytest.raises(Refused, match="still running"):
            runs.resume(run.identifier)
    assert runs.describe(run)["state"] == "broken off"


def test_the_process_of_a_long_run_is_still_known(tmp_path):
    """However much was told since, the last beginning is found."""
    steps = [{"event": "begin", "pid": pid} for pid in (1, 2)] + [
        {"event": "step", "what": "x" * 1_000}
    ] * 200
    assert a_run(tmp_path, *steps).last("begin")["pid"] == 2


def test_events_go_on_where_the_page_was(client, tmp_path):
    """A page that reconnects is told what came after the last event it has, however long lines are."""
    steps = [{"event": "race", "n": n, "long": "x" * (CHUNK if n == 1 else 5)} for n in range(4)]
    run = a_run(tmp_path, *steps)
    path = f"/runs/{run.identifier}/steps"
    told = re.findall(r"id: (\d+)\ndata: (.+)\n\n", client.get(path).text)
    assert [json.loads(data)["n"] for _, data in told] == [0, 1, 2, 3]
    for place, (number, _) in enumerate(told):
        rest = re.findall(
            r"id: \d+\ndata: (.+)\n\n", client.get(path, headers={"last-event-id": number}).text
        )
        assert [json.loads(data)["n"] for data in rest] == list(range(place + 1, 4))


def test_a_line_that_is_not_whole_waits(client, tmp_path):
    """Half a line, as a killed process leaves it, is not told, and does not hide the state."""
    run = a_run(tmp_path, {"event": "begin", "pid": 1})
    with run.steps.open("a") as file:
        file.write('{"event": "st')
    told = client.get(f"/runs/{run.identifier}/steps").text
    assert told.count("\ndata: {") == 2 and "broken off" in told


def test_numbers_that_are_none_do_not_stop_the_page(client, tmp_path):
    """A race of one fold has no interval; what browsers cannot parse is told as null."""
    run = a_run(tmp_path, {"event": "begin", "pid": 1}, {"event": "end", "code": 0, "error": None})
    run.results.mkdir()
    (run.results / "selection.json").write_text(
        '{"selected": ["a"], "assessment": {"interval": [NaN, Infinity]}}'
    )
    told = client.get(f"/runs/{run.identifier}")
    assert told.json()["selection"]["assessment"]["interval"] == [None, None]
    assert (
        "NaN" not in client.get(f"/runs/{run.identifier}/steps").text
        and client.get("/runs").status_code == 200
    )


def test_only_results_are_given(client, tmp_path):
    """The report and the tables, each by its name; nothing else of the folder, and no folder but ours."""
    run = a_run(tmp_path)
    run.results.mkdir()
    (run.results / "report.html").write_text("<b>hello</b>")
    (run.results / "secret.txt").write_text("no")
    answer = client.get(f"/runs/{run.identifier}/results/report.html")
    assert answer.text == "<b>hello</b>" and answer.headers["content-security-policy"].startswith(
        "sandbox"
    )
    for path in (
        f"{run.identifier}/results/secret.txt",
        f"{run.identifier}/results/..%2frequest.json",
        f"{run.identifier}/results/selection.json",
        "..%2f..%2fetc/results/report.html",
        f"{new_identifier()}/results/report.html",
    ):
        assert client.get(f"/runs/{path}").status_code == 404


@pytest.mark.parametrize(
    "asked",
    [
        {"table": "../x", "choices": {}},
        {"table": None, "choices": {}},
        {"choices": []},
        {"table": "20260101-000000-00000000", "choices": {"target": "y"}},
    ],
)
def test_a_run_needs_a_table_that_was_dropped(client, asked):
    """No path of the machine can be named."""
    assert client.post("/runs", json=asked).status_code in (404, 422)


@pytest.mark.parametrize(
    "choices", [{"out": "/tmp"}, {"plugin": "os"}, {"target": 3}, {"target": "y" * 2_000}]
)
def test_only_what_the_page_offers_can_be_chosen(dropped, choices):
    """Other options of the command line, and what is no short text, are refused before anything runs."""
    folder, table = dropped
    answer = client_of(folder).post("/runs", json={"table": table["id"], "choices": choices})
    assert answer.status_code == 422


def test_a_question_must_be_small_json(client):
    """What is no JSON, no question, or too much is refused."""
    for body, status in ((b"{", 400), (b"[]", 400), (b" " * (LARGEST_QUESTION + 1), 413)):
        assert client.post("/runs", content=body).status_code == status


def test_stopping_and_resuming_what_cannot_be(client, tmp_path):
    """What does not run cannot be stopped; what has kept nothing cannot be resumed."""
    run = a_run(tmp_path, {"event": "begin", "pid": 1})
    assert client.post(f"/runs/{run.identifier}/stop").status_code == 409
    assert client.post(f"/runs/{run.identifier}/resume", json={}).status_code == 409
    assert client.post(f"/runs/{new_identifier()}/stop").status_code == 404


def test_the_process_that_is_stopped_is_the_one_that_runs(tmp_path, monkeypatch):
    """A resumed run that has not yet begun is not stopped by the number of its dead predecessor."""
    killed: list[int] = []
    monkeypatch.setattr("subsel.ui.runs.os.kill", lambda pid, signal: killed.append(pid))

    class Child:
        pid = 77

        def poll(self) -> None:
            return None

    run, runs = (
        a_run(tmp_path, {"event": "begin", "pid": 11}, {"event": "end", "code": 130}),
        Runs(tmp_path / "runs"),
    )
    runs._children[run.identifier] = Child()
    with pytest.raises(Refused, match="only beginning"):
        runs.stop(run.identifier)
    with events_to(run.steps):
        runs.stop(run.identifier)
        del runs._children[run.identifier]
        emit("begin", pid=99)
        runs.stop(run.identifier)
    assert killed == [77, 99]


def test_no_more_runs_than_allowed(tmp_path):
    """One too many is refused with words, and leaves no folder."""

    class Going:
        def poll(self) -> None:
            return None

    runs = Runs(tmp_path / "runs")
    runs._children = {str(n): Going() for n in range(MOST_RUNS)}
    with pytest.raises(Refused, match="runs are going"):
        runs.begin(tmp_path / "a.csv", {"target": "y"})
    assert not (tmp_path / "runs").exists()
