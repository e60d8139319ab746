// Describe every move in words, on a line above the order that screen readers announce.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const { groupIndex } = root.ranking;
  const texts = JSON.parse(root.dataset.texts);
  const line = document.getElementById("moves");
  const format = (name, values = {}) => texts[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const names = (rows) => rows.map((row) => row.name).reduce((one, other) => format("and", { one, other }));
  const MOST_NAMES = 3;

  // Emptied first, so that the same words are announced twice.
  let waiting;
  function announce(text) {
    clearTimeout(waiting);
    line.textContent = "";
    line.classList.add("used");
    waiting = setTimeout(() => { line.textContent = text; }, 40);
  }

  function position(row) {
    const part = row.part;
    if (part.unplaced.includes(row)) return format("unplaced", { paper: row.name });
    if (part.unjudged.includes(row)) return format("unjudged", { paper: row.name });
    const index = groupIndex(row);
    const end = part.order[part.order.length - 1];
    const values = { paper: row.name, place: row.place, all: end[0].place + end.length - 1 };
    const tied = part.order[index].filter((each) => each !== row);
    if (tied.length) return format("tied", { ...values, other: names(tied) });
    if (part.order[index + 1]) return format("above", { ...values, other: names(part.order[index + 1]) });
    if (part.order[index - 1]) return format("below", { ...values, other: names(part.order[index - 1]) });
    return format("only", values);
  }

  // Where a paper is, and which others made room for it.
  function positionAndShifts(row, { down, up }) {
    const list = (moved) => (moved.length > MOST_NAMES ? format("others", { count: moved.length }) : names(moved));
    let text = position(row);
    if (down.length) text = format("down", { where: text, others: list(down) });
    if (up.length) text = format("up", { where: text, others: list(up) });
    return text;
  }

  function reasonUnmoved(row, how) {
    if (how === "out") return position(row);
    return format(how === "down" || how === "bottom" ? "last" : "first", { paper: row.name });
  }

  Object.assign(root.ranking, { format, announce, position, positionAndShifts, reasonUnmoved });
})();
