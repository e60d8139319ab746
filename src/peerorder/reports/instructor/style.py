"""What an instructor's report adds to the look of our pages, and the script that searches and sorts its table."""

__all__ = ["CSS", "SCRIPT"]

CSS = """
.number { text-align: right; }
th.number { white-space: normal; }
code, pre { font-family: ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", Menlo, monospace; font-size: .9em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--mist); padding: .6rem .8rem; margin: .5rem 0; }
li, p, summary, th[scope=row] { overflow-wrap: anywhere; }
.first { border-left: 3px solid var(--blue); padding: .1rem 0 .1rem 1rem; margin: 1.25rem 0; }
.first h2 { border: 0; padding: 0; margin: 0 0 .25rem; font-size: 1.05rem; }
.first ul { margin: 0; padding-left: 1.1rem; }
.first li { margin: .3rem 0; }
.chart {
  display: flow-root; font-size: .8rem; color: var(--faint); font-variant-numeric: tabular-nums;
}
.chart .plot { position: relative; height: 20rem; margin: .4rem .75rem 1.6rem 3.4rem; }
.chart .plot.low { height: 11rem; }
.chart .plot svg {
  position: absolute; inset: 0; width: 100%; height: 100%; min-width: 0; max-width: none; overflow: visible;
}
.plot span { position: absolute; white-space: nowrap; line-height: 1; }
.plot .across { top: 100%; margin-top: .5rem; transform: translateX(-50%); }
.plot .up { right: 100%; margin-right: .5rem; transform: translateY(50%); }
.across-title { display: block; text-align: center; padding-left: 3.4rem; margin-bottom: .5rem; }
.up-title { display: block; }
.plot path { fill: none; vector-effect: non-scaling-stroke; stroke-linecap: round; stroke-linejoin: round; }
.plot .grid { stroke: var(--line); stroke-width: 1px; stroke-linecap: butt; }
.plot .whiskers { stroke: var(--sky); stroke-width: 2px; stroke-linecap: butt; }
.plot .dots { stroke: var(--blue); stroke-width: 5px; }
.plot .anchors { stroke: var(--vermilion); stroke-width: 8px; }
.plot .curve { stroke: var(--blue); stroke-width: 2px; }
.plot .band { fill: var(--sky); fill-opacity: .55; }
.plot .band.wide { fill-opacity: .25; }
.plot .bars { fill: var(--blue); }
.tall { max-height: 36rem; overflow-y: auto; }
.tall thead th { position: sticky; top: 0; background: var(--paper); box-shadow: 0 1px var(--ink); border-bottom: 0; }
table th[scope=row] { min-width: 7rem; }
.why td:not(.number) { min-width: 11rem; }
table.order td:first-child { width: 3.5rem; }
table.order th[scope=row] { position: static; font-weight: 600; }
.likely { width: 40%; }
table.order td small { display: block; white-space: nowrap; }
.strip {
  display: block; position: relative; height: .4rem; margin-top: .3rem; min-width: 5rem; background: var(--mist);
}
.strip i { position: absolute; top: 0; bottom: 0; min-width: 2px; background: var(--sky); }
.strip b { position: absolute; top: -.1rem; bottom: -.1rem; width: 3px; margin-left: -1px; background: var(--blue); }
tr.gap td { text-align: center; color: var(--faint); }
.search { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .8rem; margin: 1rem 0 0; }
.search input {
  font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--faint); border-radius: .3rem;
  padding: .3rem .5rem; width: 16rem; max-width: 100%;
}
thead button {
  all: unset; cursor: pointer; text-decoration: underline dotted; text-underline-offset: .2em;
}
thead button:focus-visible, input:focus-visible { outline: 3px solid var(--blue); outline-offset: 2px; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
details.why { border-top: 1px solid var(--line); margin: 0; padding: .5rem 0; }
details.why summary strong { color: var(--ink); }
details.why:target { background: var(--mist); }
@media (max-width: 40rem) {
  table { font-size: .85rem; }
  th, td { padding: .35rem .3rem; }
  table.order { font-size: .8rem; }
  table.order td:first-child { width: auto; }
  table.order th[scope=row] { min-width: 4rem; }
  table.order small { font-size: .75rem; }
  .strip { min-width: 3.5rem; }
  .chart .plot { height: 15rem; margin-left: 3rem; }
  .across-title { padding-left: 3rem; }
}
@media print {
  .search, .hint { display: none; }
  .tall { max-height: none; overflow: visible; }
}
"""

# Everything can be read without it; with it the table can be searched and sorted, and links open what they lead to.
SCRIPT = """
"use strict";
(() => {
  const table = document.getElementById("order-table");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const box = document.createElement("p");
  box.className = "search";
  const label = document.createElement("label");
  label.htmlFor = "search";
  label.textContent = "Find a paper";
  const input = document.createElement("input");
  input.id = "search";
  input.type = "search";
  const found = document.createElement("span");
  found.className = "quiet";
  found.setAttribute("role", "status");
  box.append(label, input, found);
  table.parentElement.before(box);
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const gap = row.classList.contains("gap");
      row.hidden = wanted !== "" && (gap || !row.cells[1].textContent.toLowerCase().includes(wanted));
      shown += !row.hidden && !gap;
    }
    found.textContent = wanted === "" ? "" : shown === 1 ? "1 paper" : shown + " papers";
  });
  const first = (row, at) => row.cells[at].firstChild.textContent;
  const number = (text) => parseFloat(text.replaceAll(",", ""));
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const plain = rows.filter((row) => !row.classList.contains("gap"));
      const numeric = at !== 1 && plain.every((row) => !Number.isNaN(number(first(row, at))));
      plain.sort((a, b) => {
        const [x, y] = [first(a, at), first(b, at)];
        const order = numeric ? number(x) - number(y) : x.localeCompare(y, undefined, { numeric: true });
        return down ? -order : order;
      });
      for (const row of rows) row.remove();
      body.append(...plain);
    });
  });
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") target.open = true;
  };
  addEventListener("hashchange", open);
  open();
})();
"""
