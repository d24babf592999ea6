// The page: it asks the server, shows what it answers, and decides nothing.
"use strict";

const byId = (id) => document.getElementById(id);
const fixed = (value, digits = 3) => (typeof value === "number" ? value.toFixed(digits) : "");
let table = null; // the table that was dropped, as the server described it
let shown = null; // the identifier of the run that is shown
let source = null; // its events
let live = null; // what they have told: standings, course, front

// Elements ---------------------------------------------------------------------------------------------------------

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "circle", "line", "text", "title"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "width%") element.style.width = `${value}%`;
    else if (value !== false && value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.map((child) => child ?? ""));
  return element;
}

function fill(element, ...children) {
  element.replaceChildren(...children);
  element.hidden = false;
}

function row(cells, kind = "td", attributes = {}) {
  const cell = (c) => {
    const [content, classes] = Array.isArray(c) ? c : [c, ""];
    return make(kind, { class: classes || null }, content);
  };
  return make("tr", attributes, ...cells.map(cell));
}

function complain(words) {
  byId("trouble").textContent = words || "";
  byId("trouble").hidden = !words;
  if (words) byId("trouble").scrollIntoView({ block: "nearest" });
}

// The server ---------------------------------------------------------------------------------------------------------

async function ask(method, path, body) {
  const json = body !== undefined && !(body instanceof Blob);
  let answer;
  try {
    answer = await fetch(path, { method, body: json ? JSON.stringify(body) : body });
  } catch {
    throw new Error("The server does not answer: is `subsel ui` still running? Runs go on without it.");
  }
  const text = await answer.text();
  let told = {};
  try {
    told = JSON.parse(text);
  } catch {
    told = { error: text };
  }
  if (!answer.ok) throw new Error(told.error || `The server answered ${answer.status}.`);
  return told;
}

const guarded = (action) => async (...given) => {
  complain("");
  try {
    return await action(...given);
  } catch (error) {
    complain(error.message);
  }
};

// A new run ----------------------------------------------------------------------------------------------------------

const dropped = guarded(async (file) => {
  if (!file) return;
  byId("choices").hidden = true;
  byId("drop").classList.add("busy");
  try {
    table = await ask("PUT", `/tables/${encodeURIComponent(file.name)}`, file);
  } finally {
    byId("drop").classList.remove("busy");
    byId("file").value = "";
  }
  showColumns();
});

function showColumns() {
  const form = byId("choices");
  byId("recognised").replaceChildren(make("strong", {}, table.name), `: ${table.rows} rows, ${table.n_columns} columns.`);
  const options = table.columns.map((column) => make("option", { value: column.name }, column.name));
  const target = form.elements.target;
  target.replaceChildren(...options);
  target.value = table.target;
  target.disabled = table.own_target;
  const others = options.map((option) => option.cloneNode(true));
  form.elements.groups.replaceChildren(make("option", { value: "" }, "none: every row stands alone"), ...others);
  const head = row(["Column", "Holds", ["Different values", "number"], ["Missing", "number"]], "th");
  const lines = table.columns.map((c) => row([c.name, c.kind, [`${c.values ?? ""}`, "number"], [`${c.missing || ""}`, "number"]]));
  fill(byId("columns"), head, ...lines);
  byId("notes").replaceChildren(...table.notes.map((note) => make("li", {}, note)));
  form.hidden = false;
  fit();
}

// Only the fields of the chosen job are shown and sent.
function fit() {
  const job = byId("choices").elements.job.value;
  for (const label of document.querySelectorAll("#choices [data-job]")) {
    label.hidden = !label.dataset.job.split(" ").includes(job);
    label.querySelector("input, select").disabled = label.hidden;
  }
}

const begin = guarded(async () => {
  const form = byId("choices");
  const choices = Object.fromEntries(new FormData(form));
  if (table.own_target) delete choices.target;
  const { id } = await ask("POST", "/runs", { table: table.id, choices });
  form.hidden = true;
  await show(id);
});

// One run ------------------------------------------------------------------------------------------------------------

async function show(id) {
  if (source) source.close();
  shown = id;
  location.hash = id;
  live = { standings: [], course: [], front: [], what: "" };
  for (const name of ["course", "front", "standings", "progress"]) byId(name).hidden = true;
  describe(await ask("GET", `/runs/${id}`));
  byId("run").hidden = false;
  byId("run").scrollIntoView({ block: "start" });
  source = new EventSource(`/runs/${id}/steps`);
  source.onmessage = (message) => heard(JSON.parse(message.data));
  source.addEventListener("over", (message) => {
    source.close();
    describe(JSON.parse(message.data));
    list();
  });
  list();
}

function describe(run) {
  byId("run-title").textContent = `${run.file}: ${run.choices.target || "its target"}`;
  say(run.state, run.error || (run.state === "running" ? "beginning" : ""));
  byId("stop").hidden = run.state !== "running";
  byId("stop").disabled = false;
  byId("again").hidden = !run.resumable;
  byId("more").value = run.choices.budget || "60s";
  if (run.state !== "running") byId("progress").hidden = true;
  const files = { report: "report.html", features: "features.csv", document: "selection.json", model: "model.skops", ranking: "ranking.csv", bars: "ranking.png" };
  for (const [id, name] of Object.entries(files)) {
    byId(id).hidden = run.state === "running" || !run.results.includes(name);
    byId(id).href = `/runs/${run.id}/results/${name}`;
  }
  for (const id of ["features", "document", "model", "ranking"]) byId(id).setAttribute("download", "");
  const told = run.state === "running" ? [] : [run.selection && answer(run.selection), run.ranking && order(run.ranking)];
  byId("answer").replaceChildren(...told.filter(Boolean));
}

function say(state, words) {
  const known = make("span", { class: `state ${state.split(" ")[0]}` }, state);
  byId("state").replaceChildren(known, words ? `: ${words}` : "");
}

function answer(selection) {
  const { assessment, race, selected } = selection;
  const parts = [make("p", { class: "big" }, `${selected.length} of ${selection.data.columns} columns`)];
  parts.push(make("ul", { class: "names" }, ...selected.map((name) => make("li", {}, name))));
  if (assessment) parts.push(make("p", {}, `${score(assessment)}, on rows that were not used for selecting.`));
  if (race && race.price) parts.push(make("p", {}, `Against ${race.price.against}: ${price(race.price)}.`));
  parts.push(make("ul", { class: "notes" }, ...[...new Set(selection.notes)].map((note) => make("li", {}, note))));
  return make("div", { class: "answer" }, ...parts);
}

function order(found) {
  const short = (value) => (typeof value === "number" ? value.toPrecision(3) : value ?? "");
  const head = row([["Rank", "number"], "Column", ["Score", "number"], ["p", "number"], ["q", "number"], "Kept", "Note"], "th");
  const lines = found.ranking.map((r) =>
    row([[`${r.rank}`, "number"], r.feature, ...["score", "p", "q"].map((key) => [`${short(r[key])}`, "number"]), r.kept ? "yes" : "no", r.note]));
  const parts = [make("p", { class: "big" }, `${found.kept.length} of ${found.columns} columns kept`)];
  parts.push(make("p", {}, `${found.score}, ${found.evidence}.`));
  parts.push(make("div", { class: "scroll" }, make("table", {}, head, ...lines)));
  parts.push(make("ul", { class: "notes" }, ...found.notes.map((note) => make("li", {}, note))));
  return make("div", { class: "answer" }, ...parts);
}

const signed = (value) => (value < 0 ? "−" : "+") + fixed(Math.abs(value));
const within = ([low, high], tell) => (low === null || high === null ? "" : ` (${tell(low)} to ${tell(high)})`);
const score = (a) => `${a.scoring} ${fixed(a.performance)}${within(a.interval, fixed)}`;
const price = (p) => signed(p.difference) + within(p.interval, signed);

function heard(step) {
  if (step.event === "begin") Object.assign(live, { standings: [], course: [], front: [] });
  if (step.event === "step") {
    say("running", `${step.what}, ${step.unit} ${step.done} of ${step.total}`);
    const fold = /fold (\d+) of (\d+)/.exec(step.what);
    const [done, total] = fold ? [Number(fold[1]) - 1, Number(fold[2])] : [0, 1];
    byId("progress").value = (done + step.done / step.total) / total;
    byId("progress").hidden = false;
  }
  if (step.event === "race") {
    live.standings = step.standings;
    const best = Math.max(...step.standings.map((s) => s.score));
    live.course.push([step.done, best]);
    live.front = step.standings.filter((s) => s.size !== null).map((s) => ({ at: [s.size, s.score], name: s.name, out: !s.live }));
    live.words = ["folds of the race", "columns, on average"];
    drawRace();
  }
  if (step.event === "search" && step.quality !== null) {
    say("running", `${step.evaluations.toLocaleString("en")} subsets tried`);
    if (live.standings.length) return; // the last fit of a race adds nothing to its pictures
    live.course.push([step.seconds, step.quality]);
    live.front = step.front.map(([size, quality]) => ({ at: [size, quality], name: `${size} columns`, out: false }));
    live.words = ["seconds of the search", "columns"];
    draw();
  }
}

function drawRace() {
  const scores = live.standings.map((s) => s.score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const share = (value) => (high > low ? 5 + 95 * ((value - low) / (high - low)) : 100);
  const head = row(["Procedure", ["Score", "number"], ["", "bars"], ["Columns", "number"], ["Folds", "number wide"]], "th");
  const lines = live.standings.map((s) => {
    const bar = make("span", { class: "bar", "width%": share(s.score) });
    const size = s.size === null ? "" : fixed(s.size, s.size % 1 ? 1 : 0);
    const cells = [s.name, [fixed(s.score), "number"], bar, [size, "number"], [`${s.folds}`, "number wide"]];
    return row(cells, "td", { class: s.live ? null : "out", title: s.live ? null : "dropped: worse than the leader" });
  });
  fill(byId("standings"), head, ...lines);
  draw();
}

function draw() {
  const [along, across] = live.words;
  const line = live.course.map((at) => ({ at, name: "", out: false }));
  if (line.length > 1) picture(byId("course"), line, along, "The best so far", true);
  picture(byId("front"), live.front, across, "Score against number of columns", false);
}

// Pictures -----------------------------------------------------------------------------------------------------------

const WIDTH = 420, HEIGHT = 220, LEFT = 46, BOTTOM = 34, EDGE = 12;

function picture(figure, points, along, caption, joined) {
  if (!points.length) return;
  const [xs, ys] = [0, 1].map((i) => points.map((point) => point.at[i]));
  const x = scale(xs, LEFT, WIDTH - EDGE), y = scale(ys, HEIGHT - BOTTOM, EDGE);
  const top = Math.max(...ys);
  const marks = points.map((point) => {
    const kind = point.out ? "out" : point.at[1] === top ? "best" : "";
    const [cx, cy] = [x(point.at[0]), y(point.at[1])];
    const words = `${point.name ? `${point.name}: ` : ""}${fixed(point.at[1], 4)}`;
    return make("circle", { class: `point ${kind}`, cx, cy, r: joined ? 2.5 : 4.5 }, make("title", {}, words));
  });
  const path = points.map(({ at }, i) => `${i ? "L" : "M"}${x(at[0]).toFixed(1)} ${y(at[1]).toFixed(1)}`).join("");
  const drawn = joined ? [make("path", { class: "line", d: path })] : [];
  const label = `${caption}: ${fixed(Math.min(...ys))} to ${fixed(top)}`;
  const axes = [...ticks(xs, x, true), ...ticks(ys, y, false)];
  const name = make("text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, along);
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, ...axes, ...drawn, ...marks, name);
  fill(figure, make("figcaption", {}, caption), svg);
}

function scale(values, begin, end) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = high > low ? high - low : 1;
  return (value) => begin + ((value - low) / room) * (end - begin);
}

function ticks(values, at, horizontal) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const digits = horizontal ? 0 : 3;
  const places = [...new Map([low, (low + high) / 2, high].map((v) => [fixed(v, digits), v]))];
  return places.flatMap(([words, value]) => {
    const place = at(value);
    if (horizontal) return [make("text", { x: place, y: HEIGHT - BOTTOM + 15, "text-anchor": "middle" }, words)];
    const grid = make("line", { class: "axis", x1: LEFT, x2: WIDTH - EDGE, y1: place, y2: place });
    return [grid, make("text", { x: LEFT - 6, y: place + 4, "text-anchor": "end" }, words)];
  });
}

// All runs -----------------------------------------------------------------------------------------------------------

const list = guarded(async () => {
  const runs = await ask("GET", "/runs");
  byId("no-runs").hidden = runs.length > 0;
  const head = row(["", "Table", ["Predicts", "wide"], "State", ["Columns", "number"], ["Score", "number"], ["Begun", "wide"]], "th");
  const ticked = new Set(tickedRuns());
  const lines = runs.map((run) => {
    const { selection } = run;
    const tick = make("input", { type: "checkbox", value: run.id, "aria-label": `compare ${run.file}`, onchange: offer });
    tick.checked = ticked.has(run.id);
    tick.disabled = !selection;
    const open = make("a", { href: `#${run.id}` }, run.file);
    const state = make("span", { class: `state ${run.state.split(" ")[0]}` }, run.state);
    const size = selection ? `${selection.selected.length}` : run.ranking ? `${run.ranking.kept.length}` : "";
    const reached = selection && selection.assessment ? fixed(selection.assessment.performance) : "";
    const cells = [tick, open, [run.choices.target, "wide"], state, [size, "number"], [reached, "number"], [when(run.id), "wide"]];
    return row(cells, "td", { class: run.id === shown ? "chosen" : null });
  });
  byId("list").replaceChildren(head, ...lines);
  byId("list").hidden = !runs.length;
  offer();
});

const tickedRuns = () => [...document.querySelectorAll("#list input:checked")].map((box) => box.value);

function when(id) {
  const [, y, m, d, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)/.exec(id);
  return new Date(Date.UTC(y, m - 1, d, hour, minute, second)).toLocaleString();
}

function offer() {
  const enough = document.querySelectorAll("#list input:not(:disabled)").length > 1;
  byId("compare").hidden = !enough;
  byId("compare").disabled = tickedRuns().length !== 2;
}

const asked = (c) => (c.job === "search" ? [c.search, c.estimator].filter(Boolean).join(", ") : c.prefer || "balance");

const compare = guarded(async () => {
  const [one, other] = await Promise.all(tickedRuns().map((id) => ask("GET", `/runs/${id}`)));
  const both = [one, other];
  const line = (title, tell) => row([title, ...both.map(tell)]);
  const chosen = both.map((run) => new Set(run.selection.selected));
  const names = [...new Set(both.flatMap((run) => run.selection.selected))];
  const told = (value) => value ?? "not told";
  fill(
    byId("comparison"),
    row(["", ...both.map((run) => run.file)], "th"),
    line("Begun", (run) => when(run.id)),
    line("Predicts", (run) => run.selection.data.target),
    line("Asked for", (run) => `${asked(run.choices)}, ${run.choices.budget || "60s"}`),
    line("Columns selected", (run) => `${run.selection.selected.length} of ${run.selection.data.columns}`),
    line("Score", (run) => (run.selection.assessment ? score(run.selection.assessment) : told(null))),
    line("Against all columns", (run) => (run.selection.race && run.selection.race.price ? price(run.selection.race.price) : told(null))),
    line("Stability", (run) => (run.selection.assessment ? fixed(run.selection.assessment.stability, 2) : "") || told(null)),
    row(["Features", "", ""], "th"),
    ...names.map((name) => row([name, ...chosen.map((set) => (set.has(name) ? "selected" : "–"))])),
  );
});

// What the user does -------------------------------------------------------------------------------------------------

const drop = byId("drop");
drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  dropped(event.dataTransfer.files[0]);
});
drop.addEventListener("keydown", (event) => {
  if (event.key === "Enter" || event.key === " ") byId("file").click();
});
byId("file").addEventListener("change", (event) => dropped(event.target.files[0]));
byId("choices").elements.job.addEventListener("change", fit);
byId("choices").addEventListener("submit", (event) => {
  event.preventDefault();
  begin();
});
byId("stop").addEventListener("click", guarded(async () => {
  byId("stop").disabled = true;
  try {
    await ask("POST", `/runs/${shown}/stop`, {});
    say("running", "stopping, with what there is");
  } catch (error) {
    byId("stop").disabled = false;
    throw error;
  }
}));
byId("resume").addEventListener("click", guarded(async () => {
  await ask("POST", `/runs/${shown}/resume`, { budget: byId("more").value });
  await show(shown);
}));
byId("compare").addEventListener("click", compare);
addEventListener("hashchange", guarded(async () => {
  const id = location.hash.slice(1);
  if (/^\d{8}-/.test(id) && id !== shown) await show(id);
}));

list();
if (/^#\d{8}-/.test(location.hash)) guarded(show)(location.hash.slice(1));
