"use strict";
document.documentElement.classList.add("js");

// Tables: sort by a column, filter rows by text.
const valueOf = (row, column) => {
  const cell = row.cells[column];
  if (!("value" in cell.dataset)) return cell.textContent;
  return cell.dataset.value === "" ? null : Number(cell.dataset.value);
};
const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
function sortBy(head) {
  const body = head.closest("table").tBodies[0];
  const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  const rows = [...body.rows].map((row) => [valueOf(row, head.cellIndex), row]);
  rows.sort(([a], [b]) => (a === null) - (b === null) || (a === null ? 0 : sign * compare(a, b)));
  body.append(...rows.map(([, row]) => row));
  for (const other of head.parentNode.cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
}
for (const button of document.querySelectorAll("th button")) button.addEventListener("click", () => sortBy(button.closest("th")));

for (const input of document.querySelectorAll(".filter input")) {
  const box = input.closest(".table"), rows = [...box.querySelectorAll("tbody tr")], said = box.querySelector("output");
  input.addEventListener("input", () => {
    const sought = input.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(sought);
    said.textContent = sought ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
  });
}

// Points of pictures: one tab stop a picture, arrows move within it, a tooltip says what the point is.
const tip = document.getElementById("tip");
let shown = null;
function show(point) {
  shown = point;
  tip.textContent = point.getAttribute("aria-label");
  tip.hidden = false;
  const at = point.getBoundingClientRect(), size = tip.getBoundingClientRect();
  const left = Math.max(4, Math.min(at.left + at.width / 2 - size.width / 2, document.documentElement.clientWidth - size.width - 4));
  const above = at.top - size.height - 8;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 4 ? above : at.bottom + 8}px`;
}
function hide() {
  shown = null;
  tip.hidden = true;
}
for (const picture of document.querySelectorAll("figure svg, .mini svg")) {
  const points = [...picture.querySelectorAll(".point")];
  points.forEach((point, place) => {
    point.setAttribute("tabindex", place ? "-1" : "0");
    point.querySelector("title").remove();
    point.addEventListener("pointerenter", () => show(point));
    point.addEventListener("pointerleave", hide);
    point.addEventListener("focus", () => show(point));
    point.addEventListener("blur", hide);
    point.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step) return;
      event.preventDefault();
      const next = points[(place + step + points.length) % points.length];
      point.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  });
}
addEventListener("scroll", () => { if (shown) show(shown); }, { passive: true });

// The front: a size that is picked, in the list or on the picture, shows its features.
for (const box of document.querySelectorAll(".chooser")) {
  const list = box.querySelector("select"), said = box.querySelector("output");
  const tell = () => { said.textContent = list.selectedOptions[0].dataset.said; };
  list.addEventListener("change", tell);
  for (const point of box.closest("figure").querySelectorAll(".point")) {
    const size = (point.getAttribute("aria-label").match(/([\d,]+) features?,/) || [])[1];
    const pick = () => { list.value = size.replaceAll(",", ""); tell(); };
    if (size) point.addEventListener("click", pick);
    if (size) point.addEventListener("keydown", (event) => { if (event.key === "Enter") pick(); });
  }
  tell();
}
